"""What is wrong with frame clauses: obligations that never occur, clauses that cannot fail, repeat or ask nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

from tracepact.core import And, Atom, Constant, Eventually, Formula, FrameClause, Iff, Implies, Located, Not, lookahead
from tracepact.diagnostics import Diagnostic
from tracepact.logic.contract_text import ContractText
from tracepact.logic.questions import ContractQuestions
from tracepact.logic.repeats import grouped, repeated
from tracepact.logic.vocabulary import over_base_atoms, renamed
from tracepact.wording import listed, ms, print_number

SILENCE, SPURIOUS = "silence", "spurious"
"""The words in clause names that say which of two guards should be the tighter one."""


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
            if all(d.code in ("constant-formula", "vacuous-implication", "ignores-prediction") for d in found):
                sound.append(clause)
        for first, second in combinations(sound, 2):
            yield from self._silence(first, second)
        groups = grouped(sound, self._same)
        yield from (
            repeated(group, self.text.contract, "at exactly the frames where") for group in groups if len(group) > 1
        )
        if notes:
            yield from self._implied([group[0] for group in groups])
            yield from self._lookahead()

    def _implied(self, clauses: list[FrameClause]) -> Iterator[Diagnostic]:
        for strong, weak in permutations(clauses, 2):
            if any(self._silence(strong, weak)):
                continue
            if self._same_obligation(strong, weak) and self._impossible(
                And(strong.formula, Not(weak.formula)), strong, weak
            ):
                yield Diagnostic(
                    "clause-implied",
                    f"where `{strong.name}` holds, `{weak.name}` holds as well",
                    self.text.place(weak.body.span),
                    trace=self.ask.shown(And(weak.obligation, And(weak.formula, Not(strong.formula)))),
                )

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
        yield from self._constants(duty)
        for part in clause.body.parts:
            yield from self._constants(part)
        yield from self._vacuous(clause, duty)
        if self._ignores_prediction(clause):
            yield Diagnostic(
                "ignores-prediction",
                f"no prediction changes where `{name}` holds and fails: it is about the reference alone",
                body,
                "ask for something of the prediction",
                self.ask.shown(fails),
            )

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

    # Two clauses

    def _silence(self, first: FrameClause, second: FrameClause) -> Iterator[Diagnostic]:
        """A silence guard that is no tighter than the spurious guard beside it."""
        guards = self._silence_and_spurious(first, second)
        if guards is None or not self._same_obligation(first, second):
            return
        silence, spurious, allowed, limit = guards
        if allowed >= limit:
            yield Diagnostic(
                "silence-not-tighter",
                f"`{silence.name}` looks {allowed} frames around, `{spurious.name}` {limit}: it adds nothing",
                self.text.place(silence.body.span),
                f"give it a radius of less than {limit} frames ({ms(limit * self.text.contract.step)})",
            )

    def _same(self, first: FrameClause, second: FrameClause) -> bool:
        """Whether two clauses fail at the same frames; what silence and spurious guards share is said elsewhere."""
        return (
            self._silence_and_spurious(first, second) is None
            and self._same_obligation(first, second)
            and self._impossible(Not(Iff(first.formula, second.formula)), first, second)
        )

    def _same_obligation(self, first: FrameClause, second: FrameClause) -> bool:
        a, b = first.obligation, second.obligation
        return a == b or self._never(Not(Iff(a, b)), first, second)

    def _impossible(self, formula: Formula, first: FrameClause, second: FrameClause) -> bool:
        return self._never(And(first.obligation, formula), first, second)

    def _never(self, formula: Formula, first: FrameClause, second: FrameClause) -> bool:
        question = f"`{first.name}` and `{second.name}` differ"
        return self.ask.possible(formula, question, self.text.place(second.body.span)) is False

    def _silence_and_spurious(
        self, first: FrameClause, second: FrameClause
    ) -> tuple[FrameClause, FrameClause, int, int] | None:
        for silence, spurious in ((first, second), (second, first)):
            if SILENCE in silence.name and SPURIOUS in spurious.name:
                match silence.formula, spurious.formula:
                    case (
                        Implies(a, Eventually(lo, hi, p)),
                        Implies(b, Eventually(low, high, q)),
                    ) if a == b and p == q and (lo, low) == (-hi, -high):
                        return silence, spurious, hi, high
        return None

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
