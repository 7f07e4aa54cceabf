"""Formulas as a straight-line program over integers: the windows of `monitor.algebra`, recorded once and run often.

A stream evaluates the same formulas for every chunk, down to a single frame, where walking the graph would cost more
than the bits. So the graph is evaluated once over an algebra whose masks are names of variables and whose operations
write one assignment each; the text is compiled and run with integers. Channels are interleaved (bit `frame · channels +
channel`), so a move by frames is a shift by a multiple of the channels, and no channel sees another.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tracepact.core import Formula
from tracepact.monitor import evaluate_masks

Program = Callable[..., tuple[Any, ...]]
"""Takes the mask of the frames that exist and the masks of the inputs; gives the masks of the formulas."""

EDGES = {
    "ref_onset": "ref_active",
    "ref_offset": "ref_active",
    "pred_onset": "pred_active",
    "pred_offset": "pred_active",
}
"""The atoms that are made from an activity, which must reach one frame farther back for them."""


def inputs_of(atoms: Iterable[str]) -> tuple[str, ...]:
    """The masks that must be given for some atoms, sorted."""
    return tuple(sorted({EDGES.get(name, name) for name in atoms}))


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
    masks = evaluate_masks(formulas, _Atoms(variables, recorder), recorder)
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


class _Atoms(dict[str, str]):
    """The variables of the inputs, and those of the edges when they are asked for (rule 5.6)."""

    def __init__(self, inputs: dict[str, str], recorder: _Recorder) -> None:
        super().__init__(inputs)
        self._recorder = recorder

    def __missing__(self, name: str) -> str:
        recorder, active = self._recorder, self[EDGES[name]]
        before = recorder.conjunction(recorder.later(active, 1), recorder.valid)
        changed = recorder.difference(active, before)
        return recorder.conjunction(active if name.endswith("onset") else before, changed)
