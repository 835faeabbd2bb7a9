"""Protobuf encoding of responses. The message of each object is encoded once for all clients."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf import (
    ENVELOPE_END,
    Messages,
    envelope_start,
    enveloped,
    message_field,
    message_start,
)
from memkube.apimachinery.protobuf.wire import BYTES, delimited, tag
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.time.turns import Turns

_META: Final = "k8s.io/apimachinery/pkg/apis/meta/v1"
_PACKAGES: Final = {"APIGroupDiscoveryList": "k8s.io/api/apidiscovery/v2"}
"""Go packages of the kinds outside of meta/v1 that `general_message` can encode."""
_OLD_META: Final = "meta.k8s.io/v1beta1"
_FIRST, _SECOND = tag(1, BYTES), tag(2, BYTES)
_FRAME_HEAD: Final = 4
"""Size in bytes of the big-endian length that precedes each frame of a watch."""


@cache
def _general() -> Messages:
    return Messages(go_package)


def general_message(document: Document) -> bytes:
    """Encode a Status or a discovery document as protobuf."""
    kind = document["kind"]
    message = _general().encode(_PACKAGES.get(kind, _META), kind, document)
    return enveloped(document.get("apiVersion", ""), kind, message)


def has_messages(resource: Resource) -> bool:
    """Return True if objects of the kind can be encoded as protobuf.

    Custom kinds, and kinds that a Python program adds to the server, cannot.
    """
    return resource.structural is None and resource.schema.package != ""


class ObjectMessages:
    """Encodes objects of one resource as protobuf."""

    def __init__(self, resource: Resource, messages: Messages) -> None:
        self._resource = resource
        self._messages = messages

    def object(self, stored: StoredObject) -> bytes:
        """Encode an object as the body of a response, in Kubernetes' protobuf envelope."""
        resource = self._resource
        return b"%s%s%s" % (envelope_start(resource.api_version, resource.kind), self.item(stored), ENVELOPE_END)

    def item(self, stored: StoredObject) -> bytes:
        """Encode an object as a field of a containing message, such as a list.

        The bytes are cached with the object.
        """
        item = stored.message
        if item is None:
            struct = self._resource.schema
            item = stored.message = message_field(self._messages.encode(struct.package, struct.name, stored.document))
        return item

    def metadata(self, stored: StoredObject, version: str) -> bytes:
        """Encode an object's PartialObjectMetadata."""
        return enveloped(f"meta.k8s.io/{version}", "PartialObjectMetadata", self._partial(stored))

    async def object_list(self, items: Sequence[StoredObject], metadata: Document) -> list[bytes]:
        """Encode a list. Return byte strings that have to be joined.

        While objects are encoded, other requests can run.
        """
        turns, fields = Turns(), []
        for stored in items:
            if stored.message is None:
                await turns.give()
            fields.append(self.item(stored))
        head = [_FIRST + delimited(self._list_meta(metadata))]
        return _list(self._resource.api_version, self._resource.kind_of_lists, [*head, *fields])

    async def metadata_list(self, items: Sequence[StoredObject], metadata: Document, version: str) -> list[bytes]:
        """Encode a PartialObjectMetadataList. Return byte strings that have to be joined.

        In v1beta1, ``items`` has the field number that ``metadata`` has in v1, and vice versa.
        """
        turns, fields = Turns(), []
        api_version = f"meta.k8s.io/{version}"
        items_tag, meta_tag = (_FIRST, _SECOND) if api_version == _OLD_META else (_SECOND, _FIRST)
        for stored in items:
            await turns.give()
            fields.append(items_tag + delimited(self._partial(stored)))
        head = [meta_tag + delimited(self._list_meta(metadata))]
        both = [*fields, *head] if api_version == _OLD_META else [*head, *fields]
        return _list(api_version, "PartialObjectMetadataList", both)

    def _partial(self, stored: StoredObject) -> bytes:
        metadata = self._resource.metadata_alone(stored.document)
        return self._messages.encode(_META, "PartialObjectMetadata", {"metadata": metadata})

    def _list_meta(self, metadata: Document) -> bytes:
        return self._messages.encode(_META, "ListMeta", metadata)


def _list(api_version: str, kind: str, fields: list[bytes]) -> list[bytes]:
    """Encode a list in Kubernetes' protobuf envelope. Return byte strings that have to be joined.

    `fields` are the encoded fields of the list.
    """
    size = sum(map(len, fields))
    start = envelope_start(api_version, kind) + message_start(size)
    return [start, *fields, ENVELOPE_END]


def watch_frame(event_type: str, written: bytes) -> bytes:
    """Return the frame of a watch event: a WatchEvent message, preceded by its length.

    `written` is the encoded object.
    """
    message = b"%s%s%s%s" % (_FIRST, delimited(event_type.encode()), _SECOND, delimited(_FIRST + delimited(written)))
    return len(message).to_bytes(_FRAME_HEAD) + message


def unframed(frames: bytes) -> Iterator[bytes]:
    """Yield the protobuf messages in the bytes of complete watch frames. A length precedes each message."""
    at = 0
    while at < len(frames):
        start = at + _FRAME_HEAD
        at = start + int.from_bytes(frames[at:start])
        yield frames[start:at]
