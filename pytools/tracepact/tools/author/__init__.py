"""Help for authors of contracts: drafts, the starter contracts, the language on a page, codes explained."""
