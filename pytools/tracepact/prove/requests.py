"""What the compiled core is asked, as numbers: formulas, predicates, tables and streams, and its answers read back."""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Self, TypeVar

from tracepact.language.contract import Contract, Matcher, Projection
from tracepact.language.formula import Formula, FrameRun
from tracepact.prove.build import HOW_TO_BUILD, Program, ProgramFault, find_program
from tracepact.prove.text import core_clauses, core_each, core_formula, core_predicate, core_projection

# What is asked, in the order in which `lean/Tracepact/Main.lean` reads it; every choice by its place in its list there.

(
    BITSET,
    NAIVE,
    FAMILY,
    REACH,
    COUNTS,
    NAIVE_COUNTS,
    CHUNK,
    REST,
    BUFFER,
    RUNS,
    PROJECT,
    MATCH,
    EVENTS,
    CLIP,
    SCORES,
    SOFT,
    SOFT_TALLY,
) = range(17)

Words = Iterator[int]
T = TypeVar("T")


def list_words(entries: Sequence[Iterable[int]]) -> Words:
    """A list behind its length."""
    yield len(entries)
    for entry in entries:
        yield from entry


def contract_words(contract: Contract, unit: int) -> Words:
    """The core of a contract, with times in units of `1 / unit` seconds."""
    yield int(contract.step * unit)
    yield from core_projection(contract.projection).words
    yield int(contract.merge_gap * unit)
    yield from matcher_words(contract.matcher, unit)
    yield from list_words([clause.words for clause in core_clauses(contract, unit)])


def matcher_words(matcher: Matcher, unit: int) -> Words:
    """How far a matcher searches, and its overlap reward as a fraction, the denominator first."""
    reward, scale = matcher.overlap_reward.as_integer_ratio()
    yield from (int(matcher.search * unit), scale, reward)


# Asking: a line of numbers, and a line of numbers back.

_UNCONFIRMED = 2
"""What an answer begins with that a check of the core refused; 0 is an answer, 1 none."""


