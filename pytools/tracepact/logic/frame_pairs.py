"""What is wrong between frame clauses: they repeat or imply each other, or cannot hold together."""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, permutations

from tracepact.core import And, Eventually, Formula, FrameClause, Iff, Implies, Not, atoms
from tracepact.diagnostics import Diagnostic
from tracepact.frozen import dataclass
from tracepact.logic.contract_text import ContractText
from tracepact.logic.questions import ContractQuestions
from tracepact.logic.repeats import grouped, repeated
from tracepact.wording import listed, ms

SILENCE, SPURIOUS = "silence", "spurious"
"""The words in clause names that say which of two guards should be the tighter one."""

OF_THE_REFERENCE = frozenset({"ref_active", "ref_onset", "ref_offset", "other_ref_active"})
"""The atoms that no prediction changes."""


@dataclass(slots=True)
class FramePairs:
    """The findings between frame clauses that can each hold and fail."""

    text: ContractText
    ask: ContractQuestions

    def findings(self, clauses: Sequence[FrameClause], *, notes: bool) -> Iterator[Diagnostic]:
        """Guards that add nothing, clauses that clash, clauses that repeat; with `notes`, clauses that others imply."""
        for first, second in combinations(clauses, 2):
            yield from self._silence(first, second)
        yield from self._clashes(clauses)
        groups = grouped(clauses, self._same)
        yield from (
            repeated(group, self.text.contract, "at exactly the frames where") for group in groups if len(group) > 1
        )
        if notes:
            yield from self._implied([group[0] for group in groups])

    # Clauses that cannot hold together

    def _clashes(self, clauses: Sequence[FrameClause]) -> Iterator[Diagnostic]:
        """The fewest clauses of which not all can hold at a frame where all are obliged, though each alone can."""
        clashing: set[frozenset[str]] = set()
        for number in (2, 3):
            for some in combinations(clauses, number):
                names = frozenset(clause.name for clause in some)
                if any(known <= names for known in clashing) or not self._share_an_obligation(some):
                    continue
                if self._clash(some):
                    clashing.add(names)
                    yield self._clash_found(some)

    def _share_an_obligation(self, clauses: Sequence[FrameClause]) -> bool:
        """The same obligation, or obligations that no prediction avoids."""
        if all(atoms(clause.obligation) <= OF_THE_REFERENCE for clause in clauses):
            return True
        return all(self._same_obligation(clauses[0], clause) for clause in clauses[1:])

    def _clash(self, clauses: Sequence[FrameClause]) -> bool:
        together = _together([clause.obligation for clause in clauses])
        formulas = [clause.formula for clause in clauses]
        names = listed([clause.name for clause in clauses])
        place = self.text.place(clauses[-1].body.span)

        def can(formula: Formula) -> bool | None:
            return self.ask.possible(formula, f"{names} can hold together", place)

        if can(And(together, _together(formulas))) is not False:
            return False
        fewer = combinations(formulas, len(formulas) - 1)
        return all(can(And(together, _together(some))) for some in fewer)

    def _clash_found(self, clauses: Sequence[FrameClause]) -> Diagnostic:
        *others, last = clauses
        names = listed([clause.name for clause in clauses])
        together = _together([clause.obligation for clause in clauses])
        shown = self.ask.shown(And(together, _together([clause.formula for clause in others])), last.formula)
        return Diagnostic(
            "clauses-clash",
            f"{names} cannot hold together at a frame where {'both' if len(clauses) == 2 else 'all'} are obliged",
            self.text.place(last.body.span),
            f"here `{last.name}` fails; change one of them",
            shown,
        )

    # Clauses that others imply

    def _implied(self, clauses: list[FrameClause]) -> Iterator[Diagnostic]:
        alone: set[str] = set()
        for strong, weak in permutations(clauses, 2):
            if not any(self._silence(strong, weak)) and self._follow(weak, [strong]):
                alone.add(weak.name)
                yield self._implied_by([strong], weak)
        for weak in clauses:
            others = [clause for clause in clauses if clause is not weak and not any(self._silence(clause, weak))]
            if weak.name not in alone and len(others) > 1 and self._follow(weak, others):
                yield self._implied_by(self._needed(weak, others), weak)

    def _needed(self, weak: FrameClause, others: list[FrameClause]) -> list[FrameClause]:
        """A smallest part of the clauses that implies the weak one."""
        kept = list(others)
        for clause in others:
            rest = [other for other in kept if other is not clause]
            if rest and self._follow(weak, rest):
                kept = rest
        return kept

    def _follow(self, weak: FrameClause, strong: Sequence[FrameClause]) -> bool:
        """Whether the weak clause fails at no frame where all the others, if they are obliged, hold."""
        kept = _together([Implies(clause.obligation, clause.formula) for clause in strong])
        return self._never(And(And(weak.obligation, Not(weak.formula)), kept), strong[-1], weak)

    def _implied_by(self, strong: Sequence[FrameClause], weak: FrameClause) -> Diagnostic:
        names = listed([clause.name for clause in strong])
        if len(strong) > 1:
            headline = f"wherever `{weak.name}` fails, one of {names} fails as well"
        elif strong[0].obligation != weak.obligation:
            headline = f"wherever `{weak.name}` fails, {names} fails as well"
        else:
            headline = f"where {names} holds, `{weak.name}` holds as well"
        shown = None
        if len(strong) == 1:
            alone = And(weak.obligation, And(weak.formula, Not(strong[0].formula)))
            shown = self.ask.shown(alone)
        return Diagnostic(
            "clause-implied",
            headline,
            self.text.place(weak.body.span),
            trace=shown,
        )

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


def _together(formulas: Sequence[Formula]) -> Formula:
    return reduce(And, dict.fromkeys(formulas))
