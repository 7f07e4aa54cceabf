"""`tracepact implies`: does one formula hold wherever another does."""

from typing import Unpack

import click

from tracepact.logic import implies
from tracepact.tools.check.questions import Question, QuestionOptions, ask, question_options


@click.command()
@click.argument("stronger")
@click.argument("weaker")
@question_options
def command(stronger: str, weaker: str, **options: Unpack[QuestionOptions]) -> int:
    """Does WEAKER hold at every frame where STRONGER does? Shows a smallest trace if not.

    Unknown identifiers are free atoms. Exit codes: 0 yes, 1 no, 3 unknown.
    """
    question = Question("implies", ("STRONGER", "WEAKER"), implies, has_premise=True)
    return ask(question, (stronger, weaker), options)
