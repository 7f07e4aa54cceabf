"""A league as a record: what JSON holds and every view reads (spec/schemas/league.schema.json)."""

from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.core import Aggregation
from tracepact.records import Count, Digest, Record, Share
from tracepact.tools.league.base import Policies, Settings
from tracepact.tools.league.columns import Group
from tracepact.tools.league.system import SystemRecord
from tracepact.tools.score.report.record import ContractRecord, Versions

Rank = Annotated[int, Meta(ge=1)]
Names = Annotated[tuple[str, ...], Meta(extra_json_schema={"uniqueItems": True})]


class LeagueDifference(Record, frozen=True):
    """A system minus the baseline (16.18); the ends of the interval are for reading."""

    value: Annotated[Fraction | None, Meta(description="The exact difference; null where a value is a float.")]
    decimal: float
    low: float | None
    high: float | None
    p: Annotated[Share | None, Meta(description="Two-sided (16.7); null without draws.")]
    corrected: Annotated[Share | None, Meta(description="After Holm over the systems (16.8).")]
    significant: bool


class LeagueValue(Record, frozen=True):
    """What one system has in a column."""

    system: str
    value: Annotated[Fraction | None, Meta(description="The exact value; null where it is undefined or a float.")]
    decimal: float | None
    low: float | None
    high: float | None
    vacuous: Annotated[Share, Meta(description="The share from entries without an obligation (16.11).")]
    earned: Annotated[bool, Meta(description="Whether it is ranked (16.12, 16.16).")]
    rank: Rank | None
    tied: Annotated[bool, Meta(description="Whether another system has the same rank.")]
    rank_low: Rank | None
    rank_high: Rank | None
    difference: Annotated[
        LeagueDifference | None, Meta(description="From the baseline; null for itself, and where one is not earned.")
    ]


class LeagueColumn(Record, frozen=True):
    """One value of every system, in the league's order."""

    name: str
    group: Group
    about: Annotated[str, Meta(description="The weights of a profile, the policy of a metric.")]
    aggregation: Annotated[Aggregation | None, Meta(description="Null for metrics, which bring their own.")]
    higher_is_better: bool
    ranked: Annotated[bool, Meta(description="False for means over matched pairs, which rank nobody (16.16).")]
    leading: Annotated[bool, Meta(description="Whether tables for people show it.")]
    best: Annotated[Names, Meta(description="Who is first; several are a tie, none if none is earned.")]
    values: Annotated[tuple[LeagueValue, ...], Meta(min_length=2)]


class MapRow(Record, frozen=True):
    """The scores of one system on one clause, by class or condition; null where nothing was asked."""

    system: str
    clause: Annotated[str, Meta(description="A clause, or `mean` for the mean of those that ask something.")]
    values: tuple[Share | None, ...]


class LeagueMap(Record, frozen=True):
    """The scores of the systems by class, pooled over clips, or by condition (16.19)."""

    columns: tuple[str, ...]
    rows: tuple[MapRow, ...]


class ClipDifference(Record, frozen=True):
    """A clip on which systems differ (16.19)."""

    clip: str
    difference: Annotated[float, Meta(ge=0, description="The mean absolute difference of the losses of two systems.")]
    losses: Annotated[tuple[float, ...], Meta(description="The loss of each system, in the league's order.")]


class League(Record, frozen=True, kw_only=True):
    """What `tracepact league --format json` prints: many systems on the same data (16.15 to 16.19)."""

    format: Literal["tracepact-league/1"]
    versions: Versions
    contract: ContractRecord
    aggregation: Aggregation
    mode: str
    clips: Count
    classes: tuple[str, ...]
    tables: Annotated[dict[str, Digest], Meta(description="The SHA-256 of what each table says, by role.")]
    policies: Policies
    settings: Settings
    systems: Annotated[tuple[SystemRecord, ...], Meta(min_length=2, description="In the order of the league.")]
    columns: tuple[LeagueColumn, ...]
    by_class: LeagueMap
    by_condition: Annotated[LeagueMap | None, Meta(description="Null without conditions.")]
    most_different: Annotated[tuple[ClipDifference, ...], Meta(description="The clips on which systems differ most.")]

    @property
    def names(self) -> list[str]:
        """The systems in the order of the league."""
        return [system.name for system in self.systems]

    @property
    def nearly_constant(self) -> dict[str, str]:
        """The systems that answer the same nearly throughout, each with what it answers and where (16.12)."""
        found = ((system.name, system.nearly_constant) for system in self.systems)
        return {name: given.words(len(self.classes)) for name, given in found if given is not None}

    def group(self, *groups: Group) -> list[LeagueColumn]:
        """The columns of some groups that tables for people show."""
        return [column for column in self.columns if column.group in groups and column.leading]

    @property
    def ranked_by(self) -> LeagueColumn:
        """The column that orders the league."""
        return next(column for column in self.columns if column_id(column) == self.settings.rank_by)


def column_id(column: LeagueColumn) -> str:
    """What a column is called among all: `profile.balanced`, `metric.event_f1`; the headline by its name alone."""
    return full_name(column.group, column.name)


def full_name(group: Group, name: str) -> str:
    """The name of a column behind that of its group."""
    return name if group is Group.HEADLINE else f"{group.value}.{name}"
