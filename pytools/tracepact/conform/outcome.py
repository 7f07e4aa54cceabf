"""A conformance run for other tools and readers: record, JUnit XML, pictures, badge."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.metadata import version
from typing import Annotated, Any, Literal
from xml.etree import ElementTree as Xml

from msgspec import Meta

from tracepact.conform.differential import portable, replay_line
from tracepact.conform.engines import arrivals
from tracepact.conform.findings import CaseTally, Conformance, Finding, FindingKind, fault_words
from tracepact.conform.oracle import PROTOCOL, ConformanceProfile, Vector
from tracepact.conform.peer import printable
from tracepact.conform.protocol import formula_of, formula_text, in_runs
from tracepact.records import Count, Record

# A finding as a picture: the case in words and masks, what was expected, what was answered, where they differ.
#
# Of a long trace the frames around the first difference are drawn, and every mask is given in runs beside them.

_ON, _OFF = "█", "·"
_WIDEST = 240
_LONG = 96
"""Frames of a trace that is drawn whole."""

_AROUND = 24
"""Frames before the first difference of a longer one."""

_MOST = 5
"""Clips, moments and verdicts that are listed of those that differ."""

_MASKS = ("mask", "onsets", "offsets")


def picture(finding: Finding) -> list[str]:
    """The lines of a finding's picture; empty for one without a case."""
    if finding.vector is None:
        return []
    case = finding.vector.input
    try:
        lines = [*_case_lines(case, _places(finding)), *_answer_lines(finding, case)]
    except Exception as error:  # noqa: BLE001  (a finding without a picture is worth more than none)
        lines = [f"the case cannot be drawn: {fault_words(error)}"]
    return [line.rstrip() for line in lines]


def _places(finding: Finding) -> dict[int, int]:
    """The first frame that differs, by clip; the trace of a stream is the only clip."""
    assert finding.vector is not None
    expected, answered = finding.vector.expected, finding.answered or {}
    if "verdicts" in finding.parts and _are_masks(answered.get("verdicts")):
        pairs = enumerate(zip(expected["verdicts"], answered["verdicts"], strict=False))
        return {number: _first_difference(want, got) for number, (want, got) in pairs if want != got}
    if "out" in finding.parts and isinstance(answered.get("out"), list):
        for want, got in zip(expected["out"], answered["out"], strict=False):
            if some := [item[0] for item in (*_only(want, got), *_only(got, want)) if _is_verdict(item)]:
                return {0: min(some)}
    return {}


def _first_difference(want: Sequence[Any], got: Sequence[Any]) -> int:
    apart = (i for i, (a, b) in enumerate(zip(want, got, strict=False)) if a != b)
    return next(apart, min(len(want), len(got)))


def _only(these: Any, those: Any) -> list[Any]:
    """The items of a list that another lacks."""
    # As a set of texts: a chunk may have 65,536 verdicts, and to look for each in a list takes hours.
    others = {json.dumps(item) for item in those} if isinstance(those, list) else set()
    return [item for item in these if json.dumps(item) not in others] if isinstance(these, list) else []


