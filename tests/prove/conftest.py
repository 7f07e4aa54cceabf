"""Lean for the tests: found once, the core compiled once. Skipped only where the platform has no such wheel."""

import os
import platform
import shutil
import sys
from pathlib import Path

import pytest

from tracepact.tools.prove.build import Build, build_core
from tracepact.tools.prove.cache import private_folder
from tracepact.tools.prove.prove import CoreReport, check_core
from tracepact.tools.prove.theory import Theory, theory_root
from tracepact.tools.prove.toolchain import HOW_TO_GET_LEAN, Kind, Toolchain, find_toolchain


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
        pytest.skip("no Lean wheel for this platform, and no `lake` on the path")
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
    build = build_core(toolchain, theory, folder)  # the second worker waits for the first, and takes what it made
    assert build.ok, build.faults
    return build


@pytest.fixture(scope="session")
def cache(core: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for TRACEPACT_CACHE that holds the compiled core."""
    folder = tmp_path_factory.mktemp("cache")
    place = private_folder(folder / "lean")
    if place is not None and core.toolchain.kind is not Kind.LAKE:
        shutil.copytree(core.folder, place / f"wheel-{core.theory.digest[:16]}")
    return folder


@pytest.fixture(scope="session")
def report(core: Build) -> CoreReport:
    return check_core(core.toolchain, core.theory.root, core.folder)


@pytest.fixture
def lean_file(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "Check.lean"
