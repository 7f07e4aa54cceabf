"""The pytest plugin: contracts as tests, golden clips, and a failure that says clause, clip, time and timeline."""

import json
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import tracepact
from tracepact.pytest_plugin import Unmet, assert_meets

pytest_plugins = ["pytester"]
# Where the package is installed, pytest loads the plugin by itself, and refuses it under a second name.
LOADED = any(one.value == "tracepact.pytest_plugin" for one in entry_points(group="pytest11"))
PLUGIN = (*(() if LOADED else ("-p", "tracepact.pytest_plugin")), "-p", "no:cacheprovider")
SOUND = tracepact.load_contract("boundary_gate").text
ODD = "contract odd\nstep 20ms\nclause missing_guard on ref_active : N[30ms] pred_active\n"
GOLDEN = {
    "ref": {"a": [[1, 2, "dog"]]},
    "pred": {"a": [[1, 1.9, "dog"]]},
    "durations": {"a": 3},
    "meets": ["missing_guard >= 0.9"],
}


def late() -> tracepact.Run:
    return tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1.06, 2)], durations=3)


def test_a_requirement_that_is_met_says_nothing() -> None:
    assert_meets(late(), "offset_guard >= 0.9", "mean < 1", "pooled.offset_guard == 1")


def test_a_failure_says_value_clip_time_and_timeline() -> None:
    """The onset is 60 ms late where 40 ms are allowed: at 1 s nothing is near."""
    with pytest.raises(Unmet) as error:
        assert_meets(late(), "onset_guard >= 0.9", "offset_guard >= 0.9")
    text = str(error.value)
    assert "onset_guard >= 0.9 is not met: it is 0 (0.0000)" in text
    assert "onset_guard: clip, event, at 1.000 s" in text
    assert "ref" in text
    assert "pred" in text
    assert "offset_guard >=" not in text


def test_a_vacuous_clause_meets_nothing() -> None:
    run = tracepact.score("boundary_gate", ref={"a": []}, pred={"a": [(1, 2)]}, durations=3)
    with pytest.raises(Unmet, match="nothing was asked"):
        assert_meets(run, "onset_guard >= 0.1")


def test_a_requirement_that_names_nothing_is_refused() -> None:
    with pytest.raises(tracepact.InvalidInput, match="onset_gard"):
        assert_meets(late(), "onset_gard >= 0.9")


def test_contracts_and_golden_clips_are_tests(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("sound.contract").write_text(SOUND)
    pytester.path.joinpath("sound.golden.json").write_text(json.dumps(GOLDEN))
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("contract", "golden", "message"),
    [
        (SOUND, {**GOLDEN, "pred": {"a": [[1, 1.5, "dog"]]}}, "*missing_guard >= 0.9 is not met*"),
        (SOUND, {"ref": 3}, "*is no golden file*"),
        (ODD, GOLDEN, "*off-grid-value*"),
    ],
)
def test_what_fails_is_said(pytester: pytest.Pytester, contract: str, golden: object, message: str) -> None:
    pytester.path.joinpath("sound.contract").write_text(contract)
    pytester.path.joinpath("sound.golden.json").write_text(json.dumps(golden))
    result = pytester.runpytest_inprocess(*PLUGIN, "--junitxml=out.xml")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([message])
    assert Path(pytester.path, "out.xml").read_text().count("<testcase") == 2


def test_the_fixture_scores_and_holds_to_requirements(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_detector(tracepact):
            run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1, 2)], durations=3)
            tracepact.assert_meets(run, "onset_guard == 1")
        """
    )
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=1)
