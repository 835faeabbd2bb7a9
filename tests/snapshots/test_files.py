from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from memkube.apimachinery.model import Document
from memkube.snapshots.files import SnapshotRefused, lines_of, parse_snapshot, read_snapshot, write_snapshot
from memkube.snapshots.snapshot import Snapshot, object_key, snapshot_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def config_map(name: str, version: int, **fields: Any) -> tuple[str, Document]:
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": str(version)}
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **fields}
    return object_key("", "configmaps", "default", name), document


def gadgets(version: int) -> tuple[str, Document]:
    names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}
    spec = {"group": "example.com", "names": names, "scope": "Cluster", "versions": [{"name": "v1"}]}
    metadata = {"name": "gadgets.example.com", "uid": "u", "resourceVersion": str(version)}
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata}
    key = object_key("apiextensions.k8s.io", "customresourcedefinitions", "", "gadgets.example.com")
    return key, {**definition, "spec": spec, "status": {"acceptedNames": names}}


def gadget(version: int) -> tuple[str, Document]:
    metadata = {"name": "one", "uid": "g", "resourceVersion": str(version)}
    return object_key("example.com", "gadgets", "", "one"), {
        "apiVersion": "example.com/v1",
        "kind": "Gadget",
        "metadata": metadata,
    }


def small() -> Snapshot:
    return snapshot_of([config_map("b", 7, data={"text": "ä<&"}), config_map("a", 5)], NOW)


def written() -> list[bytes]:
    return list(lines_of(small()))


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    write_snapshot(small(), path)
    read = read_snapshot(path)
    assert (read.now, read.clock, read.revision) == (NOW, "real", 7)
    assert {key: value.document for key, value in read.objects.objects.items()} == dict(
        [config_map("a", 5), config_map("b", 7, data={"text": "ä<&"})]
    )
    assert list(lines_of(read)) == path.read_bytes().splitlines(keepends=True)


def test_a_file_has_a_line_for_each_object_in_the_order_of_their_keys() -> None:
    header, *objects, end = map(orjson.loads, written())
    assert header["memkubeSnapshot"] == 1
    assert header["kubernetes"] == "1.36"
    assert [line["key"] for line in objects] == ["/core/configmaps/default/a", "/core/configmaps/default/b"]
    assert end == {"end": {"objects": 2, "states": 0}}


def test_objects_of_kinds_that_the_snapshot_defines_are_taken() -> None:
    read = parse_snapshot(lines_of(snapshot_of([gadget(4), gadgets(3)], NOW)))
    assert "/example.com/gadgets/one" in read.objects.objects


def changed(line: int, **fields: Any) -> list[bytes]:
    lines = written()
    lines[line] = orjson.dumps({**orjson.loads(lines[line]), **fields}) + b"\n"
    return lines


def of_kind(line: int, **fields: Any) -> list[bytes]:
    return changed(line, object={**config_map("a", 5)[1], **fields})


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "the file is empty"),
        ([b'{"apiVersion": "v1"}\n'], "line 1: the file is not a memkube snapshot"),
        (changed(0, memkubeSnapshot=2, memkube="9.9"), "line 1: memkube 9.9 wrote the snapshot in format 2"),
        (changed(0, kubernetes="1.40"), "line 1: the snapshot is from a server of Kubernetes 1.40"),
        (changed(0, clock={"name": "sundial"}), "line 1: unknown clock sundial"),
        (written()[:-1], "truncated after line 3: the last line is missing"),
        ([*written()[:2], written()[2][:30]], "line 3: the line is cut off"),
        ([written()[0], b"{'key': 1}\n"], "line 2: the line is not JSON"),
        ([*written()[:2], *written()[3:]], "lines are missing"),
        ([*written(), b"{}\n"], "line 5: the file continues after the line with the field end"),
        ([*written()[:2], *written()[1:]], "line 3: the file contains /core/configmaps/default/a twice"),
        (of_kind(1, kind="Gizmo"), "line 2: no kind Gizmo of v1 is known"),
        (of_kind(1, apiVersion="v2"), "line 2: no kind ConfigMap of v2 is known"),
        (list(lines_of(snapshot_of([gadget(4)], NOW))), "line 2: no kind Gadget of example.com/v1 is known"),
        (
            changed(1, key="/core/configmaps/default/z"),
            "line 2: the name or namespace of the object is not that of its key",
        ),
        (of_kind(1, metadata={"name": "a", "namespace": "default", "uid": "u"}), "line 2: /core/configmaps/default/a"),
        (changed(0, revision=6), "line 3: /core/configmaps/default/b has resourceVersion 7"),
    ],
)
def test_what_cannot_be_restored_is_refused_with_its_line(lines: list[bytes], why: str) -> None:
    with pytest.raises(SnapshotRefused) as refusal:
        parse_snapshot(lines)
    assert why in str(refusal.value)


def test_a_file_that_cannot_be_finished_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    unwritable = Snapshot(small().objects, NOW, "real", {"nodes": [{"instant": object()}]})
    with pytest.raises(TypeError):
        write_snapshot(unwritable, path)
    assert list(tmp_path.iterdir()) == []
