"""The shipped demo."""
