"""The proof core: run, checked, and used to certify scorecards."""
