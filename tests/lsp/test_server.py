"""The language server as an editor meets it: a process, asked over its standard streams by pygls's own client."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.command import run
from lsp.editor import Editor, applied
from lsprotocol import types as lsp

from tracepact import starter_contracts

pytestmark = pytest.mark.slow

GATE = """contract gate "on time"
step 20ms
param tol = 50ms
atom quiet "nothing but noise"

clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause calm on quiet : !pred_active
clause whole on each ref : ref.coverage >= 0.5 and covering <= 1

profile strict : onset = 2, calm = 1
"""


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    found = Editor("--timeout", "60")  # however busy the machine is
    yield found
    assert found.close() == 0


@pytest.fixture
def gate(editor: Editor) -> Iterator[str]:
    uri = editor.open("gate.contract", GATE)
    editor.codes(uri)
    yield uri
    editor.close_text(uri)


def markdown(hover: lsp.Hover | None) -> str:
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    return hover.contents.value


def labels(found: Any) -> list[str]:
    items = found.items if isinstance(found, lsp.CompletionList) else found
    return [item.label for item in items]


@pytest.mark.parametrize("name", starter_contracts())
def test_a_starter_contract_opens_without_a_finding_of_the_text_or_of_the_solver(editor: Editor, name: str) -> None:
    uri = editor.open(name, starter_contracts()[name].read_text(encoding="utf-8"))
    assert editor.codes(uri) == []
    assert editor.codes(uri, times=2) == []
    editor.close_text(uri)


def test_faults_of_the_text_are_there_at_once_and_those_of_the_solver_after_a_pause(editor: Editor) -> None:
    lines = "contract a\nstep 20ms\nclause c on ref_onset : ref_onset -> N[-1f] pred_onset\n"
    uri = editor.open("a.contract", lines)
    assert editor.codes(uri) == ["negative-radius"]
    editor.change(uri, lines.replace("ref_onset -> N[-1f] pred_onset", "pred_onset | !pred_onset"))
    assert editor.codes(uri) == []
    assert "clause-never-fails" in editor.codes(uri, times=2)
    editor.close_text(uri)


def test_a_keystroke_ends_the_check_of_what_stood_there_before(editor: Editor) -> None:
    text = "contract b\nstep 20ms\nclause c on ref_onset : true\n"
    uri = editor.open("b.contract", text)
    editor.change(uri, text.replace("true", "fals"))
    editor.change(uri, text.replace("true", "N[40ms] pred_onset"))
    assert "perfect-prediction-fails" not in editor.codes(uri, times=2)
    versions = [(p.version, [d.code for d in p.diagnostics]) for p in editor.published if p.uri == uri]
    assert [found for number, found in versions if number == 1] == [[]]  # its solver never answered
    assert [found for number, found in versions if number == 2] == [["unknown-atom"]]
    editor.close_text(uri)


def test_closing_a_text_takes_its_diagnostics_away(editor: Editor) -> None:
    uri = editor.open("gone.contract", "clause")
    assert editor.codes(uri)
    editor.close_text(uri)
    editor.texts[uri] = (None, "")  # type: ignore[assignment]  # what is published then has no version
    assert editor.codes(uri) == []


@pytest.mark.parametrize("end", range(0, len(GATE), 7))
def test_a_half_typed_text_is_answered_everywhere(editor: Editor, end: int) -> None:
    uri = editor.open(f"half{end}.contract", GATE[:end])
    editor.codes(uri)
    place: dict[str, Any] = {
        "text_document": lsp.TextDocumentIdentifier(uri),
        "position": editor.whole(uri).end,
    }
    client, document = editor.client, place["text_document"]
    editor.run(client.text_document_hover_async(lsp.HoverParams(**place)))
    editor.run(client.text_document_completion_async(lsp.CompletionParams(**place)))
    editor.run(client.text_document_definition_async(lsp.DefinitionParams(**place)))
    editor.run(client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document)))
    editor.run(client.text_document_inlay_hint_async(lsp.InlayHintParams(document, editor.whole(uri))))
    context = lsp.CodeActionContext([])
    editor.run(client.text_document_code_action_async(lsp.CodeActionParams(document, editor.whole(uri), context)))
    editor.close_text(uri)


def test_hover_says_what_a_clause_an_attribute_a_window_and_a_parameter_mean(editor: Editor, gate: str) -> None:
    def said(word: str, inside: int = 0) -> str:
        params = lsp.HoverParams(**editor.at(gate, word, inside))
        return markdown(editor.run(editor.client.text_document_hover_async(params)))

    assert "at every frame where a reference event starts" in said("onset on")
    assert "windows in frames: -3 to +3" in said("N[tol]")
    assert "50 ms is 3 frames of 20 ms, rounded outward from 2.5" in said("tol]")
    assert "share from 0 to 1" in said("ref.coverage", 5)
    assert "nothing but noise" in said("quiet :")
    assert "in `onset`" in said("tol =")
    assert "a named value" in said("param")


def test_a_calibration_set_is_completed_and_not_read_as_a_contract(editor: Editor) -> None:
    uri = editor.open("mine.calibration", 'step = "20ms"\nprojection = ')
    place = {"text_document": lsp.TextDocumentIdentifier(uri), "position": editor.whole(uri).end}
    found = editor.run(editor.client.text_document_completion_async(lsp.CompletionParams(**place)))
    assert labels(found) == ["centre", "touch", "inside"]
    assert editor.run(editor.client.text_document_hover_async(lsp.HoverParams(**place))) is None
    editor.close_text(uri)


def test_the_faults_of_a_calibration_set_are_those_of_select_and_go_when_they_are_mended(
    editor: Editor, tmp_path: Path
) -> None:
    """An unknown edit, a rank in words and a key that is not of the form, each at its place; then none."""
    good = (
        'step = "20ms"\ncases = [\n  {name = "late", rank = 2, edit = "late_onset", by = "60ms"},\n'
        '  {name = "lost", rank = 1, edit = "missing"},\n]\n'
        '[reference.r]\nduration = "1s"\nevents = [["200ms", "400ms"]]\n'
    )
    bad = 'speed = "2s"\n' + good.replace("late_onset", "late_onst").replace("rank = 1", 'rank = "high"')
    uri = editor.open("faulty.calibration", bad)
    shown = editor.codes(uri)
    (tmp_path / "faulty.calibration").write_text(bad, encoding="utf-8")
    said = run("select", "faulty.calibration", folder=tmp_path)
    assert shown == said.codes
    assert {"unknown-choice", "bad-rank", "unknown-key"} <= set(shown)
    sent = next(sent for sent in reversed(editor.published) if sent.uri == uri).diagnostics
    first = next(one for one in sent if one.code == "unknown-choice")
    assert first.range.start.line == 3, "the line of the case"
    context = lsp.CodeActionContext([first])
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), editor.whole(uri), context)
    editor.run(editor.client.text_document_code_action_async(params))
    editor.change(uri, good)
    assert editor.codes(uri) == []
    editor.close_text(uri)


def test_completion_follows_the_context(editor: Editor) -> None:
    def offered(text: str) -> list[str]:
        uri = editor.open("typing.contract", text)
        place = {"text_document": lsp.TextDocumentIdentifier(uri), "position": editor.whole(uri).end}
        found = labels(editor.run(editor.client.text_document_completion_async(lsp.CompletionParams(**place))))
        editor.close_text(uri)
        return found

    head = "contract a\nstep 20ms\nparam tol = 40ms\natom quiet\nclause first on quiet : true\n"
    assert {"contract", "step", "clause"} <= set(offered(""))
    assert offered(head + "clause b on ref_onset : N[") == ["tol"]
    assert {"quiet", "pred_onset", "N", "each"} <= set(offered(head + "clause b on "))
    assert offered(head + "clause b on each ") == ["ref", "pred", "matched"]
    assert "ref.coverage" in offered(head + "clause b on each ref : ")
    assert "purity" not in offered(head + "clause b on each ref : ref.")
    assert "coverage" in offered(head + "clause b on each ref : ref.cov")
    assert offered(head + "profile p : ") == ["first"]
    assert {"pooled", "macro_clips"} <= set(offered(head + "aggregate "))
    assert offered(head + "# a comment about N[") == []
    assert offered(head + 'atom b "cla') == []


def test_definition_and_references_of_a_parameter_and_a_clause(editor: Editor, gate: str) -> None:
    def lines(found: Any) -> list[int]:
        return [location.range.start.line for location in found]

    use = editor.at(gate, "tol]")
    client = editor.client
    assert lines(editor.run(client.text_document_definition_async(lsp.DefinitionParams(**use)))) == [2]
    weight = lsp.DefinitionParams(**editor.at(gate, "calm = 1"))
    assert lines(editor.run(client.text_document_definition_async(weight))) == [6]
    for declared, expected in ((True, [2, 5]), (False, [5])):
        asked = lsp.ReferenceParams(context=lsp.ReferenceContext(declared), **use)
        assert lines(editor.run(client.text_document_references_async(asked))) == expected


def test_a_name_is_renamed_everywhere_or_not_at_all(editor: Editor, gate: str) -> None:
    def renamed(word: str, new: str) -> str:
        params = lsp.RenameParams(new_name=new, **editor.at(gate, word))
        changes = editor.run(editor.client.text_document_rename_async(params)).changes
        return applied(GATE, changes[gate])

    assert renamed("tol]", "slack") == GATE.replace("tol", "slack")
    assert renamed("calm = 1", "still") == GATE.replace("calm", "still")
    for word, new, reason in (
        ("tol]", "step", "cannot be the name"),
        ("tol]", "quiet", "cannot be the name"),
        ("calm = 1", "onset", "cannot be the name"),
        ("pred_onset", "p", "not declared"),
        ("param", "p", "no name here"),
    ):
        with pytest.raises(Exception, match=reason):
            renamed(word, new)


def test_a_refused_rename_leaves_nothing_on_standard_error() -> None:
    editor = Editor()
    uri = editor.open("gate.contract", GATE)
    with pytest.raises(Exception, match="no name here"):
        editor.run(editor.client.text_document_rename_async(lsp.RenameParams(new_name="p", **editor.at(uri, "param"))))
    editor.close()
    assert editor.said == ""


def test_a_name_in_a_statement_that_cannot_be_read_is_not_renamed(editor: Editor) -> None:
    uri = editor.open("broken.contract", GATE + "clause last on ref_onset : N[tol\n")
    with pytest.raises(Exception, match="line 11 also has `tol`"):
        editor.run(
            editor.client.text_document_rename_async(lsp.RenameParams(new_name="slack", **editor.at(uri, "tol]")))
        )
    editor.close_text(uri)


def test_the_outline_lists_the_statements_with_their_names(editor: Editor, gate: str) -> None:
    params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(gate))
    found = editor.run(editor.client.text_document_document_symbol_async(params))
    names = ["gate", "step", "tol", "quiet", "onset", "calm", "whole", "strict"]
    assert [symbol.name for symbol in found] == names
    assert all(s.range.start <= s.selection_range.start <= s.selection_range.end <= s.range.end for s in found)


def test_formatting_is_that_of_fmt_and_leaves_what_cannot_be_read(editor: Editor) -> None:
    def formatted(text: str) -> Any:
        uri = editor.open("loose.contract", text)
        options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
        params = lsp.DocumentFormattingParams(lsp.TextDocumentIdentifier(uri), options)
        found = editor.run(editor.client.text_document_formatting_async(params))
        editor.close_text(uri)
        return applied(text, found or [])

    loose = "contract a step 20ms\nclause b on ref_onset:N[ 40ms ]pred_onset # near\n"
    tidy = "contract a\nstep 20ms\nclause b on ref_onset : N[40ms] pred_onset  # near\n"
    assert formatted(loose) == formatted(tidy) == tidy
    broken = loose.replace("]pred_onset", "pred_onset")
    assert formatted(broken) == broken


@pytest.mark.parametrize(
    ("faulty", "fixed"),
    [
        ("F[40ms,20ms] pred_onset", "F[20ms,40ms] pred_onset"),
        ("N[40ms] pred_onest", "N[40ms] pred_onset"),
        ("N[40 ms] pred_onset", "N[40ms] pred_onset"),
    ],
)
def test_the_help_of_a_finding_is_a_quick_fix(editor: Editor, faulty: str, fixed: str) -> None:
    text = f"contract a\nstep 20ms\nclause b on ref_onset : {faulty}\n"
    uri = editor.open("fix.contract", text)
    assert editor.codes(uri)
    context = lsp.CodeActionContext([])
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), editor.whole(uri), context)
    (fix,) = editor.run(editor.client.text_document_code_action_async(params))
    after = applied(text, fix.edit.changes[uri])
    assert after == text.replace(faulty, fixed)
    editor.change(uri, after)
    assert editor.codes(uri) == []
    editor.close_text(uri)


def test_a_suggested_obligation_is_a_quick_fix_once_the_solver_has_found_it(editor: Editor) -> None:
    text = "contract a\nstep 20ms\nclause b on true : ref_onset -> N[40ms] pred_onset\n"
    uri = editor.open("vacuous.contract", text)
    assert "vacuous-implication" in editor.codes(uri, times=2)
    context = lsp.CodeActionContext([])
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), editor.whole(uri), context)
    found = editor.run(editor.client.text_document_code_action_async(params))
    (fix,) = [f for f in found if f.title.startswith("oblige")]
    editor.change(uri, applied(text, fix.edit.changes[uri]))
    assert editor.texts[uri][1] == text.replace("on true", "on ref_onset")
    assert "vacuous-implication" not in editor.codes(uri, times=2)
    editor.close_text(uri)


def test_inlay_hints_show_bounds_in_frames(editor: Editor) -> None:
    text = "contract a\nstep 20ms\nclause b on ref_onset : F[-30ms,50ms] N[2f] pred_onset\n"
    uri = editor.open("hints.contract", text)
    params = lsp.InlayHintParams(lsp.TextDocumentIdentifier(uri), editor.whole(uri))
    found = editor.run(editor.client.text_document_inlay_hint_async(params))
    line = text.splitlines()[2]
    assert [(line[: h.position.character], h.label) for h in found] == [
        (line.partition(",")[0], "-2f"),  # 30 ms back is a frame and a half, rounded outward
        (line.partition("] N")[0], "3f"),
    ]
    editor.close_text(uri)


def test_places_count_units_of_utf_16(editor: Editor) -> None:
    text = 'contract a "𝄞𝄞" step 20ms\nclause b on ref_onset : ref_onest\n'
    uri = editor.open("wide.contract", text.replace("step 20ms", "stp 20ms"))
    editor.codes(uri)
    found = next(p for p in reversed(editor.published) if p.uri == uri).diagnostics
    assert min(d.range.start.character for d in found if d.range.start.line == 0) == len('contract a "____" ')
    editor.close_text(uri)


def test_a_text_that_is_not_open_is_refused(editor: Editor) -> None:
    params = lsp.HoverParams(lsp.TextDocumentIdentifier("file:///nowhere"), lsp.Position(0, 0))
    with pytest.raises(Exception, match="not open"):
        editor.run(editor.client.text_document_hover_async(params))


def test_the_process_ends_with_its_editor() -> None:
    own = Editor("--stdio")
    uri = own.open("a.contract", GATE)
    own.codes(uri)
    assert own.close() == 0
    assert own.process.returncode == 0
