"""The selected contract as a file: ready to use, each clause with the reason why it is there."""

import re

from tracepact.diagnostics import Diagnostics, Source
from tracepact.lang import format_document, read_document
from tracepact.tools.select.candidate_words import describe
from tracepact.tools.select.select import Selection
from tracepact.tools.select.separate import Fault, Pair, PairBlend, Requirement, Row, blend_words
from tracepact.tools.select.trials import settings_text
from tracepact.wording import at_least, count, print_number

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
    for need, clause in zip(selection.necessity, selection.clauses, strict=True):
        ranges = [line for found in clause.ranges for line in _comment(found.words)]
        lines += ["", *_reasons(selection, need.only), *ranges]
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
        violated, weight = (print_number(number) for number in (selection.judged.violated, selection.judged.weight))
        text += f" Of the weight of the judgements, {weight}, it violates {violated}."
    if selection.ordering is None and Requirement.SEPARATE in selection.requirements:
        text += " Of two cases of different rank some clause is lower on the worse one; others may be higher."
    return _comment(text)


def _gap(selection: Selection) -> str:
    cover = selection.cover
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
        case Fault(name):
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
