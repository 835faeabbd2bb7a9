"""Snapshot files: JSON lines, which people can read, search and compare.

::

   {"memkubeSnapshot": 1, "memkube": "1.0.0", "kubernetes": "1.36", "lineage": "…", "revision": 57, "clock": {…}}
   {"key": "/apps/deployments/default/web", "object": {…}}
   {"key": "/core/events/default/web.1", "expires": "2026-01-01T01:00:00+00:00", "object": {…}}
   {"state": "nodes", "value": {…}}
   {"end": {"objects": 2, "states": 1}}

The first line has the version of the file format, the last one the numbers of objects and states. Objects are sorted by
key, in their storage version. The state of controllers and simulated nodes and pods follows. Files of a newer format,
damaged or truncated files, and files with objects of unknown kinds are rejected.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import SERVICE_VARIABLES
from memkube.controllers.kubelet.service_variables import ServiceVariables, restored_sets
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import SavedObjects
from memkube.snapshots.kinds import KeptKinds
from memkube.snapshots.snapshot import Snapshot
from memkube.time.clock import clock_named
from memkube.version import KUBERNETES_VERSION, VERSION

FORMAT: Final = 1
KUBERNETES: Final = KUBERNETES_VERSION.rpartition(".")[0]
LONGEST_LINE: Final = 128 * 1024 * 1024


class SnapshotRefused(ValueError):
    """Raised if the data is not a valid snapshot. The message has the reason, and the number of an invalid line."""


def lines_of(snapshot: Snapshot) -> Iterator[bytes]:
    """Return the lines of a snapshot file, each with its line end."""
    saved = snapshot.objects
    yield _line(
        {
            "memkubeSnapshot": FORMAT,
            "memkube": VERSION,
            "kubernetes": KUBERNETES,
            "lineage": saved.lineage,
            "revision": saved.revision,
            "clock": {"name": snapshot.clock, "now": snapshot.now.isoformat()},
        }
    )
    for key in sorted(saved.objects):
        yield _object_line(key, saved.objects[key], saved.ends.get(key))
    states = 0
    for name in sorted(snapshot.states):
        for value in snapshot.states[name]:
            yield _line({"state": name, "value": value})
            states += 1
    yield _line({"end": {"objects": len(saved.objects), "states": states}})


def write_snapshot(snapshot: Snapshot, path: Path) -> None:
    """Write a snapshot file atomically. Raises OSError if it cannot be written."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with unfinished.open("wb") as file:
            file.writelines(lines_of(snapshot))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_snapshot(path: Path) -> Snapshot:
    """Read a snapshot file. Raises SnapshotRefused for an invalid file, and OSError if it cannot be read."""
    with path.open("rb") as file:
        return parse_snapshot(iter(lambda: file.readline(LONGEST_LINE + 1), b""))


def parse_snapshot(lines: Iterable[bytes]) -> Snapshot:
    """Parse the lines of a snapshot file. Raises SnapshotRefused for invalid lines."""
    parsing = SnapshotReader()
    for line in lines:
        parsing.take(line)
    return parsing.snapshot()


