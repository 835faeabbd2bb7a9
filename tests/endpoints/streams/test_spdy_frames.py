import pytest

from memkube.endpoints.streams.spdy_frames import (
    Data,
    Frame,
    FrameReader,
    FrameWriter,
    GoAway,
    Ping,
    RstStream,
    SynReply,
    SynStream,
)
from memkube.endpoints.streams.spdy_headers import MalformedFrame

_FRAMES: list[Frame] = [
    SynStream(1, {"streamtype": "error", "port": "80"}),
    SynStream(3, {"streamtype": "data", "port": "80"}, fin=True),
    SynReply(1),
    Data(1, b"hello"),
    Data(3, b"", fin=True),
    RstStream(3, 5),
    Ping(7),
    GoAway(3),
]


def test_frames_survive_being_cut_anywhere() -> None:
    writer, reader = FrameWriter(), FrameReader()
    text = b"".join(writer.write(frame) for frame in _FRAMES)
    assert [frame for byte in text for frame in reader.feed(bytes((byte,)))] == _FRAMES


def test_a_stream_as_spdystream_opens_it_is_read() -> None:
    # The bytes are those of moby/spdystream for the header StreamType "stdin", compressed with SPDY's dictionary.
    written = FrameWriter().write(SynStream(1, {"StreamType": "stdin"}))
    assert list(FrameReader().feed(written)) == [SynStream(1, {"streamtype": "stdin"})]


def test_frames_without_meaning_are_passed_over() -> None:
    settings = bytes.fromhex("80030004 00000004 00000000")
    window_update = bytes.fromhex("80030009 00000008 00000001 00000400")
    assert list(FrameReader().feed(settings + window_update + FrameWriter().write(Ping(1)))) == [Ping(1)]


def test_headers_frames_keep_the_compression_in_step() -> None:
    writer, reader = FrameWriter(), FrameReader()
    reply = bytearray(writer.write(SynReply(1, {"a": "b"})))
    reply[3] = 8
    assert not list(reader.feed(bytes(reply)))
    assert list(reader.feed(writer.write(SynStream(3, {"a": "b"})))) == [SynStream(3, {"a": "b"})]


@pytest.mark.parametrize(
    "text",
    [
        "80020006 00000004 00000001",
        "80030006 00000002 0001",
        "80030001 0000000e 00000001 00000000 0000 deadbeef",
        "00000001 00ffffff",
    ],
    ids=["another version", "too short", "no headers", "too long"],
)
def test_what_is_no_spdy_is_refused(text: str) -> None:
    with pytest.raises(MalformedFrame):
        list(FrameReader().feed(bytes.fromhex(text)))
