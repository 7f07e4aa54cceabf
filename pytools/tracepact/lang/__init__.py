"""The contract language: reading, printing and lowering text to the core contract."""

from tracepact.lang.compile import (
    compile_formula,
    compile_source,
    decode_source,
    load_contract,
    parse_contract,
    parse_formula,
    parse_located,
    read_file,
    read_source,
    source_of,
)
from tracepact.lang.parsed import at_sweep_point, at_value, override, parsed_of
from tracepact.lang.printer import canonical_text, format_document, print_expression
from tracepact.lang.reader import read_document, read_formula

__all__ = [
    "at_sweep_point",
    "at_value",
    "canonical_text",
    "compile_formula",
    "compile_source",
    "decode_source",
    "format_document",
    "load_contract",
    "override",
    "parse_contract",
    "parse_formula",
    "parse_located",
    "parsed_of",
    "print_expression",
    "read_document",
    "read_file",
    "read_formula",
    "read_source",
    "source_of",
]
