"""A contract as a loss: smooth scores of its frame clauses, and one minus their weighted mean."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import did_you_mean
from tracepact.language.compilation import load_contract, parse_contract
from tracepact.language.contract import Aggregation, Contract, FrameClause
from tracepact.language.formula import atoms
from tracepact.torch.smooth import AtomDegrees, Smooth, plan_of, take
from tracepact.wording import listed

# Scores of degrees: obligations are weights, and what is asked of less than one frame counts in part as vacuous.
#
# A score is a pair of tensors: the *share* of its obligations that is satisfied, and how much is *asked*, from 0 to
# 1. Its value is share + (1 − asked), so that nothing asked gives 1 (rule 7.3). With truth values this is the score
# of chapter 7; between them its slope is bounded, which satisfied / obligated alone is not where the obligations
# vanish.

_OVER_FRAMES = -1
_BATCH, _CLASSES = 0, 1


def clause_value(obligation: Tensor, formula: Tensor, aggregation: Aggregation) -> Tensor:
    """The score of a clause from its degrees by clip, class and frame, under an aggregation (rule 7.5)."""
    satisfied, obligated = (x.sum(dim=_OVER_FRAMES) for x in (obligation * formula, obligation))
    match aggregation:
        case Aggregation.POOLED:
            return _value(*_share(satisfied.sum(), obligated.sum()))
        case Aggregation.MACRO_CLASSES:
            return _value(*_share(satisfied.sum(dim=_BATCH), obligated.sum(dim=_BATCH))).mean()
        case Aggregation.MACRO_CLASSES_INFORMATIVE:
            return _mean(*_share(satisfied.sum(dim=_BATCH), obligated.sum(dim=_BATCH)))
        case Aggregation.MACRO_CLIPS:
            return _value(*_share(satisfied, obligated)).mean()
        case Aggregation.MACRO_CLIPS_INFORMATIVE:
            share, asked = (x.sum(dim=_CLASSES) for x in _share(satisfied, obligated))
            return _mean(*_share(share, asked))


def _share(satisfied: Tensor, obligated: Tensor) -> tuple[Tensor, Tensor]:
    missing = torch.relu(1 - obligated)
    return satisfied / (obligated + missing), 1 - missing


def _value(share: Tensor, asked_part: Tensor) -> Tensor:
    return share + (1 - asked_part)


def _mean(share: Tensor, asked_part: Tensor) -> Tensor:
    """The mean of what is asked; 1 if nothing is."""
    return _value(*_share(share.sum(), asked_part.sum()))


COLDEST, HOTTEST = 1e-6, 1e6
"""The temperatures between which 32-bit floats have finite slopes."""
_WHY = "matching is not a continuous function of the scores, so an event clause has no slope to follow"


class ContractOutput(NamedTuple):
    """What a contract loss returns.

    Attributes:
        loss: one minus the weighted mean of the vector, a scalar to minimise.
        vector: the smooth score of every clause, in the order of `ContractLoss.clauses`.
    """

    loss: Tensor
    vector: Tensor


class ContractLoss(nn.Module):
    """The smooth scores of a contract's frame clauses on probabilities, and a loss to train with.

    Probabilities are read at the threshold 1/2; for another threshold shift the logits. On truth values every score is
    the Boolean one, at every temperature. At temperature 0 the degrees are soft values (chapter 18) plus one half.

    An event clause has no smooth reading, since matching jumps. One that a profile weighs is refused; any other is left
    out and named in `left_out`. A surrogate, a frame clause that takes its place, is declared with `surrogates`.

    Args:
        contract: a contract, the name of a starter contract, or the path of a file.
        profile: the name of one of the contract's profiles, or weights by clause; without it all clauses weigh alike.
        temperature: of the smooth minimum and maximum, from 1e-6 to 1e6; it can be changed between steps.
        aggregation: how clips and classes become one value; the profile's or the contract's own by default.
        surrogates: by event clause, a frame clause written `on OBLIGATION : FORMULA`.
        classes: the names of the classes, to be checked against the contract's labels.

    Attributes:
        clauses: the names of the clauses of the vector.
        left_out: the names of the event clauses that are not in it.
        temperature: the temperature of the next step.

    Raises:
        InvalidInput: the contract, the profile, a surrogate or a class cannot be used; from `forward`, an input.

    Examples:
        >>> import torch
        >>> from tracepact.torch import ContractLoss
        >>> criterion = ContractLoss("boundary_gate", temperature=0.1)
        >>> reference = torch.zeros(1, 1, 50)
        >>> reference[..., 10:30] = 1
        >>> probabilities = torch.full((1, 1, 50), 0.4, requires_grad=True)
        >>> out = criterion(probabilities, reference)
        >>> out.loss.backward()
        >>> dict(zip(criterion.clauses, criterion(reference, reference).vector.tolist()))["onset_guard"]
        1.0
        >>> criterion.left_out
        ('duration_guard', 'fragmentation_guard')
    """

    weights: Tensor

    def __init__(
        self,
        contract: Contract | str | Path,
        *,
        profile: str | Mapping[str, float] | None = None,
        temperature: float = 0.1,
        aggregation: Aggregation | None = None,
        surrogates: Mapping[str, str] | None = None,
        classes: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        self.contract = contract if isinstance(contract, Contract) else load_contract(contract)
        self.temperature = temperature
        self.classes = None if classes is None else tuple(classes)
        faults = Diagnostics()
        _check(self.contract, temperature, self.classes, faults)
        stand_ins = _surrogates(self.contract, surrogates or {}, faults)
        chosen = [stand_ins.get(clause.name, clause) for clause in self.contract.clauses]
        frame_clauses = tuple(clause for clause in chosen if isinstance(clause, FrameClause))
        self.clauses = tuple(clause.name for clause in frame_clauses)
        self.left_out = tuple(clause.name for clause in chosen if not isinstance(clause, FrameClause))
        if not self.clauses:
            faults.add("no-smooth-reading", f"`{self.contract.name}` has event clauses only", help=_WHY)
        found = _profile(self.contract, profile, self.clauses, self.left_out, faults)
        faults.raise_errors()
        self.aggregation = aggregation or found[1]
        self.register_buffer("weights", torch.tensor(found[0], dtype=torch.float64), persistent=False)
        self._frame_clauses = frame_clauses
        self._plan = plan_of(frame_clauses)
        used = frozenset().union(*(atoms(f) for c in frame_clauses for f in (c.obligation, c.formula)))
        self._declared = tuple(name for name in self.contract.declared_atoms if name in used)

    def __getstate__(self) -> dict[str, Any]:
        """All but the plan, whose steps are functions: it is made anew where the loss is read."""
        return {name: value for name, value in self.__dict__.items() if name != "_plan"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self._plan = plan_of(self._frame_clauses)

    def forward(
        self,
        probabilities: Tensor,
        reference: Tensor,
        lengths: Tensor | Sequence[int] | None = None,
        *,
        ignored: Tensor | None = None,
        masks: Mapping[str, Tensor] | None = None,
    ) -> ContractOutput:
        """The loss and the vector of a batch.

        Args:
            probabilities: the prediction, (batch, classes, frames), from 0 to 1.
            reference: truth values or degrees from 0 to 1, in the same shape.
            lengths: how many frames each clip has; what is behind them is not looked at. All by default.
            ignored: true where a frame carries no obligation, in the same shape.
            masks: the declared atoms by name, in the same shape.

        Returns:
            The loss and the vector, differentiable in the probabilities.

        Raises:
            InvalidInput: a shape does not fit, or a value is not a number from 0 to 1. Values are not looked at while
                the module is being compiled.
        """
        given = self._take(probabilities, reference, lengths, ignored, masks)
        values = [
            clause_value(obligation if given.asked is None else obligation * given.asked, formula, self.aggregation)
            for obligation, formula in self._degrees(given)
        ]
        vector = torch.stack(values)
        weights = self.weights.to(vector)
        return ContractOutput(1 - (vector * weights).sum() / weights.sum(), vector)

    def degrees(
        self,
        probabilities: Tensor,
        reference: Tensor,
        lengths: Tensor | Sequence[int] | None = None,
        *,
        masks: Mapping[str, Tensor] | None = None,
    ) -> dict[str, tuple[Tensor, Tensor]]:
        """By clause, the degrees of its obligation and of its formula at every frame; the arguments are those above."""
        given = self._take(probabilities, reference, lengths, None, masks)
        return dict(zip(self.clauses, self._degrees(given), strict=True))

    def _take(
        self,
        probabilities: Tensor,
        reference: Tensor,
        lengths: Tensor | Sequence[int] | None,
        ignored: Tensor | None,
        masks: Mapping[str, Tensor] | None,
    ) -> AtomDegrees:
        tensors = {"pred_active": probabilities, "ref_active": reference, **(masks or {})}
        return take(tensors, lengths, ignored, self._declared, self.classes, values=not torch.compiler.is_compiling())

    def _degrees(self, inputs: AtomDegrees) -> list[tuple[Tensor, Tensor]]:
        return self._plan.degrees(Smooth(self.temperature, inputs.valid), inputs.atoms)


def _check(contract: Contract, temperature: float, classes: Sequence[str] | None, faults: Diagnostics) -> None:
    if not COLDEST <= temperature <= HOTTEST:
        faults.add("out-of-range", f"the temperature {temperature:g} lies outside {COLDEST:g} to {HOTTEST:g}")
    for name in classes or ():
        if contract.labels is not None and name not in contract.labels:
            headline = f"the class `{name}` is not among the labels of `{contract.name}`"
            faults.add("unknown-label", headline, help=did_you_mean(name, contract.labels))


def _surrogates(contract: Contract, surrogates: Mapping[str, str], faults: Diagnostics) -> dict[str, FrameClause]:
    """The declared surrogates, read in the contract's own scope: its step, parameters and atoms."""
    events = [clause.name for clause in contract.event_clauses]
    for name in (name for name in surrogates if name not in events):
        headline = f"`{name}` is not an event clause of `{contract.name}`, so it cannot have a surrogate"
        faults.add("unknown-clause", headline, help=did_you_mean(name, events))
    kept = [line for line in contract.text.splitlines() if not line.startswith(("clause ", "profile ", "sweep "))]
    written = [f"clause {name} {text}" for name, text in surrogates.items() if name in events]
    if not written:
        return {}
    found = parse_contract("\n".join([*kept, *written]), name="surrogates")
    for clause in found.event_clauses:
        faults.add("no-smooth-reading", f"the surrogate of `{clause.name}` is an event clause itself", help=_WHY)
    return {clause.name: clause for clause in found.frame_clauses}


