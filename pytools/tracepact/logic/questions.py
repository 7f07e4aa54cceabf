"""Asks questions on behalf of the checker: samples first, then the solver, and keeps what stayed undecided."""

from dataclasses import field

from tracepact.core import Contract, Formula, atoms
from tracepact.diagnostics import Diagnostic, TextPlace
from tracepact.frozen import dataclass
from tracepact.logic.decide import Budget, Terms, Verdict, solve
from tracepact.logic.event_decide import solve_predicate
from tracepact.logic.event_model import EventExample, EventQuestion
from tracepact.logic.event_samples import differs_between_predictions, fails_for_constant_prediction
from tracepact.logic.identity import contradicts_itself
from tracepact.logic.intervals import holds_for_constant_prediction, same_for_every_prediction
from tracepact.logic.model import Model
from tracepact.logic.picture import NOT_SMALLEST, picture
from tracepact.logic.samples import FEW, MORE, holds_on_a_sample, sampled
from tracepact.logic.vocabulary import without_other_classes
from tracepact.progress import OnStage, silent


@dataclass(slots=True)
class ContractQuestions:
    """What the checker asks about one contract."""

    contract: Contract
    budget: Budget
    watch: OnStage = silent
    undecided: list[Diagnostic] = field(default_factory=list)
    known: dict[Formula, bool] = field(default_factory=dict)

    def possible(self, formula: Formula, question: str, place: TextPlace) -> bool | None:
        """Whether the formula holds at some frame of some trace; None, and a note, if that stays unknown."""
        self.watch(question)
        formula = self._in_its_classes(formula)
        if formula not in self.known:
            found = self._decided(formula, question, place)
            if found is None:
                return None
            self.known[formula] = found
        return self.known[formula]

    def _decided(self, formula: Formula, question: str, place: TextPlace) -> bool | None:
        """Samples and form first, then the solver."""
        if holds_on_a_sample(formula, (FEW,)):
            return True
        if contradicts_itself(formula):
            return False
        if holds_on_a_sample(formula, (MORE,)):
            return True
        answer = solve(formula, Terms(budget=self.budget, minimise=False))
        if answer.verdict is Verdict.UNKNOWN:
            self._note(question, answer.reason, place)
            return None
        return answer.verdict is Verdict.SAT

    def shown(self, formula: Formula, *names: Formula) -> str | None:
        """The picture of a trace where the formula holds, a smallest one if there is time, with the atoms named."""
        asked = self._in_its_classes(formula)
        model = solve(asked, Terms(budget=self.budget)).model or sampled(asked)
        if model is None:
            return None
        drawn = picture(model, _names(model, formula, *names))
        return drawn if model.minimal else f"{drawn}\n{NOT_SMALLEST}"

    def _in_its_classes(self, formula: Formula) -> Formula:
        return without_other_classes(formula) if self.contract.one_class else formula

    def event_possible(self, asked: EventQuestion, question: str, place: TextPlace) -> bool | None:
        """Whether a predicate can be true for some obligation; None, and a note, if that stays unknown."""
        self.watch(question)
        answer = solve_predicate(asked, self.budget, minimise=False)
        if answer.verdict is Verdict.UNKNOWN:
            self._note(question, answer.reason, place)
            return None
        return answer.verdict is Verdict.SAT

    def event_example(self, asked: EventQuestion) -> EventExample | None:
        """A smallest scene with an obligation for which the predicate is true."""
        return solve_predicate(asked, self.budget).example

    def event_ignores_prediction(self, asked: EventQuestion) -> bool:
        """Whether the truth of a predicate is settled by the reference interval alone, for certain."""
        if differs_between_predictions(asked):
            return False
        return same_for_every_prediction(asked, self.budget)

    def event_constant(self, asked: EventQuestion, *, active: bool) -> bool:
        """Whether a predicate is true for certain where the prediction is active at every frame, or at none."""
        if fails_for_constant_prediction(asked, active=active):
            return False
        return holds_for_constant_prediction(asked, self.budget, active=active)

    def _note(self, question: str, reason: str | None, place: TextPlace) -> None:
        headline = f"it stayed open whether {question}" + (f": {reason}" if reason else "")
        self.undecided.append(Diagnostic("undecided", headline, place, "give it more time: `--timeout`"))


def _names(model: Model, *formulas: Formula) -> set[str]:
    return set(model.atoms).union(*(atoms(formula) for formula in formulas))
