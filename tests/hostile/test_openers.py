"""Nothing that a stranger's file names is opened: an inventory of all that opens, and hostile files of every kind."""

import ast
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sources import tree

import tracepact
from hostile.naming import KINDS

TESTS = Path(__file__).parent.parent
SOURCES = Path(tracepact.__file__).parent.parent
SECONDS = 300
"""After which a reading of hostile files hangs; they take a few seconds each."""

_OPENERS = """
    CDLL ParquetFile ZipFile clip_files columns_from conditions_from connect copy2 copyfile create_connection curves
    durations_from events_from exec_module fdopen file_digest file_system first_bytes from_pretrained fromfile
    genfromtxt info label_map_from load loadtxt make_fragment memmap open open_code open_data open_dataset open_file
    read read_bytes read_decoding read_events read_field read_file read_label_map read_preferences read_table read_text
    read_toml_file regions_from score url_to_fs urlopen urlretrieve walk_clips
"""
OPENERS = frozenset(_OPENERS.split())
"""Names of functions and methods that open something, or hand a path to what does; but for those of `open_within`."""
ONLY_OF = {
    "copy2": ("shutil",),
    "copyfile": ("shutil",),
    "curves": ("tracepact",),
    "info": ("soundfile",),
    "load": ("np", "torch", "joblib", "pickle"),
    "read": ("soundfile",),
    "read_table": ("pq", "parquet", "feather"),
    "score": ("tracepact",),
}
"""Methods that are meant only of these modules; `json.load` and the like take a file that is open."""

