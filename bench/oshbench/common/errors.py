"""Errors that end a command with one line instead of a traceback."""


class Refused(RuntimeError):
    """A command that cannot be executed; the message tells what to do."""
