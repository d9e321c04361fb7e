"""The errors that svgm raises for wrong input: each is one line with the parameter or file, the rule and the value."""

from __future__ import annotations


class SvgmError(ValueError):
    """Base class of the errors that wrong input raises.  The command line prints such an error and exits with 1.

    Examples
    --------
    >>> import svgm
    >>> try:
    ...     svgm.fit("missing.ply")
    ... except svgm.SvgmError as error:
    ...     print(error)
    missing.ply: no such file
    """

    __module__ = "svgm"  # the public name, which tracebacks show


class InputError(SvgmError):
    """An argument is wrong: for example NaN in the points, a negative variance, a matrix that is not a rigid motion.

    Examples
    --------
    >>> import svgm
    >>> svgm.fit([[0.0, 0.0], [1.0, float("nan")]])
    Traceback (most recent call last):
        ...
    svgm.InputError: points must be finite: 1 of 2 rows are not, the first is row 1
    """

    __module__ = "svgm"  # the public name, which tracebacks show


class FileError(SvgmError):
    """A file cannot be used: it is missing, damaged, shorter than its header says, or of an unknown format.

    Examples
    --------
    >>> import svgm
    >>> svgm.read_points("scan.docx")
    Traceback (most recent call last):
        ...
    svgm.FileError: scan.docx: '.docx' files cannot be read, only .ply .pcd ...
    """

    __module__ = "svgm"  # the public name, which tracebacks show


def not_installed(what: str, extra: str) -> str:
    """A message: what needs a package that is not installed, and how to install it.

    >>> not_installed("drawing needs matplotlib", "view")
    'drawing needs matplotlib: pip install "svgm[view]" (in a checkout: ".[view]")'
    """
    return f'{what}: pip install "svgm[{extra}]" (in a checkout: ".[{extra}]")'
