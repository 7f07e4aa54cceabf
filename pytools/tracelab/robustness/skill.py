"""The guide for automated users, which every run carries with it."""

from importlib.resources import files


def skill_text() -> str:
    """Steps, artefacts and failure modes."""
    return (files("tracelab.robustness") / "SKILL.md").read_text(encoding="utf-8")
