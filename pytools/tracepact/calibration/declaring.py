"""Reads the declaration of a family of candidates (rule 14.6)."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from tracepact.calibration.family import ATTRIBUTES, CONNECTIVES, DEEPEST, EACH, MODALITIES, SHAPES, CandidateFamily
from tracepact.calibration.fields import Fields, is_number, read_toml
from tracepact.calibration.places import Places
from tracepact.core import Matcher, MatcherKind, atoms
from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.diagnostics import Diagnostics, InvalidInput, Source, did_you_mean
from tracepact.lang import parse_formula

T = TypeVar("T")


def read_family(source: Source, step: Fraction, declared: tuple[str, ...] = ()) -> CandidateFamily:
    """A family from a text of its own: the table `family`, or its keys alone; `declared` atoms may be part of it."""
    diagnostics = Diagnostics()
    data = read_toml(source, diagnostics)
    if data is None:
        raise InvalidInput(diagnostics)
    inside = isinstance(data.get("family"), dict)
    path = ("family",) if inside else ()
    fields = Fields(data["family"] if inside else data, path, Places.of(source), diagnostics, step, "family")
    found = family_of(fields, declared)
    diagnostics.raise_errors()
    return replace(found, source=source)


def family_of(fields: Fields, declared: tuple[str, ...] = ()) -> CandidateFamily:
    """The family a table declares; what it does not say is as in the default family.

    Atoms are the built-in ones and those that cases declare by their masks.
    """
    known = (*BUILTIN_ATOMS, *CLASS_ATOMS, *declared)
    base, step = CandidateFamily(), fields.step or Fraction(1, 50)

    def time(item: Any, index: int) -> Fraction:
        return fields.as_time(item, "tolerances", index, positive=True)

    def share(item: Any, index: int) -> Fraction | None:
        if is_number(item) and 0 <= item <= 1:
            return Fraction(item)
        fields.report("wrong-form", f"`{item}` is not a share from 0 to 1", "shares", index)
        return None

    def count(item: Any, index: int) -> int | None:
        if isinstance(item, int) and not isinstance(item, bool) and item >= 0:
            return item
        fields.report("wrong-form", f"`{item}` is not a whole number", "counts", index)
        return None

    def obligation(item: Any, index: int) -> str | None:
        try:
            formula = parse_formula(str(item), step)
        except InvalidInput as error:
            headline = f"the obligation `{item}` is not a formula: {error.diagnostics[0].headline}"
            fields.report("wrong-form", headline, "obligations", index, help=error.diagnostics[0].help)
            return None
        if strange := sorted(atoms(formula) - set(known)):
            headline = f"the obligation `{item}` is not a formula: unknown atom `{strange[0]}`"
            fields.report("wrong-form", headline, "obligations", index, help=did_you_mean(strange[0], known))
            return None
        return str(item)

    family = CandidateFamily(
        atoms=_once(fields.words("atoms", known, base.atoms)),
        obligations=_once(fields.items("obligations", obligation, base.obligations)),
        tolerances=_once(fields.items("tolerances", time, base.tolerances)),
        shapes=_once(fields.words("shapes", SHAPES, base.shapes)),
        operators=_once(fields.words("operators", (*MODALITIES, *CONNECTIVES), base.operators)),
        depth=fields.whole("depth", base.depth, most=DEEPEST),
        from_depth=fields.whole("from_depth", base.from_depth, most=DEEPEST),
        each=_once(fields.words("each", EACH, base.each)),
        attributes=_once(fields.words("attributes", ATTRIBUTES, base.attributes)),
        shares=_once(fields.items("shares", share, base.shares)),
        counts=_once(fields.items("counts", count, base.counts)),
        joined=fields.truth("joined", base.joined),
        listed_only=fields.truth("listed_only", base.listed_only),
        matchers=_once(fields.items("matchers", lambda item, index: _matcher(fields, item, index), base.matchers)),
        most=fields.whole("most", base.most, least=1),
    )
    fields.close()
    return family


def _once(values: tuple[T, ...]) -> tuple[T, ...]:
    """The lists of a family are sets with an order: what is listed twice is there once (rule 14.7)."""
    return tuple(dict.fromkeys(values))


def _matcher(fields: Fields, item: Any, index: int) -> Matcher | None:
    if not isinstance(item, dict):
        fields.report("wrong-form", "a matcher is a table", "matchers", index, help='write `{kind = "greedy"}`')
        return None
    inner, base = fields.inner(item, "matchers", index, what="matcher"), Matcher()
    kind = MatcherKind(inner.choice("kind", [k.value for k in MatcherKind], base.kind.value))
    search = inner.time("search", base.search, positive=False)
    reward = inner.number("overlap_reward", base.overlap_reward)
    inner.close()
    return Matcher(kind, search, reward)
