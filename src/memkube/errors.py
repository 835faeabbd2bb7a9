"""What goes wrong for a program that runs a server: one exception tree, which the package exports.

::

    MemkubeError
    ├── ServerError       the server cannot start, or cannot do this
    ├── NotRunning        there is no server (any more) that could do this
    ├── CallTimeout       the server has not answered in time (a TimeoutError)
    ├── WaitTimeout       what was waited for has not come (a TimeoutError)
    ├── ManifestError     what was to be applied is no manifest
    ├── SnapshotError     what was to be restored is no snapshot
    └── Refused           the API refuses, as it would any client
"""

from typing import Any


class MemkubeError(Exception):
    """Everything that memkube raises for a program that uses it."""


class ServerError(MemkubeError):
    """The server cannot start, or cannot do what it is asked to; the message says why in one line."""


class NotRunning(MemkubeError):
    """The server is not running, or not from the thread that asks."""


class CallTimeout(MemkubeError, TimeoutError):
    """The server has not answered in time; what was asked of it is cancelled."""


class WaitTimeout(MemkubeError, TimeoutError):
    """What was waited for has not come in time; the message tells what was seen last."""


class ManifestError(MemkubeError):
    """What was to be applied cannot be read; the message says where it stands."""


class SnapshotError(MemkubeError):
    """What was to be restored is no snapshot that can be; the message says why, and in which line."""


class Refused(MemkubeError):
    """The API refuses, in the words in which it would refuse any client."""

    def __init__(self, status: dict[str, Any], where: str = "") -> None:
        message = str(status.get("message") or status.get("reason") or status.get("code"))
        super().__init__(f"{where}: {message}" if where else message)
        self.status = status
        """The Status object that a client would be sent."""

    @property
    def code(self) -> int:
        """The HTTP status."""
        return int(self.status["code"])

    @property
    def reason(self) -> str:
        """The machine-readable reason, such as ``NotFound``; may be empty."""
        return str(self.status.get("reason", ""))
