"""What is wrong with frame clauses, one by one: obligations that never occur, clauses that cannot fail."""

from collections.abc import Iterator

from tracepact.core import And, Atom, Constant, Formula, FrameClause, Iff, Implies, Located, Not, atoms, lookahead
from tracepact.diagnostics import Diagnostic
from tracepact.frozen import dataclass
from tracepact.logic.contract_text import ContractText
from tracepact.logic.frame_pairs import FramePairs
from tracepact.logic.part_findings import redundant_parts
from tracepact.logic.perfect import perfected
from tracepact.logic.questions import ContractQuestions
from tracepact.logic.vocabulary import over_base_atoms, renamed
from tracepact.wording import listed, print_number

_OF_SOUND_CLAUSES = {
    "constant-formula",
    "vacuous-implication",
    "ignores-prediction",
    "perfect-prediction-fails",
    "redundant-part",
}
"""The findings on clauses that can still hold and fail."""


@dataclass(slots=True)
class FrameFindings:
    """The findings on the frame clauses of one contract."""

    text: ContractText
    ask: ContractQuestions

    def findings(self, *, notes: bool) -> Iterator[Diagnostic]:
        """Clause by clause, then between the clauses that can both hold and fail."""
        sound: list[FrameClause] = []
        for clause in self.text.contract.frame_clauses:
            found = list(self._clause(clause))
            yield from found
            if all(d.code in _OF_SOUND_CLAUSES for d in found):
                sound.append(clause)
        yield from FramePairs(self.text, self.ask).findings(sound, notes=notes)
        if notes:
            yield from self._lookahead()

    # One clause

    def _clause(self, clause: FrameClause) -> Iterator[Diagnostic]:
        contract_text, name = self.text, clause.name
        duty = clause.duty
        place, body = contract_text.place(duty.span), contract_text.place(clause.body.span)
        occurs = self.ask.possible(clause.obligation, f"the obligation of `{name}` can occur", place)
        if occurs is False:
            yield Diagnostic(
                "obligation-never-occurs",
                f"no trace has a frame where the obligation of `{name}` holds, so it always scores 1",
                place,
                "ask for something that can happen",
            )
            return
        fails = And(clause.obligation, Not(clause.formula))
        holds = And(clause.obligation, clause.formula)
        if self.ask.possible(fails, f"`{name}` can fail", body) is False:
            yield Diagnostic(
                "clause-never-fails",
                f"`{name}` holds at every frame of every trace where its obligation does",
                body,
                "its score is 1 for every system; ask for less in the obligation or more in the formula",
                self.ask.shown(holds),
            )
            return
        if self.ask.possible(holds, f"`{name}` can hold", body) is False:
            yield Diagnostic(
                "clause-never-holds",
                f"`{name}` fails at every frame of every trace where its obligation holds",
                body,
                "its score is 0 wherever it has an obligation",
                self.ask.shown(fails),
            )
            return
        constant = [d for part in (duty, *clause.body.parts) for d in self._constants(part)]
        yield from constant
        if not constant:
            for part in (duty, clause.body):
                yield from redundant_parts(part, self.text, self._never)
        yield from self._vacuous(clause, duty)
        if not self._ignores_prediction(clause):
            yield from self._perfect(clause)
        else:
            yield Diagnostic(
                "ignores-prediction",
                f"no prediction changes where `{name}` holds and fails: it is about the reference alone",
                body,
                "ask for something of the prediction",
                self.ask.shown(fails),
            )

    def _perfect(self, clause: FrameClause) -> Iterator[Diagnostic]:
        """A prediction that is the reference and fails; what a caller's atoms are then is not known."""
        name = clause.name
        fails = perfected(And(clause.obligation, Not(clause.formula)))
        body = self.text.place(clause.body.span)
        if fails == And(clause.obligation, Not(clause.formula)) or atoms(fails) & set(
            self.text.contract.declared_atoms
        ):
            return
        if self.ask.possible(fails, f"a perfect prediction violates `{name}`", body):
            yield Diagnostic(
                "perfect-prediction-fails",
                f"a prediction that is the reference itself violates `{name}`, as here",
                body,
                "ask for something that a perfect prediction does",
                self.ask.shown(fails),
            )

    def _never(self, formula: Formula, part: Located) -> bool:
        place, text = self.text.place(part.span), self.text.quoted(part.span)
        return self.ask.possible(formula, f"`{text}` can be deleted", place) is False

    def _ignores_prediction(self, clause: FrameClause) -> bool:
        """Whether obligation and verdict are the same for every prediction and every supplied atom."""
        duty, violated = over_base_atoms(clause.obligation), over_base_atoms(clause.formula)
        pairs = [(part, renamed(part, _another)) for part in (duty, And(duty, Not(violated)))]
        differ = [Not(Iff(one, other)) for one, other in pairs if one != other]
        place, question = self.text.place(clause.body.span), f"a prediction matters to `{clause.name}`"
        return all(self.ask.possible(formula, question, place) is False for formula in differ)

    def _constants(self, part: Located) -> Iterator[Diagnostic]:
        """The largest parts that are not written as a constant and are one."""
        if isinstance(part.formula, Constant | Atom):
            return
        place, text = self.text.place(part.span), self.text.quoted(part.span)
        for value, against in ((True, Not(part.formula)), (False, part.formula)):
            if self.ask.possible(against, f"`{text}` is always {str(value).lower()}", place) is False:
                word = "true" if value else "false"
                yield Diagnostic(
                    "constant-formula",
                    f"`{text}` is {word} at every frame of every trace",
                    place,
                    f"write `{word}`, or what was meant",
                )
                return
        for inner in part.parts:
            yield from self._constants(inner)

    def _vacuous(self, clause: FrameClause, duty: Located) -> Iterator[Diagnostic]:
        """An implication whose antecedent can be false at an obligated frame (the vacuity trap)."""
        antecedents: list[Located] = []
        part = clause.body
        while isinstance(part.formula, Implies):
            antecedents.append(part.parts[0])
            part = part.parts[1]
        if not antecedents:
            return
        asked = antecedents[0].formula
        for more in antecedents[1:]:
            asked = And(asked, more.formula)
        idle = And(clause.obligation, Not(asked))
        place = self.text.place(duty.span)
        if not self.ask.possible(idle, f"`{clause.name}` is obliged where it asks nothing", place):
            return
        parts = [part.span for part in antecedents]
        if not isinstance(duty.formula, Constant):
            parts.insert(0, duty.span)
        texts = [self._grouped(self.text.quoted(span)) for span in parts]
        suggestion = " & ".join(texts) if len(texts) > 1 else self.text.quoted(parts[0])
        yield Diagnostic(
            "vacuous-implication",
            f"`{clause.name}` counts frames where its condition is false as satisfied",
            place,
            f"oblige it only where it asks something: `on {suggestion}`",
            self.ask.shown(idle, clause.formula),
        )

    @staticmethod
    def _grouped(text: str) -> str:
        """Parentheses where another connective could bind."""
        return text if all(sign not in text for sign in ("|", "->", "or ", "implies ", "∨", "→")) else f"({text})"

    def _lookahead(self) -> Iterator[Diagnostic]:
        clauses = self.text.contract.frame_clauses
        if not clauses:
            return
        frames = {c.name: max(lookahead(c.obligation), lookahead(c.formula)) for c in clauses}
        most = max(frames.values())
        responsible = [c for c in clauses if frames[c.name] == most]
        seconds = print_number(most * self.text.contract.step)
        names = listed([c.name for c in responsible])
        yield Diagnostic(
            "contract-lookahead",
            f"verdicts are settled {most} frames ({seconds} s) after their frame, because of {names}",
            self.text.place(responsible[0].body.span),
        )


def _another(name: str) -> str:
    """What an atom is called in another prediction of the same reference."""
    return name if name in ("ref_active", "other_ref_active") else f"another {name}"
