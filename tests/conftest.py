"""How large random tests are, their order, and what becomes of tests whose library is absent.

TRACEPACT_EXAMPLES=1000 makes every property larger than in CI.
"""

import os
import re
import signal
import sys
from collections.abc import Generator
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("TRACEPACT_EXAMPLES", "50")
settings.register_profile(
    "tracepact",
    max_examples=int(os.environ["TRACEPACT_EXAMPLES"]),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tracepact")
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup` makes programs that tests start deaf to it

LARGE = {
    "ai_edge_litert",
    "build",
    "dask",
    "distributed",
    "joblib",
    "librosa",
    "mir_eval",
    "mkdocs",
    "mtl",
    "pandas",
    "playwright",
    "polars",
    "praatio",
    "pyannote",
    "pympi",
    "pypdf",
    "pysat",
    "reelay",
    "reportlab",
    "rtamt",
    "scipy",
    "sed_eval",
    "sklearn",
    "soundfile",
    "stlcgpp",
    "torch",
    "transformers",
}
"""What `make test-all` installs and `make test` does not. A test that imports one that is absent is skipped."""
_ABSENT = re.compile(r"^E +ModuleNotFoundError: No module named '(\w+)", re.MULTILINE)
_REASON = re.compile(r"needs ([\w, ]+)$|could not import '(\w+)")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--everything", action="store_true", help="begin only if every library is there")


def pytest_configure(config: pytest.Config) -> None:
    """`make test-all` skips nothing for want of a library; rtamt has no release for newer Pythons."""
    absent = {name for name in LARGE if find_spec(name) is None} - ({"rtamt"} if sys.version_info >= (3, 13) else set())
    if config.getoption("--everything") and absent:
        raise pytest.UsageError(f"not installed: {', '.join(sorted(absent))}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no worker is left with one while the others have nothing to do."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module of tests that imports what is absent is skipped as a whole."""
    report = yield
    absent = _ABSENT.findall(str(report.longrepr)) if report.failed else []
    if absent and absent[-1] in LARGE:
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, f"Skipped: needs {absent[-1]}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    """A test that imports what is absent is skipped."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").split(".")[0]
        if name not in LARGE:
            raise
        pytest.skip(f"needs {name}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for all that was skipped: what would run it."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [_REASON.search(report.longrepr[2]) for report in skipped if isinstance(report.longrepr, tuple)]
    names = sorted({found[1] or found[2] for found in reasons if found})
    if names:
        terminalreporter.write_line(f"{len(skipped)} skipped for want of {', '.join(names)}; `make test-all` runs them")
