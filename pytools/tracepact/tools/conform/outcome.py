"""A conformance run as data for other tools: JSON (spec/schemas/conformance.schema.json) and JUnit XML."""

from importlib.metadata import version
from typing import Any
from xml.etree import ElementTree as Xml

from tracepact.tools.conform.findings import Conformance, Finding, Tally
from tracepact.tools.conform.picture import picture
from tracepact.tools.conform.serve import PROTOCOL


def outcome_data(found: Conformance) -> dict[str, Any]:
    """The run as plain data."""
    return {
        "command": list(found.command),
        "implementation": found.name,
        "protocol": PROTOCOL,
        "profiles": [profile.value for profile in found.profiles],
        "left_out": [profile.value for profile in found.left_out],
        "seed": found.seed,
        "examples": found.examples,
        "conforms": found.conforms,
        "tested": found.tested,
        "stopped": found.stopped,
        "vectors": [_tally(topic, tally) for topic, tally in found.vectors.items()],
        "random": [_tally(name, tally) for name, tally in found.random.items()],
        "unsupported": [{"reason": reason, "count": count} for reason, count in found.reasons.most_common()],
        "findings": [_finding(finding) for finding in found.findings],
        "versions": {"tracepact": version("tracepact")},
    }


def _tally(name: str, tally: Tally) -> dict[str, Any]:
    return {"name": name, "passed": tally.passed, "failed": tally.failed, "unsupported": tally.unsupported}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "origin": finding.origin,
        "words": finding.words,
        "parts": list(finding.parts),
        "answered": dict(finding.answered) if finding.answered is not None else None,
        "vector": finding.vector.data if finding.vector is not None else None,
        "picture": picture(finding),
    }


def junit_xml(found: Conformance) -> str:
    """The run as JUnit XML: a suite for each topic and experiment, a failure for each finding.

    A run that was stopped, or tested nothing, has an error that says so: it must not look like one that passed.
    """
    root = Xml.Element("testsuites", name=f"tracepact conform: {found.name}")
    groups = [("vectors", topic, tally) for topic, tally in found.vectors.items()]
    groups += [("random", name, tally) for name, tally in found.random.items()]
    placed: set[int] = set()
    for stage, name, tally in groups:
        own = [f for f in found.findings if _belongs(f, stage, name)]
        placed |= {id(finding) for finding in own}
        _suite(root, f"{stage}.{name}", tally, own)
    rest = [finding for finding in found.findings if id(finding) not in placed]
    if rest:
        _suite(root, "protocol", Tally(failed=len(rest)), rest)
    if found.stopped is not None:
        _error(root, "stopped", found.stopped)
    elif not found.tested:
        _error(root, "nothing was tested", "no case was answered, so nothing is known of the implementation")
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _belongs(finding: Finding, stage: str, name: str) -> bool:
    if stage == "random":
        return finding.origin == f"random: {name}"
    return finding.origin == "vectors" and finding.vector is not None and finding.vector.topic == name


def _suite(root: Xml.Element, name: str, tally: Tally, findings: list[Finding]) -> None:
    cases = max(tally.asked, len(findings))
    suite = Xml.SubElement(
        root, "testsuite", name=name, tests=str(cases), failures=str(len(findings)), skipped=str(tally.unsupported)
    )
    for finding in findings:
        title = finding.vector.id if finding.vector is not None else finding.kind
        case = Xml.SubElement(suite, "testcase", classname=name, name=title)
        failure = Xml.SubElement(case, "failure", type=finding.kind, message=_plain(finding.words))
        failure.text = _plain("\n".join(picture(finding)))
    for number in range(tally.passed):
        Xml.SubElement(suite, "testcase", classname=name, name=f"passed {number + 1}")
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
