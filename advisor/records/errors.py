"""Errors that a user may see, each one line, and the exit codes for other programs."""

from __future__ import annotations

EXIT_DONE = 0
EXIT_CHECK_FAILED = 1
EXIT_WRONG_USE = 2
EXIT_THRESHOLD = 3


class AdvisorError(Exception):
    """An error in the user's input: one line with the problem and what to do."""

    exit_code = EXIT_WRONG_USE


class InputError(AdvisorError):
    """An input file cannot be read or is not what it claims to be."""


class KnowledgeError(AdvisorError):
    """A knowledge file is wrong; the message begins with file:line."""


class UsageError(AdvisorError):
    """A command, option or name is wrong."""
