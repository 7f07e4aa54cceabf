"""Every family on the limits of numbers catches a fault that begins there, and every line that is no case is caught."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tracepact.conform.differential import explore
from tracepact.conform.draw import FAMILIES
from tracepact.conform.findings import CaseTally
from tracepact.conform.malformed import damaged
from tracepact.conform.oracle import ConformanceProfile, Session

Case = dict[str, Any]
Reply = dict[str, Any]


class Altered:
    """The reference, told another case than it was asked, or with another answer than it gave."""

    name = "altered"

    def __init__(self, case: Callable[[Case], Case], reply: Callable[[Case, Any], Any]) -> None:
        self.profiles = frozenset(ConformanceProfile)
        self.runs = True
        self.case, self.reply = case, reply
        self.session = Session()

    def start(self) -> None: ...

    def ask(self, case: Mapping[str, Any]) -> Reply:
        asked = self.case(json.loads(json.dumps(case)))
        reply = json.loads(json.dumps(self.session.reply(json.dumps({"id": 1, **asked}))))
        return {**reply, "answer": self.reply(dict(case), reply["answer"])} if "answer" in reply else reply

    def close(self) -> None: ...

    def kill(self) -> None: ...

    def news(self) -> bool:
        return False


def numbers(change: Callable[[int], int]) -> Callable[[Any], Any]:
    """Change every whole number of a case, its frames aside."""

    def walk(data: Any) -> Any:
        match data:
            case bool():
                return data
            case int():
                return change(data)
            case list():
                return [walk(item) for item in data]
            case dict():
                return {key: item if key == "frames" else walk(item) for key, item in data.items()}
        return data

    return walk


def texts(key: str, change: Callable[[str], str]) -> Callable[[Case], Case]:
    return lambda case: case | {key: change(case[key])} if key in case else case


def within_16_bits(number: int) -> int:
    return (number + 2**15) % 2**16 - 2**15


def digits(most: int) -> Callable[[Case], Case]:
    """Masks are read up to a frame; there is silence behind it."""
    return lambda case: json.loads(
        re.sub(r"(?<=\")[01]{1000,}", lambda m: m[0][:most] + "0" * (len(m[0]) - most), json.dumps(case))
    )


def shorter(key: str, most: int) -> Callable[[Case, Any], Any]:
    return lambda case, answer: answer | ({key: answer[key][:most]} if answer.get(key) else {})


def of_clips(case: Case, answer: Any) -> Any:
    """The first frame of a clip holds if the last one of a clip before it did that was as long."""
    out = [answer["verdicts"][0]]
    out += [
        "1" + now[1:] if now and before[-1:] == "1" and len(now) == len(before) else now
        for before, now in zip(answer["verdicts"], answer["verdicts"][1:], strict=False)
    ]
    return answer | {"verdicts": out}


def as_floats(key: str) -> Callable[[Case], Case]:
    def rounded(text: str) -> str:
        return re.sub(r"\d+\.\d{13,}", lambda m: f"{float(m[0]):.12f}", text)

    return lambda case: json.loads(rounded(json.dumps(case))) if key in case else case


def same(case: Any) -> Any:
    return case


def kept(case: Case, answer: Any) -> Any:
    return answer


def no(code: str) -> Callable[[Case, Any], Any]:
    return lambda case, answer: answer | {"errors": [f for f in answer.get("errors", ()) if f["code"] != code]}


def wrapped(key: str, most: int) -> Callable[[Case, Any], Any]:
    return lambda case, answer: (
        json.loads(re.sub(r"\d+", lambda m: str(int(m[0]) % most), json.dumps({key: answer[key]})))
        if key in answer
        else answer
    )


FAULTS: dict[str, tuple[Callable[[Case], Case], Callable[[Case, Any], Any]]] = {
    "far spans": (same, wrapped("errors", 1 << 16)),
    "long strings": (texts("text", lambda text: text.replace("x" * 65_536, "x" * 65_535)), shorter("title", 255)),
    "sixty characters": (same, no("bad-quantity")),
    "two hundred levels": (same, no("too-deep")),
    "far windows, ahead": (numbers(within_16_bits), kept),
    "far windows": (numbers(within_16_bits), kept),
    "a million frames": (digits(1 << 16), kept),
    "counts of long clips": (digits(1 << 17), kept),
    "thousands of clips": (same, lambda case, answer: {"verdicts": answer["verdicts"][: 1 << 12]}),
    "clips of one length": (same, of_clips),
    "keys of others, long lines": (lambda case: case if len(json.dumps(case)) < 1 << 16 else {}, kept),
    "many over one": (numbers(lambda n: min(n, 2 * 255)), kept),
    "thousands of runs": (same, shorter("runs", 4096)),
    "many pairs": (same, lambda case, answer: shorter("violated", 1000)(case, shorter("pairs", 1000)(case, answer))),
    "far frames": (texts("predicate", lambda text: re.sub(r"\d{6,}", "65535", text)), shorter("candidates", 3)),
    "times beside frames": (as_floats("events"), kept),
    "events that vanish": (same, lambda case, answer: answer | {"vanished": answer["vanished"] % 256}),
    "wide terms": (texts("predicate", lambda text: re.sub(r" \+ 1/1\d+s$", "", text)), kept),
    "far delays": (numbers(within_16_bits), kept),
    "far delays in chunks": (numbers(within_16_bits), kept),
    "many clauses at once": (same, shorter("out", 64)),
    "many clauses in chunks": (same, shorter("out", 64)),
    "hundreds of open runs": (same, shorter("closed", 100)),
    "far measures": (same, wrapped("lookahead", 1 << 32)),
    "lines to the end of buffers": (texts("text", lambda text: text[:4096]), kept),
    "witnesses of long ago": (numbers(lambda n: min(n, 4096)), kept),
    "sums beyond words": (same, lambda case, answer: answer | {"pooled": {"value": "1", "vacuous": False}}),
    "sweeps together": (same, shorter("sweeps", 9)),
    "far reports": (same, shorter("witnesses", 1000)),
    "odd settings": (same, lambda case, answer: answer | {"warnings": []}),
    "hundreds of classes": (lambda case: json.loads(re.sub(r" c1\d\d\b", "", json.dumps(case))), kept),
    "wide weights": (texts("contract", lambda text: re.sub(r"/(\d{30})\d+", r"/\1", text)), kept),
}


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "family"), [(p, name) for p, some in FAMILIES.items() for name in some])
def test_every_family_catches_a_fault_that_begins_at_its_limit(profile: ConformanceProfile, family: str) -> None:
    def found(peer: Altered) -> bool:
        tally = CaseTally()
        return explore(peer, profile, family, examples=200, seed=3, tally=tally, tick=int, shrink=False) is not None

    assert not found(Altered(same, kept))
    assert found(Altered(*FAULTS[family]))


@pytest.mark.parametrize("profile", list(ConformanceProfile))
def test_every_line_that_is_no_case_is_an_error_of_the_reference(profile: ConformanceProfile) -> None:
    cases = list(damaged(profile))
    assert len(cases) > 10
    session = Session()
    answered = [case for case in cases if "error" not in session.reply(json.dumps({"id": 1, **case}))]
    assert answered == []
