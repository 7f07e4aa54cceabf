"""Candidates as text: on one line, in parts, and the names of clauses made of them."""

import re
from fractions import Fraction

from tracepact.core import Always, And, Atom, Eventually, Formula, Not, Or, Since, Until
from tracepact.logic.text import formula_text
from tracepact.tools.select.candidates import Candidate, Candidates, EventCandidate, FrameCandidate
from tracepact.wording import ms

_LONGEST_NAME = 60


def obligation_text(candidate: Candidate, step: Fraction) -> str:
    """Where a candidate must hold, as it is written."""
    if isinstance(candidate, EventCandidate):
        return f"each {candidate.clause.each.value}"
    return formula_text(candidate.obligation, step)


def body_text(candidate: Candidate, step: Fraction) -> str:
    """What must hold, as it is written."""
    if isinstance(candidate, EventCandidate):
        return _predicate_text(candidate.clause.formula)
    return formula_text(candidate.formula, step)


def _predicate_text(formula: Formula) -> str:
    """A predicate; the names of its atoms are their canonical texts."""
    match formula:
        case Atom(name):
            return name
        case And(left, right):
            return f"{_part_text(left)} and {_part_text(right)}"
        case Or(left, right):
            return f"{_part_text(left)} or {_part_text(right)}"
        case Not(body):
            return f"not {_part_text(body)}"
    raise TypeError(f"no family has a predicate {formula}")


def _part_text(formula: Formula) -> str:
    text = _predicate_text(formula)
    return text if isinstance(formula, Atom) else f"({text})"


def describe(candidates: Candidates, index: int) -> str:
    """A candidate on one line; an author's clause as it is written."""
    if candidates.contract is not None and index < candidates.first_frame:
        text = candidates.contract.source.text
        clause = candidates.authors[index]
        return " ".join(text[clause.span.start : clause.span.end].split()).split(None, 2)[2]
    return candidate_text(candidates[index], candidates.step)


def candidate_text(candidate: Candidate, step: Fraction) -> str:
    """What a clause says after its name."""
    return f"on {obligation_text(candidate, step)} : {body_text(candidate, step)}"


def clause_name(candidate: Candidate, step: Fraction, index: int) -> str:
    """The author's name, or one made of what the candidate says; its number ends a name that is too long."""
    if candidate.name is not None:
        return candidate.name
    if isinstance(candidate, FrameCandidate):
        words = f"{obligation_text(candidate, step)} {_words(candidate.duty, step)}"
    else:
        words = f"{candidate.clause.each.value} {_predicate_text(candidate.clause.formula)}"
    words = words.replace("<=", "at most").replace(">=", "at least").replace("!", "no ").replace(" -", " minus ")
    words = words.replace("*", "of").replace(".", "_")
    name = re.sub(r"[^A-Za-z0-9]+", "_", words).strip("_")
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 8].rstrip('_')}_{index}"


def _words(formula: Formula, step: Fraction) -> str:
    def reach(frames: int) -> str:
        return ms(abs(frames) * step).replace(".", "p").replace("/", "over")

    match formula:
        case Atom(name):
            return name
        case Not(body):
            return f"no {_words(body, step)}"
        case And(a, b):
            return f"{_words(a, step)} and {_words(b, step)}"
        case Or(a, b):
            return f"{_words(a, step)} or {_words(b, step)}"
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            kind = "" if isinstance(formula, Eventually) else "all "
            side = "near" if lo == -hi else "ahead" if lo == 0 else "back"
            return f"{kind}{side} {reach(hi or lo)} {_words(body, step)}"
        case Until(radius, a, b):
            return f"{_words(a, step)} until {reach(radius)} {_words(b, step)}"
        case Since(radius, a, b):
            return f"{_words(a, step)} since {reach(radius)} {_words(b, step)}"
    return "formula"
