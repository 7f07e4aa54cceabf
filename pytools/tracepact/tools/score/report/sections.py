"""The sections of a report page: the vector, the tables by class and condition, the contract, where it came from."""

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from html import escape
from typing import Any

from tracepact.core import Aggregation
from tracepact.lang.explain import explain_contract
from tracepact.scoring.tolerance import Tolerance
from tracepact.scoring.uncertainty import Interval
from tracepact.scoring.vacuity import vacuous_share
from tracepact.show.page import Section, table
from tracepact.tools.score.report.evidence import HOW, Evidence, tolerance_figure
from tracepact.tools.score.report.metrics import (
    ERROR_HEADINGS,
    VALUE_HEADINGS,
    class_cells,
    difference_lines,
    error_cells,
    metric_cells,
)
from tracepact.tools.score.report.preparation import preparation_lines
from tracepact.tools.score.report.text import HEADINGS, number
from tracepact.tools.score.scored import Scored
from tracepact.wording import count, decimal, short, time_text

Data = dict[str, Any]
VACUOUS = "∅"
_LISTED_WARNINGS = 200


def head(data: Data) -> str:
    """The title of the page and what was scored, in a few lines."""
    contract, family, matcher = data["contract"], data["family"], data["matcher"]
    inputs = {item["role"]: item["name"].rsplit("/", 1)[-1] for item in data["inputs"]}
    system = inputs.get("prediction")
    classes = "all classes as one" if family["mode"] == "union" else count(len(family["classes"]), "class", "classes")
    facts = [
        f"<b>{count(family['clips'], 'clip')}</b> × {classes}",
        f"{family['frames']:,} frames of {time_text(data['grid']['step'])} ({escape(data['grid']['projection'])})",
        f"{matcher['kind']} matcher, search {time_text(matcher['search'])}",
        f"contract digest <code>{contract['digest'][:16]}</code>",
    ]
    title = f'<p class="title">{escape(contract["title"])}</p>' if contract["title"] else ""
    name = f"{escape(system)} <small>under {escape(contract['name'])}</small>" if system else escape(contract["name"])
    overridden = [f"{p['name']} = {p['value']}" for p in contract["parameters"] if p["overridden"]]
    notice = f'<p class="notice">Set from outside: {escape(", ".join(overridden))}</p>' if overridden else ""
    done = "".join(f'<p class="notice">{escape(line)}</p>' for line in preparation_lines(data["preparation"]))
    return f'<h1>{name}</h1>{title}<p class="facts">{" · ".join(facts)}</p>{notice}{done}{_tiles(data)}'


def _tiles(data: Data) -> str:
    own = data["aggregation"]
    soft = data["soft_boundary"]
    tiles = [(number(data["logic"][own]), f"mean of the vector, {HEADINGS[Aggregation(own)]}")]
    if own != Aggregation.POOLED.value:
        tiles.append((number(data["logic"]["pooled"]), "mean of the vector, pooled"))
    tiles += [(number(p), f"profile {p['name']} ({HEADINGS[Aggregation(p['aggregation'])]})") for p in data["profiles"]]
    tiles.append((decimal(soft["value"]), f"soft boundary score, {soft['edges']:,} edges (decides nothing)"))
    tiles.append((f"{len(data['matches']):,}", "matched pairs"))
    for metric in data["metrics"]["metrics"]:
        if metric["name"] == "event":
            name, micro, *_ = metric_cells(metric)
            tiles.append((micro, f"{name}, micro; its policy is below"))
    cells = "".join(f'<div class="tile"><b>{value}</b><span>{escape(what)}</span></div>' for value, what in tiles)
    return f'<div class="tiles">{cells}</div>'


