"""Writes audit events to a file or to the standard output (apiserver ``plugin/pkg/audit/log``)."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.endpoints.auditing.options import LEGACY, AuditOptions

_MEGABYTE: Final = 1024 * 1024


class AuditSink(Protocol):
    """Destination of audit events, such as a log file."""

    def write(self, event: Document) -> None:
        """Write an event, which is JSON data. The caller may modify the data after the call."""

    async def close(self) -> None:
        """Write all pending events, and free the destination. `write` must not be called afterwards."""


class AuditLogFile:
    """An audit log in a file, with one line for each event.

    When the file is full, it is renamed: the time is appended to its name.
    """

    def __init__(self, options: AuditOptions) -> None:
        """Open the log file. Raises OSError if it cannot be opened."""
        self._options = options
        self._path = Path(options.path)
        self._file: BinaryIO = sys.stdout.buffer if options.path == "-" else self._path.open("ab")

    def write(self, event: Document) -> None:
        """Append one event, and flush it to the file."""
        line = legacy_line(event) if self._options.format == LEGACY else to_json(event) + b"\n"
        if self._is_full(len(line)):
            self._rotate()
        self._file.write(line)
        self._file.flush()

    async def close(self) -> None:
        """Close the file, unless the log is written to the standard output."""
        if self._options.path != "-":
            self._file.close()

    def _is_full(self, added: int) -> bool:
        limit = self._options.max_megabytes * _MEGABYTE
        if not limit or self._options.path == "-":
            return False
        size = self._file.tell()
        return bool(size) and size + added > limit

    def _rotate(self) -> None:
        """Rename the file, and begin a new one.

        Of the renamed files, those that exceed the maximum number or age are deleted.
        """
        self._file.close()
        now = datetime.now(UTC)
        self._path.rename(self._backup(now))
        self._file = self._path.open("ab")
        backups = sorted(self._path.parent.glob(f"{self._path.stem}-*{self._path.suffix}"), reverse=True)
        for index, backup in enumerate(backups):
            if self._is_superfluous(index, backup, now):
                backup.unlink()

    def _backup(self, now: datetime) -> Path:
        stamp = now.strftime("%Y-%m-%dT%H-%M-%S.%f")[:-3]
        return self._path.with_name(f"{self._path.stem}-{stamp}{self._path.suffix}")

    def _is_superfluous(self, index: int, backup: Path, now: datetime) -> bool:
        backups, days = self._options.max_backups, self._options.max_age_days
        if backups and index >= backups:
            return True
        written = datetime.fromtimestamp(backup.stat().st_mtime, UTC)
        return bool(days) and now - written > timedelta(days=days)


def legacy_line(event: Document) -> bytes:
    """Return the line of an event in the format ``legacy`` (apiserver ``audit/format.go``)."""
    user, acted = event["user"], event.get("impersonatedUser") or {}
    reference, status = event.get("objectRef") or {}, event.get("responseStatus") or {}
    parts = {
        "id": event["auditID"],
        "stage": event["stage"],
        "ip": event["sourceIPs"][0] if event.get("sourceIPs") else "<unknown>",
        "method": event["verb"],
        "user": user.get("username") or "<none>",
        "groups": _listed(user["groups"]) if user.get("username") and user.get("groups") else "<none>",
        "as": acted.get("username", "<self>"),
        "asgroups": _listed(acted["groups"]) if acted.get("groups") else "<lookup>",
        "user-agent": event.get("userAgent", ""),
        "namespace": reference.get("namespace") or "<none>",
        "uri": event["requestURI"],
        "response": str(status.get("code", 0)) if status else "<deferred>",
    }
    text = " ".join(f"{name}={quoted(value)}" for name, value in parts.items())
    return f"{event['requestReceivedTimestamp']} AUDIT: {text}\n".encode()


def _listed(values: Sequence[str]) -> str:
    return ",".join(map(quoted, values))
