"""The errors a caller can expect: each names the parameter or file, the rule and the value, in one line."""

from __future__ import annotations


class SvgmError(ValueError):
    """Base of every error that bad input raises; the command line prints it as one line and exits with 1."""


class InputError(SvgmError):
    """An argument breaks a rule: a NaN among the points, a negative variance, a matrix that is no rigid motion."""


class FileError(SvgmError):
    """A file is missing, damaged, of an unknown format, or larger in its header than in fact."""
