"""Writes lean/definitions.txt, the listing of the proof core's definitions, anew."""

from tracepact.prove.theory import LISTING, Theory, listing_text, theory_root

if __name__ == "__main__":
    theory = Theory(theory_root())
    (theory.sources / LISTING).write_text(listing_text(theory.digests), "utf-8")
