"""`tracepact lsp`: the language server, for editors to start."""

import click

from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.tools.lsp.checking import QUESTION
from tracepact.tools.parameters import timeout_option


@click.command()
@click.option("--stdio", is_flag=True, help="Speak over standard input and output, as it always does.")
@timeout_option(QUESTION)
def command(stdio: bool, timeout: float) -> None:
    """Serve contracts to an editor over the language server protocol.

    The editor starts it. It reports faults while a contract is typed and what `check` finds when the typing pauses,
    explains what is under the pointer, completes, renames, formats and offers fixes. It needs the extra `editor`.
    """
    try:
        from tracepact.tools.lsp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise InvalidInput(
            [
                Diagnostic(
                    "missing-extra",
                    "the language server needs the package `pygls`, which is not installed",
                    help="pip install 'tracepact[editor]'",
                )
            ]
        ) from None
    serve(timeout)