ALLOWED = {
    "The opener itself, and libraries that are handed what it opened.": """
        tracelab.probe.encoding:score_arrays np.load
        tracelab.robustness.run:results_of np.load
        tracelab.robustness.run:stored_answers np.load
        tracelab.robustness.scene_grid:read_cell np.load
        tracelab.robustness.verify:_logit_faults np.load
        tracepact.data.arrow_files:_parquet parquet.ParquetFile
        tracepact.inputs:digest_within hashlib.file_digest
        tracepact.inputs:open_within os.fdopen os.open
    """,
    "The name may come out of a file; `plain_within`, a digest or the form of names has been looked at before.": """
        tracelab.detectors.models:read_state torch.load
        tracelab.files:copy_folder read_bytes
        tracelab.probe.clips:read_clips np.load read_text
        tracelab.probe.encoders:_transformers AutoModel.from_pretrained extractor.from_pretrained
        tracelab.probe.encoders:beats torch.load
        tracelab.probe.encoders:crepe torch.load
        tracelab.probe.encoders:resemblyzer torch.load
        tracelab.probe.encoding:_spans read_text
        tracelab.probe.encoding:_with np.load
        tracelab.probe.probe:_gather read_bytes
        tracelab.probe.probe:_timing read_text
        tracelab.probe.registry:_digest hashlib.file_digest path.open
        tracelab.probe.registry:pickled_arrays path.open
        tracelab.probe.rows:_curves tracepact.curves
        tracelab.robustness.datasets:open_corpus read_bytes
        tracelab.robustness.evaluation:answers np.load read_text
        tracelab.robustness.run:_try_all np.load
        tracelab.robustness.run:explained np.load
        tracelab.robustness.scene_grid:hear_cell np.load
        tracelab.robustness.scene_grid:run_grid read_bytes
        tracelab.study.systems:read_heard np.load read_text
        tracepact.runs.batch_run:BatchRun.save open
        tracepact.runs.originals:_Candidate.digest open_dataset
        tracepact.selection.calibration_reader:CalibrationReader._table events_from
        tracepact.selection.calibration_reader:CalibrationReader.calibration durations_from
        tracepact.selection.interview:prepared read_preferences
    """,
    "The place is one that the user names: an argument, an option, a folder of data with what is in it.": """
        tracelab.corpora.systems:_measured_gaps tracepact.score
        tracelab.corpora.systems:baseline_rows tracepact.curves tracepact.score
        tracelab.corpora.track:_files_digest read_bytes
        tracelab.corpora.track:baseline_track read_text
        tracelab.files:_check hashlib.file_digest path.open
        tracelab.files:_opened opener.open
        tracelab.files:_receive part.open
        tracelab.files:read_sound soundfile.read
        tracelab.probe.registry:read_registry read_bytes
        tracelab.scenes.voices:FolderVoice.open read_bytes
        tracelab.scenes.voices:asterisk_voice FolderVoice.open
        tracelab.scenes.voices:espeak_voice FolderVoice.open
        tracelab.scenes.voices:open_voice FolderVoice.open
        tracelab.study.rows:scored_part tracepact.score
        tracepact.audits.audit_labels:_labels clip_files read_field
        tracepact.audits.audit_labels:annotation_command conditions_from
        tracepact.audits.audit_labels:_read_again read_events
        tracepact.audits.audit_labels:reference_command label_map_from
        tracepact.audits.audit_matcher:_family durations_from events_from
        tracepact.audits.audit_settings:threshold_command label_map_from
        tracepact.audits.league:make_league conditions_from
        tracepact.author.editor_server:serve os.fdopen
        tracepact.compat.tables:_text read_bytes
        tracepact.data.readings:_from_file read_toml_file
        tracepact.data.data_files:FileOnDisk.read open_data
        tracepact.data.data_files:clip_files open_data walk_clips
        tracepact.data.data_files:first_bytes open
        tracepact.data.data_files:is_columnar first_bytes
        tracepact.data.data_files:open_columnar read_bytes
        tracepact.data.data_files:open_data read_text
        tracepact.data.data_files:walk_clips open_data
        tracepact.data.dataset:_files file_system
        tracepact.data.dataset:_system file_system
        tracepact.data.dataset:whole_dataset open_dataset
        tracepact.data.decoding:decoding_given read_decoding
        tracepact.data.decoding:read_decoding read_toml_file
        tracepact.data.documents:read_document read_text
        tracepact.data.fields:_read_npz read_bytes
        tracepact.data.fields:read_scores clip_files read_field
        tracepact.data.fields:score_field read_field
        tracepact.runs.sides:open_folder walk_clips
        tracepact.data.formats:_read_folder clip_files
        tracepact.data.formats:how_to_read columns_from
        tracepact.data.formats:read_events clip_files open_data read_field
        tracepact.data.labels:label_map_from read_label_map
        tracepact.data.labels:read_label_map read_toml_file
        tracepact.data.score_files:read_soft clip_files
        tracepact.data.columns:check_submission read_text
        tracepact.data.memory:_header soundfile.info wave.open
        tracepact.data.memory:events_from columns_from read_events
        tracepact.data.preparation:clip_choice_from read_bytes
        tracepact.data.sources:_digest hashlib.file_digest system.open
        tracepact.data.sources:_names ZipFile open
        tracepact.data.sources:file_system core.url_to_fs
        tracepact.data.sources:read_text open
        tracepact.data.sources:read_toml_file read_text
        tracepact.data.tables:read_conditions open_data
        tracepact.data.tables:read_durations open_data
        tracepact.data.tables:read_regions open_data
        tracepact.data.writers:_npz zipfile.ZipFile
        tracepact.inputs:read_bytes open
        tracepact.language.compilation:read_file read_bytes
        tracepact.language.compilation:read_source read_file
        tracepact.logic.check_commands:_longest durations_from
        tracepact.logic.check_commands:_read read_file
        tracepact.outputs:check_file path.open
        tracepact.page_server:_Handler._content read_bytes
        tracepact.pytest_plugin:_golden read_bytes
        tracepact.runs.batch_scoring:side_from events_from open_dataset
        tracepact.runs.batch_scoring:open_sides conditions_from label_map_from regions_from
        tracepact.runs.data_commands:convert_command durations_from read_events
        tracepact.runs.report_parts:_embedded read_bytes
        tracepact.runs.side_options:_declared read_decoding
        tracepact.runs.side_options:readings columns_from
        tracepact.runs.task:lengths_from durations_from
        tracepact.runs.task:read_task conditions_from events_from label_map_from regions_from
        tracepact.runs.watch_command:_monitor read_bytes
        tracepact.selection.calibration_reader:load_calibration read_file
        tracepact.selection.commands:calibrate_command durations_from events_from
        tracepact.selection.draft:_family read_file
        tracepact.selection.judgements:read_preferences read_file
        tracepact.selection.python:_preferred read_preferences
        tracepact.selection.python:_with_own durations_from events_from
    """,
    "Files of the package, and what this process writes or has just written.": """
        tracelab.corpora.track:published read_text
        tracelab.detectors.models:save_model read_bytes
        tracelab.files:write_whole open
        tracelab.probe.tables:published read_text
        tracelab.robustness.corruptions:table_bytes read_bytes
        tracelab.robustness.run:skill_text read_text
        tracelab.robustness.tables:published read_bytes
        tracelab.stages:written_digest read_bytes
        tracelab.stages:code_digest read_bytes
        tracelab.study.cases:both_matchers read_text
        tracelab.study.comparison:published read_text
        tracelab.study.study:_gather_runs read_bytes
        tracelab.study.views:checklist read_text
        tracepact.author.editor_help:_schema read_text
        tracepact.author.guide_commands:_calibration read_text
        tracepact.author.guide_commands:contract_examples read_text
        tracepact.author.guide_commands:examples read_text
        tracepact.conform.oracle:suite read_text
        tracepact.conform.protocol:_definitions read_text
        tracepact.declarations:rules read_text
        tracepact.files:_flush_folder os.open
        tracepact.files:_flushed open os.open
        tracepact.language.vocabulary:_productions read_text
        tracepact.language.grammar:_grammar read_text
        tracepact.page_server:PageServer.entrance open os.open
        tracepact.prove.build:Program.digest read_bytes
        tracepact.prove.build:_made_from hashlib.file_digest library.open
        tracepact.prove.build:compile_program shutil.copyfile
        tracepact.prove.toolchain:_record read_bytes
        tracepact.prove.toolchain:kept read_text
        tracepact.prove.toolchain:only_user os.open
        tracepact.prove.toolchain:Toolchain.program binary.open hashlib.file_digest
        tracepact.runs.directory:_put open
        tracepact.runs.directory:claimed os.open
        tracepact.show.pages:asset read_text
    """,
    "Nothing is opened: bytes, events or fields that are in memory already, the browser at our own page.": """
        tracelab.corpora.clips:reading_rows tracepact.score
        tracelab.detections:ask tracepact.score
        tracelab.detectors.decoding:mean_of_vector tracepact.score
        tracelab.probe.encoding:run_stage.make tracepact.score
        tracelab.robustness.scene_grid:cell_rows tracepact.score
        tracelab.study.cases:calibration_rows tracepact.score
        tracelab.study.cases:stress_rows tracepact.score
        tracelab.study.systems:score_masks tracepact.score
        tracepact.data.arrow_files:_message first_bytes
        tracepact.data.sources:_unpacked ZipFile archive.open
        tracepact.data.sources:read_archive ZipFile archive.open read_bytes
        tracepact.data.sources:read_arrays ZipFile np.load
        tracepact.page_server:PageServer._open webbrowser.open
        tracepact.selection.calibration_reader:CalibrationReader._pair read_events
        tracepact.selection.calibration:read_masks read_events
        tracepact.selection.calibration_reader:CalibrationReader._references read_events
        tracepact.stream.bank:StreamBank.adopt self.open
    """,
    "Code that the user has run: it can do what the user can.": """
        tracelab.detections:OwnDetector.digest read_bytes
        tracelab.files:own_function loader.exec_module
        tracelab.probe.encoders:_module loader.exec_module
        tracelab.robustness.classifiers:open_classifier read_bytes
        tracepact.conform.findings:local_peer loader.exec_module
    """,
    "Files and libraries of the system with fixed names.": """
        tracepact.command_line:_fill_descriptors open os.open
        tracepact.command_line:_let_go os.open
        tracepact.conform.peer:Peer._at_its_limit read_text
        tracepact.conform.peer:_marked read_bytes
        tracepact.conform.peer:_status read_text
        tracepact.conform.peer:adopt_orphans ctypes.CDLL
        tracepact.files:_exchange ctypes.CDLL
        tracepact.show.lines:reader_may_leave os.open
    """,
}
"""Every function that opens, with what it calls, by the reason why no stranger chooses what is opened."""