def _profile(
    contract: Contract,
    profile: str | Mapping[str, float] | None,
    clauses: Sequence[str],
    left_out: Sequence[str],
    faults: Diagnostics,
) -> tuple[list[float], Aggregation]:
    """The weight of each clause, and the aggregation of the profile."""
    if profile is None:
        return [1.0] * len(clauses), contract.aggregation
    aggregation = contract.aggregation
    if isinstance(profile, str):
        declared = {p.name: p for p in contract.profiles}
        if profile not in declared:
            headline = f"`{contract.name}` has no profile `{profile}`"
            faults.add("unknown-profile", headline, help=did_you_mean(profile, declared))
            return [1.0] * len(clauses), aggregation
        aggregation = declared[profile].aggregation
        weights: Mapping[str, float | Fraction] = dict(declared[profile].weights)
    else:
        weights = profile
    for name in (name for name in weights if name not in (*clauses, *left_out)):
        faults.add("unknown-clause", f"there is no clause `{name}` to weigh", help=did_you_mean(name, clauses))
    refused = [name for name in left_out if weights.get(name)]
    if refused:
        headline = f"the profile weighs {listed(refused)}, which cannot be trained with: {_WHY}"
        help = "declare a frame clause in its place with `surrogates`, or weigh frame clauses only"
        faults.add("no-smooth-reading", headline, help=help)
    found = [float(weights.get(name, 0)) for name in clauses]
    if any(not weight >= 0 for weight in found) or (not sum(found) > 0 and not refused):
        faults.add("out-of-range", "the weights are not all at least 0, or are all 0", help="see rule 3.11")
    return found, aggregation