def _is_verdict(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 3 and type(item[0]) is int


def _shown_frames(frames: int, at: int) -> slice:
    """The frames of a trace that are drawn."""
    if frames <= _LONG:
        return slice(0, frames)
    start = max(0, min(at - _AROUND, frames - 2 * _AROUND))
    return slice(start, min(start + 2 * _AROUND, frames))


def _case_lines(case: Mapping[str, Any], places: Mapping[int, int]) -> Iterator[str]:
    match case["ask"]:
        case "verdicts":
            yield _row("formula", _text(case["formula"]))
            yield from _clips(case["clips"], places)
        case "clause":
            yield _row("obligation", _text(case["obligation"]))
            yield _row("formula", _text(case["formula"]))
            yield from _clips(case["clips"], places)
        case "stream":
            for number, clause in enumerate(case["clauses"]):
                yield _row(f"clause {number}", f"on {_text(clause['obligation'])} : {_text(clause['formula'])}")
            yield from _clips([case["trace"]], places)
            if "chunks" in case:
                frames = case["trace"]["frames"]
                shown = _chunks(case["chunks"])[_shown_frames(frames, places.get(0, 0))]
                yield _row("chunks", shown if frames <= _LONG else f"{shown}  of {_shown(case['chunks'])}")
            if "interrupt" in case:
                what = "chunk" if "chunks" in case else "frame"
                yield _row("interrupted", f"before {what} {', '.join(map(str, case['interrupt']))}")
        case "runs":
            yield _row("step", f"{case['step']}, merge gap {case['merge_gap']}")
            yield _row("mask", _part(case["mask"], slice(0, min(len(case["mask"]), _LONG))))
        case "match" | "events":
            frames = min(max([end for side in ("ref", "pred") for _, end in case[side]], default=1), _LONG)
            if case["ask"] == "events":
                yield _row("clause", f"on each {case['each']} : {case['predicate']}")
                yield _row("merge gap", case.get("merge_gap", "0"))
            yield _row("matcher", _matcher(case.get("matcher")))
            yield _row("", _ruler(frames))
            for side in ("ref", "pred"):
                yield _row(side, f"{_painted(case[side], frames)}  {_shown(case[side])}")
        case _:
            yield from (_row(key, _shown(value)) for key, value in case.items() if key != "ask")


def _answer_lines(finding: Finding, case: Mapping[str, Any]) -> Iterator[str]:
    assert finding.vector is not None
    if finding.answered is None:
        return
    for part in finding.parts:
        expected: Any = finding.vector.expected[part]
        answered: Any = finding.answered.get(part)
        if part == "verdicts" and _are_masks(answered):
            apart = [(k, *pair) for k, pair in enumerate(zip(expected, answered, strict=False)) if pair[0] != pair[1]]
            for number, want, got in apart[:_MOST]:
                yield from _compared(want, got, f" {number}" if len(expected) > 1 else "")
            if len(apart) > _MOST:
                yield _row("", f"and {len(apart) - _MOST} more clips")
            if len(expected) != len(answered):
                yield _row("answered", f"{len(answered)} masks for {len(expected)} clips")
        elif part == "out" and isinstance(answered, list):
            yield from _moments(case, expected, answered)
        elif part in _MASKS and _are_masks([answered]):
            yield from _compared(expected, str(answered), f" {part}")
        else:
            where, want, got = _first_apart(expected, answered)
            yield _row("expected", f"{part}{where} {_shown(want)}")
            there = part in finding.answered
            yield _row("answered", f"{part}{where} {_shown(got)}" if there else f"missing `{part}`")


def _first_apart(want: Any, got: Any) -> tuple[str, Any, Any]:
    """Where two long lists begin to differ, and what they have there; short ones whole."""
    if not isinstance(want, list) or not isinstance(got, list) or len(json.dumps(want)) <= _WIDEST:
        return "", want, got
    at = _first_difference(want, got)
    return f", from item {at} of {len(want)} on,", want[at : at + _MOST], got[at : at + _MOST]


def _compared(want: str, got: str, suffix: str) -> Iterator[str]:
    frames = max(len(want), len(got))
    part = _shown_frames(frames, _first_difference(want, got))
    yield _row("expected" + suffix, _part(want, part))
    yield _row("answered" + suffix, _part(got, part))
    apart = ["^" if i >= len(got) or i >= len(want) or want[i] != got[i] else " " for i in range(frames)]
    yield _row("", "".join(apart[part]))
    if frames > _LONG:
        yield _row("", f"{apart.count('^')} of {frames} frames differ")


def _moments(case: Mapping[str, Any], expected: Sequence[Any], answered: Sequence[Any]) -> Iterator[str]:
    last = len(arrivals(case))
    moments = [*answered[: len(expected)], *[None] * (len(expected) - len(answered))]
    apart = [(at, want, got) for at, (want, got) in enumerate(zip(expected, moments, strict=True)) if want != got]
    for at, want, got in apart[:_MOST]:
        when = f"at {'chunk' if 'chunks' in case else 'frame'} {at}" if at < last else "at close"
        yield _row(when, f"expected {_verdicts(want, got)}")
        yield _row("", f"answered {_verdicts(got, want)}")
    if len(apart) > _MOST:
        yield _row("", f"and at {len(apart) - _MOST} more {'chunks' if 'chunks' in case else 'frames'}")


def _verdicts(out: Any, other: Any) -> str:
    """What is out at a moment; of much, what the other side has otherwise."""
    if not isinstance(out, list) or not all(isinstance(item, list) and len(item) == 3 for item in out):
        return _shown(out)
    some = out if len(out) <= _MOST else _only(out, other) or out
    more = f", … {len(out)} in all" if len(out) > len(some[:_MOST]) else ""
    return (", ".join(f"frame {i} clause {k} {word}" for i, k, word in some[:_MOST]) or "nothing") + more


def _clips(clips: Sequence[Mapping[str, Any]], places: Mapping[int, int]) -> Iterator[str]:
    """The clips with their masks; of many those that differ."""
    shown = [k for k in range(len(clips)) if len(clips) <= _MOST or k in places][:_MOST] or list(range(_MOST))
    for number in shown:
        clip = clips[number]
        part = _shown_frames(clip["frames"], places.get(number, 0))
        if clip["frames"] > _LONG:
            yield _row("", f"frames {part.start} to {part.stop - 1} of {clip['frames']}, and every mask in runs")
        yield _row("" if len(clips) == 1 else f"clip {number}", _ruler(clip["frames"])[part])
        for name, mask in clip["masks"].items():
            yield _row(name, _part(mask, part))
        if "ignored" in clip:
            yield _row("ignored", _part(clip["ignored"], part))
    if len(shown) < len(clips):
        yield _row("", f"and {len(clips) - len(shown)} more clips")


def _part(mask: str, part: slice) -> str:
    """A mask, or some of its frames beside all of it in runs."""
    drawn = _mask(mask[part])
    return drawn if len(mask) <= _LONG else f"{drawn}  {_shown(in_runs(mask))}"


def _row(name: str, text: str) -> str:
    return f"{name:<12} {text}"


def _chunks(sizes: Sequence[int]) -> str:
    """Which chunk each frame comes in, by its number, under the ruler of frames."""
    return "".join(str(number % 10) * size for number, size in enumerate(sizes))


def _ruler(frames: int) -> str:
    return "".join(str(i % 10) for i in range(frames))


def _mask(text: str) -> str:
    return text.replace("1", _ON).replace("0", _OFF)


def _painted(runs: Sequence[Sequence[int]], frames: int) -> str:
    return "".join(_ON if any(s <= i < e for s, e in runs) else _OFF for i in range(frames))


def _are_masks(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(v, str) and not set(v) - {"0", "1"} for v in values)


def _matcher(data: Mapping[str, Any] | None) -> str:
    if data is None:
        return "greedy(search = 1/5, overlap_reward = 1/2)"
    return f"{data['kind']}(search = {data['search']}, overlap_reward = {data['overlap_reward']})"


def _text(tree: Any) -> str:
    return formula_text(formula_of(tree))


def _shown(value: Any) -> str:
    text = printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


# A conformance run for other tools: a record, printed as JSON, and JUnit XML.

_Answer = Annotated[dict[str, Any], Meta(description="What it answered, by the parts of the answer.")]
_Rule = Annotated[str, Meta(pattern=r"^[0-9]{1,4}(\.[0-9]{1,4})*$")]
_Vector = Annotated[dict[str, Any], Meta(extra_json_schema={"$ref": "vector.schema.json#/$defs/vector"})]


class TallyRecord(Record, frozen=True):
    """How many cases of a topic or an experiment were asked, and how they went."""

    name: str
    passed: Count
    failed: Count
    unsupported: Count


class RuleRecord(Record, frozen=True):
    """How the cases of a profile went that show a rule of the language."""

    profile: ConformanceProfile
    rule: _Rule
    passed: Count
    failed: Count
    unsupported: Count


class ReasonCount(Record, frozen=True):
    """A reason that was given for unsupported cases, and how often."""

    reason: str
    count: Annotated[int, Meta(ge=1)]


class FindingRecord(Record, frozen=True):
    """Something the implementation did that the language or the protocol does not allow."""

    kind: FindingKind
    origin: str
    words: str
    parts: tuple[str, ...]
    answered: _Answer | None
    vector: _Vector | None
    picture: tuple[str, ...]
    replay: Annotated[str | None, Meta(description="The command that asks the case again.")] = None


class ToolVersion(Record, frozen=True):
    """What tested it."""

    tracepact: str


class ConformanceRecord(Record, frozen=True):
    """What `tracepact conform --format json` prints: the outcome of a conformance run."""

    command: tuple[str, ...]
    implementation: str
    protocol: Literal[1]
    profiles: tuple[ConformanceProfile, ...]
    left_out: Annotated[
        tuple[ConformanceProfile, ...],
        Meta(description="The profiles asked for by name that the implementation does not support: not tested."),
    ]
    seed: int
    examples: Count
    conforms: Annotated[
        bool, Meta(description="Whether something was tested, nothing was found and the run came to its end.")
    ]
    tested: Annotated[bool, Meta(description="Whether any case was answered; without one nothing is known.")]
    stopped: Annotated[str | None, Meta(description="Why the run stopped early, if it did.")]
    vectors: tuple[TallyRecord, ...]
    random: tuple[TallyRecord, ...]
    rules: Annotated[
        tuple[RuleRecord, ...],
        Meta(description="The vectors by profile and the rules they show; random findings count as failed."),
    ]
    unsupported: Annotated[
        tuple[ReasonCount, ...],
        Meta(description="The reasons given for unsupported cases, most frequent first."),
    ]
    findings: tuple[FindingRecord, ...]
    versions: ToolVersion


def conformance_record(outcome: Conformance) -> ConformanceRecord:
    """The run as a record."""
    return ConformanceRecord(
        command=tuple(portable(outcome.command)),
        implementation=outcome.name,
        protocol=PROTOCOL,
        profiles=outcome.profiles,
        left_out=outcome.left_out,
        seed=outcome.seed,
        examples=outcome.examples,
        conforms=outcome.conforms,
        tested=outcome.tested,
        stopped=outcome.stopped,
        vectors=_tallies(outcome.vectors),
        random=_tallies(outcome.random),
        rules=tuple(
            RuleRecord(profile, rule, tally.passed, tally.failed, tally.unsupported)
            for (profile, rule), tally in sorted(outcome.rules.items(), key=_by_rule)
        ),
        unsupported=tuple(ReasonCount(reason, count) for reason, count in outcome.reasons.most_common()),
        findings=tuple(_finding(finding, outcome) for finding in outcome.findings),
        versions=ToolVersion(version("tracepact")),
    )


def _tallies(tallies: Mapping[str, CaseTally]) -> tuple[TallyRecord, ...]:
    return tuple(TallyRecord(name, t.passed, t.failed, t.unsupported) for name, t in tallies.items())


def _by_rule(entry: tuple[tuple[ConformanceProfile, str], CaseTally]) -> tuple[int, list[int]]:
    (profile, rule), _ = entry
    return list(ConformanceProfile).index(profile), [int(part) for part in rule.split(".")]


def _finding(finding: Finding, outcome: Conformance) -> FindingRecord:
    return FindingRecord(
        kind=finding.kind,
        origin=finding.origin,
        words=finding.words,
        parts=finding.parts,
        answered=None if finding.answered is None else dict(finding.answered),
        vector=None if finding.vector is None else vector_data(finding.vector),
        picture=tuple(picture(finding)),
        replay=replay_line(finding, outcome.implementation),
    )


def vector_data(vector: Vector) -> dict[str, Any]:
    """A vector as files have it; in full if it cannot be written shorter, so that no finding loses its case."""
    try:
        return vector.data
    except Exception:  # noqa: BLE001
        return vector.in_full


def junit_xml(outcome: Conformance) -> str:
    """The run as JUnit XML: a suite for each topic and experiment, a failure for each finding.

    A run that was stopped, or tested nothing, has an error that says so: it must not look like one that passed.
    """
    root = Xml.Element("testsuites", name=_plain(f"tracepact conform: {outcome.name}"))
    groups = [("vectors", topic, tally) for topic, tally in outcome.vectors.items()]
    groups += [("random", name, tally) for name, tally in outcome.random.items()]
    placed: set[int] = set()
    for group, name, tally in groups:
        in_group = [f for f in outcome.findings if _belongs(f, group, name)]
        placed |= {id(finding) for finding in in_group}
        _suite(root, f"{group}.{name}", tally, in_group)
    rest = [finding for finding in outcome.findings if id(finding) not in placed]
    if rest:
        _suite(root, "protocol", CaseTally(failed=len(rest)), rest)
    if outcome.stopped is not None:
        _error(root, "stopped", outcome.stopped)
    # Tools that read JUnit take an empty file for success.
    elif not outcome.tested:
        _error(root, "nothing was tested", "no case was answered, so nothing is known of the implementation")
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _belongs(finding: Finding, group: str, name: str) -> bool:
    if group == "random":
        return finding.origin == f"random: {name}"
    return finding.origin == "vectors" and finding.vector is not None and finding.vector.topic == name


def _suite(root: Xml.Element, name: str, tally: CaseTally, findings: list[Finding]) -> None:
    cases = max(tally.asked, len(findings))
    suite = Xml.SubElement(
        root, "testsuite", name=name, tests=str(cases), failures=str(len(findings)), skipped=str(tally.unsupported)
    )
    for finding in findings:
        title = finding.vector.id if finding.vector is not None else finding.kind
        case = Xml.SubElement(suite, "testcase", classname=name, name=title)
        failure = Xml.SubElement(case, "failure", type=finding.kind, message=_plain(finding.words))
        failure.text = _plain("\n".join(picture(finding)))
    for title in [*tally.ids, *(f"case {number + 1}" for number in range(len(tally.ids), tally.passed))]:
        Xml.SubElement(suite, "testcase", classname=name, name=title)
    for number, reason in enumerate(tally.reasons.elements()):
        case = Xml.SubElement(suite, "testcase", classname=name, name=f"unsupported {number + 1}")
        Xml.SubElement(case, "skipped", message=_plain(reason))


def _error(root: Xml.Element, title: str, words: str) -> None:
    suite = Xml.SubElement(root, "testsuite", name="run", tests="1", failures="0", errors="1", skipped="0")
    case = Xml.SubElement(suite, "testcase", classname="run", name=title)
    Xml.SubElement(case, "error", type=title, message=_plain(words))


def _plain(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or " " <= c < "\ud800" or "\ue000" <= c < "\ufffe" or c > "\uffff" else "?" for c in text
    )


# A badge: what a conformance run found, as a small picture for a README.

_COLOURS = {"conforms": "#2e7d32", "partly": "#9a6700", "fails": "#b3261e", "unknown": "#5f6368"}
_LETTER = 6.5
_PADDING = 12


def badge_svg(outcome: Conformance) -> str:
    """The badge as SVG: the profiles that were tested, and whether anything was found."""
    said, colour = _said(outcome)
    # The width of letters is guessed, as a badge has to be drawn without a font; the padding makes up for it.
    left, right = (round(len(text) * _LETTER) + _PADDING for text in ("tracepact", said))
    label = escape(f"tracepact: {said}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{label}">'
        f"<title>{label}</title>"
        f'<rect width="{left}" height="20" fill="#3c4043"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">tracepact</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(said)}</text></g></svg>\n'
    )


def _said(outcome: Conformance) -> tuple[str, str]:
    # The worst first: a badge must not say that something conforms in part when something was found.
    profiles = " ".join(profile.value for profile in outcome.profiles)
    if outcome.findings:
        return "does not conform", _COLOURS["fails"]
    if outcome.stopped:
        return "not tested to the end", _COLOURS["unknown"]
    if not outcome.tested:
        return "not tested", _COLOURS["unknown"]
    if outcome.reasons:
        return f"conforms in part: {profiles}", _COLOURS["partly"]
    return f"conforms: {profiles}", _COLOURS["conforms"]
