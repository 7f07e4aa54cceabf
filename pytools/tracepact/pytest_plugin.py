"""The pytest plugin: contracts as tests, with golden clips beside them, and requirements that say what failed where.

A file `NAME.contract` below the places that pytest looks at is a test: `check` must find nothing. Beside it,
`NAME.golden.json` holds clips and what they must meet:

    {"ref": {"a": [[1, 2, "dog"]]}, "pred": {"a": [[1, 1.9, "dog"]]}, "durations": {"a": 3},
     "meets": ["onset_guard >= 1"]}

Where there is no contract, nothing is loaded.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tracepact.runs.run import Run

_SUFFIX, _GOLDEN = ".contract", ".golden.json"
_SHOWN = 5
"""How many violations a failure lists."""


class Unmet(AssertionError):  # noqa: N818  (it says what was not met)
    """A requirement that a run does not meet; the message has clause, clips, times and a timeline."""


def assert_meets(run: "Run", *requirements: str) -> None:
    """Fail unless a run meets every requirement, exactly.

    Args:
        run: a run, as `tracepact.score` returns it.
        requirements: a clause, a profile, `mean` or `headline`, a relation and a bound, such as `onset_guard >= 0.9`,
            with an aggregation in front or none: `pooled.onset_guard >= 0.9`.

    Raises:
        Unmet: a requirement is not met, or nothing was asked of its clause.
        InvalidInput: a requirement cannot be read, or names what the contract does not have.

    Examples:
        >>> import tracepact
        >>> from tracepact.pytest_plugin import assert_meets
        >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1, 2)], durations=3)
        >>> assert_meets(run, "onset_guard >= 0.9", "mean == 1")
    """
    from tracepact.diagnostics.collection import Diagnostics
    from tracepact.runs.report_parts import HEADLINE_NAME, MEAN_NAME, requirement_from

    card = run.card
    clauses = [clause.name for clause in card.contract.clauses]
    profiles = {profile.name: profile for profile in card.contract.profiles}
    faults = Diagnostics()
    known = [*clauses, *profiles, MEAN_NAME, HEADLINE_NAME]
    wanted = [requirement_from(text.replace(" ", ""), known, faults) for text in requirements]
    faults.raise_errors()
    failures = []
    for one in wanted:
        assert one is not None  # else raising would have said why
        if one.name in clauses:
            score = card.score(one.name, one.aggregation)
            if score.vacuous:
                failures.append(f"{one.text}: nothing was asked of the clause, so it says nothing")
                continue
            value, told = score.value, [one.name]
        elif one.name in profiles:
            value, told = card.profile(one.name), [name for name, weight in profiles[one.name].weights if weight]
        elif one.name == MEAN_NAME:
            value, told = card.logic(one.aggregation), clauses
        else:
            headline = card.headline(one.aggregation)
            if headline is None:
                failures.append(f"{one.text}: nothing was asked of any clause, so there is no headline")
                continue
            value, told = headline, clauses
        if not one.is_met(value):
            failures.append(
                "\n".join([f"{one.text} is not met: it is {value} ({float(value):.4f})", *_told(run, told)])
            )
    if failures:
        raise Unmet("\n\n".join(failures))


def _told(run: "Run", clauses: list[str]) -> Iterator[str]:
    """The first violations of some clauses, and the timeline of the clip and class that failed worst."""
    from tracepact.runs.timelines import worst_timelines

    for clause in clauses:
        violations = run.violations(clause)
        for one in violations[:_SHOWN]:
            times = [f"{float(_fraction(one[key])):.3f} s" for key in ("time", "onset", "offset") if key in one]
            yield f"  {clause}: {one['clip']}, {one['class']}, at {' to '.join(times) or 'a frame'}"
        if len(violations) > _SHOWN:
            yield f"  {clause}: and {len(violations) - _SHOWN:,} more"
    for timeline in worst_timelines(run.card, 1):
        lanes = timeline.lanes()
        width = max(len(name) for name, _ in lanes)
        yield f"  {timeline.clip}, {timeline.label}"
        yield from (f"    {name:>{width}} {cells}" for name, cells in lanes)


def _fraction(text: str) -> Any:
    from tracepact.wording import parse_exact

    return parse_exact(text)


class Scorer:
    """What the fixture `tracepact` gives: scoring, checking and requirements under short names."""

    def score(self, contract: Any, ref: Any, pred: Any, **options: Any) -> "Run":
        """As `tracepact.score`."""
        from tracepact.runs.run import score

        run: Run = score(contract, ref, pred, **options)
        return run

    def check(self, contract: Any) -> None:
        """Fail if `tracepact.check` finds something."""
        from tracepact.logic.answers import check

        findings = check(contract)
        if not findings.ok or findings.findings:
            raise Unmet(
                "\n".join([f"{contract} has findings", *(f"  {one.code}: {one.headline}" for one in findings.findings)])
            )

    assert_meets = staticmethod(assert_meets)


@pytest.fixture(name="tracepact")
def _scorer() -> Scorer:
    """Scoring and requirements: `score`, `check` and `assert_meets`."""
    return Scorer()


class ContractFile(pytest.File):
    """A contract, collected as its tests."""

    def collect(self) -> Iterator[pytest.Item]:
        """The check, and the golden clips where they are."""
        yield ContractTest.from_parent(self, name="check", run=lambda: Scorer().check(self.path))
        golden = self.path.with_name(self.path.name.removesuffix(_SUFFIX) + _GOLDEN)
        if golden.is_file():
            yield ContractTest.from_parent(self, name="golden", run=lambda: _golden(self.path, golden))


class ContractTest(pytest.Item):
    """One question to a contract."""

    def __init__(self, *, run: Callable[[], None], **options: Any) -> None:
        super().__init__(**options)
        self._run = run

    def runtest(self) -> None:
        """Ask it."""
        self._run()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """What failed, without the way through the plugin."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the test is and what it is called."""
        return self.path, None, f"{self.path.name} {self.name}"


def _golden(contract: Path, golden: Path) -> None:
    """Score golden clips and hold them to what they must meet."""
    from msgspec import DecodeError, convert, json

    from tracepact.inputs import read_bytes

    try:
        clips = convert(json.decode(read_bytes(golden)), dict[str, Any])
        sides = [
            {clip: [tuple(event) for event in events] for clip, events in clips[side].items()}
            for side in ("ref", "pred")
        ]
        meets = convert(clips["meets"], list[str])
        lengths = convert(clips["durations"], dict[str, float])
    except (DecodeError, KeyError, AttributeError, TypeError) as error:
        raise Unmet(f"{golden.name} is no golden file: {error}") from None
    assert_meets(Scorer().score(contract, *sides, durations=lengths), *meets)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ContractFile | None:
    """A file of the suffix `.contract` is collected."""
    if file_path.name.endswith(_SUFFIX):
        collected: ContractFile = ContractFile.from_parent(parent, path=file_path)
        return collected
    return None
