"""rtamt behind the oracle protocol, for the formulas it can express: its offline, online or dense-time monitor.

    python rtamt_monitor.py offline
    python rtamt_monitor.py online
    python rtamt_monitor.py dense
    python rtamt_monitor.py online careful

Formulas are written with rtamt's own operators, atoms as predicates over a signal that is 1 or -1, `true` as one over a
signal that is always 1. `careful` goes around what the first runs find: `iff` is written out; traces of one frame, very
long windows and formulas, streams for which it waits longer than it must, and in dense time since, until and atoms that
occur twice are not tried.
"""

import sys
import warnings

from monitor import Monitor, Unsupported, serve

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its ANTLR runtime imports what newer Pythons deprecate
    import rtamt

CAREFUL = "careful" in sys.argv
LONGEST = 300
MANY = 60
MOST = 8
WORDS = {"and": "and", "or": "or", "implies": "implies", "iff": "iff"}


def stl(tree):
    """The formula in rtamt's language."""
    if isinstance(tree, bool):
        return "(one_ > 0)" if tree else "(one_ < 0)"
    if isinstance(tree, str):
        return f"({tree} > 0)"
    operator, *rest = tree
    if CAREFUL and any(isinstance(bound, int) and abs(bound) > LONGEST for bound in rest):
        raise Unsupported("a window that takes it too long")
    match operator:
        case "not":
            return f"(not {stl(rest[0])})"
        case "iff" if CAREFUL:
            left, right = map(stl, rest)
            return f"(({left} and {right}) or not ({left} or {right}))"
        case "F" | "G":
            lo, hi, body = rest
            if lo < 0 < hi:
                raise Unsupported("its windows look one way")
            if lo < 0:
                return f"({'once' if operator == 'F' else 'historically'}[{-hi}:{-lo}] {stl(body)})"
            return f"({'eventually' if operator == 'F' else 'always'}[{lo}:{hi}] {stl(body)})"
        case "U" | "S":
            radius, left, right = rest
            return f"({stl(left)} {'until' if operator == 'U' else 'since'}[0:{radius}] {stl(right)})"
    return f"({stl(rest[0])} {WORDS[operator]} {stl(rest[1])})"


def measured(tree):
    """The greatest bound of a formula."""
    if isinstance(tree, str | bool):
        return 0
    return max(abs(part) if type(part) is int else measured(part) for part in tree[1:])


def specification(tree, names, kind=rtamt.StlDiscreteTimeSpecification):
    found = kind()
    for name in (*names, "one_"):
        found.declare_var(name, "float")
    found.spec = stl(tree)
    found.parse()
    return found


class Offline(Monitor):
    """Whole traces."""

    profiles = ("core", "past")

    def truth(self, tree, masks, n):
        if CAREFUL and n <= 1:
            raise Unsupported("a trace of one frame")
        if n > LONGEST:
            raise Unsupported("a trace that takes it too long")
        if CAREFUL and len(leaves(tree)) > MANY:
            raise Unsupported("a formula that takes it too long to read")
        signals = {name: [1.0 if digit == "1" else -1.0 for digit in mask] for name, mask in masks.items()}
        found = specification(tree, masks).evaluate({"time": list(range(n)), "one_": [1.0] * n, **signals})
        return [value > 0 for _, value in found]


def horizon(tree):
    """How long it waits after `pastify()`, in frames."""
    if isinstance(tree, str | bool):
        return 0
    operator, *rest = tree
    longest = max(horizon(part) for part in rest if not isinstance(part, int) or isinstance(part, bool))
    return longest + {"U": rest[0], "F": rest[1], "G": rest[1]}.get(operator, 0) if is_ahead(tree) else longest


def leaves(tree):
    """The signals of its predicates, as often as they occur."""
    if isinstance(tree, str | bool):
        return [tree if isinstance(tree, str) else "one_"]
    return [leaf for part in tree[1:] if not isinstance(part, int) or isinstance(part, bool) for leaf in leaves(part)]


def is_ahead(tree):
    return tree[0] == "U" or (tree[0] in ("F", "G") and tree[1] >= 0)


