"""The schemas of spec/schemas against what the commands print and what the reader of documents takes."""

import copy
import json
import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run, write
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tracepact.declarations import rules, spec_path, starter_contracts

SCHEMAS = {path.name: json.loads(path.read_text()) for path in sorted(spec_path("schemas").glob("*.json"))}
REGISTRY: Registry[Any] = Registry().with_resources((n, Resource.from_contents(s)) for n, s in SCHEMAS.items())
CONTRACT = """contract gate
step 1/3s
param tol = 1f
sweep tol = 1f 2f
atom zone "where it counts"
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause plain on ref_active & zone : G[1f] ref_active -> pred_active
clause whole on each ref : matched and covering <= 1 and shortest_gap >= 1s
clause length on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration
clause pure on each pred : purity >= 0.5 and dominant
profile recall : onset = 1
"""
SHORT = """contract short "Two clauses"
step 20ms
param tol = 40ms
sweep tol = 40ms
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause whole on each ref : matched and covering <= 1
profile recall : onset = 1
"""
DOCUMENT: dict[str, Any] = {
    "clips": [
        {
            "name": "a",
            "duration": 12,
            "ref": [[0.5, "3.25", "x"], ["1/3", 9, "y"]],
            "pred": [[0, 1, "x"], [2, 3, "x"], ["5", "9.1", "y"], [10, 13, "y"]],
            "ignore": [[8, 9], [7, 8, "x"]],
            "masks": {"zone": [[0, 20], [22, 22]]},
        },
        {"name": "b", "duration": "4.5", "ref": [[1, 2, "x"]], "masks": {"zone": []}},
    ]
}
TABLES = {
    "ref.tsv": events("a 0.5 3.25 x", "a 4 9 y"),
    "pred.tsv": events("a 0 1 x", "a 2 3 x", "a 5 13 y"),
    "durations.tsv": "filename\tduration\na\t12\nb\t4\n",
    "conditions.tsv": "filename\tcondition\na\tloud\nb\tsoft\n",
    "ignore.tsv": events("a 8 9 "),
    "a.tsv": "onset\toffset\tx\ty\n0\t1\t0.9\t0.1\n1\t2\t0.2\t0.7\n",
    "labels.toml": 'keep = ["x"]\nignore = ["z"]\ndrop = ["w"]\n\n[rename]\ny = "v"\n',
    "gate.contract": CONTRACT,
    "short.contract": SHORT,
    "bad.contract": "contract bad\nstep 0\nparam p = 1\nclause c on ref_onst : N[-1] ref_onset\n",
    "pair.json": json.dumps(DOCUMENT),
}
SCORE = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "durations.tsv", "--format", "json")
OUTPUTS = {
    "report: tables": (
        "report.schema.json",
        ("score", "short.contract", *SCORE, "--conditions", "conditions.tsv", "--ignore", "ignore.tsv"),
    ),
    "report: union, set": ("report.schema.json", ("score", "boundary_gate", *SCORE, "--union", "--set", "tol=80ms")),
    "report: decoded and mapped": (
        "report.schema.json",
        (
            "score",
            "short.contract",
            *SCORE,
            "--pred",
            "a.tsv",
            "--hysteresis",
            "0.25,0.5",
            "--label-map",
            "labels.toml",
        ),
    ),
    "report: pair": ("report.schema.json", ("score", "gate.contract", "--pair", "pair.json", "--format", "json")),
    "metrics": ("metrics.schema.json", ("metrics", *SCORE, "--ignore", "ignore.tsv", "--segment", "100ms")),
    "metrics: sed_eval": ("metrics.schema.json", ("metrics", *SCORE, "--policy", "sed_eval")),
    "metrics: intervals": (
        "metrics.schema.json",
        (
            "metrics",
            *SCORE,
            "--compare",
            "ref.tsv",
            "--draws",
            "20",
            "--macro",
            "all",
            "--outside",
            "cut",
            "--clips",
            "all",
        ),
    ),
    "metrics: points": ("metrics.schema.json", ("metrics", *SCORE, "--points")),
    "diagnostics": ("diagnostics.schema.json", ("check", "bad.contract", "absent.contract", "--format", "json")),
    "try": ("try.schema.json", ("try", "gate.contract", "--format", "json")),
    "explain": ("explain.schema.json", ("explain", "gate.contract", "--format", "json")),
    "decision": (
        "decision.schema.json",
        ("equivalent", "N[30ms] N[30ms] p", "N[60ms] p", "--obligation", "!q", "--length", "9", "--format", "json"),
    ),
    "simplify": ("simplify.schema.json", ("simplify", "p & (p | N[40ms] q)", "--obligation", "p", "--format", "json")),
    "audit": (
        "audit-matcher.schema.json",
        ("audit", "matcher", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "12", "--json"),
    ),
}


MUTATED = [name for name in OUTPUTS if name not in ("report: union, set", "metrics: intervals")]


def is_valid(schema: str, data: Any) -> bool:
    return Draft202012Validator(SCHEMAS[schema], registry=REGISTRY).is_valid(data)


