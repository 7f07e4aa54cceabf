"""Clauses in plain words, with what their windows come to on the grid; and the whole language on one page."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.declarations import dataclass, spec_path
from tracepact.language.contract import (
    BUILTIN_ATOMS,
    CLASS_ATOMS,
    Aggregation,
    Contract,
    EventClause,
    FrameClause,
    Matcher,
    MatcherKind,
    Projection,
)
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
    cost,
    depth,
    lookahead,
    lookback,
    operands,
    size,
    windows,
)
from tracepact.language.predicate import ATTRIBUTES, AttributeKind, Each, Existence, Owner, TermComparison, attributes
from tracepact.language.predicate_types import FUNCTIONS
from tracepact.language.printer import predicate_words
from tracepact.language.syntax import UNITS
from tracepact.language.written_times import written_times
from tracepact.records import Count, Digest, Name, NotNegative, OneOf, Record
from tracepact.wording import count, print_number, quoted, time_text, written_time

# Clauses in plain words, with what their windows come to on the grid: the record and text of `explain`.

ATOM_WORDS = {
    "ref_active": "the reference is active",
    "ref_onset": "a reference event starts",
    "ref_offset": "a reference event has just ended",
    "pred_active": "the prediction is active",
    "pred_onset": "a predicted event starts",
    "pred_offset": "a predicted event has just ended",
    "other_ref_active": "the reference of another class is active",
    "other_pred_active": "the prediction of another class is active",
}
_ATOMS_NOT = {
    "ref_active": "the reference is silent",
    "ref_onset": "no reference event starts",
    "ref_offset": "no reference event has just ended",
    "pred_active": "the prediction is silent",
    "pred_onset": "no predicted event starts",
    "pred_offset": "no predicted event has just ended",
    "other_ref_active": "the reference of every other class is silent",
    "other_pred_active": "the prediction of every other class is silent",
}

AGGREGATED = {
    Aggregation.POOLED: "all counts are added, then divided",
    Aggregation.MACRO_CLIPS: "the mean over clips of the mean over classes",
    Aggregation.MACRO_CLASSES: "the mean over classes of each class's pooled score",
    Aggregation.MACRO_CLIPS_INFORMATIVE: "the mean over clips and classes that have obligations",
    Aggregation.MACRO_CLASSES_INFORMATIVE: "the mean over the classes that have obligations",
}
MATCHED = {
    MatcherKind.GREEDY: "the cheapest pair first",
    MatcherKind.OPTIMAL: "as many as possible at the least cost",
}
PROJECTED = {
    Projection.CENTRE: "a frame is active if its centre lies in an event",
    Projection.TOUCH: "a frame is active if an event touches it",
    Projection.INSIDE: "a frame is active if it lies inside an event",
}
_EVENT_NOTE = "judged when the match of its events is settled; the contract bounds neither delay nor memory"
_PARTNER_NOTE = "; without a partner a comparison with it is false"
_Written = Annotated[tuple[str, ...], Meta(description="What its bounds mean in written times (21.13).")]
_Words = Annotated[str, Meta(min_length=1, description="The clause in plain words.")]


class ClauseExplanation(OneOf):
    """A clause in words."""

    clause: str
    words: str


class FrameClauseExplanation(Record, ClauseExplanation, frozen=True):
    """A frame clause (3.10)."""

    clause: Name
    kind: Literal["frame"]
    words: _Words
    text: Annotated[str, Meta(min_length=1, description="Its formula as written.")]
    windows: Annotated[tuple[tuple[int, int], ...], Meta(description="The windows in frames, outermost first (2.6).")]
    written: _Written
    lookahead: Annotated[Count, Meta(description="Frames it looks ahead (6.7).")]
    lookback: Annotated[Count, Meta(description="Frames it looks back (6.7).")]
    depth: Annotated[Count, Meta(description="How deep its modalities nest.")]
    size: Annotated[int, Meta(ge=1, description="Nodes of the formula.")]
    cost: Annotated[Count, Meta(description="Passes over the trace that monitoring takes.")]


class AttributeExplanation(Record, frozen=True):
    """An attribute that a predicate mentions."""

    name: Annotated[str, Meta(pattern="^[a-z_]+$", description="Its name, without the interval it belongs to.")]
    unit: Annotated[str, Meta(min_length=1, description="What its values are given in.")]
    words: Annotated[str, Meta(min_length=1, description="What it is, in plain words.")]


class EventClauseExplanation(Record, ClauseExplanation, frozen=True):
    """An event clause (3.10)."""

    clause: Name
    kind: Literal["event"]
    words: _Words
    text: Annotated[str, Meta(min_length=1, description="Its predicate as written.")]
    attributes: Annotated[
        tuple[AttributeExplanation, ...],
        Meta(description="The attributes that the predicate mentions (4.5 to 4.10), each once."),
    ]
    written: _Written
    note: Annotated[str, Meta(min_length=1, description="When it can be judged.")]


class SettingExplanation(Record, frozen=True):
    """A setting of the contract that its scores depend on."""

    name: Annotated[str, Meta(pattern="^[a-z_]+$", description="The statement that sets it (3.4 to 3.8).")]
    value: Annotated[str, Meta(min_length=1, description="Its value, as it would be written.")]
    written: Annotated[bool, Meta(description="Whether the contract says so; else it is the default.")]
    words: Annotated[str, Meta(min_length=1, description="What it does, in plain words.")]


class Explanation(Record, frozen=True):
    """What `tracepact explain --format json` prints: each clause in plain words, with its windows on the grid.

    Numbers in parentheses are rules of language.md.
    """

    contract: Name
    title: Annotated[str | None, Meta(description="The contract's title, if it has one (3.1).")]
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    step: Annotated[NotNegative, Meta(description="The length of a frame in seconds, exact (3.2).")]
    lookahead: Annotated[Count, Meta(description="The greatest lookahead of the frame clauses, in frames (6.7).")]
    settings: Annotated[
        tuple[SettingExplanation, ...], Meta(min_length=1, description="What the scores depend on beside the clauses.")
    ]
    clauses: Annotated[tuple[ClauseExplanation, ...], Meta(min_length=1, description="The clauses in source order.")]


def explain_contract(contract: Contract) -> Explanation:
    """What every clause means and needs."""
    clauses = tuple(explain_clause(clause, contract) for clause in contract.clauses)
    ahead = max((row.lookahead for row in clauses if isinstance(row, FrameClauseExplanation)), default=0)
    settings = tuple(_settings(contract))
    return Explanation(contract.name, contract.title, contract.digest, contract.step, ahead, settings, clauses)


def _settings(contract: Contract) -> Iterator[SettingExplanation]:
    """Every setting that the scores depend on, written or not; the matcher where some clause is about events."""
    matcher, gap = contract.matcher, contract.merge_gap
    means = f"clips and classes become one value: {AGGREGATED[contract.aggregation]}"
    settings = {"aggregate": (contract.aggregation.value, means)}
    if contract.event_clauses:
        search, reward = written_time(matcher.search), print_number(matcher.overlap_reward)
        settings["matcher"] = (
            f"{matcher.kind.value}(search = {search}, overlap_reward = {reward})",
            f"events that share a frame and have an edge within {time_text(matcher.search)} of the other's are paired "
            f"one to one, {MATCHED[matcher.kind]}",
        )
        joined = f"events at most {time_text(gap)} apart are judged as one" if gap else "no gap is closed"
        settings["merge_gap"] = (written_time(gap), joined)
    settings["projection"] = (contract.projection.value, PROJECTED[contract.projection])
    labels = "the classes are those of the data" if contract.labels is None else "these classes and no others"
    settings["labels"] = (" ".join(contract.labels or ("from the data",)), labels)
    settings["soft_scale"] = (
        written_time(contract.soft_scale),
        "the scale of the soft boundary score, which decides nothing",
    )
    for name, (value, meaning) in settings.items():
        yield SettingExplanation(name, value, name in contract.statements, meaning)


def explain_clause(clause: FrameClause | EventClause, contract: Contract) -> ClauseExplanation:
    """One clause in words, with its measures in frames."""
    text = contract.source.text[clause.body.span.start : clause.body.span.end]
    if isinstance(clause, EventClause):
        return EventClauseExplanation(
            clause=clause.name,
            kind="event",
            words=predicate_words(clause.each, clause.formula, dict(clause.event_atoms)) + _given(text, contract),
            text=text,
            attributes=tuple(AttributeExplanation(a.name, a.quantity.unit, a.words) for a in _mentioned(clause)),
            written=written_times(clause, contract),
            note=_EVENT_NOTE + (_PARTNER_NOTE if _asks_partner(clause) else ""),
        )
    both = (clause.obligation, clause.formula)
    return FrameClauseExplanation(
        clause=clause.name,
        kind="frame",
        words=f"at every frame where {words(clause.obligation, contract.step)}, {_duty(clause, contract.step)}",
        text=text,
        windows=tuple(window for f in both for window in windows(f)),
        written=written_times(clause, contract),
        lookahead=max(lookahead(f) for f in both),
        lookback=max(lookback(f) for f in both),
        depth=max(depth(f) for f in both),
        size=sum(size(f) for f in both),
        cost=sum(cost(f) for f in both),
    )


def _asks_partner(clause: EventClause) -> bool:
    """Whether a comparison asks about a partner that need not be there (rule 4.12)."""
    owner = {Each.REF: Owner.REF, Each.PRED: Owner.PRED}.get(clause.each)
    compared = (atom for _, atom in clause.event_atoms if isinstance(atom, TermComparison))
    return owner is not None and any(a.owner is not owner for atom in compared for a in attributes(atom))


def _mentioned(clause: EventClause) -> list[AttributeKind]:
    """The attributes that a predicate mentions, in the order of their rules."""
    names = {attribute.name for _, atom in clause.event_atoms for attribute in attributes(atom)}
    return [kind for name, kind in ATTRIBUTES.items() if name in names]


def _given(text: str, contract: Contract) -> str:
    """The values of the parameters a text mentions."""
    mentioned = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text))
    values = [f"{p.name} = {p.text}" for p in contract.parameters if p.name in mentioned]
    return f" (with {', '.join(values)})" if values else ""


def _duty(clause: FrameClause, step: Fraction) -> str:
    """What must hold; an implication from what the obligation already says is told without repeating it."""
    match clause.formula:
        case Implies(left, right) if left in (clause.obligation, *operands(clause.obligation, And)):
            return f"it is required that {words(right, step)}"
        case formula:
            return f"it is required that {words(formula, step)}"


def words(formula: Formula, step: Fraction) -> str:
    """A formula as a clause of a sentence."""
    match formula:
        case Atom(name):
            return ATOM_WORDS.get(name, f"`{name}` holds")
        case Constant(value):
            return "anything holds" if value else "nothing holds (never)"
        case Not(Atom(name)):
            return _ATOMS_NOT.get(name, f"`{name}` does not hold")
        case Not(Eventually(lo, hi, body)) if lo != hi and body != Constant(True):
            return f"{_grouped(body, step)} at no frame {_where(lo, hi, step)}"
        case Not(body):
            return f"it is not so that {_grouped(body, step)}"
        case And(a, b):
            return f"{_grouped(a, step)} and {_grouped(b, step)}"
        case Or(a, b):
            return f"{_grouped(a, step)} or {_grouped(b, step)}"
        case Implies(a, b):
            return f"if {_grouped(a, step)} then {_grouped(b, step)}"
        case Iff(a, b):
            return f"{_grouped(a, step)} exactly when {_grouped(b, step)}"
        case Eventually(lo, hi, Constant(value=True)):
            return f"the clip has a frame {_where(lo, hi, step)}"
        case Eventually(lo, hi, Not(Atom(name))) if lo != hi and _is_negative(name):
            return f"at some frame {_where(lo, hi, step)}, {_ATOMS_NOT[name]}"
        case Eventually(lo, hi, body):
            return f"{_grouped(body, step)} {'' if hi in (lo, -lo) else 'at some frame '}{_where(lo, hi, step)}"
        case Always(lo, hi, Not(Atom(name))) if lo != hi and _is_negative(name):
            return f"{ATOM_WORDS[name]} at no frame {_where(lo, hi, step)}"
        case Always(lo, hi, body):
            return f"{_grouped(body, step)} {'' if lo == hi else 'at every frame '}{_where(lo, hi, step)}"
        case Until(radius, a, b):
            return f"{_grouped(b, step)} within the next {_span(radius, step)}, and {_grouped(a, step)} until then"
        case Since(radius, a, b):
            return f"{_grouped(b, step)} within the last {_span(radius, step)}, and {_grouped(a, step)} since then"


def _is_negative(name: str) -> bool:
    """Whether the words for the absence of an atom say `no …`, which `at every frame` would turn around."""
    return _ATOMS_NOT.get(name, "").startswith("no ")


def _grouped(formula: Formula, step: Fraction) -> str:
    text = words(formula, step)
    simple = isinstance(formula, Atom | Constant | Eventually | Always) or (
        isinstance(formula, Not) and isinstance(formula.body, Atom)
    )
    return text if simple else f"({text})"


def _where(lo: int, hi: int, step: Fraction) -> str:
    if lo == -hi:
        return f"within {_span(hi, step)} before or after" if hi else "here"
    if lo == hi:
        return f"exactly {_offset(lo, step)}"
    if lo == 0:
        return f"from now to {_span(hi, step)} ahead"
    if hi == 0:
        return f"from {_span(-lo, step)} back to now"
    return f"from {_offset(lo, step)} to {_offset(hi, step)}"


def _offset(frames: int, step: Fraction) -> str:
    if not frames:
        return "now"
    return f"{_span(abs(frames), step)} {'ahead' if frames > 0 else 'back'}"


def _span(frames: int, step: Fraction) -> str:
    return f"{count(frames, 'frame')} ({print_number(frames * step * 1000)} ms)"


# The whole language on one page, from the grammar, the atoms, the attributes and the choices of the compiler.

_UNIT_WORDS = {"ms": "milliseconds", "s": "seconds; also a number without a unit", "f": "frames"}
_FUNCTION_WORDS = {"abs": "the absolute value", "min": "the least of its arguments", "max": "the greatest of them"}
_MODALITY_WORDS = {
    "near": "at some frame at most so far before or after",
    "eventually": "at some frame of the window; `F[r]` is `F[0s,r]`, negative offsets look back",
    "always": "at every frame of the window that the clip has",
    "until": "the right side within so long ahead, the left at every frame before that",
    "since": "the right side within so long back, the left at every frame after that",
}
_CONNECTIVE_WORDS = {"not": "not", "and": "and", "or": "or", "implies": "if … then", "iff": "exactly when"}
_STATEMENT_WORDS = {
    "contract_decl": "names the contract; required",
    "step_decl": "the length of a frame; required",
    "param_decl": "a named value, which `--set` and sweeps can change",
    "merge_gap_decl": "runs at most so far apart are one event; default 0s",
    "sweep_decl": "values of a parameter at which the vector is shown as well",
    "aggregate_decl": f"how clips and classes become one value: {quoted([a.value for a in Aggregation])}; the first by "
    "default",
    "matcher_decl": f"how events find partners: {quoted([k.value for k in MatcherKind])}; by default "
    f"`{Matcher().kind.value}(search = {written_time(Matcher().search)}, "
    f"overlap_reward = {float(Matcher().overlap_reward):g})`",
    "projection_decl": f"which frames an event activates: {quoted([p.value for p in Projection])}; the first by "
    "default",
    "labels_decl": "the classes; by default those of the data",
    "atom_decl": "an atom whose mask the caller supplies",
    "soft_scale_decl": "the scale of the soft boundary score; default 100ms",
    "frame_clause": "at every frame where the first formula holds, the second must",
    "event_clause": f"for each interval, NAME being {quoted([e.value for e in Each])}, the predicate must hold",
    "profile_decl": "weights over clauses, applied after the vector",
}
_SPELLED = {"value": "VALUE", "formula": "FORMULA", "predicate": "PREDICATE", "label": "LABEL"}
_LITERAL = str.maketrans("()", "\x01\x02")
_PLAIN = str.maketrans("\x01\x02", "()")
_NAMES = ("Atoms", "Attributes", "Units")
"""The sections of things that are called by a name."""
_PARTS = {"option": "NAME = VALUE", "weight": "CLAUSE = WEIGHT"}


@dataclass(frozen=True, slots=True)
class ReferenceSection:
    """A part of the reference: its title, and what is written with what it means."""

    title: str
    entries: tuple[tuple[str, str], ...]


@cache
def language_reference() -> tuple[ReferenceSection, ...]:
    """Every statement, operator, atom, attribute, function and unit of the language."""
    rules = _productions()
    return (
        ReferenceSection("Statements", tuple(_statements(rules))),
        ReferenceSection("Formulas of frame clauses, tightest first", tuple(_operators(rules))),
        ReferenceSection("Atoms", tuple((name, ATOM_WORDS[name]) for name in (*BUILTIN_ATOMS, *CLASS_ATOMS))),
        ReferenceSection("Predicates of event clauses", tuple(_predicates())),
        ReferenceSection("Attributes", tuple((_spelling(kind), _attribute(kind)) for kind in ATTRIBUTES.values())),
        ReferenceSection("Units", tuple((unit, _UNIT_WORDS[unit]) for unit in UNITS)),
    )


def written_with(word: str) -> list[tuple[str, str]]:
    """The statements, operators and functions that are written with a word, each with what it means."""
    entries = [entry for section in language_reference() if section.title not in _NAMES for entry in section.entries]
    return [(form, meaning) for form, meaning in entries if word in re.findall(r"\w+", form)]


def _productions() -> dict[str, str]:
    """The rules and terminals of the grammar by name, each in one line; an alias is a rule of its own."""
    text = re.sub(r"//[^\n]*", "", spec_path("grammar.lark").read_text(encoding="utf-8"))
    productions = dict(re.findall(r"^[!?]?(\w+):\s*(.+(?:\n[ \t]+.+)*)", text, re.MULTILINE))
    aliases = re.findall(r"\|?\s*([^|\n]+?)\s*->\s*(\w+)", text)
    bodies = {**{name: body for body, name in reversed(aliases)}, **productions}
    return {name: " ".join(body.split()) for name, body in bodies.items()}


def statement_names() -> list[str]:
    """The kinds of statements that the grammar has."""
    return [name.strip() for name in _productions()["statement"].split("|")]


def _statements(rules: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name in statement_names():
        yield _form(rules[name], rules), _STATEMENT_WORDS[name]


def _form(production: str, rules: dict[str, str]) -> str:
    """A production as one would write it: keywords spelt out, rules and terminals in capitals."""
    parts = []
    for token in re.findall(r'"[^"]*"|\w+|[^\w\s"]', production):
        if token.startswith('"'):
            parts.append(token[1:-1].translate(_LITERAL))
        elif token in _PARTS:
            parts.append(_PARTS[token])
        elif token.isupper() and rules.get(token, "").startswith('"'):
            parts.append(rules[token][1:-1])
        else:
            parts.append(_SPELLED.get(token, token))
    text = re.sub(r" \( , .+? \) \*", ", …", " ".join(parts))
    return re.sub(r" ([,+?\])])", r"\1", text.translate(_PLAIN)).replace("[ ", "[").replace("( ", "(")


def _operators(rules: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name, words in _MODALITY_WORDS.items():
        form = _form(rules[name], rules).replace("window", "[VALUE,VALUE]").replace("f_unary", "φ")
        yield form.replace("f_until", "ψ").replace(" [", "[").replace("[ ", "["), words
    for name, words in _CONNECTIVE_WORDS.items():
        yield " ".join(re.findall(r'"([^"]+)"', rules[f"_{name}"])), words
    yield "true  false", "everywhere, nowhere"


def _predicates() -> Iterator[tuple[str, str]]:
    yield "<= < >= > == !=", "comparisons of two terms; attributes that are truth values stand alone"
    yield "+ - *", "terms; one factor of a product is a number"
    for name in FUNCTIONS:
        yield f"{name}(…)", _FUNCTION_WORDS[name]
    yield "not and or -> <->", "as in formulas; there are no windows"


def _spelling(kind: AttributeKind) -> str:
    """How an attribute is written; those of the obligated interval may stand without their owner."""
    owners = [owner.value for owner in kind.owners if owner is not Owner.PAIR]
    return kind.name if not owners else "  ".join(f"{owner}.{kind.name}" for owner in owners)


def _attribute(kind: AttributeKind) -> str:
    bare = f"; also `{kind.name}` alone under `each`" if kind.exists is Existence.OF_THE_OBLIGATED else ""
    return f"{kind.words} ({kind.quantity.value}){bare}"
