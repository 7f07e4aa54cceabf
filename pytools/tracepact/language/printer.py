"""Contracts in print: the canonical printer (chapter 11), and event predicates in plain words."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction

from tracepact.diagnostics.findings import Source
from tracepact.language import syntax as s
from tracepact.language.formula import And, Atom, Constant, Formula, Iff, Implies, Not, Or, children, operands
from tracepact.language.grammar import reserved_words
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    ConstantTerm,
    Each,
    EventAtom,
    Flag,
    Maximum,
    Minimum,
    Owner,
    Relation,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
    TermType,
)
from tracepact.wording import print_number, time_text

# The canonical printer: one way to write every contract (chapter 11), with or without its comments.

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
    # The longest forms last: 1/3 has no finite decimal, and a decimal may have more digits than rule 1.4 reads.
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
        case s.WindowOperator(operator, lo, hi, body):
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
        case s.ArithmeticTerm("*", left, right):
            return f"{sub(left, _PRODUCT)} * {sub(right, _UNARY)}", _PRODUCT
        case s.ArithmeticTerm(operator, left, right):
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
    """A statement other than a clause, in one line."""
    match statement:
        case s.ContractName(name, title):
            return f"contract {name.text}" + (f" {_string(title)}" if title is not None else "")
        case s.Setting(keyword, value):
            return f"{keyword} {print_value(value)}"
        case s.WordSetting(keyword, name):
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
    # Statements and comments are both in source order: a bisection over the ends tells which statement a comment is in.
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
        block = [*within[index], line + behind[index]]
        block[0] = _with_gap(block[0], source, statements[index].span.start)
        lines += [*above[index], *block]
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


# Event predicates in plain words: verb phrases about each obligated event, and terms as people say them.

_SUBJECTS = {
    Each.REF: "each reference event",
    Each.PRED: "each predicted event",
    Each.MATCHED: "each matched pair",
}
_OTHERS = {Owner.REF: "predicted event", Owner.PRED: "reference event"}
_RELATIONS = {
    Relation.LE: "at most",
    Relation.LT: "less than",
    Relation.GE: "at least",
    Relation.GT: "more than",
    Relation.EQ: "exactly",
    Relation.NE: "other than",
}
_TURNED = {
    Relation.LE: Relation.GE,
    Relation.LT: Relation.GT,
    Relation.GE: Relation.LE,
    Relation.GT: Relation.LT,
    Relation.EQ: Relation.EQ,
    Relation.NE: Relation.NE,
}
_FLAGS = {
    "matched": ("has a partner", "has no partner"),
    "dominant": (
        "lies more on references of its own class than on those of any other",
        "lies no more on references of its own class than on those of another",
    ),
}


def predicate_words(each: Each, formula: Formula, event_atoms: Mapping[str, EventAtom]) -> str:
    """What an event clause asks, as a sentence about each of its events."""
    phrases = [_verb(each, part, event_atoms) for part in operands(formula, And)]
    verbs = [phrase for phrase in phrases if phrase is not None]
    if len(verbs) == len(phrases):
        return f"{_SUBJECTS[each]} {_joined(verbs)}"
    return f"for {_SUBJECTS[each]}, {_sentence(each, formula, event_atoms)}"


def _joined(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def _sentence(each: Each, formula: Formula, event_atoms: Mapping[str, EventAtom]) -> str:
    """A predicate as a clause of a sentence in which `it` is the event."""

    def said(part: Formula) -> str:
        text = _sentence(each, part, event_atoms)
        simple = isinstance(part, Atom | Constant) or (isinstance(part, Not) and isinstance(part.body, Atom))
        return text if simple else f"({text})"

    verb = _verb(each, formula, event_atoms)
    if verb is not None:
        return f"it {verb}"
    match formula:
        case Atom(name):
            atom = event_atoms[name]
            assert isinstance(atom, TermComparison)  # a flag is a verb phrase
            return f"{term_words(atom.left)} is {_RELATIONS[atom.relation]} {term_words(atom.right)}"
    return connective_words(formula, tuple(map(said, children(formula))))


def connective_words(formula: Formula, parts: Sequence[str]) -> str:
    """A truth value or a connective as a clause of a sentence, given how its parts are said there."""
    # The parts come said: a function that said them would put its frames between those of nested formulas, and they
    # count towards Python's limit of depth.
    match formula, parts:
        case Constant(value), _:
            return "anything holds" if value else "nothing holds (never)"
        case Not(), (body,):
            return f"it is not so that {body}"
        case And(), (a, b):
            return f"{a} and {b}"
        case Or(), (a, b):
            return f"{a} or {b}"
        case Implies(), (a, b):
            return f"if {a} then {b}"
        case Iff(), (a, b):
            return f"{a} exactly when {b}"
    raise TypeError(f"no connective: {formula}")


# Verb phrases


def _verb(each: Each, formula: Formula, event_atoms: Mapping[str, EventAtom]) -> str | None:
    """A part as a verb phrase about the event, if there is one for it."""
    match formula:
        case Atom(name):
            return _atom_verb(each, event_atoms[name])
        case Not(Atom(name)) if isinstance(atom := event_atoms[name], Flag):
            return _FLAGS[atom.attribute.name][1]
        case _:
            return None


def _atom_verb(each: Each, atom: EventAtom) -> str | None:
    match atom:
        case Flag(attribute):
            return _FLAGS[attribute.name][0]
        case TermComparison(relation, Attribute() as attribute, ConstantTerm() as number, _):
            return _measured(each, attribute, relation, number)
        case TermComparison(relation, ConstantTerm() as number, Attribute() as attribute, _):
            return _measured(each, attribute, _TURNED[relation], number)
    return None


def _measured(each: Each, attribute: Attribute, relation: Relation, number: ConstantTerm) -> str | None:
    """An attribute compared with a constant, where the obligated event is what it is an attribute of."""
    if each is Each.MATCHED and attribute.owner is not Owner.PAIR:
        return None
    amount = f"{_RELATIONS[relation]} {_number(number)}"
    other = _OTHERS.get(attribute.owner, "")
    match attribute.name:
        case "covering":
            plural = "" if number.value == 1 else "s"
            amount = _RELATIONS[relation].replace("less", "fewer")
            return f"is covered by {amount} {_counted(number.value)} {other}{plural}"
        case "coverage":
            return f"is covered by {other}s for {amount} of its length"
        case "purity":
            return f"lies on references of its own class for {amount} of its length"
        case "longest_gap":
            return f"has a longest gap of {amount} between the predicted events on it"
        case "shortest_gap":
            return f"has a shortest gap of {amount} between the predicted events on it, or no gap"
        case "iou":
            return f"has an overlap over union of {amount}" + ("" if each is Each.MATCHED else " with its partner")
        case "overlap":
            return f"has an overlap of {amount}" + ("" if each is Each.MATCHED else " with its partner")
        case "duration" if attribute.owner.value == each.value:
            return f"lasts {amount}"
    return None


def _counted(value: Fraction) -> str:
    words = {0: "no", 1: "one", 2: "two", 3: "three"}
    return words.get(int(value), str(value)) if value.denominator == 1 and value else str(value)


# Terms


def term_words(term: Term) -> str:
    """A term as one says it."""
    match term:
        case ConstantTerm():
            return _number(term)
        case Attribute(Owner.PAIR, name, _):
            return {"iou": "the overlap over union", "overlap": "the overlap"}[name]
        case Attribute(owner, name, _):
            return f"the {name.replace('_', ' ')} of the {'reference' if owner is Owner.REF else 'prediction'}"
        case Absolute(TermDifference(a, b)):
            return f"the distance between {term_words(a)} and {term_words(b)}"
        case Absolute(body):
            return f"the size of {term_words(body)}"
        case TermSum(a, b):
            return f"{term_words(a)} plus {term_words(b)}"
        case TermDifference(a, b):
            return f"{term_words(a)} minus {term_words(b)}"
        case Scaled(factor, ConstantTerm(value, quantity)):
            return _number(ConstantTerm(factor * value, quantity))
        case Scaled(factor, body):
            return f"{print_number(factor)} times {term_words(body)}"
        case Minimum(arguments):
            return f"the lesser of {' and '.join(map(term_words, arguments))}"
        case Maximum(arguments):
            return f"the greater of {' and '.join(map(term_words, arguments))}"


def _number(number: ConstantTerm) -> str:
    return time_text(number.value) if number.quantity is TermType.TIME else print_number(number.value)
