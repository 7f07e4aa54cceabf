"""An interview of a judge on a page of its own, and `tracepact judge` (rule 14.30)."""

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypedDict, Unpack

import click
from markupsafe import Markup

from tracepact.command_line import Exit
from tracepact.data.memory import AudioFolder, audio_files
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.files import table_text, write_whole
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.options import Assignment, durations_option
from tracepact.page_server import PageServer, Questions, ServedFile, decoded, encoded, server_options
from tracepact.records import Count, Record
from tracepact.runs.report_parts import media_type
from tracepact.selection.basis import Coordinate, observe_family, with_matcher
from tracepact.selection.calibration import Calibration
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.draft import complete_calibration, stages_shown
from tracepact.selection.judgements import (
    COLUMNS,
    ClipNames,
    Outlook,
    Preference,
    Preferences,
    ShareRecord,
    SystemOutputs,
    Tables,
    Tried,
    as_written,
    judgement_table,
    outlook,
    read_preferences,
    read_systems,
    tried_contracts,
    with_cases,
)
from tracepact.selection.preferences import MOST_CLAUSES, predicted
from tracepact.selection.requirements import Pair
from tracepact.selection.selection import retain_basis
from tracepact.show.figures import inline
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.pages import Form, Lane, Section, html_page, lane_chart, templates
from tracepact.wording import count, decimal, percent

# An interview of a judge: pairs of outputs, the answers so far, and the file they are kept in (rule 14.30).

_PREDICTED = 0.8
"""An interview may end when the interval of the answers that are predicted begins here."""
_ANEW = 5
"""What is predicted is found anew after so many answers."""
_FIELDS = ("clip", *COLUMNS, "judge")


@dataclass(frozen=True, slots=True)
class AskedPair:
    """Two systems on one clip; the places of their cases."""

    clip: str
    a: str
    b: str
    pair: Pair

    @property
    def turned(self) -> bool:
        """Whether `a` is shown on the right: by a digest, so that a side says nothing about a system."""
        return hashlib.sha256("\0".join((self.clip, self.a, self.b)).encode()).digest()[0] % 2 == 1


class JudgedPair(Record, frozen=True):
    """What a judge said of a pair, and how many answers the page knew of."""

    pair: Count
    said: Literal["left", "right", "same"]
    after: Count


class Undone(Record, frozen=True):
    """That the last answer is taken back, and how many the page knew of."""

    after: Count


class Nothing(Record, frozen=True):
    """A question without content: what is to be shown now."""


class InterviewState(Record, frozen=True):
    """What the page shows: the next pair, and how far the judge has come."""

    pair: int | None
    clip: str
    picture: str
    sound: str | None
    answers: Count
    pairs: Count
    possible: Count
    open: Count
    settled: bool
    violated: Count
    told: str
    notice: str = ""


