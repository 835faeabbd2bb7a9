import pytest

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf import Messages
from memkube.apis.core.v1.configmaps.resource import RESOURCE
from memkube.endpoints.responses.encodings import Encodings
from memkube.endpoints.responses.messages import ObjectMessages, general_message, unframed, watch_frame
from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.watch_events import WatchEvent
from tests.apimachinery.protobuf.independent_reader import opened

MESSAGES = ObjectMessages(RESOURCE, Messages(go_package))


@pytest.fixture
def stored() -> StoredObject:
    return StoredObject({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}, "data": {"b": "c"}})


def test_an_object_is_encoded_once_for_all_who_ask(stored: StoredObject) -> None:
    assert stored.message is None
    assert MESSAGES.item(stored) is MESSAGES.item(stored) is stored.message


def test_what_rests_is_encoded_again_as_the_same(stored: StoredObject) -> None:
    before = MESSAGES.object(stored)
    ObjectCodec().size(stored)
    ObjectCodec().release(stored)
    assert stored.message is None
    assert MESSAGES.object(stored) == before


def test_another_revision_has_a_message_of_its_own(stored: StoredObject) -> None:
    before = MESSAGES.object(stored)
    assert MESSAGES.object(ObjectCodec().stamp(stored, 7)) != before


def test_a_frame_is_shared_by_those_who_watch(stored: StoredObject) -> None:
    encodings, event = Encodings(), WatchEvent("ADDED", stored)
    frame = encodings.event_frame(event, MESSAGES)
    assert encodings.event_frame(event, MESSAGES) is frame
    assert encodings.event_frame(event, MESSAGES, "v1") != frame
    assert encodings.event_line(event).startswith(b'{"type":"ADDED"')


def test_frames_are_told_apart_by_their_lengths() -> None:
    frames = [watch_frame("ADDED", content) for content in (b"", b"a", b"b" * 70_000)]
    assert list(unframed(b"".join(frames))) == [frame[4:] for frame in frames]
    assert list(unframed(b"")) == []


def test_a_general_document_may_have_no_api_version() -> None:
    assert opened(general_message({"kind": "APIVersions", "versions": ["v1"]})) == ("", "APIVersions", b"\n\x02v1")