def vector_section(data: Data, run: Scored, found: Evidence) -> Section:
    """Every clause under every aggregation, the contract's own first."""
    own = Aggregation(data["aggregation"])
    order = [own, *(a for a in Aggregation if a is not own)]
    words = {row["clause"]: row["words"] for row in explain_contract(run.card.contract)["clauses"]}
    radios = "".join(
        f'<input type="radio" class="vector-choice" name="vector" id="v{i}"{" checked" if not i else ""}>'
        for i in range(len(order))
    )
    labels = "".join(
        f'<label for="v{i}">{HEADINGS[a]}{" (the contract’s own)" if a is own else ""}</label>'
        for i, a in enumerate(order)
    )
    tables = "\n".join(
        f'<div class="vector v{i}">{_vector(data, a, words, found.intervals.get(a, {}))}</div>'
        for i, a in enumerate(order)
    )
    legend = (
        '<p class="legend"><span><span class="bar"><i class="earned" style="left:0;width:100%"></i></span>earned</span>'
        '<span><span class="bar"><i class="vacuous" style="left:0;width:100%"></i></span>'
        f"{VACUOUS} counts 1 because nothing was obliged</span>"
        "<span>⊥ counts 0: there are events, but none the clause judges</span>"
        f"{f'<span>├─┤ {escape(HOW)}</span>' if found.intervals else ''}</p>"
    )
    body = f'{radios}<div class="choices" aria-label="Aggregation">{labels}</div>{tables}{legend}'
    lead = "One score for each clause, an exact fraction of counts. Choose a clause to see the clips that fail it."
    return Section("vector", "The vector", body, lead)


def _vector(data: Data, aggregation: Aggregation, words: Mapping[str, str], intervals: Mapping[str, Interval]) -> str:
    rows = []
    for index, row in enumerate(data["vector"]):
        score, pooled = row["scores"][aggregation.value], row["scores"]["pooled"]
        name = _filter(escape(row["clause"]), {"clause": index}, "Show the clips that fail this clause", "linklike")
        found = intervals.get(row["clause"])
        rows.append(
            (
                f'{name}<span class="words">{escape(words[row["clause"]])}</span>',
                _bar(score, found),
                f'<span class="value">{number(score)}</span>',
                _interval(found),
                f"{pooled['satisfied']:,} / {pooled['obligated']:,}",
                _entries(score),
            )
        )
    scores = [row["scores"][aggregation.value] for row in data["vector"]]
    logic = {**data["logic"][aggregation.value], "free": sum(map(_free, scores)) / len(scores)}
    found = intervals.get("logic")
    rows.append(
        (
            "logic <small>(mean of the vector)</small>",
            _bar(logic, found),
            f'<span class="value">{number(logic)}</span>',
            _interval(found),
            "",
            "",
        )
    )
    entries = max(score["entries"] for score in scores)
    headings = (
        "clause",
        '<span class="ends"><span>0</span><span>1</span></span>',
        "score",
        "95 % interval" if intervals else "",
        "satisfied / obligated",
        f"{VACUOUS} +⊥" + (f"<br>of {entries:,}" if entries > 1 else ""),
    )
    return table(headings, rows, kind="bars")


def _bar(score: Data, interval: Interval | None) -> str:
    """What was earned, and before it, hatched, what counts 1 without an obligation."""
    value, free = score["decimal"], _free(score)
    parts = [f'<i class="vacuous" style="left:0;width:{100 * free:.2f}%"></i>'] if free else []
    if value > free:
        parts.append(f'<i class="earned" style="left:{100 * free:.2f}%;width:{100 * (value - free):.2f}%"></i>')
    if interval:
        wide = 100 * (interval.high - interval.low)
        parts.append(f'<i class="interval" style="left:{100 * interval.low:.2f}%;width:{wide:.2f}%"></i>')
    return f'<span class="bar" aria-hidden="true">{"".join(parts)}</span>'


def _free(score: Data) -> float:
    """The share of a score that comes from entries without an obligation, which count 1."""
    if "free" in score:
        return float(score["free"])
    return float(vacuous_share(score["vacuous"], score["vacuous_entries"], score["entries"]))


def _interval(interval: Interval | None) -> str:
    return f"{decimal(interval.low)} to {decimal(interval.high)}" if interval else ""


def _entries(score: Data) -> str:
    """How many of the averaged values have no obligation behind them."""
    vacuous, counter = score["vacuous_entries"], score["counter_entries"]
    return f"{vacuous:,}" + (f" +{counter:,}" if counter else "") if vacuous or counter else ""


def class_section(data: Data) -> Section | None:
    """The pooled vector of every class."""
    if len(data["classes"]) < 2:
        return None
    rows = [
        (escape(row["label"]), [row["vector"][clause["clause"]] for clause in data["vector"]], {"class": index})
        for index, row in enumerate(data["classes"])
    ]
    lead = (
        "Pooled over clips. The stronger the shade of a cell, the more is lost. Choose one to see the clips behind it."
    )
    return Section("classes", "By class", _heat(data, rows, "class"), lead)