def openers(path: Path) -> Iterator[tuple[str, str]]:
    """The calls of a module that open something, each with the function it is in."""

    def visit(node: ast.AST, inside: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        for child in ast.iter_child_nodes(node):
            is_scope = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            yield from visit(child, (*inside, child.name) if is_scope else inside)  # type: ignore[attr-defined]
            if isinstance(child, ast.Call) and (called := opener(child.func)):
                yield ".".join(inside) or "-", called

    return visit(tree(path), ())


def opener(function: ast.expr) -> str | None:
    """What a call opens by, as the inventory writes it; None if it opens nothing."""
    match function:
        case ast.Name(id=name) if name in OPENERS and name not in ONLY_OF:
            return name
        case ast.Attribute(value=home, attr=name) if name in OPENERS:
            base = ast.unparse(home).split(".")[-1]
            if base in ONLY_OF.get(name, (base,)):
                return name if name in ("read_text", "read_bytes") else f"{base}.{name}"
    return None


def inventory() -> set[str]:
    """Every function of both packages that opens, with what it calls."""
    calls: dict[str, set[str]] = {}
    for package in ("tracepact", "tracelab"):
        for path in sorted((SOURCES / package).rglob("*.py")):
            module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
            for function, called in openers(path):
                calls.setdefault(f"{module}:{function}", set()).add(called)
    return {f"{place} {' '.join(sorted(some))}" for place, some in calls.items()}


def test_whatever_opens_is_listed_with_the_reason_why_no_stranger_chooses_what() -> None:
    """A new opener goes into `ALLOWED`, under the reason that holds for it, or through `tracepact.inputs`."""
    lines = [line.strip() for block in ALLOWED.values() for line in block.strip().splitlines()]
    assert len(lines) == len(set(lines)), "each is listed once"
    calls = inventory()
    assert sorted(calls - set(lines)) == [], "these are not listed"
    assert sorted(set(lines) - calls) == [], "these are gone"


@pytest.mark.skipif(sys.platform != "linux", reason="uses pipes and devices of Linux")
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_that_a_stranger_names_is_opened(kind: str) -> None:
    """No hang, no contact, no line of a file outside; each kind in a process of its own."""
    if kind.startswith("lab "):
        pytest.importorskip("torch")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        arguments = [sys.executable, "-m", "hostile.naming", kind, str(listener.getsockname()[1])]
        try:
            done = subprocess.run(arguments, cwd=TESTS, capture_output=True, encoding="utf-8", timeout=SECONDS)
        except subprocess.TimeoutExpired as error:
            pytest.fail(f"it hangs: {(error.stdout or b'').decode().splitlines()[-1:]}")
        assert done.returncode == 0, done.stderr[-4000:]
        with suppress(BlockingIOError):
            listener.accept()[0].close()
            pytest.fail("it was contacted")
    lines = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith(("  CANARY", "  FAULT"))], done.stdout
    assert sum("ended with" in line for line in lines) * 2 == len(lines) > 0
