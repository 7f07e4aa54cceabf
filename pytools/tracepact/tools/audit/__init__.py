"""What a result depends on: one module per audit."""
