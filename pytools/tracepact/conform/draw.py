"""Random cases for every profile, drawn with Hypothesis (the extra `conform`); small ones come out of shrinking.

Left to itself Hypothesis begins with constants on one frame. So most cases must *tell*: the reference must find in them
what can go either way, such as frames that hold and frames that do not. The rest are as they come, the smallest among
them. `tests/conform/test_draw.py` measures what is drawn.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from tracepact.conform.engines import REFERENCE
from tracepact.conform.frame_limits import FRAME_FAMILIES, LimitFamily
from tracepact.conform.oracle import ConformanceProfile, answer
from tracepact.conform.protocol import formula_text, tree_of
from tracepact.conform.value_limits import VALUE_FAMILIES
from tracepact.language.contract import Aggregation
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
    atoms,
)
from tracepact.language.predicate import ATTRIBUTES, Attribute, Each, Existence, TermType, writable_attributes

Case = dict[str, Any]
Formulas = st.SearchStrategy[Formula]
_ATOMS = ("p", "q", "r")
_FARTHEST = 4
_STEPS = ("0.02", "0.01", "1/3", "0.0232")
# The first is what Hypothesis tries first, and comes back to: six frames are enough for most operators to differ.
_LENGTHS = (6, 7, 8, 5, 4, 3, 2, 1)
_LEAF: Formulas = st.sampled_from([*map(Atom, _ATOMS * 3), Constant(True), Constant(False)])


# Formulas


def _connectives(parts: Formulas) -> list[Formulas]:
    joined: list[Formulas] = [parts.map(Not)]
    for kind in (And, Or, Implies, Iff):
        joined.append(st.builds(kind, parts, parts))
    return joined


def _windows(least: int) -> Callable[[Formulas], list[Formulas]]:
    bounds = st.tuples(st.integers(least, _FARTHEST), st.integers(least, _FARTHEST)).map(sorted)

    def grow(parts: Formulas) -> list[Formulas]:
        return [
            st.builds(lambda w, body, kind=kind: kind(w[0], w[1], body), bounds, parts) for kind in (Eventually, Always)
        ]

    return grow


def _reaching(kind: type[Until | Since]) -> Callable[[Formulas], list[Formulas]]:
    return lambda parts: [st.builds(kind, st.integers(0, _FARTHEST), parts, parts)]


def _formulas(*growers: Callable[[Formulas], list[Formulas]]) -> Formulas:
    return st.recursive(_LEAF, lambda parts: st.one_of(*(s for grow in growers for s in grow(parts))), max_leaves=5)


def _reaching_atoms(kind: type[Until | Since]) -> Formulas:
    """Until or since of atoms as often as of anything else."""
    return st.one_of(*_reaching(kind)(st.sampled_from(_ATOMS).map(Atom)), _formulas(_connectives, _reaching(kind)))


def _guards() -> Formulas:
    """What contracts are made of: an atom joined to a window or an until."""
    atom = st.sampled_from(_ATOMS).map(Atom)
    ahead = st.one_of(*_windows(0)(atom), *_reaching(Until)(atom))
    return st.one_of(*(st.builds(kind, atom, ahead) for kind in (Implies, And, Or, Iff)))


_FUTURE = (_connectives, _windows(0), _reaching(Until))
_ALL = (_connectives, _windows(-_FARTHEST), _reaching(Until), _reaching(Since))


# Traces


def _mask(draw: Callable[..., Any], frames: int) -> str:
    return "".join(draw(st.lists(st.sampled_from("01"), min_size=frames, max_size=frames)))


def _clip(draw: Callable[..., Any], named: Iterable[str], *, ignored: bool = False) -> Case:
    frames = draw(st.sampled_from(_LENGTHS))
    clip: Case = {"frames": frames, "masks": {name: _mask(draw, frames) for name in sorted(named)}}
    return {**clip, "ignored": _mask(draw, frames)} if ignored else clip


@st.composite
def _verdicts(draw: Callable[..., Any], formulas: Formulas, clips: int) -> Case:
    formula = draw(formulas)
    count = draw(st.integers(1, clips))
    return {
        "ask": "verdicts",
        "formula": tree_of(formula),
        "clips": [_clip(draw, atoms(formula)) for _ in range(count)],
    }


@st.composite
def _clause(draw: Callable[..., Any], formulas: Formulas) -> Case:
    obligation, formula = draw(st.one_of(st.sampled_from(_ATOMS).map(Atom), formulas)), draw(formulas)
    named = atoms(obligation) | atoms(formula)
    return {
        "ask": "clause",
        "obligation": tree_of(obligation),
        "formula": tree_of(formula),
        "clips": [_clip(draw, named, ignored=draw(st.booleans())) for _ in range(draw(st.integers(1, 2)))],
    }


@st.composite
def _stream(draw: Callable[..., Any], formulas: Formulas, *, interrupted: bool = False, chunked: bool = False) -> Case:
    clauses = draw(st.lists(st.tuples(st.just(Constant(True)) | formulas, formulas), min_size=1, max_size=2))
    named = frozenset().union(*(atoms(f) for clause in clauses for f in clause))
    return {
        "ask": "stream",
        "clauses": [{"obligation": tree_of(o), "formula": tree_of(f)} for o, f in clauses],
        "trace": (trace := _clip(draw, named)),
        **({"chunks": _chunks(draw, trace["frames"])} if chunked else {}),
        **({"interrupt": _interruptions(draw, trace["frames"])} if interrupted else {}),
    }


def _interruptions(draw: Callable[..., Any], frames: int) -> list[int]:
    """One, or two in a row."""
    return [draw(st.integers(1, frames))] * draw(st.sampled_from([1, 1, 2]))


def _chunks(draw: Callable[..., Any], frames: int) -> list[int]:
    """Sizes that add up to a number of frames."""
    # A cut or none behind each frame: every way to divide the frames is drawn, and fewer cuts are simpler.
    cut = draw(st.lists(st.booleans(), min_size=frames - 1, max_size=frames - 1))
    ends = [*(i + 1 for i, here in enumerate(cut) if here), frames]
    return [end - start for start, end in pairwise([0, *ends])]


# Intervals and times


@st.composite
def _runs_of(draw: Callable[..., Any], most: int = 14) -> list[list[int]]:
    """The runs of a mask."""
    frames = draw(st.sampled_from([most, most - 2, most - 4, most // 2, 3, 0]))
    mask = [0, *draw(st.lists(st.sampled_from([1, 1, 0]), min_size=frames, max_size=frames)), 0]
    edges = [i for i in range(len(mask) - 1) if mask[i] != mask[i + 1]]
    return [list(pair) for pair in zip(edges[::2], edges[1::2], strict=True)]


def _matcher(kinds: tuple[str, ...] = ("greedy", "optimal")) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries(
        {
            "kind": st.sampled_from(kinds),
            "search": st.integers(0, 6).map(str),
            "overlap_reward": st.sampled_from(["0", "1/2", "1/3", "2"]),
        }
    )


_SIDES = st.fixed_dictionaries({"ref": _runs_of(), "pred": _runs_of()})


@st.composite
def _bridges(draw: Callable[..., Any]) -> dict[str, list[list[int]]]:
    """Two references and two predictions in a row, each overlapping the next."""
    # Drawn freely, two runs of either side bridge one another in one of hundreds of cases, and only then do greedy and
    # optimal matching differ.
    ends = [0]
    for _ in range(7):
        ends.append(ends[-1] + draw(st.integers(1, 4)))
    a, b, c, d, e, f, g, h = ends
    return {"ref": [[a, c], [d, g]], "pred": [[b, e], [f, h]]}


@st.composite
def _mirrored(draw: Callable[..., Any]) -> dict[str, list[list[int]]]:
    """One run in the middle of two that cost the same."""
    # Equal costs decide which of two comes first, and never happen by chance.
    length, gap, within = draw(st.integers(2, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    two = [[0, length], [length + gap, 2 * length + gap]]
    one = [[length - within, length + gap + within]]
    return {"ref": two, "pred": one} if draw(st.booleans()) else {"ref": one, "pred": two}


def _match(kind: str) -> st.SearchStrategy[Case]:
    sides = st.one_of(_SIDES, _bridges(), _bridges() if kind == "optimal" else _mirrored())
    return st.builds(
        lambda sides, matcher: {"ask": "match", "step": "1", **sides, "matcher": matcher}, sides, _matcher((kind,))
    )


@st.composite
def _runs(draw: Callable[..., Any]) -> Case:
    step = draw(st.sampled_from(["0.02", "0.01"]))
    gap = draw(st.integers(0, 12))
    # A whole number of steps, in decimals: then the gap is exactly at the bound for exact numbers, and beside it for
    # floats.
    places = len(step.split(".")[1])
    whole = f"{gap * int(step.split('.')[1]):0{places + 1}d}"
    frames = draw(st.sampled_from([10, 12, 16, 8, 5, 3, 2, 1]))
    mask = "".join(draw(st.lists(st.sampled_from("01"), min_size=frames, max_size=frames)))
    return {"ask": "runs", "mask": mask, "step": step, "merge_gap": f"{whole[:-places]}.{whole[-places:]}"}


@st.composite
def _project(draw: Callable[..., Any]) -> Case:
    times = st.integers(0, 24).map(lambda k: f"0.{k:02d}")
    event = st.tuples(times, times).map(lambda pair: sorted(pair))
    return {
        "ask": "project",
        "step": draw(st.sampled_from(["0.02", "0.02", "0.03"])),
        "duration": draw(st.integers(1, 24).map(lambda k: f"0.{25 - k:02d}")),
        "projection": draw(st.sampled_from(["centre", "touch", "inside", "centre", "touch"])),
        "events": draw(st.lists(event, min_size=draw(st.sampled_from([1, 2, 0])), max_size=2)),
    }


def _written(each: Each, quantity: TermType) -> list[str]:
    """The attributes of one type that a predicate under this kind of obligation may mention, each written once."""
    # An attribute may be written with its side or without; drawn both ways it would come twice as often as others.
    shortest: dict[Attribute, str] = {}
    for text, attribute in writable_attributes(each).items():
        if attribute.quantity is quantity:
            shortest[attribute] = min(text, shortest.get(attribute, text), key=len)
    return list(shortest.values())


_DIFFERENCES = [
    shape.format(kind.name)
    for kind in ATTRIBUTES.values()
    if kind.exists is Existence.WITH_ITS_INTERVAL
    for shape in ("pred.{0} - ref.{0}", "abs(pred.{0} - ref.{0})")
]
_SHAPES = ("{} {} {}s", "2 * {} {} {}s", "min({}, 3s) {} {}s", "max(2s, {}) {} {}s")


@st.composite
def _events(draw: Callable[..., Any]) -> Case:
    each = draw(st.sampled_from(list(Each)))
    relation = st.sampled_from(["<=", "<", ">=", ">", "==", "!="])
    times = st.sampled_from([*_written(each, TermType.TIME), *_DIFFERENCES])
    leaf = st.one_of(
        st.sampled_from(_written(each, TermType.TRUTH)),
        st.builds(_compared, st.sampled_from(_SHAPES), times, relation, st.integers(0, 5)),
        st.builds("{} {} {}/4".format, st.sampled_from(_written(each, TermType.RATIO)), relation, st.integers(0, 4)),
        st.builds("{} {} {}".format, st.sampled_from(_written(each, TermType.COUNT)), relation, st.integers(0, 3)),
    )
    predicate = st.recursive(
        leaf,
        lambda parts: st.one_of(
            st.builds("not ({})".format, parts),
            st.builds("({}) {} ({})".format, parts, st.sampled_from(["and", "or", "implies", "iff"]), parts),
        ),
        max_leaves=3,
    )
    return {
        "ask": "events",
        "step": "1",
        "frames": 40,
        "each": each.value,
        "predicate": draw(predicate),
        "ref": draw(_runs_of()),
        "pred": draw(_runs_of()),
        **({"others": [draw(_runs_of())]} if draw(st.booleans()) else {}),
        **({"ignored": draw(_runs_of())} if draw(st.booleans()) else {}),
        "merge_gap": draw(st.sampled_from(["0", "1", "2"])),
        "matcher": draw(_matcher()),
    }


def _compared(shape: str, term: str, relation: str, bound: int) -> str:
    """A comparison; what may be unbounded stands alone (rule 4.9), and so do differences."""
    kind = ATTRIBUTES.get(term.rpartition(".")[2])
    alone = kind is None or kind.may_be_unbounded
    return (_SHAPES[0] if alone else shape).format(term, relation, bound)


@st.composite
def _aggregate(draw: Callable[..., Any]) -> Case:
    """Counts by class and clip; runs without an obligation speak against an event clause."""
    kind = draw(st.sampled_from(["frame", "event"]))

    def entry() -> Case:
        obligated = draw(st.sampled_from([0, 0, 1, 2, 3, 5, 6]))
        counts = {"satisfied": draw(st.integers(0, obligated)), "obligated": obligated}
        return counts if kind == "frame" else {**counts, "runs": obligated > 0 or draw(st.booleans())}

    classes, clips = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    return {"ask": "aggregate", "kind": kind, "entries": [[entry() for _ in range(clips)] for _ in range(classes)]}


# Text


@st.composite
def _text(draw: Callable[..., Any]) -> Case:
    # Printed and then spelt otherwise: the formula is known, whatever the reader under test makes of the text.
    text = formula_text(draw(_formulas(*_ALL)))
    for sign, others in (("<->", ("iff", "↔")), ("->", ("implies", "→")), ("&", ("and", "∧")), ("|", ("or", "∨"))):
        text = text.replace(f" {sign} ", f" {draw(st.sampled_from([sign, *others]))} ")
    return {"ask": "formula", "text": text, "step": draw(st.sampled_from(_STEPS))}


@st.composite
def _bounds(draw: Callable[..., Any]) -> Case:
    step = draw(st.sampled_from(["0.02", "0.01", "0.0232"]))
    places = len(step.split(".")[1])
    parts = draw(st.integers(0, 2000)) * (int(step.split(".")[1]) if draw(st.booleans()) else 1)
    digits = f"{parts:0{places + 1}d}"
    operator = draw(st.sampled_from(["N", "F", "G"]))
    return {"ask": "formula", "text": f"{operator}[{digits[:-places]}.{digits[-places:]}] p", "step": step}


@st.composite
def _precedence(draw: Callable[..., Any]) -> Case:
    """Operators without parentheses, in any order."""
    operand = st.builds(
        "{}{}".format, st.sampled_from(["", "!", "N[1f] ", "F[2f] ", "G[1f,2f] "]), st.sampled_from(["p", "q", "r"])
    )
    operator = st.sampled_from([" & ", " | ", " -> ", " <-> ", " U[1f] ", " S[2f] "])
    parts = [draw(operand)]
    for _ in range(draw(st.sampled_from([3, 4, 2, 1, 0]))):
        parts += [draw(operator), draw(operand)]
    return {"ask": "formula", "text": "".join(parts), "step": "0.02"}


# Whole contracts

_CONTRACT = """contract random
step 20ms
merge_gap 20ms
aggregate {aggregation}
param tol = 20ms
sweep tol = 0ms 40ms
profile strict over macro_clips : onset = 2, whole = 1
matcher {matcher}(search = 40ms, overlap_reward = 0.5)
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause offset on ref_offset : ref_offset -> N[20ms] pred_offset
clause missing on ref_active : ref_active -> N[20ms] pred_active
clause whole on each ref : matched and covering <= 1
clause length on each matched : abs(pred.duration - ref.duration) <= 0.5 * ref.duration
clause pure on each pred : purity >= 0.5 and dominant
"""


@st.composite
def _score(draw: Callable[..., Any]) -> Case:
    def events() -> list[list[str]]:
        labelled = []
        for start, end in draw(_runs_of(11)):
            if end <= 12:
                labelled.append([f"0.{2 * start:02d}", f"0.{2 * end:02d}", draw(st.sampled_from(["x", "y"]))])
        return labelled

    def ignored() -> dict[str, list[list[str]]]:
        return {"ignore": [["0.05", draw(st.sampled_from(["0.09", "0.24"]))]]} if draw(st.booleans()) else {}

    clips = [
        {"name": name, "duration": "0.24", "ref": events(), "pred": events(), **ignored()}
        for name in ("a", "b")[: draw(st.integers(1, 2))]
    ]
    matcher = draw(st.sampled_from(["greedy", "optimal"]))
    mode = draw(st.sampled_from(["class_indexed", "union"]))
    aggregation = draw(st.sampled_from([a.value for a in Aggregation]))
    text = _CONTRACT.format(matcher=matcher, aggregation=aggregation)
    return {"ask": "score", "contract": text, "mode": mode, "clips": clips}


# What tells


def _tells(case: Case) -> bool:
    """Whether the reference's answer goes both ways."""
    answered = answer(case, REFERENCE)
    match case["ask"]:
        case "verdicts":
            return isinstance(case["formula"], list) and all(_mixed(mask) for mask in answered["verdicts"])
        case "clause":
            return bool(0 < answered["satisfied"] < answered["obligated"])
        case "stream":
            words = {word for out in answered["out"] for _, _, word in out}
            return {"satisfied", "violated"} <= words
        case "project":
            return bool(_mixed(answered["mask"]))
        case "runs":
            return len(answered["runs"]) > 1
        case "match":
            return len(answered["candidates"]) > len(answered["pairs"])
        case "events":
            return bool(answered["obligated"])
        case "score":
            return bool(answered["pairs"])
        case "aggregate":
            return len({values["value"] for values in answered.values()}) > 1
    return True


