"""The audits, a module each."""

__all__: list[str] = []
