"""The smallest contract that respects a task's own order of harm."""
