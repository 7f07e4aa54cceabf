"""The selected contract as a file: each clause with the reason why it is there, and sliders for its tolerances."""

import re
from dataclasses import dataclass
from fractions import Fraction

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Source
from tracepact.language.printer import format_document
from tracepact.language.reader import read_document
from tracepact.selection.basis import observe_family
from tracepact.selection.calibration import NO_FAMILY
from tracepact.selection.candidates import describe
from tracepact.selection.readable import number_text, slots, tried_numbers, variants_contract
from tracepact.selection.requirements import FaultCases, Pair, PairBlend, Row, SelectionRequirement, blend_words
from tracepact.selection.selection import Selection
from tracepact.selection.trials import settings_text
from tracepact.wording import at_least, count, print_number

# What a selected clause scores at other tolerances, for the sliders of the page (14.32).

_MOST_CASES = 100


@dataclass(frozen=True, slots=True)
class Slider:
    """The first number of a selected clause: those that are tried, the clause with each, its values on the cases."""

    clause: int
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    """What the clause is called with each of them."""
    texts: tuple[str, ...]
    values: tuple[tuple[Fraction, ...], ...]
    at: int
    """The place of the number that was selected."""


def sliders(selection: Selection) -> tuple[Slider, ...]:
    """A slider for every selected clause with a number to move; none where there are more cases than a page shows."""
    observed = selection.retained.observed
    calibration = observed.calibration
    # every number of every clause times every case is data of the page
    if len(calibration.cases) > _MOST_CASES:
        return ()
    variants: list[str] = []
    rows: list[tuple[int, list[str], int, int]] = []
    for place, clause in enumerate(selection.clauses):
        movable = slots(clause.text)
        if not movable or _is_author(selection, place):
            continue
        slot = movable[0]
        numbers = tried_numbers(slot, calibration.step)
        rows.append((place, numbers, len(variants), numbers.index(number_text(slot))))
        variants += [f"{clause.text[: slot.start()]}{number}{clause.text[slot.end() :]}" for number in numbers]
    if not variants:
        return ()
    contract = variants_contract(observed, variants)
    again = observe_family(calibration, NO_FAMILY, contract, matcher=observed.matcher, dropped=True)
    scored = again.observation.seen(range(len(variants)))
    return tuple(
        Slider(
            place,
            tuple(numbers),
            (selection.clauses[place].name,) * len(numbers),
            tuple(variants[first : first + len(numbers)]),
            tuple(scored[index].values for index in range(first, first + len(numbers))),
            at,
        )
        for place, numbers, first, at in rows
    )


def _is_author(selection: Selection, place: int) -> bool:
    """Whether a selected clause is an author's own, whose parameters another contract lacks."""
    return selection.coordinates[place].candidate < selection.retained.observed.candidates.first_frame


# The selected contract as a file: ready to use, each clause with the reason why it is there.

_WIDTH = 100
_SHOWN = 3
HARM = "harm"
"""The name of the profile that keeps the order."""
_CLIPS = "The mean over clips, so that a clip counts the same whatever it is scored with"
_ORDERED = "what is worse alone is worse in a corpus of the same labels"


def contract_text(selection: Selection) -> str:
    """The selected contract in canonical form; what `tracepact check` says of it is the caller's to ask."""
    source = Source(f"{selection.calibration.name}.contract", _written(selection))
    diagnostics = Diagnostics()
    # through the reader and the printer of the language: the file is canonical, so its digest is that of its
    # meaning
    document = read_document(source, diagnostics)
    diagnostics.raise_errors()  # a statement that is not understood would be left out
    return format_document(document, source)


def _written(selection: Selection) -> str:
    calibration = selection.calibration
    title = f"Selected from {len(calibration.cases)} cases of {calibration.name}"
    said = {word for clause in selection.clauses for word in re.findall(r"[A-Za-z_]\w*", clause.text)}
    atoms = [atom for atom in calibration.atoms if atom in said]
    settings = settings_text(calibration, selection.matcher, contract_name(selection), title, atoms)
    lines = [*_opening(selection), settings.rstrip()]
    clips = f"{_CLIPS}: {_ORDERED}." if selection.ordering else f"{_CLIPS}."
    lines += [*_comment(clips), "aggregate macro_clips", *_parameters(selection)]
    for only, clause in zip(selection.needed_for, selection.clauses, strict=True):
        ranges = [line for number in clause.ranges for line in _comment(number.words)]
        lines += ["", *_reasons(selection, only), *ranges]
        lines.append(f"clause {clause.name} {clause.text}")
    lines += _profile(selection, [clause.name for clause in selection.clauses])
    return "\n".join(lines) + "\n"


