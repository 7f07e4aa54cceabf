"""Reads contract and formula text: tokens, statements, syntax nodes; every syntax fault of a file in one run."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from fractions import Fraction
from itertools import pairwise
from typing import Any

from lark import Token, UnexpectedCharacters, UnexpectedToken

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, Source, Span, TextPlace, did_you_mean
from tracepact.language import syntax as s
from tracepact.language.grammar import (
    END,
    STATEMENTS,
    accepted_after,
    lex,
    parse,
    reserved_words,
    spellings,
    token_span,
)
from tracepact.language.vocabulary import character_help, character_words
from tracepact.wording import parse_exact, print_number

# Rules 1.1 and 1.6: without them one file could keep the reader busy for minutes, or end it by Python's own limit of
# recursion, which no diagnostic can be drawn from.
LARGEST_TEXT = 1 << 20
DEEPEST_NESTING = 200
# A file of another kind, such as a picture, has thousands; nobody reads further than this, and each costs one more
# lexing.
_MOST_BAD_CHARACTERS = 20
_HALF_SIGN = re.compile("[\ud800-\udfff]")
_COMMENTS = "comments start with `#`"


def read_document(source: Source, diagnostics: Diagnostics) -> s.Document:
    """The statements of a contract text. A statement with a fault is reported and left out."""
    if len(source.text.encode("utf-8", "replace")) > LARGEST_TEXT:
        diagnostics.add(
            "file-too-large",
            f"the contract has {len(source.text):,} characters; at most 1 MiB is read",
            RowPlace(source.name),
            "split it into several contracts",
        )
        return s.Document((), broken=True)
    if half := _HALF_SIGN.search(source.text):
        headline = f"{character_words(half[0])} is half of a sign, which no text file can hold"
        diagnostics.add("bad-character", headline, TextPlace(source, Span(*half.span())), "delete it")
        return s.Document((), broken=True)
    # Statements are parsed one by one, each by itself: a fault in one hides none in the others, and none follows from
    # it.
    tokens, faulty = read_tokens(source, diagnostics)
    chunks = _chunks(tokens, source, diagnostics)
    starts = [token_span(chunk[0]).start for chunk in chunks]
    statements: list[s.Statement] = []
    read: set[int] = set()  # where the tokens of these statements start
    ends = [*starts, len(source.text)][1:]
    for chunk, start, end in zip(chunks, starts, ends, strict=True):
        spoiled = any(start <= fault < end for fault in faulty)
        node = None if spoiled else _parse(chunk, "statement", source, diagnostics)
        if node is not None:
            statements.append(node)
            read.update(token_span(token).start for token in chunk)
    left = [token for token in tokens if token_span(token).start not in read]
    unread = frozenset(str(token) for token in left if token.type == "NAME")
    return s.Document(tuple(statements), _comments(source), bool(left or faulty), unread)


def read_formula(source: Source, diagnostics: Diagnostics) -> s.Expression | None:
    """One formula, or None if the text is not one."""
    tokens, faulty = read_tokens(source, diagnostics)
    if faulty:
        return None
    node: s.Expression | None = _parse(tokens, "formula", source, diagnostics)
    return node


def read_value(source: Source, diagnostics: Diagnostics) -> s.Value | None:
    """A value that overrides a parameter, such as `80ms`."""
    tokens, faulty = read_tokens(Source(source.name, f"step {source.text}"), Diagnostics())
    node = None if faulty else _parse(tokens, "statement", source, Diagnostics())
    if isinstance(node, s.Setting) and isinstance(node.value.body, s.Quantity):
        return node.value
    diagnostics.add(
        "bad-quantity",
        f"`{source.text}` is not a quantity",
        help="write a number such as `80ms`, `0.08s`, `4f` or `0.5`",
    )
    return None


def read_time(text: str, step: Fraction | None = None) -> tuple[Fraction, str] | None:
    """A time that is not negative, such as `80ms`, in seconds, and the unit it is written in.

    None if the text is not such a time; frames are times only with a step.
    """
    match read_value(Source("a time", text), Diagnostics()):
        case s.Value(s.Quantity(number, unit), False) if unit in s.SECONDS:
            return number * s.SECONDS[unit], unit
        case s.Value(s.Quantity(number, "f"), False) if step:
            return number * step, "f"
    return None


# Tokens

_NAMES_NEXT = re.compile(r"\b(?:contract|param|sweep|atom|clause|profile)[ \t\r\n]+$")
_HYPHEN_BEFORE = re.compile(r"[A-Za-z0-9_]-$")
_COMMENT_OR_STRING = re.compile(r'#[^\n]*|"(?:[^"\\\n]|\\["\\])*"')


def _comments(source: Source) -> tuple[s.Comment, ...]:
    """The comments; a `#` inside a string starts none."""
    return tuple(
        s.Comment(match[0].rstrip(), Span(match.start(), match.end()))
        for match in _COMMENT_OR_STRING.finditer(source.text)
        if match[0].startswith("#")
    )


def read_tokens(source: Source, diagnostics: Diagnostics) -> tuple[list[Token], list[int]]:
    """All tokens, and the positions of the characters that started none."""
    text = source.text
    faults: list[int] = []
    while True:
        try:
            return lex(text), faults
        except UnexpectedCharacters as error:
            start: int = error.pos_in_stream  # type: ignore[assignment]  # set by whatever raises it
            end = _report_bad_characters(source, text, start, diagnostics)
            faults.append(start)
            if len(faults) >= _MOST_BAD_CHARACTERS:
                text = text[:start]
            else:
                # Blanks of the same length keep every later token at its place in the source.
                text = text[:start] + " " * (end - start) + text[end:]


def _report_bad_characters(source: Source, text: str, start: int, diagnostics: Diagnostics) -> int:
    """Say what is wrong at a place where no token starts; returns where to go on."""
    glued = re.compile(r"[0-9.]+(?:/[0-9]*)?(?:[eE][-+]?[0-9]+)?[A-Za-z0-9_.]*").match(text, start)
    if glued:
        end, word = glued.end(), glued[0]
        if _NAMES_NEXT.search(text, 0, start) and word[0] != ".":
            headline, hint = f"`{word}` is not a name", f"a name starts with a letter or `_`: `_{word}`"
            diagnostics.add("bad-quantity", headline, TextPlace(source, Span(start, end)), hint)
            return end
        unit = word.lstrip("0123456789./")
        hint = "units are `ms`, `s` and `f` (frames), written without a space: `40ms`"
        if unit and unit.lower() in s.UNITS:
            hint = f"units are in lower case: `{word.lower()}`"
        elif re.fullmatch(r"[eE][-+]?[0-9]+.*", unit):
            hint = "there are no exponents; write the number out, such as `0.04`"
        diagnostics.add("bad-quantity", f"`{word}` is not a quantity", TextPlace(source, Span(start, end)), hint)
        return end
    if text.startswith(("//", "/*"), start):
        end = (text + "\n").index("\n", start)
        headline = f"`{text[start : start + 2]}` starts nothing the language knows"
        diagnostics.add("bad-character", headline, TextPlace(source, Span(start, end)), _COMMENTS)
        return end
    diagnostics.add(
        "bad-character",
        f"{character_words(text[start])} starts nothing the language knows",
        TextPlace(source, Span(start, start + 1)),
        _percentage(text, start) if text[start] == "%" else character_help(text[start]),
    )
    return start + 1


def _percentage(text: str, start: int) -> str:
    """How the number before a percent sign is written."""
    before = re.compile(r"[0-9]+(?:\.[0-9]+)?$").search(text[:start].rstrip())
    try:
        number = print_number(parse_exact(before[0]) / 100) if before else "0.5"
    except ValueError:  # of very many digits
        number = "0.5"
    return f"there are no percentages; write `{number}`"


def _chunks(tokens: list[Token], source: Source, diagnostics: Diagnostics) -> list[list[Token]]:
    """The tokens of each statement."""
    chunks: list[list[Token]] = []
    for token in tokens:
        if token.type in STATEMENTS and not _is_hyphenated(token, source.text):
            chunks.append([token])
        elif chunks:
            chunks[-1].append(token)
        else:
            diagnostics.add(
                "syntax",
                f"`{token}` does not start a statement",
                TextPlace(source, token_span(token)),
                _COMMENTS
                if source.text.startswith("--", token.start_pos)
                else did_you_mean(str(token), [name.lower() for name in STATEMENTS]),
            )
            chunks.append([])
    return [chunk for chunk in chunks if chunk and chunk[0].type in STATEMENTS]


def _is_hyphenated(token: Token, text: str) -> bool:
    """Whether a word is the end of a name with a hyphen in it, such as `my-clause`."""
    return bool(_HYPHEN_BEFORE.search(text, 0, token_span(token).start))


# Parsing


def _parse(tokens: list[Token], start: str, source: Source, diagnostics: Diagnostics) -> Any:
    """The node of one statement or formula; None and a diagnostic if the tokens are none."""
    # Before the parser sees them: `Fraction` takes quadratic time in the digits, and divides by zero with an exception.
    if not _within_limits(tokens, source, diagnostics):
        return None
    try:
        node = parse(tokens, start)
    except UnexpectedToken as error:
        _report_unexpected(error.token, tokens, start, source, diagnostics)
        return None
    return node if _is_shallow(node, source, diagnostics) else None


def _within_limits(tokens: list[Token], source: Source, diagnostics: Diagnostics) -> bool:
    """Check what can be told from the tokens alone: the length of numbers and the nesting of parentheses."""
    level, sound = 0, True
    for token in tokens:
        if token.type in ("LPAR", "RPAR") and level >= 0:  # one that closes nothing ends the counting (P20)
            level += 1 if token.type == "LPAR" else -1
            if token.type == "LPAR" and level == DEEPEST_NESTING + 1:
                _report_depth(token_span(token), source, diagnostics)
                sound = False
        elif token.type == "QUANTITY":
            if len(token) > s.LONGEST_QUANTITY:
                diagnostics.add(
                    "bad-quantity",
                    f"a number of {len(token)} characters; at most {s.LONGEST_QUANTITY} are read",
                    TextPlace(source, token_span(token)),
                )
                sound = False
            elif not re.sub(r"[a-z]+$", "", token.partition("/")[2] or "1").strip("0"):
                headline, place = f"`{token}` divides by zero", TextPlace(source, token_span(token))
                diagnostics.add("bad-quantity", headline, place, "write a fraction such as `1/3`, or a decimal")
                sound = False
    return sound


def _is_shallow(node: s.Statement | s.Expression, source: Source, diagnostics: Diagnostics) -> bool:
    match node:
        case s.FrameClauseDecl(_, obligation, formula):
            expressions: tuple[s.Expression, ...] = (obligation, formula)
        case s.EventClauseDecl(_, _, predicate):
            expressions = (predicate,)
        case expression if isinstance(expression, s.Expression):
            expressions = (expression,)
        case _:
            expressions = ()
    for expression in expressions:
        if s.nesting(expression) > DEEPEST_NESTING:
            _report_depth(expression.span, source, diagnostics)
            return False
    return True


def _report_depth(span: Span, source: Source, diagnostics: Diagnostics) -> None:
    diagnostics.add(
        "too-deep",
        f"operators and parentheses nest more than {DEEPEST_NESTING} levels deep",
        TextPlace(source, span),
        "name parts of it as clauses of their own",
    )


def _report_unexpected(token: Token, tokens: list[Token], start: str, source: Source, diagnostics: Diagnostics) -> None:
    """Say what is where something else belongs, and what would fit."""
    # What may follow is asked of the tokens before the fault alone: where the fault was noticed, the parser had already
    # closed rules because of it, and accepts less than a reader would.
    before = [t for t in tokens if token.type == END or token_span(t).end <= token_span(token).start]
    accepted = accepted_after(before, start)
    expected = _describe(accepted)
    if token.type == END:
        last = token_span(tokens[-1]) if tokens else Span(0, 0)
        if tokens:
            ending = "the formula ends" if start == "formula" else "the statement ends"
            headline = f"{ending} after `{tokens[-1]}`, where {expected} is missing"
            hint = _without_window(tokens[-1]) or _without_colon(tokens)
        else:
            headline, hint = "the formula is empty", "write one, such as `ref_onset -> N[40ms] pred_onset`"
        diagnostics.add("syntax", headline, TextPlace(source, last), hint)
        return
    help_line = f"expected {expected}"
    hint = _arrow(before) if source.text.startswith("=>", token.start_pos) else _misread(token, before)
    hint = _joined(token, before, source.text) or _two_radii(token, before, source.text) or hint
    if source.text.startswith("--", token.start_pos):
        hint = _COMMENTS
    if hint is not None:
        help_line = hint
    elif token.type in _WINDOWED and "NAME" in accepted:
        help_line += f"; `{token}` is an operator and cannot be a name"
    elif token.type in _WINDOWED:
        help_line += " before it"
        following = next((t for t in tokens if token_span(t).start >= token_span(token).end), None)
        if following is not None and following != "[":
            help_line += f"; {_without_window(token, following)}"
    elif token.type in STATEMENTS:
        help_line += f"; `{token}` is a reserved word"
    elif token.type == "EQUAL" and "COMPARE" in accepted:
        help_line = "write `==` to compare"
    diagnostics.add("syntax", f"`{token}` does not belong here", TextPlace(source, token_span(token)), help_line)


def _of_events(before: list[Token]) -> bool:
    """Whether the tokens stand in an event clause."""
    return any(token.type == "EACH" for token in before)


def _arrow(before: list[Token]) -> str:
    """What `=>` was meant to be: a comparison after a quantity, else an implication."""
    return "write `>=` to compare, `->` to imply" if _of_events(before) else "write `->`"


def _joined(token: Token, before: list[Token], text: str) -> str | None:
    """What was meant by a comma in a number, or by a hyphen in a name."""
    last, at = before[-1] if before else None, token_span(token).start
    if last is None or token_span(last).end != at:
        return None
    if (
        last.type == "QUANTITY"
        and last.isdigit()
        and token.type == "COMMA"
        and (rest := re.compile(r"[0-9]+[a-z]*").match(text, at + 1))
    ):
        return f"decimals have a point: `{last}.{rest[0]}`"
    if last.type == "NAME" and token.type == "MINUS" and (rest := re.compile(r"[\w-]+").match(text, at + 1)):
        return f"names have letters, digits and `_`: `{last}_{rest[0].replace('-', '_')}`"
    return None


def _two_radii(token: Token, before: list[Token], text: str) -> str | None:
    """The window that was meant by a radius of two values."""
    signed = len(before) > 1 and before[-2].type == "MINUS"
    opened = before[: -2 if signed else -1]
    if token.type != "COMMA" or [str(one) for one in opened[-2:]] != ["N", "["]:
        return None
    rest = re.compile(r"\s*(-?[\w.]+)\s*\]\s*(\w*)").match(text, token_span(token).end)
    early, late, body = str(before[-1]), rest[1] if rest else "…", (rest[2] if rest else "") or "…"
    return f"`N[…]` has one radius; early and late apart are a window: `F[-{early},{late}] {body}`"


def _without_colon(tokens: list[Token]) -> str | None:
    """How a clause is written, where one ends before its `:`."""
    words = [str(token) for token in tokens]
    if words[0] != "clause" or "on" not in words or ":" in words:
        return None
    return "a clause says where it applies, then what must hold there: `clause name on ref_onset : N[40ms] pred_onset`"


def _misread(token: Token, before: list[Token]) -> str | None:
    """What a newcomer to the language most likely meant."""
    word, last = str(token), before[-1] if before else None
    if last is not None and word != "[" and (missing := _without_window(last, token)):
        return f"expected `[`: {missing}"
    if last is not None and last.type == "QUANTITY" and word in s.UNITS:
        return f"a unit is written without a space: `{last}{word}`"
    if last is not None and word == str(last) and word in ("&", "|"):
        return f"write one `{word}`"
    if word in _FOREIGN and not _of_events(before):
        return _FOREIGN[word]
    if str(last) in _ONE_FRAME and token.type in _FORMULA_STARTS and not _of_events(before):
        body = word if token.type == "NAME" else "(…)"
        return f"there is no operator `{last}`; {_ONE_FRAME[str(last)].format(body)}"
    if word == "[" and last is not None and last.type == "NAME" and str(last) not in "nfgus":
        return f"there is no operator `{last}`; windows are `N[…]` (near), `F[…]` (at some frame) and `G[…]` (at all)"
    if word != word.lower() and word.lower() in reserved_words():
        return f"write `{word.lower()}`"
    if last is not None and word == "[" and str(last) in ("n", "f", "g", "u", "s"):
        return f"operators are capital letters: `{str(last).upper()}[…]`"
    if _of_events(before):
        if token.type == "COMPARE":
            return "comparisons do not chain; write two joined by `and`: `0.2 <= iou and iou <= 0.5`"
        if word in _WINDOWED:
            return "windows belong to frame clauses: `clause name on ref_onset : N[40ms] pred_onset`"
        if word == "|":
            return "an absolute value is written `abs(…)`"
    elif token.type in ("DOT", "COMPARE") and (kind := _without_each(before)):
        return f"an event clause is on each interval: `on each {kind}`"
    elif token.type in ("DOT", "COMPARE") or (token.type == "EACH" and not before):
        return "attributes and comparisons belong to event clauses: `clause name on each ref : ref.duration >= 1s`"
    if token.type == "NAME" and get_close_matches(word, [spellings()[name] for name in STATEMENTS], 1, 0.75):
        return did_you_mean(word, [spellings()[name] for name in STATEMENTS])
    return None


_WINDOWED = {
    "N": "a radius, as in `N[40ms] {}`",
    "F": "a window, as in `F[0ms,40ms] {}`",
    "G": "a window, as in `G[0ms,40ms] {}`",
    "U": "a radius, as in `ref U[40ms] {}`",
    "S": "a radius, as in `ref S[40ms] {}`",
}
"""The operators with a window, and how each is written before what follows it."""
_FORMULA_STARTS = ("NAME", "LPAR", "NOT", "TRUE", "FALSE", "N", "F", "G")
_ONE_FRAME = {"X": "the next frame is `F[1f,1f] {}`", "Y": "the frame before is `F[-1f,-1f] {}`"}
"""The operators of other logics for the next frame and the one before."""
_FOREIGN = {
    "mask": "a mask that the caller supplies is declared as an atom: `atom zone`",
    "parameter": "did you mean `param`?",
    "rule": "did you mean `clause`?",
    "let": "did you mean `param`?",
}
"""Words of other languages where a statement would start."""


def _without_window(operator: Token, following: Token | None = None) -> str | None:
    """The window that an operator lacks where something else follows it."""
    if operator.type not in _WINDOWED:
        return None
    body = following if following is not None and following.type == "NAME" else "pred_onset"
    return f"`{operator}` needs {_WINDOWED[operator.type].format(body)}"


def _without_each(before: list[Token]) -> str | None:
    """The kind of interval after an `on` that lacks its `each`."""
    pairs = ((str(a), str(b)) for a, b in pairwise(before))
    return next((b for a, b in pairs if a == "on" and b in ("ref", "pred", "matched")), None)


def _describe(terminals: Iterable[str]) -> str:
    """What the parser would take, in words."""
    names = set(terminals)
    words = ["the end of the statement"] if END in names else []
    if "QUANTITY" in names and "NAME" in names and "LPAR" not in names:
        words.append("a value such as `40ms` or a parameter")
        names -= {"QUANTITY", "NAME", "MINUS"}
    elif "LPAR" in names and "TRUE" in names:
        return "a formula" if "N" in names else "an expression"
    if "NAME" in names:
        words.append("a name")
        names.discard("NAME")
    shown = sorted(_spelling(name) for name in names if _spelling(name))
    # A list of nine and more signs says less than the word for them; those that close something are named all the same.
    if len(shown) > 8:
        words.insert(0, "an operator")
        shown = [word for word in shown if word in ("`:`", "`)`", "`]`", "`,`")]
    words += shown
    return " or ".join(words)


def _spelling(terminal: str) -> str:
    if terminal == "COMPARE":
        return "a comparison"
    if terminal == "STRING":
        return "a string"
    spelling = spellings().get(terminal, "")
    return f"`{spelling}`" if spelling else ""
