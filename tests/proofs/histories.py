"""A correct history, which tests modify to contain violations."""

from dataclasses import replace
from typing import Final

from proofs.history import Change, History, Operation, Stretch, Watched

KEY: Final = "a/one"
OTHER: Final = "b/two"
OPERATIONS: Final = {
    "create": Operation(0, "create", KEY, 10, 20, "done", 11, name="n1", data={"by": "n1", "count": "0"}),
    "get": Operation(1, "get", KEY, 25, 28, "done", 11, data={"by": "n1", "count": "0"}),
    "replace": Operation(1, "replace", KEY, 30, 40, "done", 12, 11, name="n2", data={"by": "n2", "count": "1"}),
    "conflict": Operation(0, "replace", KEY, 31, 45, "conflict", 0, 11, name="n3", data={"by": "n3", "count": "1"}),
    "patch": Operation(0, "patch", KEY, 50, 60, "done", 13, name="n4", data={"by": "n4", "x": "y"}),
    "exists": Operation(1, "create", KEY, 61, 65, "exists", name="n5", data={"by": "n5", "count": "0"}),
    "second": Operation(1, "create", OTHER, 66, 69, "unknown", name="n6", data={"by": "n6", "count": "0"}),
    "list": Operation(0, "list", "", 70, 75, "done", 14, listed={KEY: 13, OTHER: 14}),
    "delete": Operation(0, "delete", KEY, 80, 90, "done", name="n7", data={"by": "n7"}, expected=13, uid="u1"),
    "absent": Operation(1, "get", KEY, 95, 97, "absent"),
    "again": Operation(1, "create", KEY, 100, 110, "done", 16, name="n8", data={"by": "n8", "count": "0"}),
    "lost": Operation(0, "delete", OTHER, 115, 120, "unknown", name="n9", data={"by": "n9"}),
}
CHANGES: Final = (
    Change(11, "ADDED", KEY, "u1", {"by": "n1", "count": "0"}),
    Change(12, "MODIFIED", KEY, "u1", {"by": "n2", "count": "1"}),
    Change(13, "MODIFIED", KEY, "u1", {"by": "n4", "count": "1", "x": "y"}),
    Change(14, "ADDED", OTHER, "u2", {"by": "n6", "count": "0"}),
    Change(15, "DELETED", KEY, "u1", {"by": "n4", "count": "1", "x": "y"}),
    Change(16, "ADDED", KEY, "u3", {"by": "n8", "count": "0"}),
    Change(17, "DELETED", OTHER, "u2", {"by": "n6", "count": "0"}),
)
ALL: Final = Watched("", [Stretch(10, CHANGES, 17)])


def history(
    changes: dict[int, Change | None] | None = None, watched: tuple[Watched, ...] = (), **spoilt: Operation | None
) -> History:
    """Return the correct history with some operations and changes replaced or added; None removes one."""
    operations = {**OPERATIONS, **spoilt}
    seen = {**{change.revision: change for change in CHANGES}, **(changes or {})}
    shown = [change for _, change in sorted(seen.items()) if change is not None]
    recorder = Watched("", [Stretch(10, shown, shown[-1].revision)])
    done = [operation for operation in operations.values() if operation]
    return History(10, done, (recorder, *watched), {KEY: 16}, shown[-1].revision)


def but(which: str, /, **differences: object) -> Operation:
    """Return an operation of the correct history with some fields replaced."""
    return replace(OPERATIONS[which], **differences)  # type: ignore[arg-type]  # any field


def changed(revision: int, **differences: object) -> dict[int, Change | None]:
    """Return the change of a revision with some fields replaced."""
    return {revision: replace(CHANGES[revision - 11], **differences)}  # type: ignore[arg-type]  # any field