class LeanProcess:
    """The program while it runs; used with `with`, or closed in the end."""

    def __init__(self, program: Program) -> None:
        # Nothing of the environment can put another library before the one that the program was linked with.
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("LD_", "DYLD_", "LEAN"))
        }
        self._process = subprocess.Popen(  # noqa: S603
            [str(program.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="ascii",
            env=environment,
        )

    def ask(self, numbers: Iterable[int]) -> list[int] | None:
        """The answer to a request; none if it stands for nothing, or is beyond what the program takes.

        ProgramFault if the program ended, or if a check of the core did not confirm what was computed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(" ".join(f"{number:x}" for number in numbers) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except (BrokenPipeError, OSError) as error:
            raise ProgramFault(f"the compiled core cannot be asked: {error}") from None
        if not line:
            raise ProgramFault(f"the compiled core ended with code {self._process.wait()}")
        code, *answer = (int(word, 16) for word in line.split(" "))
        if code == _UNCONFIRMED:
            raise ProgramFault("a check of the core did not confirm what the program computed")
        return None if code else answer

    def close(self) -> None:
        """End the program."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class ListedCandidate:
    """A candidate pair, with its cost in units over the denominator of the overlap reward."""

    ref: int
    pred: int
    cost: int


@dataclass(frozen=True, slots=True)
class HeldFrames:
    """What the streaming program holds: frames seen, frames held, and the masks of these."""

    seen: int = 0
    held: int = 0
    masks: tuple[int, ...] = ()


class _AnswerReader:
    """Reads an answer, number after number."""

    def __init__(self, words: Sequence[int]) -> None:
        self._words = iter(words)

    def number(self) -> int:
        return next(self._words)

    def flag(self) -> bool:
        return bool(self.number())

    def signed(self) -> int:
        is_negative, size = self.flag(), self.number()
        return -size - 1 if is_negative else size

    def several(self, entry: Callable[[], T]) -> list[T]:
        return [entry() for _ in range(self.number())]

    def run(self) -> FrameRun:
        return self.number(), self.number()

    def candidate(self) -> ListedCandidate:
        return ListedCandidate(self.number(), self.number(), self.signed())

    def verdict(self) -> tuple[int, bool]:
        return self.number(), self.flag()


class Unanswered(ValueError):  # noqa: N818  (it names what the request is)
    """The compiled core takes no such request: something in it is larger than it takes."""


class LeanCore:
    """The compiled core, asked in the words of the package; used with `with`."""

    def __init__(self, process: LeanProcess) -> None:
        self._process = process

    @classmethod
    def start(cls) -> Self:
        """Start the program that `prove --build` made; ProgramFault if there is none."""
        program = find_program()
        if program is None:
            raise ProgramFault(HOW_TO_BUILD)
        return cls(LeanProcess(program))

    def close(self) -> None:
        """End the program."""
        self._process.close()

    def _ask(self, *parts: Iterable[int]) -> _AnswerReader:
        answer = self._process.ask(word for part in parts for word in part)
        if answer is None:
            raise Unanswered("the compiled core takes no request of this size")
        return _AnswerReader(answer)

    def verdicts(
        self, formulas: Sequence[Formula], frames: int, masks: Mapping[str, int], *, naive: bool = False
    ) -> list[int]:
        """The verdict masks of formulas on a clip, by the bitset engine or by the naive loops."""
        numbers, clip = _clip(frames, masks)
        written = [core_formula(formula, numbers).words for formula in formulas]
        answer = self._ask((NAIVE if naive else BITSET,), clip, list_words(written))
        return answer.several(answer.number)

    def family(self, formula: Formula, clips: Sequence[tuple[int, Mapping[str, int]]]) -> list[int]:
        """The verdict masks of a formula on clips that lie end to end on one mask."""
        names = sorted(clips[0][1])
        numbers = {name: number for number, name in enumerate(names)}
        written = [(frames, len(names), *(masks[name] for name in names)) for frames, masks in clips]
        answer = self._ask((FAMILY, len(names)), list_words(written), core_formula(formula, numbers).words)
        return answer.several(answer.number)

    def reach(self, formula: Formula, names: Iterable[str]) -> tuple[int, int]:
        """Lookback and lookahead."""
        numbers = {name: number for number, name in enumerate(sorted(names))}
        answer = self._ask((REACH,), core_formula(formula, numbers).words)
        return answer.number(), answer.number()

    def counts(
        self, obligation: Formula, formula: Formula, frames: int, masks: Mapping[str, int], *, naive: bool = False
    ) -> tuple[int, int]:
        """The satisfied and obligated frames of a clause on a clip."""
        numbers, clip = _clip(frames, masks)
        written = (core_formula(each, numbers).words for each in (obligation, formula))
        answer = self._ask((NAIVE_COUNTS if naive else COUNTS,), clip, *written)
        return answer.number(), answer.number()

    def chunk(
        self, formula: Formula, names: Mapping[str, int], held: HeldFrames, frames: int, masks: Sequence[int]
    ) -> tuple[HeldFrames, list[tuple[int, bool]]]:
        """What the streaming program holds after a chunk, and the verdicts it lets out, in order."""
        buffer = (held.seen, held.held, len(held.masks), *held.masks)
        chunk = (frames, len(masks), *masks)
        answer = self._ask((CHUNK,), buffer, chunk, core_formula(formula, names).words)
        after = HeldFrames(answer.number(), answer.number(), tuple(answer.several(answer.number)))
        return after, answer.several(answer.verdict)[::-1]

    def rest(self, formula: Formula, names: Mapping[str, int], held: HeldFrames) -> list[tuple[int, bool]]:
        """The verdicts that the streaming program has left at the end."""
        buffer = (held.seen, held.held, len(held.masks), *held.masks)
        answer = self._ask((REST,), buffer, core_formula(formula, names).words)
        return answer.several(answer.verdict)[::-1]

    def buffered(
        self, formula: Formula, frames: int, masks: Mapping[str, int], chunks: Sequence[int]
    ) -> list[tuple[int, bool]]:
        """All that the program with a buffer gives on a trace that arrives in chunks."""
        numbers, clip = _clip(frames, masks)
        newest_first = (len(chunks), *reversed(chunks))
        answer = self._ask((BUFFER,), clip, newest_first, core_formula(formula, numbers).words)
        return answer.several(answer.verdict)[::-1]

    def runs(self, frames: int, mask: int, step: int, gap: int) -> tuple[list[FrameRun], list[FrameRun], int, int]:
        """Runs, joined runs, and the masks of onsets and offsets; step and gap in one unit."""
        answer = self._ask((RUNS, frames, mask, step, gap))
        return answer.several(answer.run), answer.several(answer.run), answer.number(), answer.number()

    def project(
        self, projection: Projection, step: int, duration: int, events: Sequence[tuple[int, int]]
    ) -> tuple[int, list[FrameRun], int]:
        """Frames, runs, and how many events gave no frame; times in one unit."""
        answer = self._ask((PROJECT,), core_projection(projection).words, (step, duration), list_words(events))
        return answer.number(), answer.several(answer.run), answer.number()

    def match(
        self, matcher: Matcher, unit: int, refs: Sequence[FrameRun], preds: Sequence[FrameRun]
    ) -> tuple[list[ListedCandidate], list[ListedCandidate]]:
        """The candidates and the greedy matching of intervals in units of `1 / unit` seconds."""
        answer = self._ask((MATCH,), matcher_words(matcher, unit), list_words(refs), list_words(preds))
        return answer.several(answer.candidate), answer.several(answer.candidate)

    def events(
        self, contract: Contract, unit: int, frames: int, masks: Sequence[int]
    ) -> list[tuple[FrameRun, FrameRun, bool]]:
        """The obligations of a contract's one event clause: reference, prediction, and whether each holds.

        The masks are of the references, of the predictions, and of the references of each other class; where one of a
        pair is missing, it is (0, 0). Intervals are in units.
        """
        (clause,) = contract.event_clauses
        ref, pred, *others = masks
        words = (frames, ref, pred, len(others), *others, *core_each(clause.each).words)
        answer = self._ask((EVENTS,), contract_words(contract, unit), words, core_predicate(clause, unit).words)
        return answer.several(lambda: (answer.run(), answer.run(), answer.flag()))

    def clip(
        self, contract: Contract, unit: int, duration: int, refs: Sequence[FrameRun], preds: Sequence[FrameRun]
    ) -> tuple[int, bool, list[tuple[int, int]], list[tuple[int, int]]]:
        """Frames, evidence, every clause's counts and the matched pairs of a clip, from its tables' times in units."""
        answer = self._ask((CLIP,), contract_words(contract, unit), (duration,), list_words(refs), list_words(preds))
        frames, evidence = answer.number(), answer.flag()
        counts = answer.several(answer.run)
        return frames, evidence, counts, sorted((c.ref, c.pred) for c in answer.several(answer.candidate))

    def scores(self, of_events: bool, classes: Sequence[Sequence[tuple[int, int, bool]]]) -> list[Fraction]:
        """The pooled score and the three means of a clause, from its counts by class and clip."""
        clause = (1, 0, 0, 1) if of_events else (0, 1, 1, 1, 1)
        answer = self._ask((SCORES,), clause, (len(classes[0]),), list_words([list_words(row) for row in classes]))
        pooled = Fraction(answer.number(), answer.number())
        answer.flag()
        return [pooled, *(Fraction(answer.number(), answer.number()) for _ in range(3))]

    def soft(self, formula: Formula, numbers: Mapping[str, int], clip: Iterable[int]) -> list[tuple[bool, int | None]]:
        """The soft value of a formula at every frame: whether it is positive, and its size, none if it is unbounded."""
        answer = self._ask((SOFT,), clip, core_formula(formula, numbers).words)
        values = answer.several(lambda: (answer.number(), answer.number()))[::-1]
        return [(bool(kind & 1), None if kind & 2 else size) for kind, size in values]


def _clip(frames: int, masks: Mapping[str, int]) -> tuple[dict[str, int], tuple[int, ...]]:
    """The numbers of the atoms, and a clip: its frames and masks."""
    numbers = {name: number for number, name in enumerate(sorted(masks))}
    return numbers, (frames, len(masks), *(masks[name] for name in sorted(masks)))
