"""A run directory: score rows and tables first, everything else a view of them."""

__all__: list[str] = []
