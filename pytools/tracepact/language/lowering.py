"""Lowers a contract's statements to the core contract: names and units resolved, settings checked."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from math import ceil
from typing import TypeVar

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Source, Span, TextPlace, did_you_mean
from tracepact.language import syntax as s
from tracepact.language.contract import (
    BUILTIN_ATOMS,
    CLASS_ATOMS,
    Aggregation,
    Bound,
    Contract,
    EventClause,
    FrameClause,
    Located,
    Matcher,
    MatcherKind,
    Parameter,
    Profile,
    Projection,
    Sweep,
)
from tracepact.language.formula import Constant, atoms
from tracepact.language.predicate import Each
from tracepact.language.predicate_types import PredicateLowering
from tracepact.language.printer import canonical_text, print_value
from tracepact.language.scope import Scope, bound_of, lower_formula

_DEFAULT_SOFT_SCALE = Fraction(1, 10)
_Choice = TypeVar("_Choice", bound=Enum)
_Kind = TypeVar("_Kind")

_STEP_HELP = "write the length of a frame, such as `step 20ms`"


class ContractLowering:
    """One run over a document; every method reports what it finds and goes on."""

    def __init__(
        self, document: s.Document, source: Source, diagnostics: Diagnostics, overridden: frozenset[str]
    ) -> None:
        self.document = document
        self.source = source
        self.diagnostics = diagnostics
        self.overridden = overridden
        self.once: dict[str, s.Statement] = {}
        self.scope = Scope(source, diagnostics, Fraction(1), {}, frozenset(), step_known=False)

    def contract(self) -> Contract:
        """Check and lower every statement, in the order in which they need each other."""
        self._single_statements()
        self._declare()
        name = self._contract_name()
        aggregation = self._choice("aggregate", Aggregation, Aggregation.POOLED)
        clauses = tuple(self._clauses())
        self._distinct([decl.name for decl in self._clause_declarations()], "clause")
        if not clauses:
            self._missing("clause", "add one: `clause onset_guard on ref_onset : ref_onset -> N[40ms] pred_onset`")
        labels = self.once.get("labels")
        text = canonical_text(self.document)
        contract = Contract(
            name=name.name.text if name else "",
            title=name.title if name else None,
            step=self.scope.step,
            clauses=clauses,
            merge_gap=self._time_setting("merge_gap", Fraction(0), least=Fraction(0)),
            projection=self._choice("projection", Projection, Projection.CENTRE),
            aggregation=aggregation,
            matcher=self._matcher(),
            soft_scale=self._time_setting("soft_scale", _DEFAULT_SOFT_SCALE, least=None),
            labels=self._labels(labels) if isinstance(labels, s.LabelsDecl) else None,
            declared_atoms=tuple(d.name.text for d in self._of(s.AtomDecl)),
            parameters=tuple(self._parameters()),
            sweeps=tuple(self._sweeps()),
            profiles=tuple(self._profiles(aggregation, {c.name for c in clauses})),
            text=text,
            digest=hashlib.sha256(text.encode()).hexdigest(),
            source=self.source,
            statements={keyword: statement.span for keyword, statement in self.once.items()}
            | {f"profile {profile.name.text}": profile.name.span for profile in self._of(s.ProfileDecl)},
        )
        # Last, since only after everything is lowered is it known what was used.
        self._unused_parameters()
        self._unused_atoms(contract)
        return contract

    # Helpers

    def _report(self, code: str, headline: str, span: Span, help: str | None = None) -> None:
        self.diagnostics.add(code, headline, TextPlace(self.source, span), help)

    def _missing(self, keyword: str, help: str) -> None:
        """Report a statement that is not there, unless it may be in the text that could not be read (P20)."""
        if not self.document.broken:
            self._report("missing-statement", f"the contract has no `{keyword}` statement", Span(0, 0), help)

    def _distinct(self, names: Iterable[s.Name], kind: str) -> None:
        by_name: dict[str, s.Name] = {}
        for name in names:
            if name.text in by_name:
                line = self.source.position(by_name[name.text].span.start)[0]
                headline = f"{kind} `{name.text}` was declared in line {line} already"
                self._report("repeated-name", headline, name.span, "give one of them another name")
            by_name.setdefault(name.text, name)

    def _of(self, kind: type[_Kind]) -> Iterator[_Kind]:
        """The statements of one kind, in source order."""
        return (d for d in self.document.statements if isinstance(d, kind))

    # Declarations

    def _single_statements(self) -> None:
        """Find the statements that occur once, and report those that occur again (rule 3.12)."""
        for statement in self.document.statements:
            match statement:
                case s.ContractName():
                    keyword = "contract"
                case s.Setting(keyword=keyword) | s.WordSetting(keyword=keyword):
                    pass
                case s.MatcherDecl():
                    keyword = "matcher"
                case s.LabelsDecl():
                    keyword = "labels"
                case _:
                    continue
            if keyword in self.once:
                line = self.source.position(self.once[keyword].span.start)[0]
                self._report(
                    "repeated-statement",
                    f"`{keyword}` is already in line {line}",
                    statement.span,
                    "keep one",
                )
            else:
                self.once[keyword] = statement

    def _declare(self) -> None:
        """Fill the scope: parameters, atoms and the step."""
        parameters, declared = list(self._of(s.ParamDecl)), list(self._of(s.AtomDecl))
        self._distinct([d.name for d in parameters], "parameter")
        self._distinct([d.name for d in declared], "atom")
        atoms = frozenset(d.name.text for d in declared)
        for decl in declared:
            if decl.name.text in (*BUILTIN_ATOMS, *CLASS_ATOMS):
                self._report("repeated-name", f"`{decl.name.text}` is a built-in atom", decl.name.span)
        for param in parameters:
            name = param.name.text
            if name in atoms or name in (*BUILTIN_ATOMS, *CLASS_ATOMS):
                self._report("repeated-name", f"parameter `{name}` has the name of an atom", param.name.span)
            if isinstance(param.value.body, s.Name):
                self._report(
                    "syntax",
                    f"the value of parameter `{name}` is not a quantity",
                    param.value.span,
                    "a parameter's value is written out: `40ms`",
                )
        # Of a parameter that is declared twice the first declaration counts, as the message about the second says.
        self.scope.parameters = {
            d.name.text: d.value for d in reversed(parameters) if isinstance(d.value.body, s.Quantity)
        }
        # A name in text that could not be read may be declared there, so its use elsewhere is no second fault (P20).
        self.scope.atoms = atoms | self.document.unread
        unwritten = {d.name.text for d in parameters if isinstance(d.value.body, s.Name)}
        self.scope.unreadable = self.document.unread | unwritten
        self._step()

    def _step(self) -> None:
        statement = self.once.get("step")
        if not isinstance(statement, s.Setting):
            self._missing("step", "add the length of a frame: `step 20ms`")
            return
        step = self.scope.literal(statement.value)
        if step is None:
            return
        self.scope.seconds(statement.value)
        if step[1] == "f":
            self._report("unit-mismatch", "the step is what a frame is, not a number of frames", statement.value.span)
        elif step[0] <= 0:
            self._report("out-of-range", "the step must be greater than zero", statement.value.span, _STEP_HELP)
        else:
            self.scope.step, self.scope.step_known = self.scope.in_seconds(*step), True

    def _contract_name(self) -> s.ContractName | None:
        statement = self.once.get("contract")
        if isinstance(statement, s.ContractName):
            return statement
        self._missing("contract", 'add its name: `contract boundary_gate "what it is for"`')
        return None

    # Settings

    def _choice(self, keyword: str, choices: type[_Choice], default: _Choice) -> _Choice:
        statement = self.once.get(keyword)
        if not isinstance(statement, s.WordSetting):
            return default
        return self._chosen(statement.name, choices, default, keyword)

    def _chosen(self, name: s.Name, choices: type[_Choice], default: _Choice, what: str) -> _Choice:
        known = {choice.value: choice for choice in choices}
        if name.text not in known:
            self._report("unknown-choice", f"`{name.text}` is no {what}", name.span, did_you_mean(name.text, known))
        return known.get(name.text, default)

    def _time_setting(self, keyword: str, default: Fraction, *, least: Fraction | None) -> Fraction:
        """A time of at least `least`, or greater than zero where that is None."""
        statement = self.once.get(keyword)
        if not isinstance(statement, s.Setting):
            return default
        return self._time(statement.value, keyword, default, least=least)

    def _time(self, value: s.Value, what: str, default: Fraction, *, least: Fraction | None) -> Fraction:
        seconds = self.scope.seconds(value)
        if seconds is None:
            return default
        if (seconds <= 0) if least is None else (seconds < least):
            bound = "greater than zero" if least is None else "zero or more"
            self._report("out-of-range", f"`{what}` must be {bound}", value.span)
            return default
        return seconds

    def _matcher(self) -> Matcher:
        default = Matcher()
        statement = self.once.get("matcher")
        if not isinstance(statement, s.MatcherDecl):
            return default
        kind = self._chosen(statement.name, MatcherKind, default.kind, "matcher")
        search, reward = default.search, default.overlap_reward
        self._distinct([o.name for o in statement.options], "option")
        for option in statement.options:
            match option.name.text:
                case "search":
                    search = self._time(option.value, "search", search, least=Fraction(0))
                case "overlap_reward":
                    number = self.scope.number(option.value, "`overlap_reward`")
                    if number is not None and number < 0:
                        self._report("out-of-range", "`overlap_reward` must be zero or more", option.value.span)
                    elif number is not None:
                        reward = number
                case other:
                    self._report(
                        "unknown-choice",
                        f"`{other}` is not an option of a matcher",
                        option.name.span,
                        did_you_mean(other, ("search", "overlap_reward")),
                    )
        return Matcher(kind, search, reward)

    def _labels(self, statement: s.LabelsDecl) -> tuple[str, ...]:
        self._distinct(statement.labels, "label")
        return tuple(dict.fromkeys(label.text for label in statement.labels))

    def _parameters(self) -> Iterator[Parameter]:
        for decl in self._of(s.ParamDecl):
            literal = self.scope.literal(decl.value) if isinstance(decl.value.body, s.Quantity) else None
            if literal is not None:
                name = decl.name.text
                value = self.scope.in_seconds(*literal)
                spans = decl.name.span, decl.value.span
                yield Parameter(name, print_value(decl.value), value, name in self.overridden, *spans)

    def _sweeps(self) -> Iterator[Sweep]:
        declarations = list(self._of(s.SweepDecl))
        self._distinct([d.name for d in declarations], "sweep of")
        for decl in declarations:
            name = decl.name.text
            if name in self.scope.unreadable:
                continue
            if name not in self.scope.parameters:
                self._report(
                    "unknown-parameter",
                    f"`{name}` is not a parameter",
                    decl.name.span,
                    did_you_mean(name, self.scope.parameters),
                )
                continue
            for value in decl.values:
                if isinstance(value.body, s.Name):
                    self._report(
                        "syntax",
                        f"`{print_value(value)}` is not a quantity",
                        value.span,
                        "write the values out",
                    )
            yield Sweep(name, tuple(map(print_value, decl.values)), tuple(self._radii(decl.values)))

    def _radii(self, values: Iterable[s.Value]) -> Iterator[Bound]:
        """Each value as the radius of a window."""
        for value in values:
            bound = bound_of(value, 0, self.scope)
            yield replace(bound, frames=ceil(bound.seconds / self.scope.step))

    def _profiles(self, default: Aggregation, clauses: set[str]) -> Iterator[Profile]:
        declarations = list(self._of(s.ProfileDecl))
        self._distinct([d.name for d in declarations], "profile")
        for decl in declarations:
            aggregation = default
            if decl.aggregation:
                aggregation = self._chosen(decl.aggregation, Aggregation, default, "aggregation")
            self._distinct([w.name for w in decl.weights], "weight of")
            weights: list[tuple[str, Fraction]] = []
            for weight in decl.weights:
                name = weight.name.text
                if name not in clauses | self.document.unread:
                    self._report(
                        "unknown-clause",
                        f"there is no clause `{name}`",
                        weight.name.span,
                        did_you_mean(name, clauses),
                    )
                number = self.scope.number(weight.value, "a weight")
                if number is not None and number < 0:
                    self._report("out-of-range", "a weight must be zero or more", weight.value.span)
                elif number is not None:
                    weights.append((name, number))
            if len(weights) == len(decl.weights) and not any(number for _, number in weights):
                self._report("out-of-range", f"all weights of `{decl.name.text}` are zero", decl.span)
            yield Profile(decl.name.text, aggregation, tuple(weights))

    def _unused_parameters(self) -> None:
        if self.document.broken or self.diagnostics.errors:
            return
        for decl in self._of(s.ParamDecl):
            if decl.name.text not in self.scope.used:
                self._report(
                    "unused-parameter",
                    f"parameter `{decl.name.text}` is never used",
                    decl.name.span,
                    "use it in a window, or drop it",
                )

    def _unused_atoms(self, contract: Contract) -> None:
        if self.document.broken or self.diagnostics.errors:
            return
        used = {name for c in contract.frame_clauses for side in (c.obligation, c.formula) for name in atoms(side)}
        for decl in self._of(s.AtomDecl):
            if decl.name.text not in used:
                self._report(
                    "unused-atom",
                    f"atom `{decl.name.text}` is never used, and a caller has to supply it all the same",
                    decl.name.span,
                    "use it in a frame clause, or drop it",
                )

    # Clauses

    def _clause_declarations(self) -> Iterator[s.FrameClauseDecl | s.EventClauseDecl]:
        return (d for d in self.document.statements if isinstance(d, s.FrameClauseDecl | s.EventClauseDecl))

    def _clauses(self) -> Iterator[FrameClause | EventClause]:
        for decl in self._clause_declarations():
            match decl:
                case s.FrameClauseDecl(name, obligation, formula):
                    yield FrameClause(
                        name.text,
                        lower_formula(obligation, self.scope),
                        lower_formula(formula, self.scope),
                        decl.span,
                    )
                case s.EventClauseDecl(name, kind, predicate):
                    each = self._chosen(kind, Each, Each.REF, "kind of event")
                    lowering = PredicateLowering(each, self.scope)
                    known = kind.text == each.value  # of another kind nobody knows what it has (P20)
                    body = lowering.lower(predicate) if known else Located(Constant(True), predicate.span)
                    yield EventClause(name.text, each, body, tuple(lowering.event_atoms.items()), decl.span)