class SnapshotReader:
    """Parser of a snapshot file, line by line. Its methods raise SnapshotRefused for an invalid line."""

    def __init__(self) -> None:
        self._number = 0
        self._header: Document | None = None
        self._objects: dict[str, StoredObject] = {}
        self._lines: dict[str, int] = {}
        self._ends: dict[str, datetime] = {}
        self._states: dict[str, list[Document]] = {}
        self._state_lines: dict[str, list[int]] = {}
        self._end: Document | None = None

    def take(self, line: bytes) -> None:
        """Parse the next line. Raises SnapshotRefused if it is invalid."""
        self._number += 1
        if len(line) > LONGEST_LINE:
            raise self._refused(f"the line is longer than {LONGEST_LINE // 1024**2} MiB")
        try:
            read = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise self._refused(
                "the line is cut off" if not line.endswith(b"\n") else f"the line is not JSON: {error}"
            ) from None
        if not isinstance(read, dict):
            raise self._refused("the line is not a JSON object")
        if self._header is None:
            self._header = self._checked_header(read)
        elif self._end is not None:
            raise self._refused("the file continues after the line with the field end, which must be the last line")
        elif "key" in read:
            self._take_object(read)
        elif "state" in read:
            name = self._field(read, "state", str)
            self._states.setdefault(name, []).append(self._field(read, "value", dict))
            self._state_lines.setdefault(name, []).append(self._number)
        elif "end" in read:
            self._end = self._field(read, "end", dict)
        else:
            raise self._refused("the line is neither an object, nor a state, nor the end of the file")

    def snapshot(self) -> Snapshot:
        """Return the complete snapshot. Raises SnapshotRefused if lines are missing or the state is invalid."""
        if self._header is None:
            raise SnapshotRefused("the file is empty")
        if self._end is None:
            raise SnapshotRefused(f"the file is truncated after line {self._number}: the last line is missing")
        found = {"objects": len(self._objects), "states": sum(map(len, self._states.values()))}
        if self._end != found:
            raise SnapshotRefused(f"lines are missing: expected {self._end}, found {found}")
        self._check_objects(self._header["revision"])
        clock = self._header["clock"]
        objects = SavedObjects(self._header["lineage"], self._header["revision"], self._objects, self._ends)
        return Snapshot(objects, clock["now"], clock["name"], self._states, is_read=True)

    def _checked_header(self, read: Document) -> Document:
        found = read.get("memkubeSnapshot")
        if not isinstance(found, int):
            raise self._refused("the file is not a memkube snapshot")
        if found > FORMAT:
            by = read.get("memkube")
            raise self._refused(
                f"memkube {by} wrote the snapshot in format {found}, but memkube {VERSION} reads formats up to "
                f"{FORMAT}: use a newer memkube"
            )
        if read.get("kubernetes") != KUBERNETES:
            raise self._refused(
                f"the snapshot is from a server of Kubernetes {read.get('kubernetes')}, but this server is of "
                f"{KUBERNETES}"
            )
        clock = self._field(read, "clock", dict)
        try:
            clock_named(str(clock.get("name")))
        except ValueError as error:
            raise self._refused(str(error)) from None
        return {
            "lineage": self._field(read, "lineage", str),
            "revision": self._field(read, "revision", int),
            "clock": {"name": clock["name"], "now": self._instant(clock.get("now"))},
        }

    def _take_object(self, read: Document) -> None:
        key, document = self._field(read, "key", str), self._field(read, "object", dict)
        if key in self._objects:
            raise self._refused(f"the file contains {key} twice")
        stored = StoredObject(document)
        stored.unsettled = bool(read.get("unsettled"))
        self._objects[key] = stored
        self._lines[key] = self._number
        if "expires" in read:
            self._ends[key] = self._instant(read["expires"])

    def _check_objects(self, revision: int) -> None:
        kinds = KeptKinds(self._objects)
        for key, stored in self._objects.items():
            fault = kinds.fault_of(key, stored.document, revision)
            if fault:
                raise SnapshotRefused(f"line {self._lines[key]}: {fault}")
        if "pods" in self._states:
            self._check_pods()

    def _check_pods(self) -> None:
        """Check the saved state of simulated pods.

        The check is made here because a server reads this state only when the pods are resumed.
        """
        from memkube.controllers.kubelet.saving import fault_of_pod  # noqa: PLC0415  the kubelet's modules take 60 ms to import

        service_variables = self._service_variables()
        for number, state in zip(self._state_lines["pods"], self._states["pods"], strict=True):
            stored = self._objects.get(f"/core/pods/{state.get('namespace')}/{state.get('name')}")
            # `seen` is the pod as the kubelet of a partitioned node last received it. This kubelet still runs the pod,
            # even if the stored pod was deleted since.
            document = state.get("seen") or (None if stored is None else stored.document)
            fault = fault_of_pod(state, document, service_variables)
            if fault:
                raise SnapshotRefused(f"line {number}: {fault}")

    def _service_variables(self) -> dict[int, ServiceVariables]:
        """Decode the sets of Services' environment variables that simulated containers have, by number of the set."""
        try:
            return restored_sets(self._states.get(SERVICE_VARIABLES, ()))
        except (AttributeError, LookupError, TypeError, ValueError):
            line = self._state_lines[SERVICE_VARIABLES][0]
            raise SnapshotRefused(f"line {line}: the saved environment variables of Services are invalid") from None

    def _instant(self, text: object) -> datetime:
        try:
            return datetime.fromisoformat(str(text)).astimezone(UTC)
        except ValueError:
            raise self._refused(f"{text} is not a date with a time") from None

    def _field(self, read: Document, name: str, type_: type[Any]) -> Any:
        value = read.get(name)
        if not isinstance(value, type_):
            raise self._refused(f"field {name} is missing or has a wrong type")
        return value

    def _refused(self, why: str) -> SnapshotRefused:
        return SnapshotRefused(f"line {self._number}: {why}")


def _object_line(key: str, stored: StoredObject, expires: datetime | None) -> bytes:
    facts = {"key": key}
    if expires is not None:
        facts["expires"] = expires.isoformat()
    head = orjson.dumps({**facts, **({"unsettled": True} if stored.unsettled else {})})
    return b'%s,"object":%s}\n' % (head[:-1], stored.data)


def _line(document: Document) -> bytes:
    return orjson.dumps(document, as_json, orjson.OPT_APPEND_NEWLINE)


def as_json(value: object) -> object:
    """Convert named tuples to lists, and bytes to a string (base64 if they are not UTF-8)."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"base64": b64encode(value).decode()}
    raise TypeError(f"a value of type {type(value).__name__} cannot be saved in a snapshot")


__all__ = [
    "FORMAT",
    "SnapshotReader",
    "SnapshotRefused",
    "lines_of",
    "parse_snapshot",
    "read_snapshot",
    "write_snapshot",
]
