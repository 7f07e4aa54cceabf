"""What was done to both sides before they were scored, in words."""

from typing import Any

from tracepact.wording import count


def preparation_lines(preparation: dict[str, Any]) -> list[str]:
    """A line for each decoding, for clips that were named anew and for the label map; none if nothing was done."""
    lines = []
    for side in ("reference", "prediction"):
        done = preparation[side]
        if done["decoding"] is not None:
            lines.append(f"{side} decoded from {done['format']}: {_decoding(done['decoding'])}")
        if done["renamed_clips"]:
            lines.append(
                f"{side}: {done['renamed_clips']:,} clips named by their files got the names of the other tables"
            )
        if done["lengths"]:
            lengths = done["lengths"]
            clips = count(lengths, "clip")
            lines.append(f"{side}: its files say how long {clips} {'are' if lengths != 1 else 'is'} ({done['format']})")
    labels = preparation["label_map"]
    if labels is not None:
        ref, pred = preparation["reference"], preparation["prediction"]
        merged = sum(item["old"] != item["new"] for item in labels["labels"])
        lines.append(
            f"label map {labels['name']}: {count(merged, 'label')} renamed or merged; "
            f"{ref['dropped']:,} reference and {pred['dropped']:,} predicted events dropped, "
            f"{ref['ignored']:,} and {pred['ignored']:,} ignored"
        )
    return lines


def _decoding(decoding: dict[str, Any]) -> str:
    median = f"median filter of {decoding['median']} frames, then " if decoding["median"] > 1 else ""
    if decoding["low"] is None:
        return f"{median}score > {decoding['threshold']}"
    return f"{median}hysteresis, score > {decoding['low']} around score > {decoding['threshold']}"
