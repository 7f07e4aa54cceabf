"""`python -m hostile`: many inputs through every door, with the counts and a digest of all that came out."""

import argparse
import resource
import sys
from pathlib import Path

from hostile.doors import DOORS, FAST
from hostile.harness import play

parser = argparse.ArgumentParser()
parser.add_argument("--inputs", type=int, default=1_000_000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--door", action="append", choices=sorted(DOORS))
parser.add_argument("--seconds", type=float, default=0, help="begin no input after so many seconds; 0 for no limit")
parser.add_argument("--gigabytes", type=int, default=4, help="of addresses for all inputs, beside the program's own")
parser.add_argument("--often", type=int, default=40, help="how much more often the fast doors are tried")
given = parser.parse_args()
pages = int(Path("/proc/self/statm").read_text().split()[0])
most = pages * resource.getpagesize() + (given.gigabytes << 30)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
doors = {name: DOORS[name] for name in given.door or DOORS}
often = (
    {f"{name} {n}": DOORS[name] for name in FAST if name in doors for n in range(given.often)} if not given.door else {}
)
sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # it is a text stream
tally = play(
    {**doors, **often},
    given.inputs,
    given.seed,
    stop=given.seconds,
    say=lambda text: print(text, file=sys.stderr, flush=True),
)
sys.stdout.write("\n".join(tally.lines()) + "\n")
sys.exit(1 if tally.faults else 0)