def condition_section(data: Data) -> Section | None:
    """The vector of every condition, under the contract's aggregation."""
    if not data["conditions"]:
        return None
    own = data["aggregation"]
    rows = [
        (
            f"{escape(row['condition'])} <small>{count(row['clips'], 'clip')}</small>",
            [row["vector"][clause["clause"]][own] for clause in data["vector"]],
            {"condition": index},
        )
        for index, row in enumerate(data["conditions"])
    ]
    lead = f"Aggregated as the contract says: {HEADINGS[Aggregation(own)]}."
    return Section("conditions", "By condition", _heat(data, rows, "condition"), lead)


def _heat(data: Data, rows: list[tuple[str, list[Data], Data]], first: str) -> str:
    headings = (first, *(escape(row["clause"]) for row in data["vector"]))
    cells = [
        (name, *(_cell(score, {**choice, "clause": index}) for index, score in enumerate(scores)))
        for name, scores, choice in rows
    ]
    return table(headings, cells, kind="heat")


def _cell(score: Data, choice: Data) -> str:
    kind = "cell empty" if score["vacuous"] else "cell"
    title = f"{score['satisfied']:,} of {score['obligated']:,} obligations satisfied"
    return _filter(number(score), choice, title, kind, f"--loss:{1 - score['decimal']:.3f}")


def _filter(shown: str, choice: Data, title: str, kind: str, style: str = "") -> str:
    """A button that shows the clips of a choice."""
    look = f' style="{style}"' if style else ""
    return (
        f'<button type="button" class="{kind}" title="{escape(title)}"{look} '
        f'data-filter="{escape(json.dumps(choice))}">{shown}</button>'
    )


def metric_section(data: Data) -> Section:
    """The standard metrics, each with its input and policy, and what another arithmetic would decide otherwise."""
    metrics = data["metrics"]["metrics"]

    def cells(texts: Iterable[str]) -> list[str]:
        return [escape(text) for text in texts]

    policies = [f"{escape(m['input'])}: {escape(m['policy'])}" for m in metrics]
    rows = [[*cells(metric_cells(m)), policy] for m, policy in zip(metrics, policies, strict=True)]
    parts = [table(("metric", *VALUE_HEADINGS, "input and policy"), rows, kind="metrics")]
    errors = [cells(error_cells(m)) for m in metrics if m.get("errors")]
    if errors:
        parts.append(table(("error rate of", *ERROR_HEADINGS), errors))
    labels = cells(row["label"] for row in metrics[0]["classes"]) if metrics else []
    if len(labels) > 1:
        by_class = table(("metric", *labels), [cells(class_cells(m)) for m in metrics])
        parts.append(f"<details><summary>By class</summary>{by_class}</details>")
    if data["metrics"]["differences"] is not None:
        first, *rest = cells(difference_lines(data["metrics"]["differences"]))
        listed = f"<ul>{''.join(f'<li>{line.strip()}</li>' for line in rest)}</ul>" if rest else ""
        parts.append(f'<div class="{"notice" if rest else "muted"}">{first[:1].upper()}{first[1:]}{listed}</div>')
    lead = "The field’s own numbers on the same data, each with the policy it depends on; ties are decided exactly."
    return Section("metrics", "Standard metrics", "".join(parts), lead)


def tolerance_section(found: Evidence) -> Section | None:
    """The vector as the exact step function of every swept parameter."""
    if not found.curves:
        return None
    figures = []
    for tolerance in found.curves:
        still = [name for name, curve in tolerance.clauses.items() if not curve.span]
        note = f"<small>The same everywhere: {escape(', '.join(still))}.</small>" if still else ""
        rows = [
            (
                escape(name),
                decimal(curve.at(tolerance.low)),
                decimal(curve.at(tolerance.high)),
                decimal(curve.mean),
            )
            for name, curve in {**tolerance.clauses, "logic (mean)": tolerance.logic}.items()
        ]
        ends = [f"at {_argument(tolerance, end)}" for end in (tolerance.low, tolerance.high)]
        numbers = table(("clause", *ends, "mean over the range"), rows)
        folded = f"<details><summary>In numbers</summary>{numbers}</details>"
        figures.append(f"<figure>{tolerance_figure(tolerance)}<figcaption>{note}</figcaption>{folded}</figure>")
    own = HEADINGS[found.curves[0].aggregation]
    lead = (
        "Every score as the exact step function of a parameter; nothing is interpolated. Aggregated as the contract "
        f"says ({own}), whichever aggregation is chosen above."
    )
    return Section("tolerance", "Tolerance", "\n".join(figures), lead)


