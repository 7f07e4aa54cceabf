"""The contract language: text to the core contract that every engine starts from, and back."""
