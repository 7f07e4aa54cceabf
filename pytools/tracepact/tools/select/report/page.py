"""A selection as a self-contained page: the traces drawn, values as a heat table, the contract and its evidence."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from html import escape
from typing import Any

from markupsafe import Markup

from tracepact.show.figure import heat_table
from tracepact.show.page import Section, page, table
from tracepact.tools.select.report.data import bound_words, identical_words, order_words, unproved_words
from tracepact.tools.select.report.figure import selection_picture, trace_picture
from tracepact.wording import count, short

Data = dict[str, Any]
_HEAT = 16


def selection_page(data: Data) -> str:
    """The page of a selection."""
    title = f"tracepact select {data['calibration']['name']}"
    clauses, cost = data["selected"]["count"], data["selected"]["cost"]
    state = "proved smallest" if data["selected"]["optimal"] else unproved_words(data["selected"])
    words = escape(data["calibration"]["title"] or "")
    head = f"<h1>{escape(data['calibration']['name'])}</h1><p>{words}</p>"
    met = f"{data['selected']['met']} of {data['selected']['required']} requirements met"
    if clauses:
        head += f"<p>{count(clauses, 'clause')} at a cost of {cost}, {escape(state)}; {met}.</p>"
        if "separate" in data["requirements"]:
            head += f"<p>{escape(order_words(data['selected']['order']).capitalize())}.</p>"
    else:
        head += f"<p>Nothing was selected: no candidate meets anything that is required; {met}.</p>"
    sections = [replace(part, body=Markup(part.body)) for part in _sections(data)]  # noqa: S704  (texts are escaped)
    return page(title, Markup(head), sections)  # noqa: S704


def _sections(data: Data) -> Iterator[Section]:
    if data["unmet"]:
        yield Section("unmet", "What no candidate does", _unmet(data))
    yield Section("cases", "Cases", selection_picture(data))
    if data["contract"] is not None:
        yield Section("contract", "Selected contract", f"<pre><code>{escape(data['contract']['text'])}</code></pre>")
    if data["selected"]["count"]:
        yield Section("values", "Values of the selected clauses", _selected_heat(data))
        words = "A pair of cases that it alone among the selected tells apart."
        yield Section("why", "Why each clause is there", _reasons(data), words)
        smallest = "Why no smaller set does" if data["selected"]["optimal"] else "What is known of smaller sets"
        yield Section("smallest", smallest, _evidence(data))
    yield Section("basis", "Retained basis", _basis(data), f"{len(data['coordinates'])} classes of equal candidates.")
    yield Section("candidates", "Candidates", _candidates(data))
    if data["changes"] is not None:
        yield Section("changes", "What changes", _changes(data["changes"]))


def _selected_heat(data: Data) -> str:
    chosen = [data["coordinates"][clause["coordinate"]] for clause in data["selected"]["clauses"]]
    return _heat(data, chosen, "darker is lower; 1.00 is perfect")


def _heat(data: Data, coordinates: list[Data], title: str) -> str:
    order = sorted(range(len(data["cases"])), key=lambda k: -Fraction(data["cases"][k]["rank"]))
    rows = [f"{data['cases'][k]['name']} ({data['cases'][k]['rank']})" for k in order]
    values = [[Fraction(c["values"][k]) for c in coordinates] for k in order]
    names = [c["name"] for c in coordinates]
    return heat_table(title, rows, names, values, value_range=(0, 1), low_is_dark=True)


def _unmet(data: Data) -> str:
    cases = {case["name"]: case for case in data["cases"]}
    parts = []
    for row in data["unmet"]:
        if row["fault"] is not None:
            parts.append(f"<p>No candidate names <b>{escape(row['fault'])}</b>.</p>")
            continue
        worse, better = cases[row["worse"]], cases[row["better"]]
        parts.append(_pair(worse, better, "is under no candidate worse than"))
        if row["identical"]:
            words = identical_words(worse, better, data["calibration"]["step"])
            parts.append(f"<p>{escape(words.capitalize())}.</p>")
    found = [f"<li>{escape(_beyond(more))}</li>" for more in data["beyond"]]
    return "\n".join([*parts, f"<ul>{''.join(found)}</ul>" if found else ""])


def _beyond(more: Data) -> str:
    does = f"would separate {len(more['found'])} of them" if more["affordable"] else "is beyond the bound"
    return f"{more['words']}: {more['size']:,} candidates, {does}"


def _pair(worse: Data, better: Data, verb: str) -> str:
    words = f"<b>{escape(worse['name'])}</b> (rank {worse['rank']}) {verb} <b>{escape(better['name'])}</b>"
    drawn = "".join(f"<p>{escape(case['name'])}, {_seconds(case)}</p>{trace_picture(case)}" for case in (worse, better))
    return f"<p>{words} (rank {better['rank']})</p>{drawn}"


def _seconds(case: Data) -> str:
    return f"{short(case['duration'])} s"


def _reasons(data: Data) -> str:
    cases = {case["name"]: case for case in data["cases"]}
    place = {case["name"]: k for k, case in enumerate(data["cases"])}
    parts = []
    for clause in data["selected"]["clauses"]:
        coordinate = data["coordinates"][clause["coordinate"]]
        parts.append(f"<h3>{escape(clause['name'])}</h3><p><code>{escape(coordinate['text'])}</code></p>")
        pairs = [row for row in clause["only"] if row["fault"] is None]
        for row in pairs[:1]:
            worse, better = cases[row["worse"]], cases[row["better"]]
            values = [coordinate["values"][place[row[side]]] for side in ("worse", "better")]
            parts.append(_pair(worse, better, f"has {values[0]} here, less than the {values[1]} of"))
        if len(pairs) > 1:
            parts.append(f"<p>It alone among the selected separates {len(pairs)} pairs.</p>")
        named = [row["fault"] for row in clause["only"] if row["fault"] is not None]
        if named:
            parts.append(f"<p>It alone among the selected names {escape(', '.join(named))}.</p>")
    return "\n".join(parts)


def _evidence(data: Data) -> str:
    chosen = data["selected"]
    lines = [f"At least {chosen['count_bound']} clauses are needed: {escape(chosen['evidence'])} ({chosen['solver']})."]
    lines += [escape(line) for line in bound_words(chosen)]
    second = chosen["second_solver"]
    if second["name"]:
        lines.append(
            f"{escape(second['name'])}, asked for fewer: {second['fewer']}; for less cost: {second['cheaper']}; for an "
            f"earlier set: {second['earlier']}."
        )
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"


def _basis(data: Data) -> str:
    chosen = {clause["coordinate"] for clause in data["selected"]["clauses"]}
    rows = []
    for place, coordinate in enumerate(data["coordinates"]):
        ranks = ", ".join(f"{worse}&gt;{better}" for worse, better in coordinate["ranks"])
        members = coordinate["members"]
        shown = "".join(f"<li><code>{escape(text)}</code></li>" for text in members["shown"])
        more = (
            f"<li>and {members['total'] - len(members['shown'])} more</li>"
            if members["total"] > len(members["shown"])
            else ""
        )
        listed = f"<details><summary>{members['total']}</summary><ul>{shown}{more}</ul></details>"
        mark = "selected" if place in chosen else ""
        values = " ".join(escape(value) for value in coordinate["values"])
        text = f"<code>{escape(coordinate['text'])}</code>"
        rows.append([text, str(coordinate["cost"]), str(coordinate["separates"]), ranks, values, listed, mark])
    names = ", ".join(escape(case["name"]) for case in data["cases"])
    caption = f"values in the order: {names}"
    heat = _heat(data, data["coordinates"][:_HEAT], f"the first {min(_HEAT, len(data['coordinates']))} coordinates")
    return heat + table(("clause", "cost", "pairs", "ranks", "values", "members", ""), rows, caption=caption)


def _candidates(data: Data) -> str:
    found = data["candidates"]
    dropped = found["dropped"]
    rows = [
        ["written by an author", f"{found['author']:,}"],
        ["on frames", f"{found['frame']:,}"],
        ["on events", f"{found['event']:,}"],
        ["dropped: a reference as its own prediction violates it", f"{dropped['reference']:,}"],
        [f"dropped: a trace of up to {found['short_traces']['frames']} frames does", f"{dropped['short_trace']:,}"],
        ["dropped: the solver found a trace", f"{dropped['solver']:,}"],
        ["one value on all cases", f"{found['constant']:,}"],
        ["tested on perfect predictions, not proved (not used)", f"{found['only_tested']:,}"],
        ["undecided (not used)", f"{len(found['undecided']):,}"],
    ]
    return table(("candidates", "number"), rows)


def _changes(changes: Data) -> str:
    items = [f"<li>gone: <code>{escape(text)}</code></li>" for text in changes["gone"]]
    items += [f"<li>new: <code>{escape(text)}</code></li>" for text in changes["new"]]
    counts = f"{changes['count'][0]} clauses before, {changes['count'][1]} now"
    return f"<p>{counts}</p><ul>{''.join(items) or '<li>the clauses are the same</li>'}</ul>"
