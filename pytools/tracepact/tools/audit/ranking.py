"""The views of the audits of several systems: profiles, coordinates, neutrality."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.console import Group
from rich.table import Table

from tracepact.core import Aggregation, Profile
from tracepact.show.figure import heat_table
from tracepact.tools.audit.systems import NeutralityAudit, ProfileAudit, Question, Ranking, SelectionAudit, Systems
from tracepact.tools.audit.view import VACUITY, Cell, View, empty_part, exact, table
from tracepact.wording import decimal, rounded

_VALUES = ("system", "value", "decimal", "rank", "best", "vacuous")


def profile_view(audit: ProfileAudit) -> View:
    """Which system is best under which profile."""
    title = "The best system under each risk profile"
    rankings = [ranking for _, ranking in audit.profiles]
    shown = _ranked_table(title, "profile", audit.systems.names)
    shown.add_column("weights")
    for profile, ranking in audit.profiles:
        weights = _weights(profile.profile, len(audit.systems.contract.clauses))
        shown.add_row(*_cells(ranking), weights + _own_aggregation(profile.profile, audit.aggregation))
    notes = [_changes(rankings)]
    notes += [f"{name} is dominated by {', '.join(by)}" for name, by in audit.dominated.items() if by]
    notes += [f"{name}: the contract lacks some of its clauses" for name in audit.absent]
    return View(
        {
            **_head(audit.systems, audit.aggregation),
            "profiles": [
                {
                    "name": profile.profile.name,
                    "origin": profile.origin.value,
                    "aggregation": profile.profile.aggregation.value,
                    "weights": [{"clause": c, "weight": str(w)} for c, w in profile.profile.weights],
                    **_ranking(ranking),
                }
                for profile, ranking in audit.profiles
            ],
            "winners": list(audit.winners),
            "dominated": [{"system": name, "by": list(by)} for name, by in audit.dominated.items() if by],
            "absent": list(audit.absent),
        },
        Group(shown, *_vacuity(rankings), *notes),
        ("profile", "origin", "aggregation", *_VALUES),
        [
            (profile.profile.name, profile.origin.value, profile.profile.aggregation.value, *row)
            for profile, ranking in audit.profiles
            for row in _rows(ranking)
        ],
        _figure(title, rankings, audit.systems.names),
    )


def selection_view(audit: SelectionAudit) -> View:
    """Which system is best on which coordinate."""
    title = f"The best system on each coordinate ({audit.aggregation.value})"
    shown = _ranked_table(title, "clause", audit.systems.names)
    for ranking in audit.coordinates:
        shown.add_row(*_cells(ranking))
    led = [{"system": name, "coordinates": audit.led(name)} for name in audit.systems.names]
    note = "; ".join(f"{row['system']} leads on {row['coordinates']} of {len(audit.coordinates)}" for row in led)
    return View(
        {
            **_head(audit.systems, audit.aggregation),
            "coordinates": [{"clause": ranking.name, **_ranking(ranking)} for ranking in audit.coordinates],
            "led": led,
        },
        Group(shown, *_vacuity(audit.coordinates), note),
        ("clause", "aggregation", *_VALUES),
        [(ranking.name, audit.aggregation.value, *row) for ranking in audit.coordinates for row in _rows(ranking)],
        _figure(title, audit.coordinates, audit.systems.names),
    )


def neutrality_view(audit: NeutralityAudit) -> View:
    """Which answers change without some of the systems."""
    title = f"The same questions without {', '.join(audit.without)}"
    shown = table(title, ("question", "of", "best of all"), ("ahead by",))
    shown.add_column("best of the rest", overflow="fold")
    shown.add_column("ahead by", justify="right")
    shown.add_column("changed")
    for question in audit.questions:
        shown.add_row(
            question.of_all.name,
            question.kind,
            _named(_marked(question.of_all)),
            decimal(question.of_all.margin),
            _named(_marked(question.of_rest)),
            decimal(question.of_rest.margin),
            "changed" if question.changed else "",
        )
    changed = sum(question.changed for question in audit.questions)
    return View(
        {
            **_head(audit.systems, audit.aggregation),
            "without": list(audit.without),
            "questions": [_question(question) for question in audit.questions],
            "changed": changed,
        },
        Group(
            shown,
            *_vacuity([question.of_all for question in audit.questions]),
            f"{changed} of {len(audit.questions)} answers change",
        ),
        ("kind", "name", "systems", *_VALUES),
        [
            (question.kind, question.of_all.name, which, *row)
            for question in audit.questions
            for which, ranking in (("all", question.of_all), ("rest", question.of_rest))
            for row in _rows(ranking)
        ],
        _figure(
            f"The best of each question, of all and without {', '.join(audit.without)}",
            [replace(r, name=f"{r.name}{of}") for q in audit.questions for r, of in _both(q)],
            audit.systems.names,
        ),
    )


def _head(systems: Systems, aggregation: Aggregation) -> dict[str, Any]:
    return {
        "contract": {"name": systems.contract.name, "digest": systems.contract.digest},
        "aggregation": aggregation.value,
        "systems": list(systems.names),
    }


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "values": [
            {"system": n, "value": exact(v), "decimal": rounded(v), "vacuous": exact(share)}
            for (n, v), share in zip(ranking.values, ranking.vacuous, strict=True)
        ],
        "best": list(ranking.best),
        "tie": len(ranking.best) > 1,
        "margin": exact(ranking.margin),
    }


def _question(question: Question) -> dict[str, Any]:
    return {
        "kind": question.kind,
        "name": question.of_all.name,
        "all": _ranking(question.of_all),
        "rest": _ranking(question.of_rest),
        "changed": question.changed,
    }


def _both(question: Question) -> tuple[tuple[Ranking, str], ...]:
    """A line for all systems; where the answer changes, one for the rest."""
    rest = ((question.of_rest, ": the rest"),) if question.changed else ()
    return (question.of_all, ""), *rest


def _rows(ranking: Ranking) -> list[tuple[Cell, ...]]:
    """A row for every system; equal values share a rank."""
    values = [value for _, value in ranking.values]
    return [
        (
            name,
            str(value),
            decimal(value, 6),
            1 + sum(v > value for v in values),
            str(name in ranking.best).lower(),
            str(share),
        )
        for (name, value), share in zip(ranking.values, ranking.vacuous, strict=True)
    ]


def _ranked_table(title: str, first: str, names: Sequence[str]) -> Table:
    shown = table(title, (first,), names)
    shown.add_column("best", overflow="fold")
    shown.add_column("ahead by", justify="right")
    return shown


def _weights(profile: Profile, clauses: int) -> str:
    if len({weight for _, weight in profile.weights}) == 1:
        return "every clause alike" if len(profile.weights) == clauses else ", ".join(c for c, _ in profile.weights)
    return ", ".join(f"{clause} = {weight}" for clause, weight in profile.weights)


def _own_aggregation(profile: Profile, asked: Aggregation) -> str:
    """A mark for a profile that keeps an aggregation of its own."""
    return "" if profile.aggregation is asked else f" (over {profile.aggregation.value}, its own)"


def _cells(ranking: Ranking) -> list[str]:
    """A line of the table: values, the best with a star, those that rest on vacuous entries with how far."""
    values = [
        decimal(value) + ("*" if name in ranking.best else " ") + empty_part(share)
        for (name, value), share in zip(ranking.values, ranking.vacuous, strict=True)
    ]
    return [ranking.name, *values, _named(ranking.best), decimal(ranking.margin)]


def _marked(ranking: Ranking) -> list[str]:
    """The best, with how much of their values has no obligation behind it."""
    shares = zip(ranking.values, ranking.vacuous, strict=True)
    return [name + empty_part(share) for (name, _), share in shares if name in ranking.best]


def _vacuity(rankings: Sequence[Ranking]) -> list[str]:
    """What the mark of vacuity means, if there is one."""
    return [VACUITY] if any(any(ranking.vacuous) for ranking in rankings) else []


def _named(best: Sequence[str]) -> str:
    return best[0] if len(best) == 1 else f"tie: {', '.join(best)}"


def _changes(rankings: Sequence[Ranking]) -> str:
    winners = list(dict.fromkeys(name for ranking in rankings for name in ranking.best))
    if all(ranking.best == rankings[0].best for ranking in rankings):
        return f"{_named(rankings[0].best)} under every profile"
    return f"the choice depends on the profile: {', '.join(winners)}"


def _figure(title: str, rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """Values by system, a frame around the best; a system that is not ranked has a dash."""
    ranked = [dict(ranking.values) for ranking in rankings]
    best = {(row, names.index(name)) for row, ranking in enumerate(rankings) for name in ranking.best}
    return heat_table(
        f"{title} (framed)",
        [ranking.name for ranking in rankings],
        names,
        [[values.get(name) for name in names] for values in ranked],
        value_range=(0, 1),
        shown=decimal,
        framed=best,
    )
