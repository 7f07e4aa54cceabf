"""Tables of events converted and inspected."""
