"""`tracepact equivalent`: do two formulas hold at the same frames."""

from typing import Unpack

import click

from tracepact.logic import equivalent
from tracepact.tools.check.questions import Question, QuestionOptions, ask, question_options


@click.command()
@click.argument("first")
@click.argument("second")
@question_options
def command(first: str, second: str, **options: Unpack[QuestionOptions]) -> int:
    """Do FIRST and SECOND hold at the same frames of every trace? Shows a smallest trace if not.

    Unknown identifiers are free atoms. Exit codes: 0 yes, 1 no, 3 unknown.
    """
    return ask(Question("equivalent", ("FIRST", "SECOND"), equivalent), (first, second), options)
