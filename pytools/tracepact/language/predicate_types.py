"""Type-checks written event predicates and lowers them to a propositional formula over event atoms (chapter 4)."""

from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction

from tracepact.declarations import dataclass
from tracepact.diagnostics.findings import Span, did_you_mean
from tracepact.language import predicate
from tracepact.language import syntax as s
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Located
from tracepact.language.formula import Atom, Constant
from tracepact.language.predicate import writable_attributes
from tracepact.language.printer import print_expression
from tracepact.language.scope import Scope, connected
from tracepact.wording import print_number

FUNCTIONS = ("abs", "min", "max")
_SYNONYMS = {
    "length": "duration",
    "start": "onset",
    "begin": "onset",
    "end": "offset",
    "stop": "offset",
}
"""What other languages call attributes."""


@dataclass(frozen=True, slots=True)
class _Typed:
    """A term with its type; a plain number has none. `constant` is its value if it mentions no attribute.

    `unbounded` names the attribute it consists of if that may be unbounded (rule 4.9).
    """

    term: predicate.Term
    quantity: predicate.TermType | None
    span: Span
    constant: Fraction | None = None
    unbounded: str | None = None

    @property
    def kind(self) -> str:
        return self.quantity.value if self.quantity else "plain number"


class PredicateLowering:
    """Lowers the predicate of one clause; `event_atoms` collects its comparisons and flags by canonical text."""

    def __init__(self, each: predicate.Each, scope: Scope) -> None:
        self.each = each
        self.scope = scope
        self.event_atoms: dict[str, predicate.EventAtom] = {}

    def lower(self, node: s.Expression) -> Located:
        """A truth-valued expression as a propositional formula."""
        match node:
            case s.Truth() | s.Negation() | s.Binary():
                return connected(node, tuple(map(self.lower, s.parts(node))))
            case s.Compare():
                return self._event_atom(node, self._comparison(node))
            case s.Reference():
                return self._event_atom(node, self._flag(node))
        if self._term(node) is not None:  # a faulty term is reported, and has no type
            self._report_no_truth(node)
        return Located(Constant(True), node.span)

    def _event_atom(self, node: s.Expression, atom: predicate.EventAtom | None) -> Located:
        if atom is None:
            return Located(Constant(True), node.span)
        name = print_expression(node, predicate=True)
        self.event_atoms[name] = atom
        return Located(Atom(name), node.span)

    def _report_no_truth(self, node: s.Expression) -> None:
        text = print_expression(node, predicate=True)
        self.scope.report(
            "type-mismatch",
            f"`{text}` is a quantity where a truth value belongs",
            node.span,
            f"compare it: `{text} <= …`",
        )

    def _flag(self, node: s.Reference) -> predicate.Flag | None:
        attribute = self._attribute(node)
        if attribute is None:
            return None
        if attribute.quantity is not predicate.TermType.TRUTH:
            self._report_no_truth(node)
            return None
        return predicate.Flag(attribute)

    # Comparisons and terms

    def _comparison(self, node: s.Compare) -> predicate.TermComparison | None:
        left, right = self._term(node.left), self._term(node.right)
        if left is None or right is None:
            return None
        if left.unbounded and right.unbounded:
            self._report_unbounded(left.unbounded, node.span)
            return None
        unified = self._unify((left, right), "compared with")
        if unified is None:
            return None
        (a, b), quantity = unified
        return predicate.TermComparison(
            predicate.Relation(node.relation), a.term, b.term, quantity or predicate.TermType.RATIO
        )

    def _term(self, node: s.Expression) -> _Typed | None:
        match node:
            case s.Quantity(number, unit):
                return self._literal(number, unit, node.span)
            case s.Reference(None, name) if name in self.scope.parameters and name not in predicate.ATTRIBUTES:
                literal = self.scope.literal(s.Value(s.Name(name, node.span), span=node.span))
                return self._literal(*literal, node.span) if literal else None
            case s.Reference():
                return self._attribute_term(node)
            case s.Minus(body):
                inner = self._bounded(body)
                return self._scaled(Fraction(-1), inner, node.span) if inner else None
            case s.ArithmeticTerm("*", a, b):
                return self._product(a, b, node)
            case s.ArithmeticTerm(operator, a, b):
                return self._sum(operator, a, b, node)
            case s.Call(function, arguments):
                return self._call(function, arguments, node)
        self.scope.report(
            "type-mismatch",
            f"`{print_expression(node, predicate=True)}` is a truth value where a quantity belongs",
            node.span,
        )
        return None

    def _literal(self, number: Fraction, unit: str, span: Span) -> _Typed:
        quantity = predicate.TermType.TIME if unit else None
        value = self.scope.in_seconds(number, unit) if unit else number
        return _Typed(predicate.ConstantTerm(value, quantity or predicate.TermType.RATIO), quantity, span, value)

    def _attribute_term(self, node: s.Reference) -> _Typed | None:
        attribute = self._attribute(node)
        if attribute is None:
            return None
        if attribute.quantity is predicate.TermType.TRUTH:
            self.scope.report(
                "type-mismatch",
                f"`{node.name}` is a truth value where a quantity belongs",
                node.span,
                f"use it by itself: `{node.name} and …`",
            )
            return None
        return _Typed(
            attribute,
            attribute.quantity,
            node.span,
            unbounded=attribute.name if attribute.kind.may_be_unbounded else None,
        )

    def _bounded(self, node: s.Expression) -> _Typed | None:
        """A term that stands inside another one, where nothing unbounded may."""
        typed = self._term(node)
        # Arithmetic with a value that is greater than every time has no meaning (rule 4.9), so it only stands alone.
        if typed and typed.unbounded:
            self._report_unbounded(typed.unbounded, node.span)
            return None
        return typed

    def _report_unbounded(self, name: str, span: Span) -> None:
        self.scope.report(
            "unbounded-in-term",
            f"`{name}` may be unbounded, so it must be alone on one side of a comparison",
            span,
            f"write `{name} >= …`",
        )

    def _sum(self, operator: str, a: s.Expression, b: s.Expression, node: s.ArithmeticTerm) -> _Typed | None:
        left, right = self._bounded(a), self._bounded(b)
        if left is None or right is None:
            return None
        unified = self._unify((left, right), "added to" if operator == "+" else "subtracted from")
        if unified is None:
            return None
        (left, right), quantity = unified
        constant = None
        if left.constant is not None and right.constant is not None:
            constant = left.constant + (right.constant if operator == "+" else -right.constant)
        build = predicate.TermSum if operator == "+" else predicate.TermDifference
        return _Typed(build(left.term, right.term), quantity, node.span, constant)

    def _product(self, a: s.Expression, b: s.Expression, node: s.ArithmeticTerm) -> _Typed | None:
        left, right = self._bounded(a), self._bounded(b)
        if left is None or right is None:
            return None
        for factor, other in ((left, right), (right, left)):
            if factor.constant is not None and factor.quantity is None:
                return self._scaled(factor.constant, other, node.span)
        if left.constant is not None or right.constant is not None:
            self.scope.report(
                "type-mismatch",
                f"the constant factor is a {(left if left.constant is not None else right).kind}, not a plain number",
                node.span,
                "leave its unit out",
            )
        else:
            self.scope.report(
                "nonlinear-product",
                "neither factor of the product is constant",
                node.span,
                "one factor must be a number or a parameter without a unit",
            )
        return None

    def _scaled(self, factor: Fraction, body: _Typed, span: Span) -> _Typed:
        quantity = body.quantity
        # Half a count is no whole number any more, and may then be compared with what a ratio may.
        if quantity is predicate.TermType.COUNT and factor.denominator != 1:
            quantity = predicate.TermType.RATIO
        constant = None if body.constant is None else factor * body.constant
        return _Typed(predicate.Scaled(factor, body.term), quantity, span, constant)

    def _call(self, function: s.Name, arguments: tuple[s.Expression, ...], node: s.Call) -> _Typed | None:
        if function.text not in FUNCTIONS:
            self._report_no_function(function)
            return None
        if (function.text == "abs") != (len(arguments) == 1):
            takes = "one argument" if function.text == "abs" else "two or more arguments"
            self.scope.report("type-mismatch", f"`{function.text}` takes {takes}", node.span)
            return None
        typed = [self._bounded(argument) for argument in arguments]
        known = tuple(t for t in typed if t is not None)
        if len(known) < len(typed):
            return None
        unified = self._unify(known, f"put into `{function.text}` with")
        if unified is None:
            return None
        items, quantity = unified
        terms = tuple(item.term for item in items)
        values = [item.constant for item in items if item.constant is not None]
        constant = None
        if len(values) == len(items):
            constant = {
                "abs": lambda: abs(values[0]),
                "min": lambda: min(values),
                "max": lambda: max(values),
            }[function.text]()
        term: predicate.Term = (
            predicate.Absolute(terms[0])
            if function.text == "abs"
            else (predicate.Minimum(terms) if function.text == "min" else predicate.Maximum(terms))
        )
        return _Typed(term, quantity, node.span, constant)

    def _report_no_function(self, function: s.Name) -> None:
        """Report a call of something other than a function; attributes are written without arguments."""
        name = function.text
        near = (
            name
            if name in predicate.ATTRIBUTES
            else next(iter(get_close_matches(name, predicate.ATTRIBUTES, 1, 0.8)), None)
        )
        hint = did_you_mean(name, FUNCTIONS)
        if near is not None:
            written = [text for text in writable_attributes(self.each) if text.split(".")[-1] == near]
            hint = f"`{near}` is an attribute and takes no arguments; write " + (" or ".join(f"`{w}`" for w in written))
            if not written:
                hint = f"`{near}` is an attribute, which `each {self.each.value}` does not have"
        self.scope.report("unknown-function", f"there is no function `{name}`", function.span, hint)

    def _unify(
        self, items: tuple[_Typed, ...], verb: str
    ) -> tuple[tuple[_Typed, ...], predicate.TermType | None] | None:
        """Give all items one type: a plain number fits a ratio, and a whole one a count (rule 4.3)."""
        typed = next((item for item in items if item.quantity is not None), None)
        if typed is None or typed.quantity is None:
            return items, None
        for item in items:
            if item.quantity is typed.quantity:
                continue
            whole = item.constant is not None and item.constant.denominator == 1
            if item.quantity is None and (
                typed.quantity is predicate.TermType.RATIO or (typed.quantity is predicate.TermType.COUNT and whole)
            ):
                continue
            self._report_types(item, typed, verb)
            return None
        return tuple(self._retype(item, typed.quantity) for item in items), typed.quantity

    def _retype(self, item: _Typed, quantity: predicate.TermType) -> _Typed:
        if isinstance(item.term, predicate.ConstantTerm):
            return replace(item, term=predicate.ConstantTerm(item.term.value, quantity), quantity=quantity)
        return item

    def _report_types(self, item: _Typed, other: _Typed, verb: str) -> None:
        code = "type-mismatch"
        hint = None
        if item.quantity is None and other.quantity is predicate.TermType.TIME and item.constant is not None:
            code = "unit-mismatch"
            hint = f"write a time with its unit: `{print_number(item.constant)}s`"
        elif item.quantity is None and other.quantity is predicate.TermType.COUNT:
            hint = "a count goes with whole numbers"
        elif item.quantity is predicate.TermType.TIME and item.constant is not None:
            hint = "leave the unit out"
        hidden = [
            i.term.name
            for i in (item, other)
            if isinstance(i.term, predicate.Attribute) and i.term.owner is predicate.Owner.PAIR
        ]
        hidden = [name for name in hidden if name in self.scope.parameters]
        if hidden:
            hint = f"`{hidden[0]}` is the attribute here, not the parameter of that name; rename the parameter"
        self.scope.report(code, f"a {item.kind} is {verb} a {other.kind}", item.span, hint)

    # Attributes

    def _attribute(self, node: s.Reference) -> predicate.Attribute | None:
        """The attribute a word stands for under this clause's obligation (rules 4.5 to 4.11)."""
        attribute = writable_attributes(self.each).get(print_expression(node))
        if attribute is None:
            kind = predicate.ATTRIBUTES.get(node.name)
            if kind is None and node.owner is None and node.name in self.scope.unreadable:
                return None  # a parameter of the text that could not be read, which is reported
            if kind is None or node.owner not in (None, predicate.Owner.REF.value, predicate.Owner.PRED.value):
                self._report_unknown(node)
            else:
                self._report_unavailable(node, kind)
        return attribute

    def _report_unavailable(self, node: s.Reference, kind: predicate.AttributeKind) -> None:
        """Report an attribute that exists, but not as it is written here."""
        written = f"`{print_expression(node)}`"
        having = [o for o in kind.owners if f"{o.value}.{kind.name}" in writable_attributes(self.each)]
        if predicate.Owner.PAIR in kind.owners:
            headline, hint = f"`{kind.name}` belongs to the pair", f"write `{kind.name}`"
        elif node.owner is None and having:
            sides = " or ".join(f"`{owner.value}.{kind.name}`" for owner in having)
            headline, hint = f"{written} of which interval?", f"write {sides}"
        else:
            where = kind.owners[0].value if len(kind.owners) == 1 else node.owner
            headline = f"{written} does not exist under `each {self.each.value}`"
            hint = f"use it under `each {where}` or `each matched`"
        self.scope.report("unavailable-attribute", headline, node.span, hint)

    def _report_unknown(self, node: s.Reference) -> None:
        text = print_expression(node)
        known = writable_attributes(self.each)
        if node.owner is not None:
            hint = did_you_mean(text, {name for name in known if "." in name})
        else:
            hint = did_you_mean(text, {*(name for name in known if "." not in name), *self.scope.parameters})
            edges = [
                kind.name
                for kind in predicate.ATTRIBUTES.values()
                if kind.exists is predicate.Existence.WITH_ITS_INTERVAL
            ]
            if near := get_close_matches(text, edges, 1, 0.8):
                hint = f"did you mean `ref.{near[0]}` or `pred.{near[0]}`?"
            elif hint is not None and not hint.startswith("did you mean"):
                hint = ", ".join([hint, *(f"`{name}`" for name in known if "." in name)])
        if meant := _SYNONYMS.get(node.name):
            sides = [node.owner] if node.owner is not None else ["ref", "pred"]
            written = [f"`{side}.{meant}`" for side in sides if f"{side}.{meant}" in known]
            hint = f"did you mean {' or '.join(written)}?" if written else hint
        if hint is None:
            hint = f"attributes under `each {self.each.value}`: " + ", ".join(f"`{name}`" for name in known)
        if text in {*BUILTIN_ATOMS, *CLASS_ATOMS, *self.scope.atoms}:
            hint = "atoms belong to frame clauses: `clause name on ref_onset : …`"
        self.scope.report("unknown-attribute", f"unknown attribute `{text}`", node.span, hint)
