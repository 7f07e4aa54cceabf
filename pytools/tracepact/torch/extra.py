"""Whether the extra `torch` is installed; without it, importing this package says how to get it."""

from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic


class MissingExtra(InvalidInput, ImportError):  # noqa: N818  (it says what is missing)
    """A package that an extra installs is not there; it is an ImportError as well."""


try:
    import torch as _torch  # noqa: F401  (only whether it is there)
except ImportError:
    raise MissingExtra(
        [
            Diagnostic(
                "missing-extra",
                "a contract to train with needs the package `torch`, which is not installed",
                help="pip install 'tracepact[torch]'",
            )
        ]
    ) from None