@dataclass(slots=True)
class Interview:
    """The answers of a judge; every one is written before the next pair is shown."""

    outputs: SystemOutputs
    pairs: Sequence[AskedPair]
    tried: Tried
    file: Path
    judge: str
    rows: list[dict[str, str]] = field(default_factory=list)
    sounds: dict[str, str] = field(default_factory=dict)
    coordinates: Sequence[Coordinate] = ()
    added: int = 0
    """How many rows were added here; only these can be taken back."""
    _shares: dict[int, ShareRecord] = field(default_factory=dict)
    # The server answers each request in a thread of its own.
    _lock: Lock = field(default_factory=Lock)

    @property
    def questions(self) -> Questions:
        """The questions that the page may ask, and what answers them."""
        return {
            "next": lambda body: encoded(self.shown(decoded(body, Nothing))),
            "answer": lambda body: encoded(self.answer(decoded(body, JudgedPair))),
            "undo": lambda body: encoded(self.undo(decoded(body, Undone))),
        }

    def shown(self, _: Nothing = Nothing(), notice: str = "") -> InterviewState:  # noqa: B008  (a frozen record)
        """The next pair and the state of the interview."""
        outlook = self.outlook()
        place = outlook.next
        pair = None if place is None else self.pairs[place]
        return InterviewState(
            place,
            pair.clip if pair else "",
            str(self.picture(pair)) if pair else "",
            self.sounds.get(pair.clip) if pair else None,
            len(self.rows),
            len(self.pairs),
            outlook.possible,
            outlook.open,
            self._enough(outlook),
            outlook.violated,
            self._told(outlook) if self.rows else "",
            notice,
        )

    def _told(self, outlook: Outlook) -> str:
        """A note for the judge: that the answers contradict each other, or that more of them change nothing."""
        against = outlook.violated + sum(min(first, second) for first, second in self._judged().values())
        if against:
            return (
                f"No contract tried agrees with all answers: each is against {count(against, 'answer')} or more. "
                "Not all contracts were tried; `tracepact select` searches all of them."
            )
        if outlook.next is None:
            return "Every pair was asked about."
        share = self._predicted()
        if not share.of:
            return ""
        low, high = share.interval
        known = (
            f"Contracts of up to {MOST_CLAUSES} clauses, fitted to the other answers, predict {share.count} of "
            f"{share.of} ({percent(low)} to {percent(high)} at 95 %)."
        )
        return f"Asking more would change little. {known}" if self._enough(outlook) else known

    def _enough(self, outlook: Outlook) -> bool:
        """Whether to stop: every pair was asked, or the contracts tried agree and answers left out are predicted."""
        return outlook.next is None or (outlook.settled and self._predicted().interval[0] >= _PREDICTED)

    def _predicted(self) -> ShareRecord:
        """Of the answers left out in turn how many a contract of the others predicts; anew after every few answers."""
        rows = tuple(
            Preference(pair if net > 0 else Pair(pair.better, pair.worse), Fraction(abs(net)), "", 0)
            for place, (first, second) in sorted(self._judged().items())
            if (net := first - second) and (pair := self.pairs[place].pair)
        )
        number = len(rows) - len(rows) % _ANEW
        if number not in self._shares:
            self._shares[number] = predicted(self.coordinates, Preferences("", rows[:number], 0))
        return self._shares[number]

    def answer(self, judged: JudgedPair) -> InterviewState:
        """Keep an answer; one that was given to another state, as from a second window, is not."""
        with self._lock:
            if judged.after != len(self.rows):
                return self.shown(notice="this was answered in another window; here is what is next")
            if judged.pair >= len(self.pairs):
                return self.shown(notice="there is no such pair")
            shown_pair = self.pairs[judged.pair]
            sides = ("b", "a") if shown_pair.turned else ("a", "b")
            worse = {"left": sides[0], "right": sides[1], "same": "same"}[judged.said]
            row = {"clip": shown_pair.clip, "a": shown_pair.a, "b": shown_pair.b, "worse": worse, "judge": self.judge}
            # the file first, then the state: an answer that the page shows as taken is on the disk
            self._write([*self.rows, row])
            self.added += 1
        return self.shown()

    def undo(self, undone: Undone) -> InterviewState:
        """Take the last answer back, if it was given here."""
        with self._lock:
            if undone.after != len(self.rows):
                return self.shown(notice="this was answered in another window; here is what is next")
            if not self.added:
                return self.shown(notice="only answers of this interview are taken back")
            self._write(self.rows[:-1])
            self.added -= 1
        return self.shown()

    def outlook(self) -> Outlook:
        """The contracts that are still possible, and the pair to ask about next."""
        judged = self._judged()
        net = {pair: first - second for pair, (first, second) in judged.items()}
        return outlook(self.tried, net, frozenset(judged))

    def _judged(self) -> dict[int, tuple[int, int]]:
        """By pair that was asked how many answers say that its first case is worse, and how many its second."""
        places = {(one.clip, one.a, one.b): (k, 1) for k, one in enumerate(self.pairs)}
        places |= {(one.clip, one.b, one.a): (k, -1) for k, one in enumerate(self.pairs)}
        judged: dict[int, tuple[int, int]] = {}
        for row in self.rows:
            pair, turn = places.get((row["clip"], row["a"], row["b"]), (None, 1))
            if pair is None:
                continue
            sign = {"a": 1, row["a"]: 1, "b": -1, row["b"]: -1}.get(row["worse"], 0) * turn
            first, second = judged.get(pair, (0, 0))
            judged[pair] = first + (sign > 0), second + (sign < 0)
        return judged

    def picture(self, pair: AskedPair) -> Markup:
        """The two outputs beside each other, each under the reference; nothing says which system is which."""
        sides = (pair.b, pair.a) if pair.turned else (pair.a, pair.b)
        outputs = [self.outputs.systems[name].get(pair.clip, ()) for name in sides]
        reference = self.outputs.reference.get(pair.clip, ())
        labels = sorted({event.label for side in (reference, *outputs) for event in side}) or [""]
        lanes = []
        for label in labels:
            times = [[(e.onset, e.offset) for e in side if e.label == label] for side in (reference, *outputs)]
            lanes.append(Lane(f"{label}, reference" if label else "reference", [times[0], times[0]], Form.SOLID))
            lanes.append(Lane(f"{label}, output" if label else "output", times[1:], Form.OUTLINE))
        duration = self.outputs.durations[pair.clip]
        title = f"{pair.clip}, {decimal(duration, 1)} s"
        return inline(lane_chart(title, [("left", duration), ("right", duration)], lanes, width=1080))

    def _write(self, rows: list[dict[str, str]]) -> None:
        """The file, whole, and then the rows."""
        columns = list(dict.fromkeys([*_FIELDS, *(name for row in rows for name in row)]))
        text = table_text(columns, ([row.get(name, "") for name in columns] for row in rows), ",")
        write_whole({self.file: text}, in_place=True)
        self.rows = rows