def faults(schema: str, data: Any) -> list[str]:
    validator = Draft202012Validator(SCHEMAS[schema], registry=REGISTRY)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(data)]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each command prints."""
    folder = tmp_path_factory.mktemp("schemas")
    write(folder, TABLES)
    return {name: json.loads(run(*command, folder=folder).out) for name, (_, command) in OUTPUTS.items()}


def test_the_schemas_of_outputs_are_those_of_the_records() -> None:
    generated = runpy.run_path(str(Path(__file__).parents[1] / "pytools" / "output_schemas.py"))
    assert list(generated["OUTPUTS"]) == sorted(generated["OUTPUTS"])
    for path, text in generated["schemas"]().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make schemas`"


def test_every_schema_is_used_by_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py"))
    unused = [name for name in SCHEMAS if name not in tests and f'"{name.removesuffix(".schema.json")}"' not in tests]
    assert unused == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_a_schema_named_by_its_file(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert SCHEMAS[name]["$id"] == name


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_object_and_tuple_of_a_schema_is_closed(name: str) -> None:
    for schema in _subschemas(SCHEMAS[name]):
        if schema.get("type") == "object":
            assert schema.get("additionalProperties") is False, schema
        if "prefixItems" in schema:
            assert schema.get("items") is False, schema


@pytest.mark.parametrize("name", SCHEMAS)
def test_rules_cited_by_a_schema_exist(name: str) -> None:
    text = json.dumps(SCHEMAS[name], ensure_ascii=False)
    cited = {rule for group in re.findall(r"\(([0-9., ]+)\)", text) for rule in group.split(", ")}
    known = set(rules()) | {rule.split(".")[0] for rule in rules()}
    assert cited <= known, cited - known


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_a_command_prints_is_valid(name: str, printed: dict[str, Any]) -> None:
    assert faults(OUTPUTS[name][0], printed[name]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATED)
def test_what_a_command_prints_with_a_key_dropped_is_refused(name: str, printed: dict[str, Any]) -> None:
    tried = 0
    for path, value in _kinds(printed[name]):
        if isinstance(value, dict) and path not in _maps(name, printed[name]):
            for key in value:
                mutated = _with(printed[name], path, lambda node, key=key: {k: v for k, v in node.items() if k != key})
                assert not is_valid(OUTPUTS[name][0], mutated), f"{path} without {key}"
                tried += 1
    assert tried


@pytest.mark.parametrize("name", MUTATED)
def test_what_a_command_prints_with_a_key_added_is_refused(name: str, printed: dict[str, Any]) -> None:
    for path, value in _kinds(printed[name]):
        if isinstance(value, dict):
            mutated = _with(printed[name], path, lambda node: {**node, "not a name": 1})
            assert not is_valid(OUTPUTS[name][0], mutated), f"{path} with another key"


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATED)
def test_what_a_command_prints_with_a_type_changed_is_refused(name: str, printed: dict[str, Any]) -> None:
    for path, _ in _kinds(printed[name]):
        mutated = _with(printed[name], path, lambda node: {"other": [node]})
        assert not is_valid(OUTPUTS[name][0], mutated), f"{path} changed to an object"


def test_an_exact_value_is_text_and_not_a_number(printed: dict[str, Any]) -> None:
    report = copy.deepcopy(printed["report: tables"])
    assert faults("report.schema.json", report) == []
    for wrong in (0.5, "0.5", "1/0", "-1/2", "", "3 / 4"):
        report["logic"]["pooled"]["value"] = wrong
        assert faults("report.schema.json", report), wrong


def test_the_report_carries_what_it_can_be_derived_from(printed: dict[str, Any]) -> None:
    report = printed["report: tables"]
    assert {item["role"] for item in report["inputs"]} == {
        "reference",
        "prediction",
        "durations",
        "ignore",
        "conditions",
    }
    assert report["versions"].keys() == {"tracepact", "python", "numpy"}
    assert report["grid"] == {"step": "1/50", "projection": "centre"}
    assert report["matcher"] == {"kind": "greedy", "search": "1/5", "overlap_reward": "1/2", "merge_gap": "0"}


def test_every_kind_of_violation_is_among_the_tested_outputs(printed: dict[str, Any]) -> None:
    shown = [w for item in printed["report: pair"]["violations"] for w in item["shown"]]
    assert any("frame" in w and w["distance"] is None for w in shown)
    assert any("frame" in w and w["distance"] == "unbounded" for w in shown)
    assert any("frame" in w and isinstance(w["distance"], dict) for w in shown)
    assert any("interval" in w and w["comparison"] is None for w in shown)
    assert any("interval" in w and isinstance(w["comparison"], dict) for w in shown)


@pytest.mark.parametrize("name", starter_contracts())
def test_the_explanation_of_a_starter_contract_is_valid(name: str) -> None:
    assert faults("explain.schema.json", json.loads(run("explain", name, "--format", "json").out)) == []


# Documents: the schema and the reader must agree.


def test_the_schema_and_the_reader_take_the_same_document(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    assert faults("document.schema.json", DOCUMENT) == []
    assert run("score", "gate.contract", "--pair", "pair.json", folder=tmp_path).code == 0


Change = Callable[[dict[str, Any]], Any]
WRONG_DOCUMENTS: dict[str, Change] = {
    "no clips": lambda d: d.pop("clips"),
    "clips as an object": lambda d: d.update(clips={}),
    "an unknown key": lambda d: d.update(more=1),
    "an unknown key of a clip": lambda d: d["clips"][0].update(references=[]),
    "a clip without a name": lambda d: d["clips"][0].pop("name"),
    "a clip with an empty name": lambda d: d["clips"][0].update(name=" "),
    "a clip with a number for a name": lambda d: d["clips"][0].update(name=3),
    "a clip without a duration": lambda d: d["clips"][0].pop("duration"),
    "a negative duration": lambda d: d["clips"][0].update(duration=-1),
    "a duration of null": lambda d: d["clips"][0].update(duration=None),
    "a duration in minutes": lambda d: d["clips"][0].update(duration="0:12"),
    "an event without a label": lambda d: d["clips"][0]["ref"].append([1, 2]),
    "an event with an empty label": lambda d: d["clips"][0]["ref"].append([1, 2, ""]),
    "an event with a number for a label": lambda d: d["clips"][0]["ref"].append([1, 2, 3]),
    "an event with a fourth part": lambda d: d["clips"][0]["ref"].append([1, 2, "x", 4]),
    "an event as an object": lambda d: d["clips"][0]["ref"].append({"onset": 1}),
    "a negative onset": lambda d: d["clips"][0]["pred"].append([-1, 2, "x"]),
    "a negative onset as text": lambda d: d["clips"][0]["pred"].append(["-1", 2, "x"]),
    "a truth value for an onset": lambda d: d["clips"][0]["pred"].append([True, 2, "x"]),
    "a fraction by zero": lambda d: d["clips"][0]["pred"].append(["1/0", 2, "x"]),
    "a region of one time": lambda d: d["clips"][0]["ignore"].append([1]),
    "a mask in halves of frames": lambda d: d["clips"][0]["masks"].update(zone=[[0, 1.5]]),
    "a mask of negative frames": lambda d: d["clips"][0]["masks"].update(zone=[[-1, 1]]),
    "a mask of truth values": lambda d: d["clips"][0]["masks"].update(zone=[True, False]),
    "masks as a list": lambda d: d["clips"][0].update(masks=[]),
}


@pytest.mark.parametrize("change", WRONG_DOCUMENTS.values(), ids=WRONG_DOCUMENTS.keys())
def test_the_schema_and_the_reader_refuse_the_same_document(change: Change, tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    assert faults("document.schema.json", document)
    write(tmp_path, {**TABLES, "pair.json": json.dumps(document)})
    outcome = run("score", "gate.contract", "--pair", "pair.json", folder=tmp_path)
    assert outcome.code == 2
    assert ("error[bad-json]" in outcome.err) or ("error[bad-time]" in outcome.err) or "unknown-duration" in outcome.err


# Walking data


Path_ = tuple[str | int, ...]


def _nodes(data: Any, path: Path_ = (), most: int = 2) -> Iterator[tuple[Path_, Any]]:
    """Every part of some data, of long lists the first and last ones."""
    yield path, data
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _nodes(value, (*path, key))
    elif isinstance(data, list):
        for index in sorted({*range(len(data))[:most], *range(len(data))[-most:]}):
            yield from _nodes(data[index], (*path, index))


def _kinds(data: Any) -> Iterator[tuple[Path_, Any]]:
    """Parts of some data, one of each kind: places that end in the same three keys are of one kind."""
    seen: set[Path_] = set()
    for path, value in _nodes(data):
        kind = (
            *("*" if isinstance(key, int) or key in ("onset", "whole") else key for key in path[-3:]),
            str(type(value)),
        )
        if kind not in seen:
            seen.add(kind)
            yield path, value


def _with(data: Any, path: Path_, change: Callable[[Any], Any]) -> Any:
    """A copy of the data, changed at one place; what lies beside the path is shared."""
    if not path:
        return change(data)
    changed = dict(data) if isinstance(data, dict) else list(data)
    changed[path[0]] = _with(data[path[0]], path[1:], change)
    return changed


def _maps(name: str, data: Any) -> set[Path_]:
    """The objects whose keys are names of clauses, profiles, codes or cases, any of which may be absent."""
    if name == "audit":
        return {(), *((group, "changed_values") for group in data)}
    if name != "try" and not name.startswith("report"):
        return set()
    kinds = {"vector", "failed", "counts", "profiles", "values"}
    return {path for path, value in _nodes(data) if path and path[-1] in kinds and isinstance(value, dict)}


def _subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            if key != "if":  # a condition looks at a part, and `then` closes the whole
                yield from _subschemas(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _subschemas(value)
