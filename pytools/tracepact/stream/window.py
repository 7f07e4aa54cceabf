"""The sliding window: formulas as a program over integers, what is kept of a stream, one frame at a time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.masks import evaluate_masks
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Dag,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
    atoms,
    lookahead,
    lookback,
)

# Formulas as a straight-line program over integers: the windows of `monitor.algebra`, recorded once and run often.
#
# A stream evaluates the same formulas for every chunk, down to a single frame, where walking the graph would cost
# more than the bits. So the graph is evaluated once over an algebra whose masks are names of variables and whose
# operations write one assignment each; the text is compiled and run with integers. Channels are interleaved (bit
# `frame · channels + channel`), so a move by frames is a shift by a multiple of the channels, and no channel sees
# another.

Program = Callable[..., tuple[Any, ...]]
"""Takes the mask of the frames that exist and the masks of the inputs; gives the masks of the formulas."""

EDGES = {
    "ref_onset": "ref_active",
    "ref_offset": "ref_active",
    "pred_onset": "pred_active",
    "pred_offset": "pred_active",
}
"""The atoms that are made from an activity, which must reach one frame farther back for them."""


def compile_formulas(
    formulas: Sequence[Formula],
    inputs: Sequence[str],
    *,
    channels: int = 1,
    longest: int,
    moves: Mapping[str, Callable[[Any, int], Any]] | None = None,
) -> Program:
    """A program for some formulas, on at most `longest` frames or with windows that reach no farther than that.

    Its masks are integers, or anything with `&`, `|` and `^` for which `moves` has the functions `later` and `earlier`.
    """
    recorder = _Recorder(channels, longest, calls=moves is not None)
    variables = {name: f"a{index}" for index, name in enumerate(inputs)}
    masks = evaluate_masks(formulas, _InputAtoms(variables, recorder), recorder)
    lines = [
        f"def program({', '.join(['valid', *variables.values()])}):",
        *(f"    {line}" for line in recorder.lines),
        f"    return ({''.join(f'{mask}, ' for mask in masks)})",
    ]
    scope: dict[str, Any] = dict(moves or {})
    # The text is made of the variables and operators of the recorder; nothing of a contract's text is in it.
    exec(compile("\n".join(lines), "<formulas>", "exec"), scope)  # noqa: S102
    program: Program = scope["program"]
    return program


class _Recorder:
    """A bit algebra whose masks are variables; equal operations become one."""

    def __init__(self, channels: int, longest: int, *, calls: bool) -> None:
        self.valid = "valid"
        self.none = "(valid ^ valid)" if calls else "0"
        self.longest = longest
        self._channels = channels
        self._later, self._earlier = ("later({}, {})", "earlier({}, {})") if calls else ("{} << {}", "{} >> {}")
        self._variables: dict[str, str] = {}

    def conjunction(self, a: str, b: str, /) -> str:
        """Frames of both."""
        return self._assign(f"{a} & {b}")

    def disjunction(self, a: str, b: str, /) -> str:
        """Frames of either."""
        return self._assign(f"{a} | {b}")

    def difference(self, a: str, b: str, /) -> str:
        """Frames of exactly one."""
        return self._assign(f"{a} ^ {b}")

    def later(self, a: str, k: int, /) -> str:
        """Move every frame k later."""
        return self._assign(self._later.format(a, k * self._channels))

    def earlier(self, a: str, k: int, /) -> str:
        """Move every frame k earlier; those before the first are lost."""
        return self._assign(self._earlier.format(a, k * self._channels))

    def _assign(self, expression: str) -> str:
        return self._variables.setdefault(expression, f"t{len(self._variables)}")

    @property
    def lines(self) -> list[str]:
        """One assignment for each operation, in order."""
        return [f"{variable} = {expression}" for expression, variable in self._variables.items()]


class _InputAtoms(dict[str, str]):
    """The variables of the inputs, and those of the edges when they are asked for (rule 5.6)."""

    def __init__(self, inputs: dict[str, str], recorder: _Recorder) -> None:
        super().__init__(inputs)
        self._recorder = recorder

    def __missing__(self, name: str) -> str:
        recorder, active = self._recorder, self[EDGES[name]]
        before = recorder.conjunction(recorder.later(active, 1), recorder.valid)
        changed = recorder.difference(active, before)
        return recorder.conjunction(active if name.endswith("onset") else before, changed)


# The sliding window: what has to be kept of a stream so that every verdict can be given at its frame (rule 12.2).
#
# By locality a verdict at frame i depends on the frames from i − lookback to i + lookahead alone. So it is enough
# to keep of every input the last lookback + lookahead frames, to put a chunk behind them, and to evaluate both as
# one trace: the verdicts that are due are those of the whole stream. The Lean core proves it (`Thm/Delay.lean`).

_ALWAYS_WHOLE = 1 << 16
"""Windows up to this many frames are compiled once; longer ones again as the stream grows into them."""


Group = Sequence[Formula]
"""Formulas whose verdicts are due together, at the greatest of their lookaheads."""


class Part(NamedTuple):
    """The verdicts of one group that are due: some frames of a step's masks from frame `begin` on.

    `within` holds the bits of those frames, the first of which is `skip`.
    """

    begin: int
    frames: int
    skip: int
    within: int

    def of(self, channels: int) -> "Part":
        """The part, restricted to the channels of a mask."""
        return self._replace(within=self.within & channels)


class Step(NamedTuple):
    """The masks of all formulas over a window whose frame 0 is frame `first` of the stream, and what of them is due."""

    first: int
    last: int
    masks: tuple[int, ...]
    parts: tuple[Part, ...]

    def of(self, channels: int) -> "Step":
        """The step, restricted to the channels of a mask."""
        return self._replace(parts=tuple(part.of(channels) for part in self.parts))


WIDEST = 1 << 24
"""Frames that a stream keeps at most: more than ninety hours of them at 20 ms (rule 25.2)."""


class Window:
    """The last frames of the inputs of some groups of formulas, for streams that advance together."""

    def __init__(self, groups: Sequence[Group], channels: int = 1) -> None:
        self.channels = channels
        self.frames = 0
        self.held = 0
        formulas = [formula for group in groups for formula in group]
        named = frozenset().union(*(atoms(formula) for formula in formulas))
        self.inputs = tuple(sorted({EDGES.get(name, name) for name in named}))
        self.kept = [0] * len(self.inputs)
        self.delays = tuple(max(map(lookahead, group)) for group in groups)
        reaches = (max(map(lookahead, group)) + max(map(lookback, group)) for group in groups)
        self.width = max(reaches, default=0) + bool(named & EDGES.keys())
        if self.width > WIDEST:
            headline = f"the contract looks {self.width:,} frames around a frame, and a stream keeps at most {WIDEST:,}"
            raise InvalidInput([Diagnostic("too-many-frames", headline, None, "use shorter windows, or a longer step")])
        self._formulas = formulas
        self.farthest = farthest(formulas)
        self._programs: dict[int, Program] = {}
        self._steady: tuple[int, tuple[Part, ...]] = -1, ()

    def push(self, frames: int, chunk: Sequence[int], valid: Callable[[int], int]) -> Step:
        """Put a chunk of some frames behind the window; `valid` gives the mask of a number of frames that exist."""
        held, channels = self.held, self.channels
        width = held + frames
        if held:
            shift = held * channels
            chunk = [old | new << shift for old, new in zip(self.kept, chunk)]  # noqa: B905  (one mask an input)
        masks = self._program(width)(valid(width), *chunk)
        surplus = width - self.width
        # Bits that leave the window are shifted out, so the integers never grow with the stream.
        if surplus > 0:
            drop = surplus * channels
            self.kept = [mask >> drop for mask in chunk]
            self.held = self.width
        else:
            self.kept = list(chunk)
            self.held = width
        before = self.frames
        self.frames = before + frames
        if held != self.width:
            parts = self._parts(before, self.frames, held)
        elif frames == self._steady[0]:
            parts = self._steady[1]
        else:
            parts = self._parts(before, self.frames, held)
            self._steady = frames, parts
        return Step(before - held, self.frames - 1, masks, parts)

    def look(self, before: int, masks: Sequence[int], valid: Callable[[int], int]) -> Step:
        """The step of one frame behind a full window, which was taken in already."""
        width = self.width + 1
        parts = self._parts(before, before + 1, self.width)
        return Step(before - self.width, before, self._program(width)(valid(width), *masks), parts)

    def rest(self, valid: Callable[[int], int]) -> Step:
        """The verdicts that are not yet due, if the streams end here; the window stays as it is."""
        masks = self._program(self.held)(valid(self.held), *self.kept)
        first, end = self.frames - self.held, self.frames
        parts = (self._part(max(0, end - delay) - first, end - first) for delay in self.delays)
        return Step(first, end - 1, masks, tuple(parts))

    def _parts(self, before: int, after: int, held: int) -> tuple[Part, ...]:
        """The verdicts of each group that are due; the same for every chunk of one length once the window is full."""
        first = before - held
        return tuple(self._part(max(0, before - d) - first, max(0, after - d) - first) for d in self.delays)

    def _part(self, start: int, end: int) -> Part:
        skip = start * self.channels
        return Part(start, end - start, skip, (1 << (end - start) * self.channels) - 1 << skip)

    def forget(self, lost: Callable[[int], int]) -> None:
        """Take channels out of the window; `lost` gives the mask of their frames."""
        mask = lost(self.held)
        self.kept = [kept & ~mask for kept in self.kept]

    def _program(self, width: int) -> Program:
        # A program depends on how far windows move at most; beyond the frames that are there they move nothing. Short
        # windows are compiled for good, long ones anew at each doubling.
        longest = self.farthest
        if longest > _ALWAYS_WHOLE:
            longest = min(longest, 1 << max(width, _ALWAYS_WHOLE).bit_length())
        program = self._programs.get(longest)
        if program is None:
            program = compile_formulas(self._formulas, self.inputs, channels=self.channels, longest=longest)
            self._programs = {longest: program}
            return program
        return program


def farthest(formulas: Sequence[Formula]) -> int:
    """The greatest number of frames that any window of some formulas moves."""
    dag, _ = Dag.of(formulas)
    bounds = (abs(bound) for node in dag.nodes for bound in node.parameters if isinstance(bound, int))
    return max(bounds, default=1)


# One frame of one stream, the way a microphone brings them: a verdict a clause, at the cost of the bits it looks at.
#
# A window over many frames moves whole masks; for a single frame it is one look at the places it sees. So the
# formulas of a contract are written out for the one place whose verdict is due, as a function that is compiled
# once: obligations first, formulas only where there is one. The masks of the step are made when someone asks for
# them.

_MOST = 300
"""The most looks at places that one frame may need; with more, masks are faster."""

Taken = tuple[int, tuple[int, ...]]
"""The clauses that are violated, as bits, and the inputs with the frame behind them."""

TakeFrame = Callable[[dict[str, Any], list[int], list[int]], Taken | None]
"""Takes a frame by atom into the kept inputs and the totals; None, with nothing done, unless it is truth values."""


class _TooManyLooksError(Exception):
    """A formula that is not worth writing out."""


def compile_frame(
    clauses: Sequence[tuple[Formula, Formula]],
    delays: Sequence[int],
    inputs: Sequence[str],
    names: Sequence[str],
    width: int,
) -> TakeFrame | None:
    """The function of a frame for obligations and formulas, behind a full window of `width` frames; may be too long."""
    looks = _Looks({name: f"a{i}" for i, name in enumerate(inputs)})
    lines = ["def take(frames, kept, totals):", f"    if len(frames) != {len(names)}:", "        return None"]
    for i, name in enumerate(names):
        lines += [
            f"    v{i} = frames.get({name!r})",
            f"    if v{i} is not True and v{i} is not False:",
            "        return None",
        ]
    for i, name in enumerate(inputs):
        value = f"v{list(names).index(name)}"
        lines += [f"    a{i} = kept[{i}] | {value} << {width}", f"    kept[{i}] = a{i} >> 1"]
    lines.append("    violated = 0")
    try:
        for number, ((obligation, formula), delay) in enumerate(zip(clauses, delays, strict=True)):
            lines += [
                f"    if {looks.at(obligation, width - delay)}:",
                f"        totals[{2 * number + 1}] += 1",
                f"        if {looks.at(formula, width - delay)}:",
                f"            totals[{2 * number}] += 1",
                "        else:",
                f"            violated |= {1 << number}",
            ]
    except _TooManyLooksError:
        return None
    lines.append(f"    return violated, ({''.join(f'a{i}, ' for i in range(len(inputs)))})")
    scope: dict[str, Any] = {}
    # Numbers, operators, and the names of atoms as quoted text: nothing of a contract is run.
    exec(compile("\n".join(lines), "<frame>", "exec"), scope)  # noqa: S102
    take: TakeFrame = scope["take"]
    return take


class _Looks:
    """Formulas at one place as expressions; every place a formula looks at is there, since the window is full."""

    def __init__(self, variables: dict[str, str]) -> None:
        self._variables = variables
        self._looks = 0

    def at(self, formula: Formula, place: int) -> str:
        """Whether a formula holds at a place; the expression is true or false, if not True or False."""
        self._looks += 1
        if self._looks > _MOST:
            raise _TooManyLooksError
        match formula:
            case Atom(name):
                return self._atom(name, 1 << place)
            case Constant(value):
                return str(value)
            case Not(body):
                return f"(not {self.at(body, place)})"
            case And(left, right):
                return f"({self.at(left, place)} and {self.at(right, place)})"
            case Or(left, right):
                return f"({self.at(left, place)} or {self.at(right, place)})"
            case Implies(left, right):
                return f"(not {self.at(left, place)} or {self.at(right, place)})"
            case Iff(left, right):
                return f"((not {self.at(left, place)}) == (not {self.at(right, place)}))"
            case Eventually(lo, hi, Atom(name)):
                return self._atom(name, _places(place + lo, place + hi))
            case Eventually(lo, hi, body):
                return self._each("or", body, range(place + lo, place + hi + 1))
            case Always(lo, hi, body):
                return self._each("and", body, range(place + lo, place + hi + 1))
            case Until(radius, left, right):
                return self._chain(left, right, range(place, place + radius + 1))
            case Since(radius, left, right):
                return self._chain(left, right, range(place, place - radius - 1, -1))

    def _atom(self, name: str, places: int) -> str:
        """Whether an atom holds at one of some places."""
        if name not in EDGES:
            return f"({self._variables[name]} & {places:#x})"
        active = self._variables[EDGES[name]]
        now, before = (active, f"({active} << 1)")
        edge = f"{now} & ~{before}" if name.endswith("onset") else f"{before} & ~{now}"
        return f"({edge} & {places:#x})"

    def _each(self, word: str, body: Formula, places: range) -> str:
        if len(places) > _MOST:
            raise _TooManyLooksError
        return f"({f' {word} '.join(self.at(body, place) for place in places)})"

    def _chain(self, left: Formula, right: Formula, places: Sequence[int]) -> str:
        """`right` at the first of the places, or `left` there and the same from the next one on."""
        if len(places) > _DEEPEST:
            raise _TooManyLooksError
        text = self.at(right, places[-1])
        for place in reversed(places[:-1]):
            text = f"({self.at(right, place)} or ({self.at(left, place)} and {text}))"
        return text


_DEEPEST = 32
"""The longest chain of until and since: Python reads a limited depth of parentheses."""


def _places(first: int, last: int) -> int:
    return (1 << last + 1) - (1 << first)
