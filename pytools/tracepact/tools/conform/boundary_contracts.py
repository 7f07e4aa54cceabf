"""Random contracts with long or many parts, and with quantities that only exact numbers keep."""

from fractions import Fraction
from random import Random

from tracepact.tools.conform.boundaries import Case, Experiment
from tracepact.tools.conform.boundary_intervals import STEPS, seconds
from tracepact.tools.conform.names import LABELS, NAMES, RESERVED, quoted, shuffled_names
from tracepact.tools.conform.vectors import Profile

_HEAD = ["contract c", "step 20ms"]
_ONE = "clause a on true : ref_active"
_ATOMS = ("ref_active", "pred_active", "ref_onset", "pred_onset", "ref_offset")
_CHARACTERS = ("a", " ", "é", "\U0001f600", '"', "\\", "\x0c", "\x08", "\t", "\r", "#", "\u2028", "\x7f")
"""What a text between quotation marks may have: every character but a line feed."""


def _contract(lines: list[str]) -> Case:
    return {"ask": "contract", "text": "\n".join(lines) + "\n"}


# Long and many parts


def _title(rng: Random, size: int) -> Case:
    """A title, or the words of an atom, of so many characters; the last one is seldom the one before."""
    whole = "".join(rng.choice(_CHARACTERS) for _ in range(min(size, 40)))
    words = quoted((whole * (size // len(whole) + 1))[: size - 1] + rng.choice("xyz"))
    if rng.random() < 0.7:
        return _contract([f"contract c {words}", "step 20ms", _ONE])
    return _contract([*_HEAD, f"atom p {words}", "clause a on true : p"])


_WORDS = tuple(dict.fromkeys((*LABELS, *RESERVED, *NAMES)))


def _labels(rng: Random, size: int) -> Case:
    """So many labels, few of them all reserved words; names now and then without quotation marks."""
    pool = RESERVED if size <= len(RESERVED) and rng.random() < 0.5 else _WORDS
    labels = shuffled_names(rng, pool, size)
    written = [label if label in NAMES and rng.random() < 0.5 else quoted(label) for label in labels]
    return _contract([*_HEAD, _ONE, f"labels {' '.join(written)}"])


def _clauses(rng: Random, size: int) -> Case:
    """So many parameters, clauses that use them, and a profile that weighs all of these in another order."""
    parameters, clauses = (shuffled_names(rng, NAMES, size) for _ in range(2))
    lines = [f"param {name} = {k}f" for k, name in enumerate(parameters)]
    lines += [f"clause {name} on true : N[{k}] ref_active" for name, k in zip(clauses, parameters, strict=True)]
    order = rng.sample(clauses, size)
    return _contract(
        [*_HEAD, *lines, f"profile all : {', '.join(f'{name} = {rng.randrange(1, 9)}' for name in order)}"]
    )


def _columns(rng: Random, size: int) -> Case:
    """An obligation or a name of about so many characters beside short ones."""
    long = f" {rng.choice('&|')} ".join(rng.choice(_ATOMS) for _ in range(min(size // 13 + 1, 200)))
    name = rng.choice(("x", "long_name", "n" * min(size, 300)))
    lines = [f"clause {name} on {long} : true", _ONE, f"clause b on each {rng.choice(('ref', 'matched'))} : matched"]
    return _contract([*_HEAD, *rng.sample(lines, len(lines))])


# Many faults


def _faulty(rng: Random, kind: str, size: int) -> list[str]:
    """Statements with so many faults of one kind, or of one stage (P20)."""
    some = range(size)
    match kind:
        case "atoms":
            cut = rng.choice((10, 50, 190))
            parts = [" | ".join(f"u{k}" for k in some[at : at + cut]) for at in range(0, size, cut)]
            return [f"clause c{k} on true : {part}" for k, part in enumerate(parts)]
        case "windows":
            window = ("F[2f,1f] ref_active", "N[-1f] ref_active", "N[none] ref_active", "(ref_active U[-2f] zone)")
            return [f"clause c{k} on {rng.choice(window)} : {rng.choice(window)}" for k in range((size + 1) // 2)]
        case "statements":
            words = ("param = 3f", "clause c on : true", "sweep tol 1f", "matcher ( )", "labels", "profile p a = 1")
            return [rng.choice(words) for _ in some]
        case "quantities":
            return [f"param t{k} = {rng.choice(('1/0s', '1' * 61, '0.' + '0' * 60 + '1'))}" for k in some]
        case "characters":
            return [f"param t{k} = {rng.choice(('$', '3x', '1e3', '// a b', '§ 2f'))}" for k in some]
        case "names":
            return [f"param {rng.choice('ab')} = {k}f" for k in some]
        case "weights":
            return ["profile p : " + ", ".join(f"none{k} = {rng.choice(('1', '-1', '2f'))}" for k in some)]
    part = ("covering == 0.5", "purity > 1", "iou > 1s", "foo > 1", "overlap > 1", "matched > 0")
    return [f"clause c{k} on each ref : {rng.choice(part)}" for k in some]


_KINDS = ("atoms", "windows", "statements", "quantities", "characters", "names", "weights", "types")


def _faults(rng: Random, size: int) -> Case:
    """So many faults of one kind, or of two in any order."""
    if rng.random() < 0.15:
        text = " & ".join(rng.choice(("N[-1f] p", "F[2f,1f] q", "N[x] p")) for _ in range(min(size, 190)))
        return {"ask": "formula", "text": text, "step": "0.02"}
    lines = [line for kind in rng.sample(_KINDS, rng.choice((1, 2, 2))) for line in _faulty(rng, kind, size)]
    rng.shuffle(lines)
    return _contract([*_HEAD, _ONE, *lines])


def _many(rng: Random, dimension: str, size: int) -> Case:
    make = {"title": _title, "labels": _labels, "clauses": _clauses, "columns": _columns, "faults": _faults}
    return make[dimension](rng, size)


# Quantities


def _number(rng: Random, digits: int) -> str:
    """A decimal of so many digits: whole, small, or with a point anywhere, now and then with needless zeros."""
    some = "".join(rng.choice("0123456789") for _ in range(digits - 1)) + rng.choice("1234567")
    match rng.randrange(5):
        case 0:
            return rng.choice("123456789") + some[1:]
        case 1:
            return "9" * digits
        case 2:
            return f"0.{'0' * (digits - 1)}{rng.choice('123456789')}"
        case 3:
            return f"{rng.choice(('0', ''))}.{some}{rng.choice(('', '0', '00'))}"
    cut = rng.randrange(digits)
    return f"{rng.choice(('', '0'))}{some[:cut] or '0'}.{some[cut:]}"


def _written(rng: Random, size: int) -> Case:
    """Quantities of so many digits in every place that a contract has for one."""

    def number() -> str:
        return _number(rng, size)

    lines = [
        f"clause a on true : F[{number()}{rng.choice(('s', 'ms', 'f', ''))}] ref_active & N[t] pred_active",
        f"clause b on each matched : {number()} * ref.onset <= {number()}{rng.choice(('s', 'ms', 'f'))}",
        f"clause d on each matched : iou > {number()}",
        f"param t = {number()}{rng.choice(('s', 'ms', 'f'))}",
        f"sweep t = {number()}s {number()}f",
        f"merge_gap {number()}ms",
        f"soft_scale {number()}s",
        f"matcher greedy(search = {number()}s, overlap_reward = {number()})",
        f"profile p : a = {number()}, b = {number()}",
    ]
    rng.shuffle(lines)
    case = _contract([*_HEAD, *lines])
    return {**case, "set": {"t": f"{number()}s"}} if rng.random() < 0.2 else case


def _window(rng: Random, step: Fraction, size: int) -> str:
    """A window with one bound in frames and one in a time that is as long, or a little more or less."""
    frames = rng.choice((0, 1, 2, size, size, 30, 800))
    little = rng.choice((Fraction(1, 1000), step / 2, step, 100 * step, Fraction(1, 10**9), Fraction(1, 10**20)))
    time = max(frames * step + rng.choice((0, 1, 1, -1)) * little, Fraction(0))
    unit = rng.choice(("ms", "ms", "s", ""))
    bounds = [f"{frames}f", seconds(time * (1000 if unit == "ms" else 1)) + unit]
    if rng.random() < 0.3:
        bounds.reverse()
    if rng.random() < 0.2:
        bounds = [f"-{bound}" for bound in bounds[::-1]]
    return f"{rng.choice('FG')}[{','.join(bounds)}] {rng.choice('pq')}"


def _mixed(rng: Random, size: int) -> Case:
    """Windows of mixed units near the place where their bounds are equal."""
    step = Fraction(rng.choice(("1/50", "1/50", *STEPS, "1")))
    text = " | ".join(_window(rng, step, size) for _ in range(rng.randrange(1, 4)))
    if rng.random() < 0.6:
        return {"ask": "formula", "text": text, "step": str(step)}
    return _contract(["contract c", f"step {step}s", "atom p", "atom q", f"clause a on p | q : {text}"])


def _quantities(rng: Random, dimension: str, size: int) -> Case:
    return _written(rng, size) if dimension == "digits" else _mixed(rng, size)


CONTRACT_TEXT_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.TEXT: {
        "long and many parts": Experiment(
            _many,
            {"title": 1 << 14, "labels": 1 << 9, "clauses": 1 << 9, "columns": 1 << 11, "faults": 1 << 8},
            {"title": 1 << 18, "labels": 1 << 12, "clauses": 1 << 11, "columns": 1 << 11, "faults": 1 << 10},
        ),
        "quantities of contracts": Experiment(_quantities, {"digits": 55, "mixed": 1 << 10}),
    }
}