def _argument(tolerance: Tolerance, value: Fraction) -> str:
    return f"{short(value * 1000)} ms" if tolerance.is_time else short(value)


def clip_section(data: Data) -> Section:
    """The filter and the list that the script fills."""

    def options(name: str, names: list[str], all_of_them: str) -> str:
        made = "".join(f'<option value="{index}">{escape(text)}</option>' for index, text in enumerate(names))
        return f'<label>{name}<select name="{name}"><option value="">{all_of_them}</option>{made}</select></label>'

    conditions = [row["condition"] for row in data["conditions"]]
    labels = [row["label"] for row in data["classes"]]
    body = (
        '<form class="filters" id="filters" aria-label="Filter the clips">'
        f"{options('clause', [row['clause'] for row in data['vector']], 'every clause')}"
        f"{options('class', labels, 'every class') if len(labels) > 1 else ''}"
        f"{options('condition', conditions, 'every condition') if conditions else ''}"
        '<label>clip<input type="search" name="search" placeholder="part of its name"></label>'
        '<label>order<select name="order"><option value="worst">worst first</option>'
        '<option value="name">by name</option><option value="given">as given</option></select></label>'
        '<label class="check"><input type="checkbox" name="failing" checked> only clips that fail</label>'
        '<button type="reset">Reset</button></form>'
        '<p class="status" id="status" role="status"></p><ol class="clips" id="clips"></ol>'
        '<button type="button" class="more" id="more" hidden>Show more</button>'
        "<noscript><p>The timelines are drawn by a script inside this file.</p></noscript>"
    )
    lead = (
        "What each clip loses over the chosen clauses and classes. Open one to see both sides, the matched pairs and "
        "every violated obligation; hover or focus a mark for its distance and the part of the contract that failed."
    )
    return Section("clips-section", "Clips", body, lead)


def contract_section(data: Data) -> Section:
    """The contract's canonical text and its parameters."""
    contract = data["contract"]
    parameters = [
        (escape(p["name"]), escape(p["value"]), "yes" if p["overridden"] else "") for p in contract["parameters"]
    ]
    shown = table(("parameter", "value", "set from outside"), parameters) if parameters else ""
    body = f'<pre class="contract" tabindex="0">{escape(contract["text"])}</pre>{shown}'
    return Section(
        "contract", "The contract", body, f"Canonical text of {contract['source']}, digest {contract['digest']}."
    )


def source_section(data: Data) -> Section:
    """Inputs with digests, versions, and the warnings."""
    inputs = [
        (escape(item["role"]), escape(item["name"]), f"<code>{item['sha256'][:16]}…</code>") for item in data["inputs"]
    ]
    parts = [table(("input", "file", "SHA-256"), inputs, kind="text")] if inputs else []
    versions = ", ".join(f"{name} {value}" for name, value in data["versions"].items())
    parts.append(f'<dl class="facts"><dt>made with</dt><dd>{escape(versions)}</dd></dl>')
    counts = data["diagnostics"]["counts"]
    if counts:
        shown = ", ".join(f"{times:,} {code}" for code, times in sorted(counts.items()))
        rows = [
            (escape(item["code"]), escape(item["headline"]), escape(_place(item["place"])))
            for item in data["diagnostics"]["items"][:_LISTED_WARNINGS]
        ]
        left = len(data["diagnostics"]["items"]) - len(rows)
        rest = f"<p>… and {left:,} more in report.json</p>" if left else ""
        listed = table(("warning", "what", "where"), rows, kind="text")
        parts.append(f"<details><summary>Warnings: {escape(shown)}</summary>{listed}{rest}</details>")
    return Section("source", "Where it came from", "".join(parts))


def _place(place: Data | None) -> str:
    if place is None:
        return ""
    return place["file"] if place.get("line") is None else f"{place['file']}:{place['line']}"
