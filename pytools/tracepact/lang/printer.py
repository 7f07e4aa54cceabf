"""The canonical printer: one way to write every contract (chapter 11), with or without its comments."""

from bisect import bisect_left

from tracepact.diagnostics import Source
from tracepact.lang import syntax as s
from tracepact.lang.grammar import reserved_words
from tracepact.wording import print_number

# Binding strength, loosest first; a part is put in parentheses when it binds looser than its place asks for.
_STRENGTH = {s.Connective.IFF: 1, s.Connective.IMPLIES: 2, s.Connective.OR: 3, s.Connective.AND: 4}
_REACH, _NOT_PREDICATE, _COMPARE, _SUM, _PRODUCT, _UNARY, _WHOLE = 5, 5, 6, 7, 8, 9, 10

_WORDS = {
    s.Connective.IFF: "iff",
    s.Connective.IMPLIES: "implies",
    s.Connective.OR: "or",
    s.Connective.AND: "and",
}


def print_quantity(quantity: s.Quantity) -> str:
    """A quantity with its unit, in the first of its forms that can be read again (rule 11.1)."""
    value, unit = quantity.value, quantity.unit
    decimal = print_number(value) + unit
    if len(decimal) <= s.LONGEST_QUANTITY:
        return decimal
    fraction = f"{value.numerator}/{value.denominator}{unit}"
    return fraction if len(fraction) <= s.LONGEST_QUANTITY else decimal.removeprefix("0")


def print_value(value: s.Value) -> str:
    """A value with its sign."""
    body = value.body.text if isinstance(value.body, s.Name) else print_quantity(value.body)
    return f"-{body}" if value.negative else body


def print_expression(node: s.Expression, *, predicate: bool = False) -> str:
    """A formula with signs, a predicate with words, with the fewest parentheses that keep its tree."""
    return _text(node, 0, predicate)


def _text(node: s.Expression, place: int, predicate: bool) -> str:
    text, strength = _bare(node, predicate)
    return text if strength >= place else f"({text})"


def _bare(node: s.Expression, predicate: bool) -> tuple[str, int]:
    """The text of a node without outer parentheses, and how strongly it binds."""

    def sub(part: s.Expression, place: int) -> str:
        return _text(part, place, predicate)

    match node:
        case s.Truth(value):
            return ("true" if value else "false"), _WHOLE
        case s.Mask(name):
            return name, _WHOLE
        case s.Reference(owner, name):
            return (f"{owner}.{name}" if owner else name), _WHOLE
        case s.Quantity():
            return print_quantity(node), _WHOLE
        case s.Negation(body) if predicate:
            return f"not {sub(body, _NOT_PREDICATE)}", _NOT_PREDICATE
        case s.Negation(body):
            return f"!{sub(body, _UNARY)}", _UNARY
        case s.Near(radius, body):
            return f"N[{print_value(radius)}] {sub(body, _UNARY)}", _UNARY
        case s.Window(operator, lo, hi, body):
            window = print_value(hi) if lo is None else f"{print_value(lo)},{print_value(hi)}"
            return f"{operator}[{window}] {sub(body, _UNARY)}", _UNARY
        case s.Reach(operator, radius, left, right):
            text = f"{sub(left, _UNARY)} {operator}[{print_value(radius)}] {sub(right, _REACH)}"
            return text, _REACH
        case s.Binary(connective, left, right):
            strength = _STRENGTH[connective]
            right_associative = connective is s.Connective.IMPLIES
            sign = _WORDS[connective] if predicate else connective.value
            left_text = sub(left, strength + right_associative)
            return f"{left_text} {sign} {sub(right, strength + (not right_associative))}", strength
        case s.Compare(relation, left, right):
            return f"{sub(left, _SUM)} {relation} {sub(right, _SUM)}", _COMPARE
        case s.Arithmetic("*", left, right):
            return f"{sub(left, _PRODUCT)} * {sub(right, _UNARY)}", _PRODUCT
        case s.Arithmetic(operator, left, right):
            return f"{sub(left, _SUM)} {operator} {sub(right, _PRODUCT)}", _SUM
        case s.Minus(body):
            return f"-{sub(body, _UNARY)}", _UNARY
        case s.Call(function, arguments):
            texts = []
            for argument in arguments:  # no generator, whose frames would count towards Python's limit of depth
                texts.append(sub(argument, 0))
            return f"{function.text}({', '.join(texts)})", _WHOLE


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _label(text: str) -> str:
    plain = text.isidentifier() and text.isascii() and text not in reserved_words()
    return text if plain else _string(text)