def pairs_of(outputs: SystemOutputs, places: dict[tuple[str, str], int]) -> list[AskedPair]:
    """Every two systems on every clip, in order, but for outputs that are equal."""
    return [
        AskedPair(clip, a, b, Pair(places[clip, a], places[clip, b]))
        for clip in outputs.durations
        for a, b in combinations(outputs.systems, 2)
        if outputs.systems[a].get(clip, ()) != outputs.systems[b].get(clip, ())
    ]


def rows_of(text: str, judged: Preferences) -> list[dict[str, str]]:
    """The rows of a file that was read as preferences, as they are written in it."""
    table = judgement_table(text)
    rows = [as_written(row, table) for row in table]
    assert len(rows) == len(judged.rows) + judged.same
    return rows


# The page on which a judge says which of two outputs is worse.

_FOLDER = Path(__file__).resolve().parent


def judge_page(interview: Interview, command: str) -> str:
    """The page of an interview; `command` is what makes a contract of its file."""
    parts: Any = templates(_FOLDER).get_template("judge.html").module
    sections = [
        Section("pair", "Which of the two is worse?", parts.pair()),
        Section("known", "What is known", parts.progress(str(interview.file), command)),
    ]
    return html_page(
        "tracepact judge",
        parts.head(),
        sections,
        scripts=["judge.js"],
        styles=["judge.css"],
        media="'self'",
        connect="'self'",
    )


# `tracepact judge`: collect judgements of which of two systems' outputs is worse, in the browser.

MOST_CLIPS = 300


class _Options(TypedDict):
    """The options of the tables, as the command gets them."""

    ref: str
    systems: tuple[tuple[str, str], ...]
    durations: str | None
    audio: str | None


@click.command()
@click.argument("calibration", default="boundary_gate", shell_complete=complete_calibration)
@click.option("--ref", type=click.Path(), required=True, help="Reference events: a file or folder of any format.")
@click.option(
    "--system",
    "systems",
    type=Assignment("'base=base.tsv'"),
    multiple=True,
    help="The predictions of a system, NAME=TABLE; two or more.",
)
@durations_option()
@click.option("--audio", type=click.Path(exists=True, file_okay=False), help="A folder of sound files, to be heard.")
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of judgements to write; one that exists is continued.",
)
@click.option("--judge", default="", help="Who judges; a column of the file.")
@server_options
def command(calibration: str, out: Path, judge: str, port: int, opens: bool, **options: Unpack[_Options]) -> int:
    """Say in the browser which of two systems' outputs is worse; the answers are preferences for `tracepact select`.

    CALIBRATION, a file or the name of a shipped set, gives the step and the candidates; its cases are not used. Each
    pair is shown as timelines under the reference, with its sound where there is one, without the systems' names. The
    next pair is the one that the contracts still possible are divided on most; the page says when asking more no longer
    changes the answer. Every answer is in --out before the next pair is shown: end it whenever you like, and go on
    later. The page is served on 127.0.0.1 only, at an address with a token. Ctrl-C ends it.

    Exit codes: 0 ended, 2 invalid input.
    """
    systems = dict(options["systems"])
    if len(systems) < 2 or len(systems) != len(options["systems"]):
        raise click.UsageError("give two systems or more, each with a name of its own: --system NAME=TABLE")
    if not out.parent.is_dir():
        raise click.UsageError(f"there is no folder `{out.parent}` to write `{out.name}` in")
    tables = Tables(options["ref"], options["durations"], systems, options["audio"])
    with stages_shown() as on_stage:
        on_stage("reading")
        grid = load_calibration(calibration, ranked=False)
        outputs = _bounded(read_systems(grid, tables))
        interview = prepared(grid, outputs, out, judge)
    print_diagnostics(outputs.warnings)
    sounds = _sounds(tables.audio, outputs)
    interview.sounds.update({clip: name for clip, (name, _) in sounds.items()})
    named = " ".join(f"--system {shlex.quote(f'{name}={table}')}" for name, table in systems.items())
    lengths = "" if tables.durations is None else f" --durations {shlex.quote(tables.durations)}"
    if tables.durations is None and tables.audio is not None:
        lengths = f" --audio {shlex.quote(tables.audio)}"
    again = f"tracepact select {calibration} --preferences {out} --ref {shlex.quote(tables.ref)} {named}{lengths}"
    with PageServer(judge_page(interview, again), interview.questions, port, dict(sounds.values())) as server:
        server.serve_page(opens=opens)
    say(f"{count(len(interview.rows), 'answer')} in {out}")
    return Exit.OK


