"""What names mean while a contract is lowered: the step, the parameters, the atoms; and values as exact numbers."""

from dataclasses import field
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, Source, Span, TextPlace, did_you_mean
from tracepact.frozen import dataclass
from tracepact.lang import syntax as s
from tracepact.lang.printer import print_value

SUSPICIOUS = 10
"""A bare number this large was most likely meant in milliseconds."""


def missing_unit(text: str, number: Fraction, unit: str) -> str | None:
    """What to write in place of a time without its unit that was most likely meant in milliseconds; None for others."""
    if unit or abs(number) < SUSPICIOUS:
        return None
    return f"write {text}ms, or {text}s if you mean seconds"


@dataclass(slots=True)
class Scope:
    """Where a contract's names are looked up; collects which parameters were used.

    Without a step in the contract, `step` stands in for it and `step_known` is false.
    """

    source: Source
    diagnostics: Diagnostics
    step: Fraction
    parameters: dict[str, s.Value]
    atoms: frozenset[str]
    free_atoms: bool = False
    unreadable: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    step_known: bool = True

    def report(self, code: str, headline: str, span: Span, help: str | None = None) -> None:
        """Record a finding at a place of the source."""
        self.diagnostics.add(code, headline, TextPlace(self.source, span), help)

    def known(self, value: s.Value) -> tuple[Fraction, str] | None:
        """The signed number and unit a value stands for, parameters looked up; None if there is none such."""
        match value.body:
            case s.Quantity(number, unit):
                pass
            case s.Name(name):
                inner = self.known(self.parameters[name]) if name in self.parameters else None
                if inner is None:
                    return None
                number, unit = inner
        return -number if value.negative else number, unit

    def literal(self, value: s.Value) -> tuple[Fraction, str] | None:
        """What a value stands for; a parameter counts as used, and one that nobody declared is reported."""
        match value.body:
            case s.Name(name, span):
                self.used.add(name)
                if name not in self.parameters and name not in self.unreadable:
                    self.report(
                        "unknown-parameter",
                        f"`{name}` is not a parameter",
                        span,
                        did_you_mean(name, self.parameters) or self._without_parameters(name),
                    )
        return self.known(value)

    def _without_parameters(self, name: str) -> str:
        """The way out where no parameter has a similar name; a formula by itself cannot declare one."""
        return "write the value out, such as `40ms`" if self.free_atoms else f"declare it: `param {name} = 40ms`"

    def seconds(self, value: s.Value) -> Fraction | None:
        """A value as a time; without a unit it is a number of seconds (rule 2.4)."""
        found = self.literal(value)
        if found is None:
            return None
        if not found[1] and abs(found[0]) >= SUSPICIOUS:
            shown = print_value(value)
            self.report(
                "bare-seconds",
                f"`{shown}` without a unit is a number of seconds",
                value.span,
                f"write `{shown}ms`, or `{shown}s` if you mean it" if isinstance(value.body, s.Quantity) else None,
            )
        return self.in_seconds(*found)

    def in_seconds(self, number: Fraction, unit: str) -> Fraction:
        """A number with a unit as seconds."""
        return number * self.step if unit == "f" else number * s.SECONDS[unit]

    def are_comparable(self, a: s.Value, b: s.Value) -> bool:
        """Whether two known values can be compared: frames and times only where the step is known."""
        (_, one), (_, other) = self.known(a) or (0, ""), self.known(b) or (0, "")
        return self.step_known or (one == "f") == (other == "f")

    def number(self, value: s.Value, what: str) -> Fraction | None:
        """A value as a plain number; a unit is an error."""
        found = self.literal(value)
        if found is None:
            return None
        if found[1]:
            self.report(
                "unit-mismatch",
                f"{what} is a plain number, but `{print_value(value)}` is a time",
                value.span,
                "leave the unit out",
            )
            return None
        return found[0]
