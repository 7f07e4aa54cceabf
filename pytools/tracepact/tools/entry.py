"""The way into a command line: every way out is one of the exit codes."""

import errno
import sys
import traceback
from io import TextIOWrapper

import click

from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.inputs import UnsafePlace, remembering_inputs
from tracepact.limits import with_limits
from tracepact.show.lines import reader_may_leave, refuse, say
from tracepact.tools.exits import Exit
from tracepact.wording import visible


def run_command_line(commands: click.Group, name: str = "tracepact") -> None:
    """Run a group of commands as tracepact runs its own, and exit.

    Input that is not taken is shown as diagnostics (exit code 2), what the operating system refuses as one line (4).

    Args:
        commands: the group.
        name: the program to blame for a fault that is not of the input.

    Raises:
        InvalidInput: never; it is shown.

    Returns:
        Nothing: the process exits.

    Examples:
        >>> import click, sys
        >>> import tracepact
        >>> @click.group()
        ... def tool(): "A tool of your own."
        >>> @tool.command()
        ... def check(): tracepact.load_contract("boundary_gat")
        >>> sys.argv = ["tool", "check"]
        >>> try:
        ...     tracepact.run_command_line(tool, "tool")
        ... except SystemExit as left:
        ...     print(int(left.code))
        2
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # What is written means the same under every locale, and every name can be told from every other.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = None
        with reader_may_leave(), remembering_inputs(), with_limits():
            code = commands(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else Exit.OK)
    except InvalidInput as error:
        refuse(error.diagnostics, error.summary, sys.argv[1] if len(sys.argv) > 1 else "")
        sys.exit(Exit.INVALID)
    except click.ClickException as error:
        with reader_may_leave():
            error.show()
        sys.exit(Exit.INVALID)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(Exit.FAILURE)
    except UnsafePlace as error:
        place = error.filename or ""
        headline = f"`{place}` is not written: {error.strerror}"
        refuse([Diagnostic("unsafe-place", headline, None, "name another place")], "1 error")
        sys.exit(Exit.INVALID)
    except UnicodeEncodeError as error:  # from the system, which cannot even be asked for such a name
        refuse(
            [Diagnostic("unreadable-file", f"`{visible(error.object[:60])}` cannot be the name of a file")], "1 error"
        )
        sys.exit(Exit.INVALID)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            headline = f"`{(error.filename or '')[:60]}…` is longer than the name of a file can be"
            refuse([Diagnostic("unreadable-file", headline)], "1 error")
            sys.exit(Exit.INVALID)
        say(f"error: {error.filename or ''}: {error.strerror or error}".replace(" : ", " "))
        sys.exit(Exit.FAILURE)
    except Exception:  # noqa: BLE001  (the last line of defence: a fault of ours, said as such)
        traceback.print_exc()
        click.echo(f"this is a fault of {name}, not of your input; please report it", err=True)
        sys.exit(Exit.FAILURE)
