"""Writes the predictions of ten systems for the demo's references: three as shipped, seven made here."""

import csv
import shutil
from pathlib import Path
from random import Random

DEMO = Path("../../spec/demo")
HERE = Path("predictions")
SHIPPED = ("late_long", "over_firing", "fragmenting")


def rows(name: str) -> list[list[str]]:
    """The rows of a table of the demo, without its header."""
    with open(DEMO / f"{name}.tsv", encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t"))[1:]


def write(name: str, events: list[tuple[str, float, float, str]]) -> None:
    """The table of a system."""
    with open(HERE / f"{name}.tsv", "w", encoding="utf-8") as file:
        file.write("filename\tonset\toffset\tevent_label\n")
        file.writelines(f"{clip}\t{on:.3f}\t{off:.3f}\t{label}\n" for clip, on, off, label in events if off > on)


def main() -> None:
    """Copy and make them."""
    HERE.mkdir(exist_ok=True)
    for name in SHIPPED:
        shutil.copy(DEMO / f"{name}.tsv", HERE)
    random = Random(18)  # noqa: S311  (imitations, nothing secret)
    lengths = {clip: float(length) for clip, length in rows("durations")}
    truth = [(clip, float(on), float(off), label) for clip, on, off, label in rows("reference") if on]
    labels = sorted({label for *_, label in truth})
    again = [(clip, float(on), float(off), label) for clip, on, off, label in rows("late_long") if on]
    write("late_long_again", again)
    write("early", [(clip, max(on - 0.03, 0), off - 0.03, label) for clip, on, off, label in truth])
    write("forgetful", [event for event in truth if random.random() < 0.7])
    blur = [(random.gauss(0, 0.06), random.gauss(0, 0.06)) for _ in truth]
    write("blurred", [(c, max(on + a, 0), off + b, n) for (c, on, off, n), (a, b) in zip(truth, blur, strict=True)])
    write("silent", [])
    write("always_on", [(clip, 0, length, label) for clip, length in lengths.items() for label in labels])
    starts = [(clip, random.uniform(0, length - 2), label) for clip, length in lengths.items() for label in labels]
    write("random", [(clip, start, start + random.uniform(0.2, 2), label) for clip, start, label in starts])


if __name__ == "__main__":
    main()
