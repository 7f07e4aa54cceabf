"""The scores of whatever counts verdicts while streams go on: a monitor and a bank score alike."""

from abc import ABC, abstractmethod
from fractions import Fraction

from tracepact.core import Aggregation, Contract, Profile
from tracepact.scoring import ClauseCounts, Score, aggregate
from tracepact.scoring.by_clause import ByClause


class StreamScores(ABC):
    """Scores over the verdicts that are out, from the counts of each clause (rule 12.5)."""

    contract: Contract

    @abstractmethod
    def counts(self, clause: str) -> ClauseCounts:
        """The counts of the verdicts of a clause that are out, by class and stream."""

    def score(self, clause: str, aggregation: Aggregation | None = None) -> Score:
        """The score of a clause over the verdicts that are out (rule 12.5).

        Args:
            clause: the name of the clause.
            aggregation: how streams and classes become one value; the contract's own by default.

        Returns:
            The score with its counts.

        Raises:
            InvalidInput: the contract has no such clause; it names those there are.
        """
        return aggregate(self.counts(clause), aggregation or self.contract.aggregation)

    def vector(self, aggregation: Aggregation | None = None) -> dict[str, Score]:
        """The score of every clause over the verdicts that are out.

        Args:
            aggregation: how streams and classes become one value; the contract's own by default.

        Returns:
            The scores by clause, in source order.
        """
        return ByClause({clause.name: self.score(clause.name, aggregation) for clause in self.contract.clauses})

    def logic(self, aggregation: Aggregation | None = None) -> Fraction:
        """The mean of the vector (rule 7.7).

        Args:
            aggregation: how streams and classes become one value; the contract's own by default.

        Returns:
            The mean, exact; a vacuous clause counts as 1.
        """
        values = [score.value for score in self.vector(aggregation).values()]
        return sum(values, Fraction(0)) / len(values)

    def profile(self, profile: Profile) -> Fraction:
        """The weighted mean of a risk profile (rule 7.8).

        Args:
            profile: one of the contract's `profiles`; it names its aggregation.

        Returns:
            The mean, exact.

        Raises:
            InvalidInput: the profile weighs a clause that the contract does not have.
        """
        total = sum((weight for _, weight in profile.weights), Fraction(0))
        return sum((w * self.score(c, profile.aggregation).value for c, w in profile.weights), Fraction(0)) / total
