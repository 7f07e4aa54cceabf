"""The lexicographically least of equally good covers, by questions to a solver."""

from collections.abc import Callable, Sequence

Ask = Callable[[Sequence[int], Sequence[int], Sequence[int]], tuple[int, ...] | None]
"""An equally good cover with all of the first columns, none of the second and one of the third (if any); or None."""


def least_order(start: tuple[int, ...], candidates: Sequence[int], ask: Ask) -> tuple[int, ...]:
    """The lexicographically least cover as good as `start`, whose columns are all candidates.

    Column by column: is there a cover with the same beginning whose next column is earlier? Each answer either moves
    the next column forward or settles it, so the questions are no more than columns and improvements together.
    """
    best = tuple(sorted(start))
    for place in range(len(best)):
        while True:
            fixed = best[:place]
            earlier = [c for c in candidates if c < best[place] and (not fixed or c > fixed[-1])]
            skipped = [c for c in candidates if fixed and c < fixed[-1] and c not in fixed]
            found = ask(fixed, skipped, earlier) if earlier else None
            if found is None:
                break
            best = tuple(sorted(found))
    return best
