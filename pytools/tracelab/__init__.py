"""A measurement study for boundary contracts: scenes with exact intervals, detectors that hear them, tables and audits.

The way data flows (imports point only to earlier lines):

    protocol      every size, range and seed of the study, once
    randomness    a generator of its own for every clip and purpose
    scenes        intervals drawn, sounds rendered, perturbations applied; clips with exact events
    features      what the detectors hear of a clip, frame by frame
    detectors     six detectors and the contract-trained one: training, scores, decoding
    stages        work kept under the digest of what it depends on
    corpora       real corpora: soft labels, real sound, score files of others
    study         the measurement study: rows, tables, findings, the page
    probe         frozen encoders behind one head, and detectors of others as they are
    robustness    classifiers on real corpora under corruption, calibration; the same corruptions over the scenes
    cli           the table of commands

It uses the public names of `tracepact` and nothing else of it.
"""
