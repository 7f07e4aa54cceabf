"""The command: what it writes and prints, what it refuses, and what adding a run computes."""

import csv
import json
import re
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cli.command import listing, run, write
from jsonschema import Draft202012Validator
from show.outline import outline, policy

import tracepact
from league.builders import LENGTHS, REFERENCE, moved, save
from tracepact.audits import league as making
from tracepact.audits import league_systems
from tracepact.audits.league_columns import League
from tracepact.declarations import spec_path
from tracepact.records import record_of
from tracepact.runs.opening import StoredRun

pytestmark = pytest.mark.slow

FILES = {"league.html", "league.md", "league.csv", "league.json", "base.json", "manifest.json"}
FEW = ("--draws", "40")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of five systems, two of which predict the same, and runs that do not fit to them."""
    found = tmp_path_factory.mktemp("league")
    save(found, "late", moved(0.1))
    save(found, "twin", moved(0.1))
    save(found, "exact", moved(0))
    save(found, "long", moved(0, 0.3))
    save(found, "silent", {clip: [] for clip in REFERENCE})
    save(found, "wide", moved(0.1), set={"tol": "80ms"})
    save(found, "union", moved(0.1), mode="union")
    save(found, "elsewhere", moved(0.1), ref={**REFERENCE, "c.wav": [(1, 2, "dog")]})
    save(found, "longer", moved(0.1), durations={**LENGTHS, "c.wav": 5})
    fewer = {clip: events for clip, events in moved(0.1).items() if clip != "c.wav"}
    save(found, "fewer", fewer, ref={c: e for c, e in REFERENCE.items() if c != "c.wav"}, durations=LENGTHS)
    save(found, "renamed", moved(0.1), label_map={"keep": ["dog", "cat"], "other": "drop"})
    save(found, "unheard", {**moved(0.1), "c.wav": [(1, 2, "bird")]})
    save(found, "cutting", moved(0.1), outside="cut")
    (found / "nothing").mkdir()
    (found / "more").mkdir()
    save(found / "more", "late", moved(0.2))
    return found


def league(folder: Path, *arguments: str) -> Any:
    found = run("league", *arguments, *FEW, "--format", "json", folder=folder)
    assert found.code == 0, found.err
    return json.loads(found.out)


def values(found: Any, name: str) -> dict[str, Any]:
    (column,) = (column for column in found["columns"] if column["name"] == name)
    return {value["system"]: value for value in column["values"]}


def test_a_league_directory_holds_page_markdown_csv_json_and_a_file_for_each_system(
    folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shown = run("league", "late", "twin", "exact", "silent", *FEW, "--out", str(out), folder=folder)
    assert shown.code == 0
    assert {name for name in listing(out) if not name.startswith("system-")} == FILES
    assert sum(name.startswith("system-") for name in listing(out)) == 4
    stored = json.loads((out / "league.json").read_text(encoding="utf-8"))
    printed = league(folder, "late", "twin", "exact", "silent")
    assert stored == printed
    rows = list(csv.DictReader(StringIO((out / "league.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 4 * len(stored["columns"])
    csv_ranks = {(row["column"], row["system"]): row["rank"] for row in rows}
    for column in stored["columns"]:
        for value in column["values"]:
            assert csv_ranks[column["name"], value["system"]] == ("" if value["rank"] is None else str(value["rank"]))
    markdown = (out / "league.md").read_text(encoding="utf-8")
    assert "| exact | **1** |" in markdown
    assert "| **late** | **=2** |" in markdown
    page = outline((out / "league.html").read_text(encoding="utf-8"))
    assert {"exact", "late", "twin", "silent"} <= set(page.text.split())
    assert not [attributes for _, attributes in page.elements if "style" in attributes]


def test_systems_that_predict_the_same_are_shown_as_a_tie(folder: Path) -> None:
    found = league(folder, "late", "twin", "exact", "silent")
    headline = values(found, "headline")
    assert {name: (one["rank"], one["tied"]) for name, one in headline.items()} == {
        "exact": (1, False),
        "late": (2, True),
        "twin": (2, True),
        "silent": (None, False),
    }
    assert headline["twin"]["difference"]["value"] == "0"
    assert headline["twin"]["difference"]["p"] == "1"
    shown = run("league", "late", "twin", "exact", *FEW, folder=folder).out
    assert re.search(r"late +│ +=2 ", shown)
    assert re.search(r"twin +│ +=2 ", shown)


def test_the_baseline_and_the_order_can_be_chosen(folder: Path) -> None:
    found = league(folder, "late", "long", "exact", "--baseline", "exact", "--rank-by", "offset_guard")
    assert found["settings"]["baseline"] == "exact"
    assert found["settings"]["rank_by"] == "clause.offset_guard"
    assert values(found, "headline")["exact"]["difference"] is None
    order = [value["system"] for value in next(c for c in found["columns"] if c["name"] == "offset_guard")["values"]]
    assert order[0] == "exact"
    assert [one["name"] for one in found["systems"]] == order
    by_errors = league(folder, "late", "long", "silent", "--rank-by", "event_error_rate")
    assert by_errors["systems"][-1]["name"] == "silent"  # its rate of 1 is lower than others may have, and not earned
    assert by_errors["settings"]["rank_by"] == "metric.event_error_rate"


def test_names_are_those_of_the_folders_or_given(folder: Path) -> None:
    found = league(folder, "first team=late", "exact", "more/late")
    assert {one["name"] for one in found["systems"]} == {"first team", "exact", "late"}


def test_conditions_make_a_second_map(folder: Path, tmp_path: Path) -> None:
    table = "filename\tcondition\na.wav\tloud\nb.wav\tsoft\nc.wav\tsoft\nd.wav\tloud\n"
    write(tmp_path, {"c.tsv": table, "some.tsv": table.replace("d.wav\tloud\n", "")})
    found = league(folder, "late", "exact", "--conditions", str(tmp_path / "c.tsv"))
    assert found["by_condition"]["columns"] == ["loud", "soft"]
    mean = [row for row in found["by_condition"]["rows"] if row["clause"] == "mean"]
    assert [row["system"] for row in mean] == ["exact", "late"]
    assert league(folder, "late", "exact")["by_condition"] is None
    given = ("league", "late", "exact", "--conditions", str(tmp_path / "some.tsv"))
    assert run(*given, folder=folder).codes == ["missing-condition"]


# Adding


def test_a_run_that_is_added_is_read_and_drawn_and_nothing_else_is(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = ["late", "twin", "long", "exact"]
    whole, grown = tmp_path / "whole", tmp_path / "grown"
    assert run("league", *runs, *FEW, "--out", str(whole), folder=folder).code == 0
    assert run("league", *runs[:-1], *FEW, "--out", str(grown), folder=folder).code == 0
    before = listing(grown)
    done: Counter[str] = Counter()
    for home, name in (
        (making, "system_of"),
        (making, "opened"),
        (league_systems, "drawn_vector"),
        (StoredRun, "rescore"),
    ):
        real = getattr(home, name)
        monkeypatch.setattr(
            home, name, lambda *a, _name=name, _real=real, **k: (done.update([_name]), _real(*a, **k))[1]
        )
    assert run("league", str(grown), "--add", "exact", folder=folder).code == 0
    assert done == {"system_of": 1, "opened": 1, "drawn_vector": 1, "rescore": 1}
    after = listing(grown)
    assert all(after[name] == data for name, data in before.items() if name.startswith("system-"))
    assert after == listing(whole)


def test_the_runs_of_a_league_need_not_be_there_when_one_is_added(folder: Path, tmp_path: Path) -> None:
    gone = [save(tmp_path, name, moved(shift)) for name, shift in (("one", 0.05), ("two", 0.1))]
    out = str(tmp_path / "out")
    assert run("league", *gone, *FEW, "--out", out).code == 0
    for place in gone:
        for path in Path(place).iterdir():
            path.unlink()
    added = run("league", out, "--add", "exact", "--rank-by", "event_f1", "--format", "json", folder=folder)
    assert added.code == 0
    found = json.loads(added.out)
    assert {one["name"] for one in found["systems"]} == {"one", "two", "exact"}
    assert found["settings"] | {"level": "19/20", "seed": 0} == found["settings"]
    assert (found["settings"]["draws"], found["settings"]["rank_by"]) == (40, "metric.event_f1")


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("late", ["repeated-system"]),
        ("late=exact", ["repeated-system"]),
        ("wide", ["incomparable-runs"]),
        ("nothing", ["not-a-run"]),
    ],
)
def test_what_cannot_be_added_leaves_the_league_as_it_was(
    folder: Path, tmp_path: Path, name: str, codes: list[str]
) -> None:
    out = tmp_path / "out"
    assert run("league", "late", "long", *FEW, "--out", str(out), folder=folder).code == 0
    before = listing(out)
    found = run("league", str(out), "--add", name, folder=folder)
    assert (found.code, found.codes) == (2, codes)
    assert listing(out) == before


def test_a_league_that_changed_is_not_added_to(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("league", "late", "long", *FEW, "--out", str(out), folder=folder).code == 0
    before = listing(out)
    names = ["base.json", "manifest.json", next(name for name in before if name.startswith("system-"))]
    for name in names:
        data = before[name]
        other = b"4" if data[-9:-8] == b"3" else b"3"
        for changed in (data[:-9] + other + data[-8:], b"", None):
            if changed is None:
                (out / name).unlink()
            else:
                (out / name).write_bytes(changed)
            found = run("league", str(out), "--add", "exact", folder=folder)
            assert found.code == 2
            assert set(found.codes) <= {"broken-league", "not-a-league"}
            assert "fault of tracepact" not in found.err
            (out / name).write_bytes(data)
    (out / "notes.txt").write_text("mine")
    assert run("league", str(out), "--add", "exact", folder=folder).codes == ["not-a-league"]
    assert (out / "notes.txt").read_text() == "mine"


def test_a_changed_league_is_the_league_of_its_systems(folder: Path, tmp_path: Path) -> None:
    """Replaced, removed and re-ordered: byte by byte what the same runs make at once, in the same order."""
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert run("league", "late", "long", "twin", *FEW, "--out", str(out), folder=folder).code == 0
    assert run("league", str(out), "--replace", "long=exact", folder=folder).code == 0
    assert run("league", "late", "long=exact", "twin", *FEW, "--out", str(whole), folder=folder).code == 0
    assert listing(out) == listing(whole)
    assert run("league", str(out), "--remove", "late", "--baseline", "twin", folder=folder).code == 0
    again = tmp_path / "again"
    given = ("long=exact", "twin", *FEW, "--baseline", "twin", "--out", str(again))
    assert run("league", *given, folder=folder).code == 0
    assert listing(out) == listing(again)


def test_a_stored_league_is_ordered_anew_without_its_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    assert run("league", "late", "long", "exact", *FEW, "--out", str(out), folder=folder).code == 0
    chosen = ("--baseline", "exact", "--rank-by", "event_f1")
    assert run("league", "late", "long", "exact", *FEW, *chosen, "--out", str(whole), folder=folder).code == 0
    monkeypatch.setattr(making, "opened", None)
    assert run("league", str(out), *chosen, folder=folder).code == 0
    assert listing(out) == listing(whole)


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("--add", "late"), "repeated-system", "the league already has a system called `late`"),
        (("--add", "late"), "repeated-system", 'replace it with --replace "late=late"'),
        (("--replace", "lat=exact"), "unknown-system", "did you mean `late`?"),
        (("--remove", "zebra"), "unknown-system", "known here: `late`, `long`"),
        (("--remove", "long"), "unknown-system", "at least two systems"),
        (("--remove", "late", "--add", "exact"), "unknown-system", "`late` is the baseline"),
        (("--baseline", "zebra"), "unknown-system", "there is no system `zebra`"),
        (("--rank-by", "onset_gard"), "unknown-column", "did you mean `onset_guard`?"),
        (("--rank-by", "psds1"), "unknown-column", "--scores NAME=PATH"),
    ],
)
def test_a_change_that_cannot_be_made_leaves_the_league_as_it_was(
    folder: Path, tmp_path: Path, given: tuple[str, ...], code: str, said: str
) -> None:
    out = tmp_path / "out"
    assert run("league", "late", "long", *FEW, "--out", str(out), folder=folder).code == 0
    before = listing(out)
    found = run("league", str(out), *given, folder=folder)
    assert (found.code, found.codes) == (2, [code])
    assert said in found.err
    assert listing(out) == before


def test_verify_says_that_a_league_directory_is_one(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("league", "late", "long", *FEW, "--out", str(out), folder=folder).code == 0
    found = run("verify", str(out))
    assert (found.code, found.codes) == (2, ["not-a-run"])
    assert "is a league directory" in found.err


# Refusals


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("wide", "the contract differs from that of `late`"),
        ("union", "the mode differs from that of `late`"),
        ("elsewhere", "the reference table differs from that of `late`"),
        ("longer", "the durations table differs from that of `late`"),
        ("renamed", "the label map differs from that of `late`"),
        ("unheard", "it has `bird`: the classes differ from those of `late`"),
        ("cutting", "the treatment of events outside clips differs from that of `late`: `cut`, not `false-alarm`"),
    ],
)
def test_runs_of_another_kind_are_refused_and_what_differs_is_named(folder: Path, other: str, said: str) -> None:
    found = run("league", "late", "exact", other, folder=folder)
    assert found.code == 2
    assert set(found.codes) == {"incomparable-runs"}
    assert said in found.err
    assert f"--> {other}" in found.err
    assert "= help: " in found.err


def test_runs_on_other_clips_are_refused(folder: Path) -> None:
    found = run("league", "late", "fewer", folder=folder)
    assert (found.code, set(found.codes)) == (2, {"incomparable-runs"})


def test_a_metric_under_another_policy_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = making.policies_of

    def policies(report: Any) -> Any:
        found = real(report)
        return type(found)(found.label_map, found.outside, {**found.metrics, "event": f"collar of {len(seen)}"})

    seen: list[None] = []
    monkeypatch.setattr(making, "policies_of", lambda report: (seen.append(None), policies(report))[1])
    found = run("league", "late", "exact", folder=folder)
    assert found.codes == ["incomparable-runs"]
    assert "the policy of the metric `event` differs from that of `late`: `collar of 2`, not `collar of 1`" in found.err


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (("late", "nothing", "nowhere"), ["not-a-run", "not-a-run"]),
        (("late", "late"), ["repeated-system"]),
        (("late", "more/late"), ["repeated-system"]),
        (("late", "exact", "--baseline", "exat"), ["unknown-system"]),
        (("late", "exact", "--rank-by", "onset_gard"), ["unknown-column"]),
        (("late", "exact", "--rank-by", "onset_error"), ["unknown-column"]),
        (("late", "exact", "--out", "more"), ["not-a-league"]),
        (("late", "exact", "--out", "long"), ["not-a-league"]),
        (("nothing", "--add", "late"), ["not-a-league"]),
        (("late", "--add", "exact"), ["not-a-league"]),
    ],
)
def test_bad_input_is_refused_with_a_code_and_writes_nothing(
    folder: Path, arguments: tuple[str, ...], codes: list[str]
) -> None:
    before = listing(folder)
    found = run("league", *arguments, *(() if "--add" in arguments else FEW), folder=folder)
    assert (found.code, found.out, found.codes) == (2, "", codes)
    assert listing(folder) == before


def test_near_names_are_offered(folder: Path) -> None:
    assert "did you mean `exact`?" in run("league", "late", "exact", "--baseline", "exat", *FEW, folder=folder).err
    assert "did you mean `onset_guard`?" in run("league", "late", "exact", "--rank-by", "onset_gard", folder=folder).err
    clash = run("league", "late", "more/late", folder=folder).err
    assert "two systems are called `late`: `late` and `more/late`" in clash
    assert "give one of them another name: NAME=more/late" in clash


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("late",), "at least two runs"),
        (("late", "exact", "--add", "long"), "--add takes one league directory"),
        (("late", "--add", "exact", "--out", "x"), "--add takes one league directory"),
        (("late", "--add", "exact", "--seed", "3"), "--seed cannot change"),
        (("late", "exact", "--embed-audio"), "--embed-audio needs --audio"),
        (("late", "exact", "--audio", "."), "give --out"),
    ],
)
def test_options_that_contradict_each_other_are_refused(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    found = run("league", *arguments, folder=folder)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


def test_a_corrupt_run_is_refused(folder: Path, tmp_path: Path) -> None:
    place = Path(save(tmp_path, "bad", moved(0.1)))
    for name in ("scores.csv", "report.json", "prediction.tsv", "manifest.json"):
        data = (place / name).read_bytes()
        (place / name).write_bytes(data.replace(b"a.wav", b"e.wav", 1) if b"a.wav" in data else data[:-20])
        found = run("league", str(folder / "late"), str(place))
        assert (found.code, found.codes) == (2, ["broken-run"]), name
        (place / name).write_bytes(data)


def test_names_that_are_markup_do_not_become_markup(folder: Path, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    out = tmp_path / "out"
    assert run("league", f"{evil}=late", "exact", *FEW, "--out", str(out), folder=folder).code == 0
    text = (out / "league.html").read_text(encoding="utf-8")
    assert evil not in text
    assert evil in outline(text).text
    allowed = policy(text)
    assert allowed["default-src"] == ["'none'"]
    assert all(source.startswith("'sha256-") for source in (*allowed["script-src"], *allowed["style-src"]))
    assert "media-src" not in allowed


def test_the_schema_is_that_of_what_is_printed(folder: Path) -> None:
    schema = json.loads(spec_path("schemas/league.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    printed = league(folder, "late", "exact", "silent")
    assert validator.is_valid(printed)
    assert record_of(printed, League).to_dict() == printed
    for key in printed:
        assert not validator.is_valid({name: part for name, part in printed.items() if name != key})
    assert not validator.is_valid({**printed, "more": 1})


# PSDS of systems whose scores were given


@pytest.fixture(scope="module")
def scored(folder: Path) -> Path:
    """Events with confidences of two systems, and the scores of a third by frames of half a second."""
    for name, later in (("late", 0.1), ("exact", 0.0)):
        rows = [
            f"{clip}\t{on}\t{off}\t{label}\t{0.9 if label == 'dog' else 0.4}"
            for clip, events in moved(later).items()
            for on, off, label in events
        ]
        header = "filename\tonset\toffset\tevent_label\tconfidence"
        (folder / f"{name}.tsv").write_text("\n".join([header, *rows, "c.wav\t0\t2\tcat\t0.5"]) + "\n")
    scores = folder / "scores"
    scores.mkdir()
    for clip, events in REFERENCE.items():
        frames = [
            [max((0.8 for on, off, own in events if own == label and on < k / 2 + 0.25 < off), default=0.1 * (k % 3))]
            for k in range(8)
            for label in ("dog", "cat")
        ]
        pairs = zip(frames[::2], frames[1::2], strict=True)
        rows = [f"{k / 2}\t{k / 2 + 0.5}\t{dog[0]:.1f}\t{cat[0]:.1f}" for k, (dog, cat) in enumerate(pairs)]
        (scores / f"{clip.removesuffix('.wav')}.tsv").write_text("\n".join(["onset\toffset\tdog\tcat", *rows]) + "\n")
    return folder


SCORED = ("--scores", "late=late.tsv", "--scores", "long=scores")


def test_systems_with_scores_have_psds_and_are_ranked_among_themselves(scored: Path) -> None:
    found = league(scored, "late", "exact", "long", *SCORED)
    reference = {clip: list(events) for clip, events in REFERENCE.items()}
    for scenario in ("psds1", "psds2"):
        got = values(found, scenario)
        for name, path in (("late", "late.tsv"), ("long", "scores")):
            curves = tracepact.curves("boundary_gate", reference, scored / path, durations=LENGTHS)
            expected = curves.psds(scenario).value
            assert expected is not None
            assert got[name]["decimal"] == pytest.approx(float(expected), abs=1e-6)
        assert got["exact"]["decimal"] is None
        assert got["exact"]["rank"] is None
        assert sorted(got[name]["rank"] for name in ("late", "long")) in ([1, 2], [1, 1])
        assert got["late"]["low"] is None  # no interval
    given = {one["name"]: one.get("scores") for one in found["systems"]}
    assert {name: one and one["name"] for name, one in given.items()} == {
        "late": "late.tsv",
        "exact": None,
        "long": "scores",
    }


def test_a_league_without_scores_has_no_psds(scored: Path) -> None:
    found = league(scored, "late", "exact")
    assert not [column for column in found["columns"] if column["group"] == "psds"]


def test_psds_is_stored_and_a_run_with_scores_can_be_added(scored: Path) -> None:
    made = run("league", "late", "long", *SCORED, *FEW, "--out", "kept", "--rank-by", "psds1", folder=scored)
    assert made.code == 0, made.err
    before = values(json.loads((scored / "kept" / "league.json").read_text()), "psds1")
    added = run("league", "kept", "--add", "exact", "--scores", "exact=exact.tsv", folder=scored)
    assert added.code == 0, added.err
    after = json.loads((scored / "kept" / "league.json").read_text())
    schema = json.loads(spec_path("schemas/league.schema.json").read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(after)] == []
    got = values(after, "psds1")
    assert {name: got[name]["decimal"] for name in before} == {name: one["decimal"] for name, one in before.items()}
    for one in got.values():
        assert one["rank"] == 1 + sum(other["decimal"] > one["decimal"] for other in got.values())
    assert after["settings"]["rank_by"] == "psds.psds1"
    page = (scored / "kept" / "league.html").read_text(encoding="utf-8")
    assert 'id="psds"' in page
    assert "## PSDS" in (scored / "kept" / "league.md").read_text(encoding="utf-8")


def test_a_system_that_is_replaced_has_the_scores_that_are_given_with_it(scored: Path) -> None:
    made = run("league", "late", "long", *SCORED, *FEW, "--out", "swapped", folder=scored)
    assert made.code == 0, made.err
    without = run("league", "swapped", "--replace", "late=exact", folder=scored)
    assert without.code == 0, without.err
    got = values(json.loads((scored / "swapped" / "league.json").read_text()), "psds1")
    assert got["late"]["decimal"] is None
    again = run("league", "swapped", "--replace", "late=exact", "--scores", "late=exact.tsv", folder=scored)
    assert again.code == 0, again.err
    got = values(json.loads((scored / "swapped" / "league.json").read_text()), "psds1")
    direct = values(league(scored, "late=exact", "long", "--scores", "late=exact.tsv", *SCORED[2:]), "psds1")
    assert {name: one["decimal"] for name, one in got.items()} == {n: one["decimal"] for n, one in direct.items()}
    unread = run("league", "swapped", "--baseline", "long", "--scores", "long=scores", folder=scored)
    assert unread.code == 2
    assert "which is none of the systems that are read" in " ".join(unread.err.split())


@pytest.mark.parametrize(
    ("runs", "scores", "said"),
    [
        (("late", "exact"), "lte=late.tsv", "which is none of the systems that are read"),
        (("late", "exact"), "late=missing.tsv", "missing.tsv"),
        (("late", "exact"), "late.tsv", "NAME=PATH"),
        (("renamed", "again=renamed"), "again=late.tsv", "scores are not mapped"),
    ],
)
def test_scores_that_do_not_fit_are_refused(scored: Path, runs: tuple[str, ...], scores: str, said: str) -> None:
    if "renamed" in runs:
        save(scored, "mapped", moved(0.2), label_map={"keep": ["dog", "cat"], "other": "drop"})
        runs = ("renamed", "again=mapped")
    found = run("league", *runs, "--scores", scores, *FEW, folder=scored)
    assert found.code == 2
    assert said in " ".join(found.err.split())
