"""The wheel: every file of spec/ once, types, and a fresh environment in which the commands work."""

import os
import subprocess
import sys
import venv
import zipfile
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPEC = ROOT / "spec"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FORCE_COLOR")}


def command(*arguments: str | Path, cwd: Path) -> str:
    """Run a command; what it printed, or a failure with all it said."""
    ended = subprocess.run(
        [str(a) for a in arguments], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, encoding="utf-8"
    )
    assert ended.returncode == 0, f"{ended.args}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment that was empty before the wheel was installed."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "env", with_pip=True)
    scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    command(scripts / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    return scripts


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_spec_once(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    packed = sorted(name.removeprefix("tracepact/") for name in names if name.startswith("tracepact/spec/"))
    assert packed == sorted(str(path.relative_to(ROOT)) for path in SPEC.rglob("*") if path.is_file())
    assert len(names) == len(set(names))


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_proof_core_once(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    prefix = "tracepact/prove/theory/"
    packed = sorted(name.removeprefix(prefix) for name in names if name.startswith(prefix))
    lean = [path for path in (ROOT / "lean").rglob("*") if path.is_file()]
    core = [*lean, ROOT / "lakefile.lean", ROOT / "lean-toolchain"]
    assert packed == sorted(str(path.relative_to(ROOT)) for path in core)


@pytest.mark.slow
def test_the_wheel_holds_the_package_with_its_types_and_nothing_else(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert "tracepact/py.typed" in names
    sources = ROOT / "pytools"
    modules = {
        str(path.relative_to(sources)) for name in ("tracepact", "tracelab") for path in (sources / name).rglob("*.py")
    }
    assert {name for name in names if name.endswith(".py")} == modules
    parts = {"tracelab", "tracepact", f"{'-'.join(wheel.stem.split('-')[:2])}.dist-info"}
    assert {name.split("/")[0] for name in names} == parts


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment_outside_the_repository(installed: Path, tmp_path: Path) -> None:
    tracepact = installed / "tracepact"
    assert command(tracepact, "--version", cwd=tmp_path).startswith("tracepact, version ")
    command(tracepact, "check", "boundary_gate", cwd=tmp_path)
    command(tracepact, "demo", "--out", "out", cwd=tmp_path)
    assert len(list((tmp_path / "out").glob("*/report.json"))) == 3
    where = command(
        installed / "python", "-c", "import tracepact.declarations as s; print(s.spec_root())", cwd=tmp_path
    )
    spec = Path(where.strip())
    assert spec.is_relative_to(installed.parent.resolve())
    demo = spec / "demo"
    given = ("--ref", demo / "reference.tsv", "--pred", demo / "late_long.tsv", "--durations", "12")
    printed = command(tracepact, "score", "boundary_gate", *given, "--format", "csv", cwd=tmp_path)
    assert printed.startswith("filename,event_label,clause,satisfied,obligated,value,decimal,vacuous\nclip_01.wav,")
    theory = command(
        installed / "python",
        "-c",
        "from tracepact.prove.theory import theory_root as t; print(t())",
        cwd=tmp_path,
    )
    assert Path(theory.strip()).is_relative_to(installed.parent.resolve())


@pytest.mark.slow
def test_the_wheel_pulls_in_its_run_time_dependencies_only(installed: Path, tmp_path: Path) -> None:
    listed = command(installed / "python", "-m", "pip", "list", "--format", "freeze", cwd=tmp_path)
    names = {line.split("==")[0].lower() for line in listed.split()}
    assert {"tracepact", "click", "lark", "numpy", "rich"} <= names
    assert not names & {"pytest", "hypothesis", "mypy", "ruff", "pandas", "jsonschema"}


def test_git_holds_no_second_copy_of_a_spec_file() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = command("git", "ls-files", "--stage", cwd=ROOT).splitlines()
    blobs = {line.split("\t")[1]: line.split()[1] for line in listed}
    count = Counter(blobs.values())
    spec = [path for path in blobs if path.startswith("spec/")]
    assert spec
    assert [path for path in spec if count[blobs[path]] > 1] == []
