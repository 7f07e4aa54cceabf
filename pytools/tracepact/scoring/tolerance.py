"""The vector and its mean as exact step functions of a parameter."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tracepact.core import Aggregation, Contract, Parameter
from tracepact.diagnostics import Diagnostics, TextPlace, did_you_mean
from tracepact.lang import at_value, override
from tracepact.scoring.curves import CurveFinder, is_time
from tracepact.scoring.predicates import nonlinear_product
from tracepact.scoring.scorecard import Scorecard
from tracepact.scoring.steps import StepFunction, mean_of
from tracepact.wording import print_number


@dataclass(frozen=True, slots=True)
class Mark:
    """A value of the parameter that the contract names: its own, or a point of its sweep."""

    text: str
    value: Fraction
    own: bool


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The curve of every clause and of their mean, over a closed range of one parameter.

    `methods` says how each curve was found: `constant`, `distances`, `obligations` or `re-evaluation`.
    """

    parameter: str
    is_time: bool
    low: Fraction
    high: Fraction
    aggregation: Aggregation
    clauses: Mapping[str, StepFunction]
    logic: StepFunction
    methods: Mapping[str, str]
    marks: tuple[Mark, ...]


def swept_parameters(contract: Contract) -> list[str]:
    """The parameters that the contract sweeps, in their order."""
    return list(dict.fromkeys(sweep.parameter for sweep in contract.sweeps))


def default_range(contract: Contract, parameter: str) -> tuple[Fraction, Fraction]:
    """From zero to the largest value the contract names, at least one step."""
    named = [mark.value for mark in named_values(contract, parameter)]
    return min([Fraction(0), *named]), max([contract.step, *named])


def curves(
    card: Scorecard,
    parameter: str,
    low: Fraction | None = None,
    high: Fraction | None = None,
    *,
    aggregation: Aggregation | None = None,
    on_clause: Callable[[str], None] = lambda name: None,
) -> Tolerance:
    """The curves of a parameter over a range in seconds, or in plain numbers if it has no unit.

    Scores are under the contract's aggregation, or another that is named.
    `on_clause` is told the name of each clause as its turn comes. InvalidInput if the contract has no such parameter,
    if the range is empty or has values the contract refuses, or if the vector is not a step function of the parameter
    that can be found exactly.
    """
    finder = curve_finder(card, parameter, low, high, aggregation=aggregation)
    found: dict[str, tuple[str, StepFunction]] = {}
    for index, clause in enumerate(card.contract.clauses):
        on_clause(clause.name)
        found[clause.name] = finder.curve(index)
    return tolerance_of(card.contract, parameter, finder.low, finder.high, finder.aggregation, found)


def curve_finder(
    card: Scorecard,
    parameter: str,
    low: Fraction | None = None,
    high: Fraction | None = None,
    *,
    aggregation: Aggregation | None = None,
) -> CurveFinder:
    """What finds the curves of a parameter; InvalidInput as of `curves`."""
    contract = card.contract
    known = _parameter(contract, parameter)
    ends = default_range(contract, parameter)
    low, high = ends[0] if low is None else low, ends[1] if high is None else high
    _check(contract, known, low, high)
    return CurveFinder(card, known, low, high, aggregation or contract.aggregation)


def tolerance_of(
    contract: Contract,
    parameter: str,
    low: Fraction,
    high: Fraction,
    aggregation: Aggregation,
    found: Mapping[str, tuple[str, StepFunction]],
) -> Tolerance:
    """The curves of a parameter, given how each clause's was found and the curve."""
    clauses = {name: curve for name, (_, curve) in found.items()}
    return Tolerance(
        parameter,
        is_time(_parameter(contract, parameter)),
        low,
        high,
        aggregation,
        clauses,
        mean_of(list(clauses.values())),
        {name: method for name, (method, _) in found.items()},
        tuple(mark for mark in named_values(contract, parameter) if low <= mark.value <= high),
    )


def parameter_value(contract: Contract, parameter: str, text: str) -> Fraction:
    """What a text such as `80ms` means as the value of a parameter; InvalidInput if it means none."""
    return _parameter(override(contract, {parameter: text}), parameter).value


def _parameter(contract: Contract, name: str) -> Parameter:
    known = {parameter.name: parameter for parameter in contract.parameters}
    if name not in known:
        diagnostics = Diagnostics()
        help = did_you_mean(name, known) or "it declares no parameters"
        diagnostics.add("unknown-parameter", f"the contract has no parameter `{name}`", help=help)
        diagnostics.raise_errors()
    return known[name]


def named_values(contract: Contract, name: str) -> list[Mark]:
    """The contract's own value of a parameter and its sweep points, ascending."""
    parameter = _parameter(contract, name)
    swept = [sweep for sweep in contract.sweeps if sweep.parameter == name]
    written = {text: bound.seconds for sweep in swept for text, bound in zip(sweep.values, sweep.bounds, strict=True)}
    found = {written[text]: text for text in sorted(written)}
    found[parameter.value] = parameter.text
    return [Mark(found[value], value, value == parameter.value) for value in sorted(found)]


def _check(contract: Contract, parameter: Parameter, low: Fraction, high: Fraction) -> None:
    """The range is one, and the vector a step function of the parameter that can be found exactly."""
    diagnostics = Diagnostics()
    if low >= high:
        headline = f"the range from {print_number(low)} to {print_number(high)} is empty"
        diagnostics.add("out-of-range", headline, help="give a lower end below the upper one")
        diagnostics.raise_errors()
    first, last = (at_value(contract, parameter.name, end) for end in (low, high))
    name = f"parameter `{parameter.name}`"
    if len({c.step for c in (contract, first, last)}) > 1:
        diagnostics.add("no-exact-curve", f"{name} is the step: with it the grid itself changes")
    if first.matcher.overlap_reward != last.matcher.overlap_reward:
        diagnostics.add("no-exact-curve", f"{name} is the matcher's overlap_reward, which no grid divides into cells")
    if bent := nonlinear_product(contract, parameter.name):
        place = TextPlace(contract.source, bent)
        diagnostics.add("no-exact-curve", f"{name} does not enter this product as a straight line", place)
    diagnostics.raise_errors()
