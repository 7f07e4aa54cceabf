"""Score predictions against references: a run, its directory, its report."""
