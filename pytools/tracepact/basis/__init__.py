"""From a task's order of harm to the smallest contract that respects it."""

__all__: list[str] = []
