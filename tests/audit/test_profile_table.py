"""Profiles: an aggregation of their own is marked in the table, and no name is given twice."""

from fractions import Fraction

import pytest

from tracepact import parse_contract
from tracepact.audits.audit_profile import audit_profile, profile_tables
from tracepact.audits.systems import ScoredSystem, Systems
from tracepact.diagnostics.collection import InvalidInput
from tracepact.evaluate.scores import risk_profiles
from tracepact.language.contract import Aggregation

CONTRACT = parse_contract(
    """contract two
step 20ms
clause near on ref_active : pred_active
clause quiet on pred_active : ref_active
profile careful over macro_clips : near = 2, quiet = 1
"""
)


def test_a_profile_with_its_own_aggregation_is_marked_where_another_is_asked_for() -> None:
    scores = {a: {"near": Fraction(1), "quiet": Fraction(1, 2)} for a in Aggregation}
    systems = Systems(CONTRACT, (ScoredSystem("a", scores), ScoredSystem("b", scores)))
    for asked, marks in ((Aggregation.POOLED, 1), (Aggregation.MACRO_CLIPS, 0)):
        (table,) = profile_tables(audit_profile(systems, aggregation=asked))
        assert sum("its own aggregation: macro clips" in weights for *_, weights in table.texts()) == marks


def test_a_given_profile_cannot_have_the_name_of_another() -> None:
    for given in (["balanced : near = 1"], ["careful : near = 1"], ["mine : near = 1", "mine : quiet = 1"]):
        with pytest.raises(InvalidInput) as refused:
            risk_profiles(CONTRACT, Aggregation.POOLED, given)
        assert [d.code for d in refused.value.diagnostics] == ["repeated-name"]
