import pytest

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.protobuf import Envelope, open_envelope
from tests.apimachinery.protobuf.encoder import block, enveloped, number


def test_an_envelope_names_the_type_of_its_message() -> None:
    body = enveloped("policy/v1", "Eviction", b"\x0a\x00")
    assert open_envelope(body) == Envelope("policy/v1", "Eviction", b"\x0a\x00")


@pytest.mark.parametrize("content", [block(3, b"gzip"), number(9, 1), block(1, b"")])
def test_an_envelope_may_lack_everything(content: bytes) -> None:
    assert open_envelope(b"k8s\x00" + content) == Envelope("", "", b"")


def test_an_api_version_that_cannot_be_read_counts_as_none() -> None:
    assert open_envelope(enveloped("a/b/c", "Pod", b"")) == Envelope("", "Pod", b"")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "empty data"),
        (b"k8s\x00", "empty body"),
        (b"k8s\x00" + number(4, 1), "proto: wrong wireType = 0 for field ContentType"),
        (b"{}", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"),
        (b"k8s\x01\x0a\x00", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"),
        (b"k8s\x00\x0a\x09", "unexpected EOF"),
        (b"k8s\x00\x10\x01", "proto: wrong wireType = 0 for field Raw"),
    ],
)
def test_a_body_without_an_envelope_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as refused:
        open_envelope(body)
    assert refused.value.message == message
