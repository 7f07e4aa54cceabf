"""What a selected clause scores at other tolerances, for the sliders of the page (14.32)."""

from dataclasses import dataclass
from fractions import Fraction

from tracepact.calibration.family import NO_FAMILY
from tracepact.tools.select.observed import observe_family
from tracepact.tools.select.readable import number_text, slots, tried_numbers, variant_name, variants_contract
from tracepact.tools.select.select import Selection

_MOST_CASES = 100


@dataclass(frozen=True, slots=True)
class Slider:
    """The first number of a selected clause: those that are tried, the clause with each, its values on the cases."""

    clause: int
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    """What the clause is called with each of them."""
    texts: tuple[str, ...]
    values: tuple[tuple[Fraction, ...], ...]
    at: int
    """The place of the number that was selected."""


def sliders(selection: Selection) -> tuple[Slider, ...]:
    """A slider for every selected clause with a number to move; none where there are more cases than a page shows."""
    observed = selection.retained.observed
    calibration = observed.calibration
    if len(calibration.cases) > _MOST_CASES:
        return ()
    variants: list[str] = []
    found: list[tuple[int, list[str], int, int]] = []
    for place, clause in enumerate(selection.clauses):
        movable = slots(clause.text)
        if not movable or _is_author(selection, place):
            continue
        slot = movable[0]
        numbers = tried_numbers(slot, calibration.step)
        found.append((place, numbers, len(variants), numbers.index(number_text(slot))))
        variants += [f"{clause.text[: slot.start()]}{number}{clause.text[slot.end() :]}" for number in numbers]
    if not variants:
        return ()
    contract = variants_contract(observed, variants)
    again = observe_family(calibration, NO_FAMILY, contract, matcher=observed.matcher, dropped=True)
    seen = again.observation.seen(range(len(variants)))
    return tuple(
        Slider(
            place,
            tuple(numbers),
            tuple(
                selection.clauses[place].name
                if number == at
                else variant_name(observed, selection.clauses[place].name, contract.clauses[first + number])
                for number in range(len(numbers))
            ),
            tuple(variants[first : first + len(numbers)]),
            tuple(seen[index].values for index in range(first, first + len(numbers))),
            at,
        )
        for place, numbers, first, at in found
    )


def _is_author(selection: Selection, place: int) -> bool:
    """Whether a selected clause is an author's own, whose parameters another contract lacks."""
    return selection.coordinates[place].candidate < selection.retained.observed.candidates.first_frame
