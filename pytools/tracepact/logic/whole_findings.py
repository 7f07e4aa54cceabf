"""What is wrong with a contract as a whole: constant predictions that pass, settings that hide or serve nothing."""

from collections.abc import Iterator

from tracepact.core import OBLIGATED, And, Each, EventClause, FrameClause, Not, Owner, attributes
from tracepact.diagnostics import Diagnostic, TextPlace
from tracepact.frozen import dataclass
from tracepact.logic.contract_text import ContractText
from tracepact.logic.event_model import EventQuestion
from tracepact.logic.questions import ContractQuestions
from tracepact.logic.vocabulary import with_prediction
from tracepact.wording import listed, ms

_ALWAYS_ON = (
    "no clause notices a detector that is always on: on no trace does it violate anything",
    "ask for silence between events as well: `on pred_active : N[…] ref_active`",
)
_SILENT = (
    "no clause notices a detector that never fires: on no trace does it violate anything",
    "ask for activity as well: `on ref_active : N[…] pred_active`",
)
_PIECES = ("covering", "longest_gap", "shortest_gap")
"""The attributes of a reference that count or measure the pieces of what was predicted for it."""


@dataclass(slots=True)
class WholeFindings:
    """The findings on one contract as a whole."""

    text: ContractText
    ask: ContractQuestions

    def findings(self, *, notes: bool) -> Iterator[Diagnostic]:
        """A warning for each constant prediction that passes; with `notes`, what settings and obligations do."""
        if len(self.text.contract.clauses) > 1:
            yield from self._constant_predictions("constant-prediction-passes")
        if notes:
            yield from self.alone()
            yield from self._merge_gap()
            yield from self._matcher()
            yield from self._nothing_predicted()

    def alone(self) -> Iterator[Diagnostic]:
        """A note for each constant prediction that passes the only clause of a contract."""
        if len(self.text.contract.clauses) == 1:
            yield from self._constant_predictions("only-clause-passes")

    def _constant_predictions(self, code: str) -> Iterator[Diagnostic]:
        contract = self.text.contract
        cheap_first: tuple[FrameClause | EventClause, ...] = (*contract.frame_clauses, *contract.event_clauses)
        for active, (headline, way) in ((True, _ALWAYS_ON), (False, _SILENT)):
            if all(self._passes(clause, active=active) for clause in cheap_first):
                yield Diagnostic(code, headline, self._place("contract"), way)

    def _place(self, statement: str) -> TextPlace:
        return self.text.place(self.text.contract.statements[statement])

    def _passes(self, clause: FrameClause | EventClause, *, active: bool) -> bool:
        """Whether a constant prediction violates the clause on no trace, for certain."""
        match clause:
            case FrameClause():
                violated = with_prediction(And(clause.obligation, Not(clause.formula)), active=active)
                question = f"`{clause.name}` notices a constant prediction"
                return self.ask.possible(violated, question, self.text.place(clause.body.span)) is False
            case EventClause(each=Each.MATCHED):
                return False  # without a pair it scores 0 (rule 7.4), and a constant prediction may have none
            case EventClause(each=Each.PRED) if not active:
                return False
            case EventClause():
                return self.ask.event_constant(self._question(clause), active=active)

    def _question(self, clause: EventClause) -> EventQuestion:
        return EventQuestion(clause.formula, clause.each, dict(clause.event_atoms), self.text.contract)

    # Notes

    def _merge_gap(self) -> Iterator[Diagnostic]:
        contract = self.text.contract
        joined = contract.merge_gap // contract.step * contract.step
        counting = [
            clause.name
            for clause in contract.event_clauses
            for name, owner in _attributes(clause)
            if name in _PIECES and owner is Owner.REF
        ]
        if joined and counting and "merge_gap" in contract.statements:
            counting = list(dict.fromkeys(counting))
            counts = "counts" if len(counting) == 1 else "count"
            yield Diagnostic(
                "merge-gap-hides-fragments",
                f"pieces up to {ms(joined)} apart are joined before {listed(counting)} {counts} them",
                self._place("merge_gap"),
                "a smaller `merge_gap` lets them count",
            )

    def _matcher(self) -> Iterator[Diagnostic]:
        """A declared matcher on which no clause depends."""
        contract = self.text.contract
        if "matcher" in contract.statements and not any(map(_asks_for_a_partner, contract.event_clauses)):
            yield Diagnostic(
                "matcher-not-used",
                "no clause asks about partners, so the matcher serves the boundary metric alone",
                self._place("matcher"),
                "leave it out, or ask about `matched` intervals",
            )

    def _nothing_predicted(self) -> Iterator[Diagnostic]:
        clauses = [clause for clause in self.text.contract.event_clauses if clause.each is not Each.REF]
        if clauses:
            names = listed([clause.name for clause in clauses])
            scores = "scores" if len(clauses) == 1 else "score"
            yield Diagnostic(
                "silence-scores-zero",
                f"{names} {scores} 0 where there are references and nothing is predicted",
                self.text.place(clauses[0].body.span),
            )


def _attributes(clause: EventClause) -> list[tuple[str, Owner]]:
    return [(found.name, found.owner) for _, atom in clause.event_atoms for found in attributes(atom)]


def _asks_for_a_partner(clause: EventClause) -> bool:
    """Whether the truth of a clause depends on the matching."""
    if clause.each is Each.MATCHED:
        return True
    return any(
        name == "matched" or owner is Owner.PAIR or owner not in OBLIGATED[clause.each]
        for name, owner in _attributes(clause)
    )
