"""`tracepact sat`: can a formula hold at a frame of some trace."""

from typing import Unpack

import click

from tracepact.logic import satisfiable
from tracepact.tools.check.questions import Question, QuestionOptions, ask, question_options


@click.command()
@click.argument("formula")
@question_options
def command(formula: str, **options: Unpack[QuestionOptions]) -> int:
    """Is there a trace with a frame where FORMULA holds? Shows a smallest one.

    Unknown identifiers are free atoms. Exit codes: 0 yes, 1 no, 3 unknown.
    """
    return ask(Question("sat", ("FORMULA",), satisfiable), (formula,), options)