def prepared(grid: Calibration, outputs: SystemOutputs, out: Path, judge: str) -> Interview:
    """An interview with the answers so far; InvalidInput if no pair differs, or if the file is of other tables."""
    places = {
        (clip, system): number * len(outputs.systems) + k
        for number, clip in enumerate(outputs.durations)
        for k, system in enumerate(outputs.systems)
    }
    pairs = pairs_of(outputs, places)
    kept: list[AskedPair] = []
    coordinates: tuple[Coordinate, ...] = ()
    if pairs:
        cases = tuple(outputs.case(clip, system) for clip, system in places)
        calibration = with_cases(grid, cases)
        observed = observe_family(calibration, with_matcher(calibration.family, None))
        coordinates = retain_basis(observed, ()).basis.coordinates
        tried = tried_contracts(coordinates, [one.pair for one in pairs])
        # a pair on which no tried contract has a verdict teaches nothing
        told = [k for k in range(len(pairs)) if tried.signs[:, k].any()]
        kept, tried = [pairs[k] for k in told], replace(tried, signs=tried.signs[:, told])
    if not kept:
        headline = "on no clip do two systems differ in a way that a candidate sees; there is nothing to judge"
        help = "widen the family, or take other systems"
        raise InvalidInput([Diagnostic("empty-family", headline, RowPlace(str(out)), help)])
    interview = Interview(outputs, kept, tried, out, judge, coordinates=coordinates)
    if out.exists():
        text = _text(out)
        interview.rows = rows_of(text, read_preferences(str(out), ClipNames(outputs), empty=True))
    return interview


def _text(out: Path) -> str:
    """A file of judgements that is continued; InvalidInput for one that is no plain file beside its own name."""
    try:
        return read_within(out.parent, out.name, LARGEST_DOCUMENT).decode("utf-8-sig")
    except UnicodeDecodeError:
        why = "it is not UTF-8 text"
    except OSError as error:
        why = (error.strerror or str(error)).lower()
    raise InvalidInput([Diagnostic("unreadable-file", f"`{out}` cannot be read: {why}", RowPlace(str(out)))])


def _bounded(outputs: SystemOutputs) -> SystemOutputs:
    """The first clips on which systems differ, so many at most."""
    differing = [
        clip for clip in outputs.durations if len({table.get(clip, ()) for table in outputs.systems.values()}) > 1
    ]
    if len(differing) > MOST_CLIPS:
        say(f"the first {MOST_CLIPS} of {len(differing):,} clips on which the systems differ are taken")
    taken = differing[:MOST_CLIPS]
    return replace(outputs, durations={clip: outputs.durations[clip] for clip in taken})


def _sounds(folder: str | None, outputs: SystemOutputs) -> dict[str, tuple[str, ServedFile]]:
    """By clip the address of its sound, and the file behind it."""
    if folder is None:
        return {}
    diagnostics = Diagnostics()
    files = audio_files(AudioFolder(folder), list(outputs.durations), diagnostics)
    diagnostics.raise_errors()
    say(f"{len(files):,} of {count(len(outputs.durations), 'clip')} have a sound file in {folder}")
    numbered = enumerate(sorted(files.items()))
    return {clip: (f"sound/{number}", ServedFile(path, media_type(path))) for number, (clip, path) in numbered}
