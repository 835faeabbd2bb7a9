"""Records of leader election are read and taken over, whichever object has them."""

import json
from typing import Any

import pytest

from memkube.hunting.election import ANNOTATION, held_by, holder, is_record, lasting, released

RECORD = {"holderIdentity": "a", "leaseDurationSeconds": "15", "acquireTime": "x", "renewTime": "2026-01-01 00:00:00.5"}
LEASE = {"kind": "Lease", "metadata": {"name": "l"}, "spec": {"holderIdentity": "a", "leaseDurationSeconds": 15}}


def locked(record: Any = RECORD, **content: Any) -> dict[str, Any]:
    """Return a ConfigMap with a record in its annotation, as the ConfigMapLock of client-python writes it."""
    return {"kind": "ConfigMap", "metadata": {"name": "l", "annotations": {ANNOTATION: json.dumps(record)}}, **content}


def patched(document: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    if document["kind"] == "Lease":
        return {**document, "spec": {**document["spec"], **patch["spec"]}}
    return {**document, "metadata": patch["metadata"]}


@pytest.mark.parametrize("document", [LEASE, locked()], ids=["Lease", "ConfigMap"])
def test_a_record_names_its_holder_and_its_duration(document: dict[str, Any]) -> None:
    assert is_record(document)
    assert (holder(document), lasting(document)) == ("a", 15.0)


@pytest.mark.parametrize("document", [LEASE, locked()], ids=["Lease", "ConfigMap"])
def test_a_record_is_taken_over_and_released(document: dict[str, Any]) -> None:
    taken = patched(document, held_by(document, "b"))
    assert (holder(taken), lasting(taken)) == ("b", 15.0)
    free = patched(taken, released(taken))
    assert (holder(free), lasting(free)) == ("", 1.0)


@pytest.mark.parametrize(("time", "is_iso"), [("2026-01-01 00:00:00.5", False), ("2026-01-01T00:00:00Z", True)])
def test_times_are_written_as_the_holder_wrote_them(time: str, is_iso: bool) -> None:
    patch = held_by(locked({**RECORD, "renewTime": time}), "b")
    written = json.loads(patch["metadata"]["annotations"][ANNOTATION])["renewTime"]
    assert ("T" in written, written.endswith("Z")) == (is_iso, is_iso)


def test_a_config_map_with_content_is_no_mere_record() -> None:
    assert not is_record(locked(data={"a": "1"}))


@pytest.mark.parametrize("record", ["", [], "{"])
def test_a_record_that_cannot_be_read_has_no_holder(record: Any) -> None:
    assert (holder(locked(record)), lasting(locked(record))) == ("", 0.0)
