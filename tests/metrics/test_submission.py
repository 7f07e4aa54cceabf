"""Submissions: every fault of the table and of the metadata is reported with its row (rule 15.18)."""

from pathlib import Path

import pytest
from cli.command import run

from tracepact.data.columns import check_submission
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace

HEADER = "dataset,filename,annotation,start_datetime,end_datetime\n"
NAME = "2015-02-04T03-00-00_000.wav"
GOOD = f"site,{NAME},bma,2015-02-04T03:00:10.5+00:00,2015-02-04T03:00:20+00:00\n"
METADATA = """# Submission
submission:
  label: Somebody_INST_task1_1
  name: A detector
  abbreviation: detector
  authors:
    - lastname: Body
      firstname: Some
      email: some.body@example.org
      affiliation:
        institute: Institute
    - lastname: Body
      firstname: Any
      email: any.body@example.org
      affiliation: Institute
system:
  description:
    input_sampling_rate: 250
"""


def found(folder: Path, table: str, metadata: str = METADATA) -> list[tuple[str, str, int | None]]:
    """The code, the file and the row of every finding."""
    (folder / "out.csv").write_text(table)
    (folder / "meta.yaml").write_text(metadata)
    diagnostics = Diagnostics()
    check_submission(folder / "out.csv", folder / "meta.yaml", diagnostics)
    places = [(d.code, d.place) for d in diagnostics]
    return [(code, Path(place.file).name, place.row) for code, place in places if isinstance(place, RowPlace)]


def test_a_sound_submission_has_no_finding(tmp_path: Path) -> None:
    point = f"site,{NAME},bma,2015-02-04T03:00:10.5+00:00,\n"
    assert found(tmp_path, HEADER + GOOD + point) == []


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (f",{NAME},bma,2015-02-04T03:00:10+00:00,2015-02-04T03:00:20+00:00", "incomplete-row"),
        (f"site,{NAME},,2015-02-04T03:00:10+00:00,2015-02-04T03:00:20+00:00", "incomplete-row"),
        (f"site,{NAME},bma,,2015-02-04T03:00:20+00:00", "incomplete-row"),
        (f"site,{NAME},bma,2015-02-30T03:00:10+00:00,2015-02-04T03:00:20+00:00", "bad-date"),
        (f"site,{NAME},bma,10.5,20", "bad-date"),
        ("site,recording.wav,bma,2015-02-04T03:00:10+00:00,2015-02-04T03:00:20+00:00", "bad-date"),
        (f"site,{NAME},bma,2015-02-04T02:59:59+00:00,2015-02-04T03:00:20+00:00", "bad-time"),
        (f"site,{NAME},bma,2015-02-04T03:00:30+00:00,2015-02-04T03:00:20+00:00", "offset-before-onset"),
        (f"site,{NAME},bma,2015-02-04T03:00:10+00:00", "wrong-columns"),
    ],
)
def test_a_bad_row_is_reported_with_its_number(tmp_path: Path, row: str, code: str) -> None:
    assert (code, "out.csv", 3) in found(tmp_path, HEADER + GOOD + row + "\n" + GOOD.replace("bma", "bmb"))
    assert all(place[2] == 3 for place in found(tmp_path, HEADER + GOOD + row + "\n"))


@pytest.mark.parametrize(
    "header", ["filename,annotation,start_datetime,end_datetime\n", HEADER.replace(",", "\t"), "a,b\n"]
)
def test_another_header_is_refused(tmp_path: Path, header: str) -> None:
    codes = found(tmp_path, header + GOOD)
    assert codes
    assert {code for code, _, row in codes if row == 1} == {"wrong-columns"}


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        ("  label: Somebody_INST_task1_1\n", "", 3),  # the mapping it is missing from begins on line 3
        ("name: A detector", "name:", 4),
        ("name: A detector", "name: [1, 2]", 4),
        ("    - lastname: Body\n      firstname: Any", "    - firstname: Any", 12),
        ("affiliation: Institute\nsystem", "affiliation: ''\nsystem", 15),
        ("  description:\n    input_sampling_rate: 250\n", "  description: none\n", 17),
        ("system:\n  description:\n    input_sampling_rate: 250\n", "", 2),
        ("  label:", "\tlabel:", 3),  # no token of YAML starts with a tab
    ],
)
def test_a_fault_of_the_metadata_is_reported_with_its_line(tmp_path: Path, old: str, new: str, row: int) -> None:
    assert old in METADATA
    assert found(tmp_path, HEADER + GOOD, METADATA.replace(old, new, 1)) == [("bad-metadata", "meta.yaml", row)]


def test_all_faults_of_both_files_are_reported_at_once(tmp_path: Path) -> None:
    codes = found(tmp_path, HEADER + GOOD + "site,x,,,\n", "submission:\n  label: x\n")
    assert {file for _, file, _ in codes} == {"out.csv", "meta.yaml"}
    assert len([1 for code, _, _ in codes if code == "bad-metadata"]) == 4


def test_the_command_checks_a_submission_alone_or_before_scoring(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text(HEADER + GOOD)
    (tmp_path / "meta.yaml").write_text(METADATA)
    assert run("metrics", "--pred", "out.csv", "--submission", "meta.yaml", folder=tmp_path).code == 0
    (tmp_path / "bad.csv").write_text(HEADER + GOOD + "site,x,bma,y,z\n")
    for options in ((), ("--ref", "out.csv")):
        outcome = run("metrics", "--pred", "bad.csv", "--submission", "meta.yaml", *options, folder=tmp_path)
        assert outcome.code == 2
        assert ("bad-date", "bad.csv:3") in outcome.places
    scored = run(
        *("metrics", "--overlap", "--ref", "out.csv", "--pred", "out.csv", "--submission", "meta.yaml"),
        folder=tmp_path,
    )
    assert scored.code == 0, scored.err
    assert "1 / 0 / 0" in scored.out
