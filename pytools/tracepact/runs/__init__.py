"""The scoring path: task, plan, batches, tally, run directory, report, verification."""
