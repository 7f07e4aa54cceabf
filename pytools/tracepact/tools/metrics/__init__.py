"""The standard metrics of the field as a command."""
