"""Tables in LaTeX."""

from tracepact.show import Table

_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
}


def latex_table(table: Table) -> str:
    """A tabular environment with the title as its caption."""
    spec = "".join("r" if column.numbers else "l" for column in table.columns)
    lines = [
        "\\begin{table}",
        f"\\caption{{{_text(table.title)}}}",
        f"\\begin{{tabular}}{{{spec}}}",
        "\\hline",
        " & ".join(_text(column.heading) for column in table.columns) + " \\\\",
        "\\hline",
        *(" & ".join(map(_text, row)) + " \\\\" for row in table.texts()),
        "\\hline",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text.strip()).replace("—", "--")
