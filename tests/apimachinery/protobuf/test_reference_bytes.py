"""Decoding of objects that Kubernetes' own code encoded; ``tools/protobuf_bytes.py`` recorded the bytes."""

from base64 import b64decode

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf import Messages, enveloped, open_envelope
from memkube.apimachinery.schema import StructSchema
from tests.apimachinery.protobuf.independent_reader import opened, pruned, read, shown
from tests.gathered import for_each
from tests.recordings.archive import Recording, load

MESSAGES = Messages(go_package)

_each = for_each(load("protobuf"), lambda recording: f"{recording['package']}.{recording['object']['kind']}")


@_each
def test_objects_are_written_byte_for_byte_as_the_reference_writes_them(recording: Recording) -> None:
    found = recording["object"]
    message = MESSAGES.encode(recording["package"], found["kind"], found)
    assert enveloped(found["apiVersion"], found["kind"], message) == b64decode(recording["bytes"])


@_each
def test_what_the_reference_wrote_is_read_and_written_again_as_the_same(recording: Recording) -> None:
    path, kind = recording["package"], recording["object"]["kind"]
    message = open_envelope(b64decode(recording["bytes"])).message
    read_again = MESSAGES.decode(StructSchema(kind, dict, package=path), message)
    assert MESSAGES.encode(path, kind, read_again) == message


@_each
def test_protobufs_own_library_reads_what_the_reference_wrote(recording: Recording) -> None:
    _, kind, message = opened(b64decode(recording["bytes"]))
    content = {name: value for name, value in recording["object"].items() if name not in ("kind", "apiVersion")}
    assert shown(read(recording["package"], kind, message)) == pruned(content)
