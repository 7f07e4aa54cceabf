"""What changes with a policy, computed from stored runs."""

__all__: list[str] = []
