"""What a contract or a formula means: check, explain, decide, simplify, format."""
