import gc
import sys
from typing import Any

import orjson
import pytest

from memkube.apimachinery.model import Document
from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.objects.dependents import Dependents
from memkube.registry.objects.stored import StoredObject

DOCUMENT: dict[str, Any] = {"kind": "Thing", "apiVersion": "v1", "metadata": {"name": "a"}, "data": {"b": [1, {}]}}


def test_the_bytes_are_the_document() -> None:
    assert StoredObject(DOCUMENT).data == (
        b'{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a"},"data":{"b":[1,{}]}}'
    )


def test_readers_share_the_bytes() -> None:
    stored = StoredObject(DOCUMENT)
    assert stored.item_tail is stored.item_tail


def test_a_revision_that_rests_reads_its_document_again() -> None:
    stored = StoredObject(DOCUMENT)
    ObjectCodec().size(stored)
    ObjectCodec().release(stored)
    assert stored.document == DOCUMENT
    assert stored.document is not DOCUMENT


def test_a_revision_that_rests_holds_its_bytes_alone() -> None:
    stored = StoredObject({**DOCUMENT, "data": {"text": "x" * 100_000}})
    before = ObjectCodec().size(stored)
    stored.message = b"x" * 100_000
    ObjectCodec().release(stored)
    held = sum(sys.getsizeof(item) for item in gc.get_referents(stored) if isinstance(item, bytes | dict))
    assert before < held < before + 1000


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "a", "namespace": "b", "uid": "c", "resourceVersion": "0", "labels": {"resourceVersion": "9"}},
        {"name": "a", "labels": {"resourceVersion": "9"}, "resourceVersion": "17"},
        {"name": 'a\\"b', "resourceVersion": "17"},
        {"name": "a"},
    ],
)
def test_a_version_is_stamped_on_bytes_as_on_the_document(metadata: dict[str, Any]) -> None:
    stored = StoredObject({**DOCUMENT, "metadata": metadata})
    ObjectCodec().size(stored)
    stamped = ObjectCodec().stamp(stored, 1234)
    assert orjson.loads(stamped.data) == stamped.document
    assert stamped.resource_version == "1234"


def test_an_object_from_its_bytes_reads_them_when_it_is_asked() -> None:
    written = ObjectCodec().stamp(StoredObject({**DOCUMENT, "metadata": {"resourceVersion": "0", "name": "a"}}), 7)
    read = ObjectCodec().decode(ObjectCodec().encode(written), 7)
    assert (read.item_tail, read.data) == (written.item_tail, written.data)
    assert (read.resource_version, read.document) == ("7", written.document)


@pytest.mark.parametrize("metadata", [{"name": "a", "resourceVersion": "3"}, {"labels": {"a": "b"}, "name": "a"}])
def test_an_object_from_bytes_of_another_revision_is_stamped(metadata: dict[str, Any]) -> None:
    read = ObjectCodec().decode(StoredObject({**DOCUMENT, "metadata": metadata}).data, 9)
    assert orjson.loads(read.data) == read.document == {**DOCUMENT, "metadata": {**metadata, "resourceVersion": "9"}}


def test_only_the_objects_that_were_written_last_keep_their_documents() -> None:
    codec = ObjectCodec()
    written = [codec.stamp(StoredObject(named(f"a-{number}")), number) for number in range(2_000)]
    assert sum(map(is_awake, written)) < 1_000
    assert written[0].document["metadata"]["name"] == "a-0"


def test_large_objects_fall_asleep_sooner() -> None:
    codec = ObjectCodec()
    written = [codec.stamp(StoredObject({**named("a"), "data": "x" * 1_000_000}), number) for number in range(20)]
    assert sum(map(is_awake, written)) < 10


def test_one_that_dozes_tells_its_labels_and_what_it_is_shown_as() -> None:
    codec = ObjectCodec()
    stored = codec.stamp(StoredObject({**DOCUMENT, "metadata": {"name": "a", "labels": {"app": "web"}}}), 1)
    stored.shown = row = object()
    codec.size(stored)
    stored.drop_document()
    assert (stored.labels, stored.shown) == ({"app": "web"}, row)
    assert stored.document["metadata"]["labels"] == {"app": "web"}


def named(name: str) -> dict[str, Any]:
    return {**DOCUMENT, "metadata": {"name": name}}


def is_awake(stored: StoredObject) -> bool:
    return any(isinstance(item, dict) and "kind" in item for item in gc.get_referents(stored))


@pytest.mark.parametrize("unsettled", [True, False])
def test_what_is_read_again_knows_whether_it_is_settled(unsettled: bool) -> None:
    codec, stored = ObjectCodec(), StoredObject({**DOCUMENT, "metadata": {"name": "a", "resourceVersion": "7"}})
    stored.unsettled = unsettled
    read = codec.decode(codec.encode(stored), 7)
    assert (read.unsettled, read.data) == (unsettled, stored.data)


def test_an_object_from_its_tail_is_stamped_without_being_read() -> None:
    written = StoredObject({**DOCUMENT, "metadata": {"name": "a", "resourceVersion": "0", "labels": {"b": "c"}}})
    stored = StoredObject.from_tail("Thing", "v1", written.item_tail)
    stamped = ObjectCodec().stamp(stored, 12)
    assert not any(isinstance(held, dict) for held in gc.get_referents(stored, stamped))
    assert stamped.data == written.data.replace(b'"resourceVersion":"0"', b'"resourceVersion":"12"')
    assert (stored.resource_version, stamped.resource_version, stamped.kind) == ("0", "12", "Thing")


@pytest.mark.parametrize(("field", "value"), [("finalizers", ["a"]), ("ownerReferences", [{"uid": "b"}])])
def test_who_depends_on_others_is_told_of_although_nobody_has_read_it(field: str, value: list[Any]) -> None:
    dependents = Dependents()
    document = {**DOCUMENT, "metadata": {"name": "a", "resourceVersion": "0"}, "spec": {field: value}}
    for metadata, expected in (({}, False), ({field: value}, True)):
        written = StoredObject({**document, "metadata": {**document["metadata"], **metadata}})
        ObjectCodec(dependents).stamp(StoredObject.from_tail("Thing", "v1", written.item_tail), 1)
        assert dependents.may_exist is expected


def test_a_fact_outlives_the_document() -> None:
    reads: list[str] = []

    def phase(document: Document) -> str:
        reads.append(document["status"]["phase"])
        return reads[-1]

    stored = StoredObject({"kind": "Pod", "apiVersion": "v1", "metadata": {}, "status": {"phase": "Running"}})
    stored.item_tail  # noqa: B018  encodes the object, so that its document can be dropped
    first = stored.fact(phase)
    stored.drop_document()
    assert (first, stored.fact(phase), reads) == ("Running", "Running", ["Running"])
