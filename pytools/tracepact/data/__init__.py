"""Files and arrays become exact events and score fields on a grid; whatever is wrong with them becomes diagnostics."""
