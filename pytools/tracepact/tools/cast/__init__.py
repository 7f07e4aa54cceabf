"""Tries a contract: a fixed cast of systems played against it, and what their scores say of it (chapter 22)."""
