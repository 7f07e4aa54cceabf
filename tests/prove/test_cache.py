"""The cache of compiled modules: used only as it was written, only the user's own, and never needed."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from prove.copies import changed_theory

from tracepact.prove.build import Build, build_core
from tracepact.prove.core import ready_core
from tracepact.prove.theory import Theory
from tracepact.prove.toolchain import Toolchain, ToolchainKind, cache_folder, keep, kept, private_folder

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _wheel(core: Build) -> None:
    if core.toolchain.kind is ToolchainKind.LAKE:
        pytest.skip("what Lake builds is not kept")


def _times(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*.olean")}


def _copy(core: Build, folder: Path) -> Path:
    return Path(shutil.copytree(core.folder, folder / "built"))


def test_what_is_as_it_was_written_is_used(core: Build, tmp_path: Path) -> None:
    folder = _copy(core, tmp_path)
    before = _times(folder)
    assert build_core(core.toolchain, core.theory, folder).ok
    assert _times(folder) == before


def _swapped(core: Build, tmp_path: Path) -> tuple[Path, Path]:
    """A module compiled from a check that accepts every satisfied count, and where it belongs in a copy of the core."""
    evil = tmp_path / "evil"
    evil.mkdir()
    root = changed_theory(
        core,
        evil,
        "Tracepact/Impl/Certificate.lean",
        "(Nat.beq (popcount d s) m.satisfied)",
        "(Nat.beq (popcount d s) (popcount d s))",
    )
    build_core(core.toolchain, Theory(root), evil / "built")
    module = Path("Tracepact/Impl/Certificate.olean")
    assert (evil / "built" / module).is_file()
    return evil / "built" / module, _copy(core, tmp_path) / module


def test_a_swapped_module_is_compiled_anew(core: Build, tmp_path: Path) -> None:
    evil, place = _swapped(core, tmp_path)
    sound = place.read_bytes()
    shutil.copy2(evil, place)
    assert place.read_bytes() != sound
    assert build_core(core.toolchain, core.theory, tmp_path / "built").ok
    assert place.read_bytes() == sound


def test_a_swapped_module_with_its_note_is_compiled_anew(core: Build, tmp_path: Path) -> None:
    """The note says what it was made from, and that is not what is here."""
    evil, place = _swapped(core, tmp_path)
    sound = place.read_bytes()
    for suffix in (".olean", ".kept"):
        shutil.copy2(evil.with_suffix(suffix), place.with_suffix(suffix))
    assert build_core(core.toolchain, core.theory, tmp_path / "built").ok
    assert place.read_bytes() == sound


def test_a_module_that_is_a_link_is_compiled_anew(core: Build, tmp_path: Path) -> None:
    place = _copy(core, tmp_path) / "Tracepact/Spec/Truth.olean"
    elsewhere = tmp_path / "elsewhere"
    shutil.move(place, elsewhere)
    place.symlink_to(elsewhere)
    assert build_core(core.toolchain, core.theory, tmp_path / "built").ok
    assert not place.is_symlink()


def test_another_lean_another_source_or_other_bytes_are_not_what_was_kept(core: Build, tmp_path: Path) -> None:
    compiled = tmp_path / "A.olean"
    compiled.write_bytes(b"compiled")
    assert kept(compiled, "made from") is None
    record = keep(compiled, "made from")
    assert kept(compiled, "made from") == record
    assert kept(compiled, "made from something else") is None
    compiled.write_bytes(b"other")
    assert kept(compiled, "made from") is None
    (tmp_path / "lean").write_bytes(b"another program")
    lean = core.toolchain
    others = (replace(lean, binary=tmp_path / "lean"), replace(lean, version="Lean 9"))
    assert len({toolchain.digest() for toolchain in (lean, *others)}) == 3


def test_sources_that_lie_in_the_cache_are_not_used(core: Build, tmp_path: Path) -> None:
    folder = _copy(core, tmp_path)
    source = folder / "lean/Tracepact/Spec/Truth.lean"
    source.write_text("axiom cheat : False\n", "utf-8")
    assert build_core(core.toolchain, core.theory, folder).ok
    assert source.read_text("utf-8") == core.theory.library["Tracepact.Spec.Truth"]


def test_the_cache_is_the_users_alone(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "a" / "b")
    assert folder is not None
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_could_write_is_emptied(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    (folder / "sub").mkdir(parents=True)
    (folder / "Init.olean").write_bytes(b"")
    (folder / "sub" / "Init.olean").write_bytes(b"")
    folder.chmod(0o777)
    assert private_folder(folder) == folder
    assert list(folder.iterdir()) == []
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_link_or_anothers_folder_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert private_folder(tmp_path / "link") is None
    (tmp_path / "file").write_text("")
    assert private_folder(tmp_path / "file") is None
    user = os.getuid()
    monkeypatch.setattr("tracepact.prove.build.os.getuid", lambda: user + 1)
    assert private_folder(tmp_path / "real") is None


def test_the_cache_can_be_put_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRACEPACT_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / "lean"


def test_without_a_folder_of_ones_own_the_core_is_compiled_for_once(
    core: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lean").write_text("in the way")
    monkeypatch.setenv("TRACEPACT_CACHE", str(tmp_path))
    folders: list[Path] = []

    def build(toolchain: Toolchain, theory: Theory, folder: Path, **_: object) -> Build:
        folders.append(folder)
        assert folder.is_dir()
        return core

    monkeypatch.setattr("tracepact.prove.core.build_core", build)
    with ready_core(core.toolchain):
        assert tmp_path not in folders[0].parents
    assert not folders[0].exists()
