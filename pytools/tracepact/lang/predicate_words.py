"""Event predicates in plain words: verb phrases about each obligated event, and terms as people say them."""

from collections.abc import Mapping
from fractions import Fraction

from tracepact.core import (
    Absolute,
    And,
    Atom,
    Attribute,
    Comparison,
    Constant,
    Difference,
    Each,
    EventAtom,
    Flag,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    Owner,
    Quantity,
    Relation,
    Scaled,
    Sum,
    Term,
)
from tracepact.wording import print_number, time_text

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
    phrases = [_verb(each, part, event_atoms) for part in _conjuncts(formula)]
    verbs = [phrase for phrase in phrases if phrase is not None]
    if len(verbs) == len(phrases):
        return f"{_SUBJECTS[each]} {_joined(verbs)}"
    return f"for {_SUBJECTS[each]}, {_sentence(each, formula, event_atoms)}"


def _joined(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def _conjuncts(formula: Formula) -> list[Formula]:
    match formula:
        case And(a, b):
            return [*_conjuncts(a), *_conjuncts(b)]
        case _:
            return [formula]


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
            assert isinstance(atom, Comparison)  # a flag is a verb phrase
            return f"{term_words(atom.left)} is {_RELATIONS[atom.relation]} {term_words(atom.right)}"
        case Constant(value):
            return "anything holds" if value else "nothing holds (never)"
        case Not(body):
            return f"it is not so that {said(body)}"
        case And(a, b):
            return f"{said(a)} and {said(b)}"
        case Or(a, b):
            return f"{said(a)} or {said(b)}"
        case Implies(a, b):
            return f"if {said(a)} then {said(b)}"
        case Iff(a, b):
            return f"{said(a)} exactly when {said(b)}"
    raise TypeError(f"no predicate: {formula}")


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
        case Comparison(relation, Attribute() as attribute, Number() as number, _):
            return _measured(each, attribute, relation, number)
        case Comparison(relation, Number() as number, Attribute() as attribute, _):
            return _measured(each, attribute, _TURNED[relation], number)
    return None


def _measured(each: Each, attribute: Attribute, relation: Relation, number: Number) -> str | None:
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
        case Number():
            return _number(term)
        case Attribute(Owner.PAIR, name, _):
            return {"iou": "the overlap over union", "overlap": "the overlap"}[name]
        case Attribute(owner, name, _):
            return f"the {name.replace('_', ' ')} of the {'reference' if owner is Owner.REF else 'prediction'}"
        case Absolute(Difference(a, b)):
            return f"the distance between {term_words(a)} and {term_words(b)}"
        case Absolute(body):
            return f"the size of {term_words(body)}"
        case Sum(a, b):
            return f"{term_words(a)} plus {term_words(b)}"
        case Difference(a, b):
            return f"{term_words(a)} minus {term_words(b)}"
        case Scaled(factor, Number(value, quantity)):
            return _number(Number(factor * value, quantity))
        case Scaled(factor, body):
            return f"{print_number(factor)} times {term_words(body)}"
        case Minimum(arguments):
            return f"the lesser of {' and '.join(map(term_words, arguments))}"
        case Maximum(arguments):
            return f"the greater of {' and '.join(map(term_words, arguments))}"


def _number(number: Number) -> str:
    return time_text(number.value) if number.quantity is Quantity.TIME else print_number(number.value)