def _mixed(mask: str) -> bool:
    return "0" in mask and "1" in mask


def _mostly_telling(cases: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    # Three of four: the rest keeps the smallest cases, and those where everything holds, which some faults need.
    telling = cases.filter(_tells)
    return st.one_of(telling, telling, telling, cases)


_DRAWN: dict[ConformanceProfile, dict[str, st.SearchStrategy[Case]]] = {
    ConformanceProfile.TEXT: {"bounds": _bounds(), "precedence": _precedence(), "formulas as text": _text()},
    ConformanceProfile.CORE: {
        "connectives": _verdicts(_formulas(_connectives), 1),
        "windows ahead": _verdicts(_formulas(_windows(0)), 1),
        "until": _verdicts(_reaching_atoms(Until), 1),
        "nested, ahead": _verdicts(_formulas(*_FUTURE), 1),
        "families, ahead": _verdicts(st.one_of(_guards(), _formulas(*_FUTURE)), 3),
        "obligations": _clause(st.one_of(_guards(), _formulas(*_FUTURE))),
    },
    ConformanceProfile.PAST: {
        "windows": _verdicts(_formulas(_windows(-_FARTHEST)), 1),
        "since": _verdicts(_reaching_atoms(Since), 1),
        "nested": _verdicts(_formulas(*_ALL), 1),
        "families": _verdicts(_formulas(*_ALL), 3),
    },
    ConformanceProfile.EVENTS: {
        "projection": _project(),
        "runs": _runs(),
        "greedy matching": _match("greedy"),
        "optimal matching": _match("optimal"),
        "event clauses": _events(),
    },
    ConformanceProfile.STREAMING: {
        "streams of guards": _stream(_guards()),
        "streams": _stream(_formulas(*_FUTURE)),
        "streams that look back": _stream(_formulas(*_ALL)),
        "interrupted streams": _stream(_formulas(*_ALL), interrupted=True),
    },
    ConformanceProfile.CHUNKS: {
        "chunks of guards": _stream(_guards(), chunked=True),
        "chunks": _stream(_formulas(*_FUTURE), chunked=True),
        "chunks that look back": _stream(_formulas(*_ALL), chunked=True),
    },
    ConformanceProfile.CONTRACTS: {"aggregation": _aggregate(), "scores": _score()},
}

EXPERIMENTS: dict[ConformanceProfile, dict[str, st.SearchStrategy[Case]]] = {
    profile: {
        name: cases if profile is ConformanceProfile.TEXT else _mostly_telling(cases)
        for name, cases in experiments.items()
    }
    for profile, experiments in _DRAWN.items()
}
"""What is drawn for each profile, by name; every experiment shrinks its own disagreement."""


FAMILIES: dict[ConformanceProfile, dict[str, LimitFamily]] = {
    profile: {**FRAME_FAMILIES.get(profile, {}), **VALUE_FAMILIES.get(profile, {})} for profile in ConformanceProfile
}
"""What sits on the limits of words, powers of ten and buffers, for each profile."""


def strategy_of(profile: ConformanceProfile, experiment: str, examples: int, *, long: bool) -> tuple[Any, int, bool]:
    """The cases of an experiment, how many to draw where so many are asked for, and whether each by itself."""
    family = FAMILIES[profile].get(experiment)
    if family is None:
        return EXPERIMENTS[profile][experiment], examples, False
    cases = family.longest if long and family.longest is not None else family.cases
    return cases, max(1, examples * family.share // 100), True
