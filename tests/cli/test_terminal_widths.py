"""The main commands in terminals of 80, 100 and 120 columns: no line too wide, no word broken, no column unsaid."""

import fcntl
import itertools
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from rich.cells import cell_len

import tracepact
from tracepact import spec_path
from tracepact.declarations import spec_root
from tracepact.logic.models import NOT_SMALLEST

pytestmark = pytest.mark.slow

WIDTHS = (80, 100, 120)
WIDEST = 4000
"""A terminal on which nothing is wrapped, to compare with."""
DATA = ("--ref", str(spec_path("demo/reference.tsv")), "--pred", str(spec_path("demo/late_long.tsv")))
TIMED = (*DATA, "--durations", str(spec_path("demo/durations.tsv")))
FIELDS_FOLDER = Path(__file__).parents[2] / "examples" / "19-score-fields"
FIELDS = ("--ref", str(FIELDS_FOLDER / "reference.tsv"), "--pred", str(FIELDS_FOLDER / "scores"))
FAULTY = """contract faulty
step 20ms
param tol = 50ms
clause onset on true : ref_onset -> N[tol] pred_onset
clause c on ref_active : !pred_active | N[tol] pred_active
"""
APART = "F[70f,70f] (ref_onset & F[40f,40f] (ref_offset & F[25f,25f] (ref_onset & F[33f,33f] ref_offset)))"
"""What is so far apart that a trace which shows it is wider than a terminal."""
MANY = "contract many\nstep 20ms\n" + "".join(
    f"clause c{k} on ref_onset : ref_onset -> N[{k}1ms] pred_onset\n" for k in range(1, 10)
)
COMMANDS = {
    "check": ("check", "faulty.contract", "--notes"),
    "check of many faults": ("check", "many.contract"),
    "check of a long trace": ("check", "long.contract", "--timeout", "100"),
    "sat": ("sat", f"ref_onset & {APART}"),
    "implies": ("implies", "ref_onset", f"!{APART}"),
    "explain": ("explain", "boundary_gate", "--no-notes"),
    "score": ("score", "boundary_gate", *TIMED),
    "score, full": ("score", "boundary_gate", *TIMED, "--full"),
    "try": ("try", "boundary_gate"),
    "metrics": ("metrics", *TIMED),
    "audit": ("audit", "selection", "demo/late_long", "demo/fragmenting"),
    "select": ("select", "boundary_gate"),
    "league": ("league", "demo/late_long", "demo/fragmenting", "demo/over_firing"),
    "curves": ("curves", "boundary_gate", *FIELDS, "--draws", "20"),
    "show": ("show",),
    "help": ("--help",),
    "help of a command": ("score", "--help"),
    "help on the language": ("help", "language"),
}
ON_ONE_SCREEN = ("check", "check of many faults", "score", "try", "metrics", "league", "curves")
LEFT_OUT = "left out on a screen of"
_CODES = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b\][^\x07]*\x07")
_WORDS = re.compile(r"[^\s│┃┏┓┗┛━─┡┩├┤┼┴┬└┘┌┐╇╋┳┻┠┨█░▁▂▃▄▅▆▇╸╺╌]+")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("terminal")
    (found / "faulty.contract").write_text(FAULTY, encoding="utf-8")
    (found / "many.contract").write_text(MANY, encoding="utf-8")
    long = f"contract long\nstep 20ms\nclause c on {APART}\n  : G[1f,200f] pred_active & !ref_active\n"
    (found / "long.contract").write_text(long, encoding="utf-8")
    shown("demo", "--out", "demo", width=WIDEST, folder=found)
    return found


