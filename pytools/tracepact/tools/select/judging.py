"""An interview of a judge: pairs of outputs, the answers so far, and the file they are kept in (rule 14.30)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from threading import Lock
from typing import Literal

from markupsafe import Markup

from tracepact.files import table_text, write_whole
from tracepact.records import Count, Record
from tracepact.show.figure import inline
from tracepact.show.lanes import Form, Lane, lane_chart
from tracepact.tools.page_server import Questions, decoded, encoded
from tracepact.tools.select.asking import Outlook, Tried, outlook
from tracepact.tools.select.preferences import COLUMNS, Preferences, as_written, judgement_table
from tracepact.tools.select.separate import Pair
from tracepact.tools.select.systems import SystemOutputs
from tracepact.wording import count, decimal

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


class Given(Record, frozen=True):
    """What a judge said of a pair, and how many answers the page knew of."""

    pair: Count
    said: Literal["left", "right", "same"]
    after: Count


class Undone(Record, frozen=True):
    """That the last answer is taken back, and how many the page knew of."""

    after: Count


class Nothing(Record, frozen=True):
    """A question without content: what is to be shown now."""


class Shown(Record, frozen=True):
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
    own: int = 0
    """How many rows were added here; only these can be taken back."""
    _lock: Lock = field(default_factory=Lock)

    @property
    def questions(self) -> Questions:
        """What the page may ask."""
        return {
            "next": lambda body: encoded(self.shown(decoded(body, Nothing))),
            "answer": lambda body: encoded(self.answer(decoded(body, Given))),
            "undo": lambda body: encoded(self.undo(decoded(body, Undone))),
        }

    def shown(self, _: Nothing = Nothing(), notice: str = "") -> Shown:  # noqa: B008  (a frozen record)
        """The next pair and the state of the interview."""
        found = self.outlook()
        place = found.next
        asked = None if place is None else self.pairs[place]
        return Shown(
            place,
            asked.clip if asked else "",
            str(self.picture(asked)) if asked else "",
            self.sounds.get(asked.clip) if asked else None,
            len(self.rows),
            len(self.pairs),
            found.possible,
            found.open,
            found.settled,
            found.violated,
            self._told(found) if self.rows else "",
            notice,
        )

    def _told(self, found: Outlook) -> str:
        """What the answers so far mean: contradictions that no contract tried keeps, or that asking can end."""
        against = found.violated + sum(min(first, second) for first, second in self._judged().values())
        if against:
            return (
                f"No contract tried agrees with all answers: each is against {count(against, 'answer')} or more. "
                "Not all contracts were tried; `tracepact select` searches all of them."
            )
        if found.settled:
            return (
                "Asking more no longer changes the answer: all contracts tried that can still be meant judge the other "
                "pairs alike."
            )
        return ""

    def answer(self, given: Given) -> Shown:
        """Keep an answer; one that was given to another state, as from a second window, is not."""
        with self._lock:
            if given.after != len(self.rows):
                return self.shown(notice="this was answered in another window; here is what is next")
            if given.pair >= len(self.pairs):
                return self.shown(notice="there is no such pair")
            asked = self.pairs[given.pair]
            sides = ("b", "a") if asked.turned else ("a", "b")
            worse = {"left": sides[0], "right": sides[1], "same": "same"}[given.said]
            row = {"clip": asked.clip, "a": asked.a, "b": asked.b, "worse": worse, "judge": self.judge}
            self._write([*self.rows, row])
            self.own += 1
        return self.shown()

    def undo(self, undone: Undone) -> Shown:
        """Take the last answer back, if it was given here."""
        with self._lock:
            if undone.after != len(self.rows):
                return self.shown(notice="this was answered in another window; here is what is next")
            if not self.own:
                return self.shown(notice="only answers of this interview are taken back")
            self._write(self.rows[:-1])
            self.own -= 1
        return self.shown()

    def outlook(self) -> Outlook:
        """What the answers so far leave."""
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

    def picture(self, asked: AskedPair) -> Markup:
        """The two outputs beside each other, each under the reference; nothing says which system is which."""
        sides = (asked.b, asked.a) if asked.turned else (asked.a, asked.b)
        outputs = [self.outputs.systems[name].get(asked.clip, ()) for name in sides]
        reference = self.outputs.reference.get(asked.clip, ())
        labels = sorted({event.label for side in (reference, *outputs) for event in side}) or [""]
        lanes = []
        for label in labels:
            times = [[(e.onset, e.offset) for e in side if e.label == label] for side in (reference, *outputs)]
            lanes.append(Lane(f"{label}, reference" if label else "reference", [times[0], times[0]], Form.SOLID))
            lanes.append(Lane(f"{label}, output" if label else "output", times[1:], Form.OUTLINE))
        duration = self.outputs.durations[asked.clip]
        title = f"{asked.clip}, {decimal(duration, 1)} s"
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
