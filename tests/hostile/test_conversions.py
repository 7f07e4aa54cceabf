"""Text becomes a number in one place, `tracepact.wording`, and where a reason is given that it is safe (rule 13.40)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from sources import tree

import tracelab
import tracepact

TYPES = {"int", "float", "Fraction", "Decimal"}
WORDS = {"text", "texts", "word", "words", "token", "digits", "number", "written", "port", "line", "field", "fields"}
"""What text is called where nothing says of what type it is."""
REASONS: dict[str, tuple[str, ...]] = {
    "The one place.": (
        "tracepact.wording.parse_exact",
        "tracepact.wording.parse_stored",
        "tracepact.wording.parse_whole",
    ),
    "A float of JSON, at most as long as the document; an infinite one is refused.": ("tracepact.files.json_float",),
    "The line and column in what tomllib says.": (
        "tracepact.selection.toml_tables._span",
        "tracepact.data.sources.read_toml_file",
    ),
    "`is_whole` or a pattern has held it to a few digits.": (
        "tracepact.engines._is_address",
        "tracepact.files.remove_dead_parts",
        "tracepact.data.columns.moment",
        "tracepact.data.columns._seconds",
        "tracepact.data.tables.fits",
        "tracepact.data.tables.add_seld",
        "tracepact.data.annotations._TextGridReader.count",
        "tracepact.logic.models.read_picture",
        "tracepact.conform.protocol.digits_of",
        "tracepact.conform.definitions._columns",
        "tracepact.options.OddLength.convert",
        "tracepact.prove.certificates._kept_whole",
        "tracepact.runs.manifest._table_number",
        "tracepact.runs.manifest.whole",
        "tracelab.stages.Stages.remove_parts",
    ),
    "The text has gone through `parse_exact`.": (
        "tracepact.compat.tables._number",
        "tracepact.data.events.score_value",
        "tracelab.corpora.maestro._number",
        "tracepact.data.writers._times",
        "tracepact.thresholds.family.detections_of",
        "tracepact.data.events.ScoreLevels.value",
        "tracepact.data.events.ScoreLevels.whole",
        "tracepact.data.events.levels_of_texts",
        "tracepact.data.events._ordered",
        "tracepact.data.events._is_shortest",
    ),
    "The grammar has no exponents, and the reader refuses more than 60 characters.": (
        "tracepact.language.grammar.quantity_of",
    ),
    "A text of the program's own.": (
        "tracepact.declarations.rules",
        "tracepact.conform.boundary_scores._report_clip.timed",
        "tracepact.conform.boundary_scores._gaps",
        "tracepact.conform.findings._place",
        "tracepact.conform.draw._runs",
        "tracepact.conform.draw._bounds",
        "tracepact.conform.engines.PackageStream._said",
        "tracepact.prove.requests.LeanProcess.ask",
        "tracelab.corpora.systems._measured_gaps",
        "tracelab.study.boundaries.attribution_rows",
    ),
    "A number already, in a record or a case that was checked.": (
        "tracepact.measures.matching._Crowd.insert",
        "tracepact.records.exact_text",
        "tracepact.runs.violations.ranked_violations",
        "tracepact.stream.state._activity",
        "tracepact.stream.monitor.StreamMonitor._say_frame",
        "tracepact.audits.audit_union_gap._substitutions",
        "tracepact.audits.audit_union_gap._shares",
        "tracepact.conform.answers.event_clause",
        "tracepact.conform.findings.compare_chunks",
        "tracepact.audits.league_systems.Base.frames_of",
        "tracepact.selection.games._wants",
        "tracepact.selection.values.Seen.key",
        "tracepact.compat.psds_eval.PSDSEval._rates",
        "tracepact.compat.statistics.Deltas.counted",
        "tracepact.compat.statistics.area_under_roc",
        "tracepact.compat.tables._odd_frames",
        "tracelab.detectors.training._resume",
        "tracelab.probe.rows.quantile_interval",
        "tracelab.robustness.run._try_all",
        "tracelab.study.tables.seed_table",
    ),
    "An argument, or a cell of a table, that the caller's program hands over as a Python object.": (
        "tracepact.compat.psds_eval.PSDSEval.set_ground_truth",
        "tracepact.compat.sed_scores_eval._Scale.of",
    ),
    "A table that the lab has just written: a float, or a count of a few digits.": (
        "tracelab.probe.tables.timing_table",
        "tracelab.probe.tables.bounds",
        "tracelab.probe.tables.pooled",
        "tracelab.probe.views.probe_views",
        "tracelab.robustness.scene_grid.values_of",
        "tracelab.study.views._matching",
        "tracelab.study.tables.contrast_table",
    ),
}
ALLOWED = {place: reason for reason, places in REASONS.items() for place in places}


def is_text(node: ast.expr, known: dict[str, str]) -> bool:
    """Whether an expression is text as far as can be seen: by its annotation, its name or how it is made."""
    match node:
        case ast.JoinedStr():
            return True
        case ast.Constant(value=str()):
            return False  # a text of the program's own
        case ast.Name(id=name):
            return known[name].startswith("str") if name in known else name in WORDS
        case ast.Attribute(attr=name):
            return name in WORDS
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int())):
            return name in ("match", "found", "fields", "parts", "head", "digits", "columns", "item", "line")
        case ast.Subscript(slice=ast.Constant(value=str())):
            return True  # a row, a document, a match
        case ast.Subscript(value=value):
            return isinstance(value, ast.Call) and is_text(value, known)
        case ast.Call(func=ast.Attribute(attr=way)):
            return way in ("strip", "partition", "split", "removeprefix", "removesuffix", "replace", "group", "text")
        case ast.Call(func=ast.Name(id="str" | "repr")):
            return True
        case ast.BoolOp(values=values):
            return any(is_text(value, known) for value in values)
        case ast.IfExp(body=body, orelse=other):
            return is_text(body, known) or is_text(other, known)
    return False


def conversions(path: Path) -> Iterator[tuple[str, int]]:
    """The places of a module where text becomes a number, with their lines."""

    def walk(node: ast.AST, name: str, known: dict[str, str]) -> Iterator[tuple[str, int]]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{name}.{node.name}"
        if isinstance(node, ast.FunctionDef):
            own = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            known = known | {a.arg: ast.unparse(a.annotation) for a in own if a.annotation is not None}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in TYPES and node.args and is_text(node.args[0], known):
                yield name, node.lineno
            if node.func.id == "map" and isinstance(node.args[0], ast.Name) and node.args[0].id in TYPES:
                yield name, node.lineno
        for child in ast.iter_child_nodes(node):
            yield from walk(child, name, known)

    yield from walk(tree(path), "", {})


def all_conversions() -> dict[str, list[int]]:
    """Every such place of both packages."""
    places: dict[str, list[int]] = {}
    for package in (tracepact, tracelab):
        home = Path(package.__file__ or "").parent
        for path in sorted(home.rglob("*.py")):
            module = ".".join(path.relative_to(home.parent).with_suffix("").parts)
            for name, line in conversions(path):
                places.setdefault(f"{module}{name}", []).append(line)
    return places


def test_text_becomes_a_number_only_where_a_reason_is_given() -> None:
    places = all_conversions()
    new = {place: lines for place, lines in places.items() if place not in ALLOWED}
    assert not new, "read it with tracepact.wording.parse_exact, parse_whole or parse_stored"
    assert set(ALLOWED) <= set(places), "a reason for a place that is not there"


@pytest.mark.parametrize(
    "code",
    [
        "def f(text: str): return Fraction(text)",
        "def f(row): return int(row['onset'])",
        "def f(match): return float(match[1])",
        "def f(some): return list(map(int, some))",
        "def f(value): return Decimal(str(value))",
    ],
)
def test_a_new_one_is_seen(code: str, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(code, encoding="utf-8")
    assert list(conversions(tmp_path / "module.py")) == [(".f", 1)]
