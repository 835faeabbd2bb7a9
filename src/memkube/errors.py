"""The exceptions that memkube raises in programs that use it: one tree, which the package exports.

::

    MemkubeError
    ├── UsageError        an argument is unknown or invalid, or the call is not possible now (a ValueError)
    ├── ServerError       the server cannot start, or did not answer a request
    ├── NotRunning        the server is not running
    ├── CallTimeout       the server has not answered in time (a TimeoutError)
    ├── WaitTimeout       an awaited condition was not met in time (a TimeoutError)
    ├── ManifestError     a manifest cannot be read or written
    ├── SnapshotError     a snapshot cannot be read or written
    └── Refused           the API server answered with an error Status
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class MemkubeError(Exception):
    """Base class of every exception that memkube raises in a program that uses it."""


class UsageError(MemkubeError, ValueError):
    """An argument, or a file with a scenario or a hunt, is invalid; or the call is not possible in the present state.

    The message gives the reason. For an unknown name, it lists the known names.
    """


class ServerError(MemkubeError):
    """The server cannot start, or did not answer a request. The message gives the reason in one line."""


class NotRunning(MemkubeError):
    """The server is not running, or the call came from the server's own thread."""


class CallTimeout(MemkubeError, TimeoutError):
    """The server has not answered in time; the call was cancelled in the server."""


class WaitTimeout(MemkubeError, TimeoutError):
    """An awaited condition was not met in time; the message shows the last state of the object."""


class ManifestError(MemkubeError):
    """A manifest cannot be read or written; the message names the file and the line."""


class SnapshotError(MemkubeError):
    """A snapshot cannot be read or written; the message names the file, and the line of a damaged one."""


class Refused(MemkubeError):
    """The API server answered with an error Status, whose message this error carries."""

    def __init__(self, status: dict[str, Any], where: str = "") -> None:
        message = str(status.get("message") or status.get("reason") or status.get("code"))
        super().__init__(f"{where}: {message}" if where else message)
        self.status = status
        """The ``Status`` object (``meta/v1``) of the response."""

    @property
    def code(self) -> int:
        """HTTP status code of the response."""
        return int(self.status["code"])

    @property
    def reason(self) -> str:
        """Machine-readable reason of the Status, such as ``NotFound``; may be empty."""
        return str(self.status.get("reason", ""))


def unknown_name(what: str, given: str, known: Iterable[str]) -> str:
    """Return the message for a name that does not exist: the nearest known name, then all known names.

    `what` says what is named, and `given` is the unknown name. With ``option`` and ``node``, the message is ``unknown
    option 'node': did you mean 'nodes'? Choose from nodes, zones``. If no names are known, the message says so.
    """
    names = list(known)
    if not names:
        return f"unknown {what} {given!r}: there are none"
    nearest = get_close_matches(given, names, n=1)
    hint = f" did you mean {nearest[0]!r}? Choose" if nearest else " choose"
    return f"unknown {what} {given!r}:{hint} from {', '.join(names)}"


def reason_of(error: Exception) -> str:
    """Return why something failed, in one line: of an OSError without its number and the name of the file."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())