class Online(Offline):
    """Frame by frame after `pastify()`; the last frames, which it cannot give, come from the offline monitor."""

    profiles = ("streaming",)

    def open(self, case):
        super().open(case)
        if self.counts is not None:
            raise Unsupported("it does not count")
        if len(self.clauses) > MOST or any(measured(tree) > LONGEST for clause in self.clauses for tree in clause):
            raise Unsupported("a stream that takes it too long")
        self.trees = [tree for clause in self.clauses for tree in clause]
        for tree in self.trees:
            stl(tree)
        if CAREFUL and any(self.delay(k) != super(Online, self).delay(k) for k in range(len(self.clauses))):
            raise Unsupported("it waits longer than it must")
        self.monitors, self.given = None, [[] for _ in self.trees]
        return {}

    def delay(self, k):
        return max(map(horizon, self.clauses[k]))

    def frame(self, case):
        if self.n >= LONGEST:
            raise Unsupported("a stream that takes it too long")
        if self.monitors is None:
            self.monitors = [specification(tree, case["values"]) for tree in self.trees]
            for monitor in self.monitors:
                monitor.pastify()
        sample = [("one_", 1.0), *((name, 1.0 if value else -1.0) for name, value in case["values"].items())]
        for given, monitor in zip(self.given, self.monitors, strict=True):
            given.append(monitor.update(self.n, sample) > 0)
        return super().frame(case)

    def interrupt(self, case):
        raise Unsupported("its state cannot be saved")

    def close(self, case):
        self.given = None
        return super().close(case)

    def words(self, k, due):
        if self.given is None:
            return super().words(k, due)
        obliged, held = ([self.given[j][i + horizon(self.trees[j])] for i in due] for j in (2 * k, 2 * k + 1))
        return ["free" if not o else "satisfied" if h else "violated" for o, h in zip(obliged, held, strict=True)]

    def forget(self):
        """Its offline monitor gives the last verdicts, and needs the whole trace for them."""


class Dense(Online):
    """Chunks in dense time, a sample a second; a frame's verdict is the value at its second, as first given."""

    profiles = ("chunks",)
    frame = None

    def open(self, case):
        super().open(case)
        if CAREFUL and any("since" in stl(tree) or "until" in stl(tree) for tree in self.trees):
            raise Unsupported("since and until, which want their left side at the witness too")
        if CAREFUL and any(len(set(leaves(tree))) < len(leaves(tree)) for tree in self.trees):
            raise Unsupported("an atom that occurs twice")
        return {}

    def chunk(self, case):
        if self.n + case["frames"] > LONGEST:
            raise Unsupported("a stream that takes it too long")
        if self.monitors is None:
            kind = rtamt.StlDenseTimeSpecification
            self.monitors = [specification(tree, case["masks"], kind) for tree in self.trees]
            for monitor in self.monitors:
                monitor.pastify()
        signals = {"one_": "1" * case["frames"], **case["masks"]}
        chunk = [
            [name, [[float(self.n + i), 1.0 if digit == "1" else -1.0] for i, digit in enumerate(mask)]]
            for name, mask in signals.items()
        ]
        for given, monitor in zip(self.given, self.monitors, strict=True):
            for time, value in monitor.update(*chunk):
                self.keep(given, time, value > 0)
        return Monitor.chunk(self, case)

    def keep(self, given, time, value):
        """A value holds from its time on, to the next one; a second that has one keeps it."""
        while len(given) < time:
            given.append(given[-1] if given else value)
        if len(given) == time:
            given.append(value)

    def out(self, ends):
        if self.given is not None:  # what it has not yet said cannot be told
            said = [len(given) - horizon(tree) for given, tree in zip(self.given, self.trees, strict=True)]
            ends = [min(end, *said[2 * k : 2 * k + 2]) for k, end in enumerate(ends)]
        return super().out(ends)


for other in ("formula", "measure", "project", "runs", "match"):
    setattr(Offline, other, None)

if __name__ == "__main__":
    kind = sys.argv[1]
    monitors = {"offline": Offline, "online": Online, "dense": Dense}
    serve(monitors[kind](), f"rtamt {kind}{', careful' if CAREFUL else ''}")
