"""A badge: what a conformance run found, as a small picture for a README."""

from html import escape

from tracepact.tools.conform.findings import Conformance

_COLOURS = {"conforms": "#2e7d32", "partly": "#9a6700", "fails": "#b3261e", "unknown": "#5f6368"}
_LETTER = 6.5
_PADDING = 12


def badge_svg(found: Conformance) -> str:
    """The badge as SVG: the profiles that were tested, and whether anything was found."""
    said, colour = _said(found)
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


def _said(found: Conformance) -> tuple[str, str]:
    profiles = " ".join(profile.value for profile in found.profiles)
    if found.findings:
        return "does not conform", _COLOURS["fails"]
    if found.stopped:
        return "not tested to the end", _COLOURS["unknown"]
    if not found.tested:
        return "not tested", _COLOURS["unknown"]
    if found.reasons:
        return f"conforms in part: {profiles}", _COLOURS["partly"]
    return f"conforms: {profiles}", _COLOURS["conforms"]