def _profile(selection: Selection, names: list[str]) -> list[str]:
    """The weights under which the order of harm is kept."""
    ordering = selection.ordering
    if ordering is None or not ordering.differences.pairs:
        return []
    ordered, every = len(ordering.differences.pairs), len(selection.retained.required.pairs)
    partly = not selection.judged and ordered < every
    pairs = f"{ordered:,} of {count(every, 'pair')}" if partly else count(ordered, "pair")
    which = "that were judged" if selection.judged else "of different rank"
    text = (
        f"Weighed like this the mean is lower on the worse case of {pairs} {which}, by {at_least(ordering.margin)} or "
        "more."
    )
    weighed = [f"{name} = {weight}" for name, weight in zip(names, ordering.weights, strict=True) if weight]
    return ["", *_comment(text), f"profile {HARM} : {', '.join(weighed)}"]


def contract_name(selection: Selection) -> str:
    """The name of the selected contract (rule 1.3)."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", selection.calibration.name)
    return f"{'_' if name[:1].isdigit() else ''}{name}_selected"


def _parameters(selection: Selection) -> list[str]:
    """The parameters that an author's chosen clauses mention."""
    candidates = selection.retained.observed.candidates
    written = [describe(candidates, c.candidate) for c in selection.coordinates if candidates[c.candidate].name]
    mentioned = {word for text in written for word in re.findall(r"[A-Za-z_]\w*", text)}
    declared = candidates.contract.parameters if candidates.contract else ()
    return [f"param {p.name} = {p.text}" for p in declared if p.name in mentioned]


def _opening(selection: Selection) -> list[str]:
    cover, basis = selection.cover, selection.retained.basis
    least = "has a larger margin" if selection.ordering else "costs less"
    proven = f"none smaller meets it, and none as small {least}" if cover.optimal else _gap(selection)
    text = (
        f"{len(cover.columns)} of {len(basis.coordinates)} coordinates, cost {cover.cost}: {proven}. "
        f"Required: {' and '.join(r.value for r in selection.requirements)}, {selection.met} of "
        f"{selection.retained.required.number} met."
    )
    if selection.judged is not None:
        violated, weight = (
            print_number(number) for number in (selection.judged.violated_weight, selection.judged.weight)
        )
        text += f" Of the weight of the judgements, {weight}, it violates {violated}."
    if selection.ordering is None and SelectionRequirement.SEPARATE in selection.requirements:
        text += " Of two cases of different rank some clause is lower on the worse one; others may be higher."
    return _comment(text)


def _gap(selection: Selection) -> str:
    cover = selection.cover
    if selection.judged is not None and selection.judged.path is not None:
        return f"fitted to the judgements, {selection.judged.path.words}; no fewer than {cover.count_bound} will do"
    if cover.count_bound < len(cover.columns):
        return f"the best found in the time; at least {cover.count_bound} are needed"
    ordering = selection.ordering
    met = "all that it meets" if ordering and len(ordering.given_up) > ordering.bound else "it"
    return f"the best found in the time; none with fewer clauses meets {met}, the rest is not proved"


def _reasons(selection: Selection, only: tuple[Row, ...]) -> list[str]:
    shown = "; ".join(row_words(selection, row) for row in only[:_SHOWN])
    more = f"; and {len(only) - _SHOWN} more" if len(only) > _SHOWN else ""
    return _comment(f"Alone among these it {shown}{more}." if only else "Kept by the search; nothing needs it alone.")


def row_words(selection: Selection, row: Row) -> str:
    """What a requirement asks, in words, for a coordinate that meets it."""
    cases = selection.calibration.cases
    match row.of:
        case Pair(worse, better):
            if selection.judged:
                return f"puts `{cases[worse].name}` below `{cases[better].name}`"
            said = [f" ({print_number(cases[place].rank)})" for place in (worse, better)]
            return f"ranks `{cases[worse].name}`{said[0]} below `{cases[better].name}`{said[1]}"
        case FaultCases(name):
            return f"names `{name}`"
        case PairBlend(weights):
            return f"is {blend_words([(cases[p.worse].name, cases[p.better].name) for p, _ in weights])}"


def _comment(text: str) -> list[str]:
    """A comment in lines of a readable width."""
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return [*lines, line]
