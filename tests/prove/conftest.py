"""Lean for the tests: found once, the core compiled once. Skipped only where the platform has no such wheel."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tracepact.prove.build import Build, Program, build_core, compile_program, find_program
from tracepact.prove.core import CoreReport, check_core
from tracepact.prove.theory import Theory, theory_root
from tracepact.prove.toolchain import HOW_TO_GET_LEAN, Toolchain, ToolchainKind, find_toolchain, private_folder


def _has_wheel() -> bool:
    """Whether the wheel exists for this platform: Linux with glibc 2.35 or newer, or macOS."""
    if sys.platform == "darwin":
        return True
    library, version = platform.libc_ver()
    machine = platform.machine().lower() in ("x86_64", "amd64", "aarch64", "arm64")
    return sys.platform == "linux" and machine and library == "glibc" and tuple(map(int, version.split("."))) >= (2, 35)


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    found = find_toolchain()
    if found is None and not _has_wheel():
        pytest.skip("no Lean wheel for this platform")
    assert found is not None, HOW_TO_GET_LEAN
    return found


@pytest.fixture(scope="session")
def theory() -> Theory:
    return Theory(theory_root())


@pytest.fixture(scope="session")
def core(toolchain: Toolchain, theory: Theory, tmp_path_factory: pytest.TempPathFactory) -> Build:
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "core"
    folder.mkdir(mode=0o700, exist_ok=True)
    build = build_core(
        toolchain, theory, folder, emits=True
    )  # the second worker waits for the first, and takes what it made
    assert build.ok, build.faults
    return build


@pytest.fixture(scope="session")
def cache(core: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for TRACEPACT_CACHE that holds the compiled core."""
    folder = tmp_path_factory.mktemp("cache")
    place = private_folder(folder / "lean")
    if place is not None and core.toolchain.kind is not ToolchainKind.LAKE:
        shutil.copytree(core.folder, place / f"wheel-{core.theory.digest[:16]}")
    return folder


@pytest.fixture(scope="session")
def report(core: Build) -> CoreReport:
    return check_core(core.toolchain, core.theory.root, core.folder)


@pytest.fixture(scope="session")
def cache_of_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "program-cache"


@pytest.fixture(scope="session")
def compiled(core: Build, cache_of_program: Path) -> Iterator[Program]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACEPACT_CACHE", str(cache_of_program))
        yield find_program() or compile_program(core)


@pytest.fixture
def lean_file(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "Check.lean"
