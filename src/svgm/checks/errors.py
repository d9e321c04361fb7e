"""The errors a caller can expect: each names the parameter or file, the rule and the value, in one line."""

from __future__ import annotations


class SvgmError(ValueError):
    """Base of every error that bad input raises; the command line prints it as one line and exits with 1.

    Examples
    --------
    >>> import svgm
    >>> try:
    ...     svgm.fit("missing.ply")
    ... except svgm.SvgmError as error:
    ...     print(error)
    missing.ply: no such file
    """

    __module__ = "svgm"  # where a user finds it


class InputError(SvgmError):
    """An argument breaks a rule: a NaN among the points, a negative variance, a matrix that is no rigid motion.

    Examples
    --------
    >>> import svgm
    >>> svgm.fit([[0.0, 0.0], [1.0, float("nan")]])
    Traceback (most recent call last):
        ...
    svgm.InputError: points must be finite: 1 of 2 rows are not, the first is row 1
    """

    __module__ = "svgm"  # where a user finds it


class FileError(SvgmError):
    """A file is missing, damaged, of an unknown format, or larger in its header than in fact.

    Examples
    --------
    >>> import svgm
    >>> svgm.read_points("scan.docx")
    Traceback (most recent call last):
        ...
    svgm.FileError: scan.docx: files '.docx' cannot be read, those that can are .ply .pcd ...
    """

    __module__ = "svgm"  # where a user finds it


def not_installed(what: str, extra: str) -> str:
    """What needs something that is not installed, and how to install it.

    >>> not_installed("drawing needs matplotlib", "view")
    'drawing needs matplotlib: pip install "svgm[view]" (in a checkout: ".[view]")'
    """
    return f'{what}: pip install "svgm[{extra}]" (in a checkout: ".[{extra}]")'
