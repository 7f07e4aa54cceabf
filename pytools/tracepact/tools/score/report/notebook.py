"""A report's vector as a small HTML table for notebooks."""

from html import escape
from typing import Any

from tracepact.tools.score.report.text import number
from tracepact.wording import short


def notebook_html(data: dict[str, Any]) -> str:
    """The vector with its counts, readable in light and dark notebooks."""
    contract, aggregation = data["contract"], data["aggregation"]
    rows = []
    for row in data["vector"]:
        score, pooled = row["scores"][aggregation], row["scores"]["pooled"]
        share = score["decimal"] * 100
        rows.append(
            f"<tr><td style='text-align:left'>{escape(row['clause'])}</td>"
            f"<td><meter min='0' max='100' value='{short(share)}'></meter> {number(score)}</td>"
            f"<td>{pooled['satisfied']:,} / {pooled['obligated']:,}</td></tr>"
        )
    caption = f"{contract['name']} · {aggregation} · logic {number(data['logic'][aggregation])}"
    return (
        f"<table><caption>{escape(caption)}</caption>"
        "<thead><tr><th>clause</th><th>score</th><th>satisfied / obligated</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
