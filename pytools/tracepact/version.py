"""The version of the package, which its metadata are built from."""

VERSION = "0.1.0"
