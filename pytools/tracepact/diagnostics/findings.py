"""Diagnostics as data, and the registry of their codes: each named for its fault, with its severity and meaning."""

import difflib
from collections.abc import Iterable
from enum import Enum

from tracepact.declarations import dataclass


class Severity(Enum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of fault: its name, severity, meaning, and the rules of spec/ it rests on."""

    name: str
    severity: Severity
    meaning: str
    rules: tuple[str, ...] = ()


DOUBTS = ("milliseconds", "vanished-event", "one-sided-label", "similar-labels")
"""Warnings that may make every number wrong: a brief answer says one of each and does not only count them."""


def _codes(severity: Severity, *rows: tuple[str, str, str]) -> dict[str, Code]:
    return {name: Code(name, severity, meaning, tuple(rules.split())) for name, rules, meaning in rows}


CODES: dict[str, Code] = {
    # Contract text
    **_codes(
        Severity.ERROR,
        ("bad-character", "1.3", "a character that starts no token"),
        ("bad-encoding", "1.1 13.27", "the file is not UTF-8 text"),
        ("bad-quantity", "1.4", "a number that is not a decimal, fraction or quantity with a known unit"),
        ("file-too-large", "1.1", "the contract is larger than 1 MiB"),
        ("too-deep", "1.6", "operators and parentheses nest more than 200 levels deep"),
        ("syntax", "2.1 3.3 3.5 3.10", "the words are not in an order the grammar knows"),
        ("missing-statement", "3.1 3.2 3.10", "a required statement (contract, step, clause) is missing"),
        ("repeated-statement", "3.12", "a statement that may occur once occurs again"),
        ("repeated-name", "3.12 3.10 3.3", "two parameters, atoms, clauses or profiles share a name"),
        ("unknown-atom", "2.8 3.9", "a formula names an atom that is neither built in nor declared"),
        ("unknown-parameter", "1.5 3.5", "a value names a parameter that is not declared"),
        ("unknown-clause", "3.11", "a profile weighs a clause that does not exist"),
        ("unknown-choice", "3.6 3.7 3.8 3.10", "a setting names something that is not one of its choices"),
        ("unknown-attribute", "4.5", "an event predicate names an attribute that does not exist"),
        ("unknown-function", "4.2", "an event predicate calls something other than abs, min or max"),
        ("unavailable-attribute", "4.11", "the obligation can never have this attribute"),
        ("negative-radius", "2.5", "a radius is negative"),
        ("empty-window", "2.5", "the lower end of a window is greater than its upper end"),
        ("out-of-range", "3.2 3.4 3.7 3.11", "a value lies outside what its statement allows"),
        ("unit-mismatch", "3.2 3.7 4.3", "a time where a number belongs, or the other way round"),
        ("type-mismatch", "4.3", "the parts of an expression have types that do not fit together"),
        ("nonlinear-product", "4.2", "neither factor of a product is constant"),
        ("unbounded-in-term", "4.9", "`shortest_gap`, which may be unbounded, inside a term"),
        ("unknown-override", "3.3", "a value was set for a parameter the contract does not have"),
    ),
    # What a contract means
    **_codes(
        Severity.WARNING,
        ("obligation-never-occurs", "7.1 7.3", "no trace has a frame where the obligation holds: it always scores 1"),
        ("clause-never-fails", "7.1 9.2", "no obligation of the clause can be violated"),
        ("clause-never-holds", "7.1 9.2", "every obligation of the clause is violated"),
        ("contradictory-bounds", "4.1 9.2", "parts of a predicate that no interval satisfies together"),
        ("constant-formula", "2.1 4.1", "a part of a formula or predicate has one truth value everywhere"),
        ("clauses-equivalent", "7.1 9.2", "two clauses are violated by exactly the same obligations"),
        ("silence-not-tighter", "2.6", "a silence guard allows as much as the spurious guard beside it"),
        ("vacuous-implication", "7.1 7.2", "frames where an implication asks nothing count as satisfied"),
        ("ignores-prediction", "7.1 9.2", "what a clause finds is settled by the reference, whatever is predicted"),
        ("perfect-prediction-fails", "21.1", "a prediction that is the reference itself violates a clause"),
        ("clauses-clash", "21.2", "clauses that cannot hold together where all of them are obliged"),
        ("constant-prediction-passes", "21.3 7.4", "a detector that is always on, or never, violates no clause"),
        ("clause-evaded", "8.1 9.1 21.12", "a fault takes away the pair that a clause would judge, and nothing fails"),
        ("fault-unnoticed", "21.14 22.1", "misses, false alarms, or slips in one direction of time violate nothing"),
        ("search-below-step", "3.7 8.1 21.15", "the matcher pairs only events with an edge in the same frame"),
        ("weight-without-effect", "3.11 7.8 21.15", "a weight so small that no value of its profile shows it"),
        ("redundant-part", "21.4", "a part of a formula or predicate that can be deleted without a change of meaning"),
        ("shadowed-parameter", "3.3 4.5", "in predicates the parameter's name means an attribute"),
        ("rounded-window", "2.6", "a bound is so small against the step that its window is at least twice as wide"),
        ("off-grid-value", "2.6", "a bound lies between two grid points and is rounded outward"),
        ("off-grid-threshold", "4.5", "a time between two grid points is compared with times on the grid"),
        ("unused-atom", "3.9", "an atom is declared and never used"),
        ("rounding-adds-up", "2.6", "nested windows, each rounded by itself, reach further than their sum"),
        ("clause-weaker", "7.1 9.2", "compared with the other version a clause is violated less often"),
        ("clause-incomparable", "7.1 9.2", "each version of a clause is violated where the other is not"),
        ("clause-removed", "3.10", "a clause of the other version is gone"),
        ("obligation-changed", "7.1 9.1", "a clause is obliged elsewhere than in the other version"),
        ("grid-changed", "3.2", "the versions have different steps; their clauses are compared by times"),
        ("setting-changed", "3.4 3.6 3.7 3.8 3.9 3.11", "a setting has another value in the other version"),
    ),
    **_codes(
        Severity.NOTE,
        ("clause-implied", "7.1 9.2 21.5", "a clause can only be violated where another one is violated as well"),
        ("merge-gap-hides-fragments", "5.8 21.6", "fragments are joined before a clause counts them"),
        ("fault-not-asked", "21.14 22.1", "a kind of fault violates nothing: offsets, pieces, joined events"),
        ("matched-said-twice", "21.4 4.5", "`matched` beside what only an interval with a partner satisfies"),
        ("matcher-not-used", "3.7 15.12 21.6", "a matcher is declared and no clause asks about partners"),
        ("silence-scores-zero", "7.4 21.6", "clauses that score 0 where nothing is predicted"),
        ("contract-lookahead", "6.7", "how many frames after a frame its verdicts are settled"),
        ("clause-stronger", "7.1 9.2", "compared with the other version a clause is violated more often"),
        ("clause-added", "3.10", "the other version does not have this clause"),
        ("clause-renamed", "3.10 21.9", "a clause of the other version has another name"),
        ("setting-shown", "8.1 5.8", "a scene that is judged differently under the settings of the two versions"),
        ("description-changed", "3.1 3.3 3.5", "a name, title, parameter or sweep differs between the versions"),
        ("undecided", "", "the budget was spent before a question about the contract was answered"),
    ),
    # Tables of events
    **_codes(
        Severity.ERROR,
        ("unreadable-file", "", "the file cannot be opened"),
        ("empty-file", "", "the file is empty: it lacks even a header"),
        ("wrong-columns", "", "a column is missing, or a row does not fit the columns"),
        ("bad-time", "5.2", "a time that is not a decimal number, is negative, or is not finite"),
        ("offset-before-onset", "5.3", "an event ends before it starts"),
        ("incomplete-row", "", "a row has some but not all of onset, offset and label"),
        ("starts-outside-clip", "5.4", "an event starts at or after the end of its clip"),
        ("unknown-clip", "", "a prediction on a clip that neither the reference nor the durations know"),
        ("unknown-duration", "5.1", "nothing says how long a clip is"),
        ("conflicting-duration", "5.1", "a clip has two different durations"),
        ("unknown-label", "7.6", "a label is not in the declared class set"),
        ("missing-mask", "3.9", "the contract declares an atom the caller did not supply"),
        ("wrong-mask", "3.9", "a supplied mask does not fit the contract or the clip's frames"),
        ("needs-classes", "2.8", "the contract compares classes but the scoring is by union"),
        ("bad-json", "", "the JSON document does not have the expected form"),
        ("too-many-frames", "5.1", "the clips have more frames than fit into memory"),
        ("too-many-candidates", "25.1", "so many events are near each other that matching them takes too long"),
        ("too-many-cells", "25.1", "a Parquet or Arrow file has more cells than are read in one go"),
        ("conflicting-condition", "", "a clip has two different conditions"),
        ("missing-condition", "", "a clip has no row in the conditions table"),
        ("unknown-profile", "3.11", "a profile was asked for that the contract does not have"),
        ("bad-line", "12.10", "a line of a stream is not a frame"),
        ("wrong-state", "12.9", "a saved state does not fit the contract or is not whole"),
        ("bad-requirement", "", "a requirement is not of the form clause>=number"),
        ("unknown-format", "13.1", "the format of a file is not known, or cannot be found from its content"),
        ("mixed-formats", "13.2", "the files of a folder are not all of one format"),
        ("ambiguous-clip", "13.2 13.3", "a file or a field could speak of two clips, or two of them speak of one"),
        ("missing-extra", "", "a package that reads or writes this kind of file is not installed"),
        ("not-covered", "", "a part of another package that is not offered under its name"),
        ("no-scheduler", "24.6", "nothing answers at the address of a scheduler"),
        ("no-workers", "24.6", "a cluster has no workers"),
        ("other-versions", "24.6", "a worker runs with other versions than the process that asks it"),
        ("other-contract", "24.6", "a worker makes another contract of the same text"),
        ("bad-memory", "24.3", "an amount of memory that cannot be read"),
        ("failed-batch", "24.8", "a batch failed three times; the result is incomplete"),
        ("run-in-use", "24.9", "another process is making a run at this place"),
        ("engine-lost", "24.7", "a scheduler, or all workers, went away"),
        ("not-kept", "24.23", "a run in batches does not keep the tables or rows that are needed"),
        ("not-in-batches", "24.1", "what was asked for needs all clips at once"),
        ("bad-metadata", "15.18", "the metadata of a submission is no YAML, or an entry is missing or of another kind"),
        ("bad-date", "13.4", "a date and time that cannot be read, or a file's name without its start"),
        ("conflicting-selection", "13.6", "two views of one selection disagree"),
        ("unnamed-label-column", "13.6", "nothing says which column holds the labels"),
        ("bad-eaf", "13.22", "the text is not that of an ELAN document"),
        ("bad-columns", "13.18", "a column map does not have the expected form"),
        ("bad-mark", "13.19", "a mark of a class that is none of POS, NEG, UNK, 1 and 0"),
        ("undeclared-unit", "13.21", "times in whole numbers without a declared unit"),
        ("bad-textgrid", "13.7", "the text is not that of a TextGrid"),
        ("unknown-tier", "13.7", "a tier was asked for that the file does not have"),
        ("bad-score", "13.8 20.13", "a score or confidence that is not a number from 0 to 1"),
        ("broken-frames", "13.8", "a frame does not start where the one before it ended"),
        ("bad-field", "13.33 18.1 20.14", "scores or truth values that are not frames × classes, or do not fit"),
        ("ambiguous-array", "13.33", "an array that could be a mask of classes or a list of intervals"),
        ("no-smooth-reading", "18.10", "an event clause where only a clause that can be trained with is allowed"),
        ("undeclared-threshold", "13.9 13.10", "scores without a declared way to turn them into events"),
        ("conflicting-confidence", "13.8", "one interval and label has two confidences"),
        ("needs-common", "19.6 20.9", "a quantity that depends on several classes is to be best for each alone"),
        ("unknown-quantity", "20.9", "nothing that has a curve over the threshold is called so"),
        ("bad-folds", "20.11", "a number of folds that leaves no clips to choose on"),
        ("bad-decoding", "13.9 20.13", "a threshold, hysteresis or filter length that cannot be"),
        ("bad-label-map", "13.11", "the label map does not have the expected form"),
        ("unmapped-label", "13.11", "a label that the label map says nothing about"),
        ("unsafe-place", "13.13 13.14 24.15", "the place to write to is an input, has other files, or is in a store"),
        ("unwritable-value", "13.13", "a time, label or name that the format cannot hold"),
        ("not-a-run", "17.1 17.4", "the folder is not a run directory, or holds more than one"),
        ("broken-run", "17.3 17.5", "a file of a run directory is missing or not as it was written"),
    ),
    **_codes(
        Severity.WARNING,
        (
            "predicted-outside-clip",
            "13.31",
            "a predicted event starts after its clip's end; --outside says what becomes of it",
        ),
        ("tuned-on-these", "20.12", "clips are scored on which the decoding was chosen"),
        ("milliseconds", "13.37", "times that fit the clips only if they are in milliseconds"),
        ("scores-length", "13.38", "scores last longer or shorter than their clip"),
        ("clips-left-out", "13.32", "clips that are not among the chosen ones, and the events on them"),
        ("offset-beyond-clip", "5.4 15.1", "an event ends after its clip; on the grid it is cut there"),
        ("duplicate-row", "5.5", "a row repeats an earlier one"),
        ("windows", "15.25", "both sides were made windows, which cannot tell times within them"),
        ("joined-events", "5.5", "events of one label touch or overlap on the grid and became one run"),
        ("vanished-event", "5.3", "an event gives no frame on the grid"),
        ("one-sided-label", "7.6", "a label occurs on one side only"),
        ("clip-without-predictions", "", "a clip has no row among the predictions"),
        ("unlisted-clip", "15.3", "events on a clip that only the predictions name count as false positives"),
        ("unused-condition", "", "the conditions table names a clip that is not in the family"),
        ("unused-ignore", "5.9", "an ignore region names a clip or class that is not in the family"),
        ("window-beyond-trace", "6.7", "a window is longer than a clip"),
        ("unlabelled-event", "13.5 13.6 13.18 13.23 14.2", "an event without a label became one of class `event`"),
        ("bad-confidence", "13.29", "a confidence that is not a number; the event has none"),
        ("rows-left-out", "13.20 13.22", "rows of a kind that holds no events were left out"),
        ("assumed-form", "13.22 13.24 13.41", "something was assumed of how the data is written"),
        ("several-tiers", "13.22", "the tiers of a document were all read, and one of them may hold remarks"),
        ("several-channels", "13.20", "the channels of a file are taken as one clip"),
        ("regions-left-out", "13.28", "ignore regions that have no use here were left out"),
        ("score-outside", "13.25 26.13", "a score leaves 0 to 1 by no more than a millionth; it is kept as written"),
        ("unequal-frames", "13.8", "the frames of a clip have different lengths"),
        ("unused-reading", "13.15", "an option is about another form of data than what is given; it has no effect"),
        ("uncovered-time", "13.8", "no soft label covers a time between others"),
        ("similar-labels", "13.14", "two labels differ only in case, spaces, hyphens or underscores"),
        ("unused-mapping", "13.11", "the label map speaks of a label that does not occur"),
        ("overlapping-events", "13.14", "events of one clip and label share more than a point"),
        ("zero-length", "13.14", "an event starts and ends at the same time"),
        ("silent-clip-predicted", "13.14", "there are predictions in a clip whose reference is silent"),
        ("bare-seconds", "2.4 14.2", "a large number without a unit, most likely meant in milliseconds"),
        ("unused-parameter", "3.3", "a parameter is declared and never used"),
    ),
    **_codes(
        Severity.NOTE,
        ("merged-labels", "13.11", "labels that are renamed alike are one class"),
        ("columns-beside", "13.18", "a column map beside the data was used"),
        ("clips-alone", "13.26", "a table names clips and no events"),
        ("background-left-out", "13.23", "the beds of made scenes were left out"),
        (
            "files-skipped",
            "13.2",
            "files of a folder that are documents, or do not have the ending of the named format",
        ),
        ("header-absent", "13.1 13.26", "a table of events without a header was read by the order of its columns"),
    ),
    # Calibration sets and the families of candidates
    **_codes(
        Severity.ERROR,
        ("bad-toml", "14.1", "the text is not TOML"),
        ("missing-key", "14.1 14.2 14.4", "a table lacks a key that it needs"),
        ("unknown-key", "14.1 14.6", "a key that nothing reads"),
        ("wrong-form", "14.1 14.6", "a value is not of the form its key asks for"),
        ("bad-rank", "14.1", "a rank is missing or not a number"),
        ("repeated-case", "14.1", "two cases have one name"),
        ("unknown-case", "14.1", "a case was asked for that the calibration set does not have"),
        ("unknown-reference", "14.3", "a case names no reference of its set"),
        ("edit-does-not-apply", "14.5", "an edit that its reference does not allow, or that changes no frame"),
        ("empty-calibration", "14.1", "a calibration set without cases"),
        ("one-rank", "14.1", "all cases have one rank, so nothing is to be separated"),
        ("family-too-large", "14.7 21.8", "a family has more candidates than its bound allows"),
        ("empty-family", "14.6", "a family has no candidate"),
        ("other-grid", "14.1 14.9", "a contract has another grid than the calibration set, or labels of its own"),
        ("not-certifiable", "14.28", "a selection uses what a certificate of its order has no words for"),
        ("unlabelled-interval", "14.3", "an interval has no label, and its reference has several"),
    ),
    **_codes(
        Severity.WARNING,
        ("events-left-out", "14.22 14.25", "events of a reference that a draft or a disturbed copy does not hold"),
        ("search-below-step", "8.1 14.39", "a matcher pairs only runs that begin or end at the same frame"),
        ("imperfect-clause", "14.8", "a perfect prediction violates a clause, so it is not a candidate"),
        ("similar-faults", "14.13", "a fault of one case is written nearly as that of another"),
        (
            "undecided-clause",
            "14.8",
            "it stayed open whether a perfect prediction satisfies a clause; it is not a candidate",
        ),
    ),
    # Audits
    **_codes(
        Severity.ERROR,
        ("no-exact-curve", "16.3", "the vector is not a step function of the parameter that could be found exactly"),
        ("unknown-system", "16.10", "a system was named that is not among the runs, or none is left"),
        ("repeated-system", "16.10 16.15", "a run was given more than once, or two systems have one name"),
        ("incomparable-runs", "16.8 16.16", "runs that are to be compared differ in contract, data, clips or policies"),
        ("unknown-column", "16.16", "a league is to be ranked by something it does not have"),
        ("not-a-league", "17.7", "a folder is not a league directory, or holds other files as well"),
        ("broken-league", "17.7", "a file of a league directory is missing or not as it was written"),
    ),
    # The lab
    **_codes(
        Severity.ERROR,
        ("unreadable-sound", "", "a sound file cannot be read, or has no samples"),
        ("repeated-sound", "", "two sound files have the same name"),
        ("no-recordings", "", "a source of speech has no recordings"),
        ("bad-checkpoint", "", "a stored model is not what its manifest says"),
        ("not-a-study", "", "a folder does not hold a finished study"),
        ("other-study", "", "a folder holds a study with other settings"),
        ("bad-registry", "", "a registry of encoders and detectors, or what an entry loads, is not as it should be"),
        ("unknown-entry", "", "an encoder or detector was named that the registry does not have"),
        ("missing-package", "", "an encoder or detector needs a package that is not installed"),
        ("missing-weights", "", "an encoder needs weights that are not in the cache"),
        ("bad-protocol", "", "a protocol of scenes cannot be read, or a value of it cannot be used"),
        ("bad-detector", "", "a detector of one's own cannot be loaded, failed, or did not answer pairs of times"),
        ("bad-device", "", "networks cannot be trained on the device that was named"),
        ("bad-corpus", "26.13", "a copy of a corpus lacks labels, sounds or folds, or they contradict each other"),
        ("unreadable-corpus", "26.2", "a corpus has no table of clips of a known layout, or a row of it is wrong"),
        ("bad-rotation", "26.2", "folds that cannot test, validate and train"),
        ("bad-corruptions", "26.3", "a table of corruptions cannot be read, or a family is not in it"),
        ("bad-classifier", "26.5", "a classifier cannot be loaded, failed, or did not answer one logit for each class"),
    ),
}


# Diagnostics as data: a code, a headline, a place and help. Nothing here formats.


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """The span from the start of this one to the end of the other."""
        return Span(self.start, other.end)


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name people know it by."""

    name: str
    text: str

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from one."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A span of a contract or formula text."""

    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row of a file, or the whole file.

    Attributes:
        file: the file's name.
        row: the row, counted as lines of the file from one; None speaks of the whole file.

    Examples:
        >>> import tracepact
        >>> tracepact.RowPlace("reference.tsv", 2)
        RowPlace(file='reference.tsv', row=2)
    """

    file: str
    row: int | None = None


Place = TextPlace | RowPlace


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about an input.

    Attributes:
        code: the name of the fault, such as `unknown-atom`.
        headline: what is wrong, in one line.
        place: where it is, in a text or in a row of a file.
        help: a way out, if there is one.
        trace: a small picture of a trace that shows it, if there is one.
        stands_for: how many findings that are not spelled out it stands for; 0 if it is one itself.

    Examples:
        >>> import tracepact
        >>> try:
        ...     tracepact.load_contract("boundary_gat")
        ... except tracepact.InvalidInput as error:
        ...     found = error.diagnostics[0]
        >>> found.code, found.severity.value, found.help
        ('unreadable-file', 'error', 'did you mean `boundary_gate`?')
    """

    code: str
    headline: str
    place: Place | None = None
    help: str | None = None
    trace: str | None = None
    stands_for: int = 0

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(f"diagnostic code {self.code!r} is not in the registry")

    @property
    def kind(self) -> Code:
        """The registry's entry for the code."""
        return CODES[self.code]

    @property
    def number(self) -> int:
        """How many findings it counts for."""
        return self.stands_for or 1

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.kind.severity


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is nearest to one, if some are near."""
    return next(iter(difflib.get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A help line that offers the nearest known words, or lists the few there are."""
    choices = sorted(set(known))
    if near := nearest(word, choices):
        return f"did you mean `{near}`?"
    if 0 < len(choices) <= 12:
        return "known here: " + ", ".join(f"`{c}`" for c in choices)
    return None
