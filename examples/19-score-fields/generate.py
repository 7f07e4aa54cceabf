"""Makes the data of this example: the scores of a detector, its reference, and the soft labels behind the reference."""

from pathlib import Path

import numpy as np

FRAMES, STEP, CELL = 50, 40, 5
CLASSES = ("alarm", "speech")
EVENTS = {
    "kitchen_01": [("alarm", 8, 22), ("speech", 30, 46)],
    "kitchen_02": [("speech", 4, 19)],
    "street_01": [("alarm", 12, 40)],
    "street_02": [("speech", 10, 24), ("speech", 33, 41)],
}


def seconds(frame: int) -> str:
    """The start of a frame of 40 ms, in exact decimals."""
    return f"{frame * STEP // 1000}.{frame * STEP % 1000:03d}"


def main() -> None:
    """Write `scores`, `soft` and `reference.tsv` beside this file."""
    here = Path(__file__).parent
    random = np.random.default_rng(7)
    reference = ["filename\tonset\toffset\tevent_label\n"]
    for clip, events in EVENTS.items():
        truth = np.zeros((FRAMES, len(CLASSES)))
        for label, start, end in events:
            reference.append(f"{clip}\t{seconds(start)}\t{seconds(end)}\t{label}\n")
            truth[start:end, CLASSES.index(label)] = 1
        late = np.vstack([truth[:1].repeat(2, axis=0), truth[:-2]])
        scores = 1 / (1 + np.exp(-(5 * late - 2.5 + random.normal(0, 1.1, truth.shape))))
        lines = ["\t".join(("onset", "offset", *CLASSES)) + "\n"]
        for frame, row in enumerate(scores):
            lines.append("\t".join((seconds(frame), seconds(frame + 1), *(f"{score:.4f}" for score in row))) + "\n")
        # Annotators agree in the middle of an event and less at its ends.
        heard = np.stack([np.convolve(column, np.ones(9) / 9, mode="same") for column in truth.T], axis=1)
        labels = [
            f"{seconds(first)}\t{seconds(first + CELL)}\t{label}\t{heard[first : first + CELL, place].mean():.2f}\n"
            for first in range(0, FRAMES, CELL)
            for place, label in enumerate(CLASSES)
        ]
        for folder, name, text in (("scores", f"{clip}.tsv", lines), ("soft", f"{clip}.txt", labels)):
            (here / folder).mkdir(exist_ok=True)
            (here / folder / name).write_text("".join(text), encoding="utf-8")
    (here / "reference.tsv").write_text("".join(reference), encoding="utf-8")


if __name__ == "__main__":
    main()
