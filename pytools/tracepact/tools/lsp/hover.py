"""What an editor shows of the word under the pointer, as paragraphs of Markdown."""

from collections.abc import Iterator
from dataclasses import dataclass

from tracepact.core import ATTRIBUTES, Contract, EventClause, FrameClause, Located
from tracepact.diagnostics import Diagnostics, Span
from tracepact.lang import syntax as s
from tracepact.lang.build import token_span
from tracepact.lang.explain import (
    ATOM_WORDS,
    EventClauseExplanation,
    FrameClauseExplanation,
    explain_clause,
    windows,
    words,
)
from tracepact.lang.grammar import reserved_words
from tracepact.lang.reader import read_tokens
from tracepact.lang.reference import written_with
from tracepact.tools.lsp.bounds import bound_words, bounds
from tracepact.tools.lsp.choices import CHOICES
from tracepact.tools.lsp.names import Kind, Occurrence
from tracepact.tools.lsp.reading import Reading
from tracepact.wording import count, quoted, time_text


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of a part of the text."""

    span: Span
    text: str


def hover(reading: Reading, offset: int) -> Told | None:
    """What can be said of a character's place; None for spaces, comments and what has a fault."""
    found = reading.at(offset)
    if found is not None:
        said = list(_of_name(reading, found))
        return Told(found.span, "\n\n".join(said)) if said else None
    return _of_word(reading, offset) or _of_part(reading, offset)


def _of_name(reading: Reading, name: Occurrence) -> Iterator[str]:
    match name.kind:
        case Kind.CONTRACT:
            yield from _of_contract(reading)
        case Kind.PARAMETER:
            yield from _of_parameter(reading, name)
        case Kind.CLAUSE:
            clause = next((c for c in reading.clauses if c.name == name.name), None)
            if clause is not None and reading.sketch is not None:
                yield from _of_clause(clause, reading.sketch)
        case Kind.ATOM:
            yield from _of_atom(reading, name)
        case Kind.ATTRIBUTE if name.name in ATTRIBUTES:
            kind = ATTRIBUTES[name.name]
            yield f"**{kind.name}**: {kind.words}"
            yield f"a {kind.quantity.value}, {kind.quantity.unit}; exists {kind.exists.value} (rule {kind.rule})"
        case _:
            yield from _of_choice(name)


def _of_contract(reading: Reading) -> Iterator[str]:
    contract = reading.sketch
    if contract is not None:
        yield f"**{contract.name}**" + (f": {contract.title}" if contract.title else "")
        yield f"{count(len(contract.clauses), 'clause')}, frames of {time_text(contract.step)}"


def _of_parameter(reading: Reading, name: Occurrence) -> Iterator[str]:
    contract = reading.sketch
    parameter = next((p for p in contract.parameters if p.name == name.name), None) if contract else None
    if contract is None or parameter is None:
        return
    yield f"`param {parameter.name} = {parameter.text}`"
    used = {bound_words(b, contract): None for b in bounds(reading) if b.parameter == name.name}
    yield from used
    clauses = [c.name for c in reading.clauses if any(_inside(o, c.span) for o in reading.same(name))]
    if clauses:
        yield f"in {quoted(clauses)}"


def _inside(name: Occurrence, span: Span) -> bool:
    return span.start <= name.span.start < span.end


def _of_atom(reading: Reading, name: Occurrence) -> Iterator[str]:
    if name.name in ATOM_WORDS:
        yield f"`{name.name}`: {ATOM_WORDS[name.name]}"
        return
    for statement in reading.document.statements:
        if isinstance(statement, s.AtomDecl) and statement.name.text == name.name:
            yield f"`{name.name}`: {statement.title or 'a declared atom'}"
            yield "the caller supplies its mask"


def _of_choice(name: Occurrence) -> Iterator[str]:
    """What a word of a fixed list or a function means; nothing if there is none such."""
    functions = {form.partition("(")[0]: means for form, means in written_with(name.name)}
    known = CHOICES.get(name.kind, functions)
    if name.name in known:
        yield f"`{name.name}`: {known[name.name]}"


def _of_clause(clause: FrameClause | EventClause, contract: Contract) -> Iterator[str]:
    explained = explain_clause(clause, contract)
    yield f"**{clause.name}**: {explained.words}"
    match explained:
        case FrameClauseExplanation():
            yield _in_frames(explained.windows)
            yield f"lookahead {count(explained.lookahead, 'frame')}, lookback {count(explained.lookback, 'frame')}"
        case EventClauseExplanation():
            yield "\n".join(f"- `{a.name}`: {a.words}" for a in explained.attributes)


def _in_frames(spans: tuple[tuple[int, int], ...]) -> str:
    shown = ", ".join(f"{lo:+d} to {hi:+d}" for lo, hi in spans)
    return f"windows in frames: {shown}" if spans else "no windows"


def _of_word(reading: Reading, offset: int) -> Told | None:
    """A reserved word: what it is for; an operator with a window also means what its part of the formula says."""
    tokens, _ = read_tokens(reading.source, Diagnostics())
    for token in tokens:
        span = token_span(token)
        if span.start <= offset <= span.end and str(token) in reserved_words():
            part = _of_part(reading, offset) if str(token) in "NFGUS" else None
            said = [f"`{form}`: {means}" for form, means in written_with(str(token))]
            return Told(span, "\n\n".join([*([part.text] if part else []), *said])) if said else part
    return None


def _of_part(reading: Reading, offset: int) -> Told | None:
    """The smallest part of a formula around a place, in words."""
    clause, contract = reading.clause_at(offset), reading.sketch
    if contract is None or clause is None:
        return None
    bound = next((b for b in bounds(reading) if b.span.start <= offset <= b.span.end), None)
    if bound is not None:
        return Told(bound.span, bound_words(bound, contract))
    if isinstance(clause, EventClause):
        return Told(clause.span, "\n\n".join(_of_clause(clause, contract)))
    part = _smallest(clause, offset)
    if part is None:
        return None
    said = [words(part.formula, contract.step)]
    spans = tuple(windows(part.formula))
    return Told(part.span, "\n\n".join([*said, *([_in_frames(spans)] if spans else [])]))


def _smallest(clause: FrameClause, offset: int) -> Located | None:
    parts = [p for side in (clause.duty, clause.body) for p in side.everywhere()]
    holding = [p for p in parts if p.span.start <= offset <= p.span.end]
    return min(holding, key=lambda p: p.span.end - p.span.start, default=None)