def _clause_head(statement: s.Statement) -> tuple[str, str, str] | None:
    """Name, obligation and body of a clause: the three columns."""
    match statement:
        case s.FrameClauseDecl(name, obligation, formula):
            return name.text, print_expression(obligation), print_expression(formula)
        case s.EventClauseDecl(name, each, predicate):
            return name.text, f"each {each.text}", print_expression(predicate, predicate=True)
        case _:
            return None


def _statement(statement: s.Statement) -> str:
    """A statement that is no clause."""
    match statement:
        case s.ContractName(name, title):
            return f"contract {name.text}" + (f" {_string(title)}" if title is not None else "")
        case s.Setting(keyword, value):
            return f"{keyword} {print_value(value)}"
        case s.Choice(keyword, name):
            return f"{keyword} {name.text}"
        case s.ParamDecl(name, value):
            return f"param {name.text} = {print_value(value)}"
        case s.SweepDecl(name, values):
            return f"sweep {name.text} = {' '.join(print_value(v) for v in values)}"
        case s.MatcherDecl(name, options):
            inside = ", ".join(f"{o.name.text} = {print_value(o.value)}" for o in options)
            return f"matcher {name.text}" + (f"({inside})" if options else "")
        case s.LabelsDecl(labels):
            return f"labels {' '.join(_label(label.text) for label in labels)}"
        case s.AtomDecl(name, title):
            return f"atom {name.text}" + (f" {_string(title)}" if title is not None else "")
        case s.ProfileDecl(name, aggregation, weights):
            over = f" over {aggregation.text}" if aggregation else ""
            inside = ", ".join(f"{w.name.text} = {print_value(w.value)}" for w in weights)
            return f"profile {name.text}{over} : {inside}"
    raise AssertionError(f"unknown statement {statement!r}")


def _lines(document: s.Document) -> list[str]:
    heads = [_clause_head(statement) for statement in document.statements]
    name_width = max((len(head[0]) for head in heads if head), default=0)
    obligation_width = max((len(head[1]) for head in heads if head), default=0)
    return [
        f"clause {head[0]:<{name_width}} on {head[1]:<{obligation_width}} : {head[2]}"
        if head
        else _statement(statement)
        for head, statement in zip(heads, document.statements, strict=True)
    ]


def canonical_text(document: s.Document) -> str:
    """The canonical text without comments and blank lines: what the digest is taken of."""
    return "".join(line + "\n" for line in _lines(document))


def format_document(document: s.Document, source: Source) -> str:
    """The canonical text with its comments and single blank lines.

    A comment behind a statement on the same line stays behind it; every other one, also one inside a statement, comes
    before the statement that follows or contains it.
    """
    statements = document.statements
    ends = [statement.span.end for statement in statements]
    above: list[list[str]] = [[] for _ in range(len(statements) + 1)]
    within: list[list[str]] = [[] for _ in statements]
    behind: list[str] = [""] * len(statements)
    for comment in document.comments:
        start = comment.span.start
        index = bisect_left(ends, start)
        if index < len(statements) and statements[index].span.start < start:
            within[index].append(comment.text)
        elif index and "\n" not in source.text[ends[index - 1] : start]:
            behind[index - 1] = f"  {comment.text}"
        else:
            above[index].append(_with_gap(comment.text, source, start))
    lines: list[str] = []
    for index, line in enumerate(_lines(document)):
        own = [*within[index], line + behind[index]]
        own[0] = _with_gap(own[0], source, statements[index].span.start)
        lines += [*above[index], *own]
    lines += above[-1]
    return "".join(line + "\n" for line in lines).lstrip("\n")


def _with_gap(line: str, source: Source, start: int) -> str:
    """The line, after an empty one if its place in the source has one above it."""
    return f"\n{line}" if _blank_line_before(source.text, start) else line


def _blank_line_before(text: str, start: int) -> bool:
    """Whether an empty line stands directly above this place's line."""
    line_start = text.rfind("\n", 0, start) + 1
    above = text[:line_start].rstrip(" \t\r\n")
    return text[len(above) : line_start].count("\n") >= 2