@cache
def shown(*arguments: str, width: int, folder: Path) -> str:
    """What stands on a terminal of some width after a command; both its streams go there."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", "PYTHONPATH": str(Path(tracepact.__file__).parents[1])}
    command = [sys.executable, "-m", "tracepact", *arguments]
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, cwd=folder, env=environment)
    os.close(its)
    written = b"".join(_read(mine))
    process.wait()
    os.close(mine)
    return screen(written.decode())


def _read(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:  # Linux says so when the other side is closed
            return
        if not data:
            return
        yield data


def screen(written: str) -> str:
    """The lines that remain: progress bars go up, erase themselves and are written over."""
    lines, row = [""], 0
    for piece in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\r|\n)", written):
        code = _CODES.fullmatch(piece)
        if piece == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif code and code[2] == "A":
            row = max(0, row - int(code[1] or 1))
        elif code and code[2] == "K":
            lines[row] = ""
        elif not code and piece != "\r":
            lines[row] += piece
    return "\n".join(lines)


def words(text: str) -> list[str]:
    """The words and numbers of a text, without signs around them; rows of a picture are none."""
    found = (word.strip(".,;:()") for word in _WORDS.findall(text))
    return [word for word in found if re.search(r"[^\W_]", word) and "·" not in word]


def headings(text: str) -> list[str]:
    """The headings of the tables of a text."""
    lines = text.split("\n")
    tops = [index for index, line in enumerate(lines) if line.startswith("┏")]
    return [heading.strip() for index in tops for heading in lines[index + 1].strip("┃").split("┃")]


def sampled() -> list[tuple[str, int]]:
    """Every command at the least width and in turn at one of the others; in a larger run at all."""
    whole = int(os.environ["TRACEPACT_EXAMPLES"]) >= 100
    least, *others = WIDTHS
    turns = zip(COMMANDS, itertools.cycle(others), strict=False)
    return [(name, width) for name, other in turns for width in (WIDTHS if whole else (least, other))]


@pytest.mark.parametrize(("name", "width"), sampled())
def test_default_output_fits_the_terminal(name: str, width: int, folder: Path) -> None:
    wide = shown(*COMMANDS[name], width=WIDEST, folder=folder)
    text = shown(*COMMANDS[name], width=width, folder=folder)
    assert text.strip()
    quoted = [line for line in text.split("\n") if re.match(r" *\d+ \|", line)]
    assert [line for line in text.split("\n") if cell_len(line) > width and line not in quoted] == []
    said, *note = text.replace(str(spec_root()), "").split(LEFT_OUT)
    known = {*words(wide.replace(str(spec_root()), "")), *words(NOT_SMALLEST)}  # said of a trace when time runs out
    assert [word for word in words(said) if word not in known] == [], "a word that the wide terminal does not have"
    missing = [heading for heading in headings(wide) if not set(words(heading)) <= set(words(text))]
    assert missing == [], "a column that is neither shown nor named among those left out"
    assert note or "…" not in said or "…" in wide


@pytest.mark.parametrize("name", ON_ONE_SCREEN)
def test_an_answer_fits_one_screen_unless_all_is_asked_for(name: str, folder: Path) -> None:
    brief, full = (shown(*COMMANDS[name], *more, width=100, folder=folder) for more in ((), ("--full",)))
    assert len(brief.rstrip().split("\n")) < 40  # the last line is the prompt's
    assert len(full.split("\n")) >= len(brief.split("\n"))


@pytest.mark.parametrize("name", ["check of a long trace", "sat", "implies"])
def test_a_trace_that_is_too_wide_goes_on_below(name: str, folder: Path) -> None:
    wide, narrow = (shown(*COMMANDS[name], width=width, folder=folder) for width in (WIDEST, WIDTHS[0]))
    drawn = [
        [line for line in text.split("\n") if re.match(r"( *\| )?ref_onset +[█·]", line)] for text in (wide, narrow)
    ]
    assert max(map(len, drawn[0])) > WIDTHS[0]
    assert len(drawn[1]) > len(drawn[0])
    assert sum(line.count("█") for line in drawn[1]) == sum(line.count("█") for line in drawn[0])


def test_the_screen_forgets_what_was_erased_and_written_over() -> None:
    assert screen("a\r\n[bar 1]\r\x1b[2Kb\r\n") == "a\nb\n"
    assert screen("one\ntwo\x1b[1A\r\x1b[2Kthree") == "three\ntwo"
