import pytest

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.protobuf.wire import WireReader, signed

END_OF_GROUP = b"\x0c"
LONGEST = b"\xff" * 9 + b"\x01"


@pytest.mark.parametrize(
    ("data", "value"),
    [(b"\x00", 0), (b"\x7f", 127), (b"\xac\x02", 300), (b"\x80\x80\x00", 0), (LONGEST, 2**64 - 1)],
)
def test_a_varint_has_seven_bits_a_byte(data: bytes, value: int) -> None:
    assert WireReader(data).varint() == value


def test_bits_of_a_varint_beyond_64_are_lost() -> None:
    assert WireReader(b"\xff" * 9 + b"\x7f").varint() == 2**64 - 1


@pytest.mark.parametrize(
    ("value", "bits", "number"), [(2**64 - 1, 64, -1), (2**64 - 5, 32, -5), (2**31, 32, -(2**31)), (7, 32, 7)]
)
def test_integers_are_twos_complement(value: int, bits: int, number: int) -> None:
    assert signed(value, bits) == number


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x80", "unexpected EOF"),
        (b"\xff" * 11, "proto: integer overflow"),
        (b"\x0c", "proto: Gadget: wiretype end group for non-group"),
        (b"\x02", "proto: Gadget: illegal tag 0 (wire type 2)"),
        (b"\x80\x80\x80\x80\x40", "proto: Gadget: illegal tag -2147483648 (wire type 17179869184)"),
    ],
)
def test_a_bad_tag_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as refused:
        WireReader(data).tag("Gadget")
    assert refused.value.message == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x05abcd", "unexpected EOF"),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "proto: negative length found during unmarshaling"),
        (LONGEST, "proto: negative length found during unmarshaling"),
        (b"\xff\xff\xff\xff\x0f", "unexpected EOF"),
    ],
)
def test_a_length_beyond_the_end_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as refused:
        WireReader(data).block()
    assert refused.value.message == message


@pytest.mark.parametrize(
    ("wire_type", "value"),
    [
        (0, b"\xac\x02"),
        (1, b"12345678"),
        (2, b"\x03abc"),
        (5, b"1234"),
        (3, b"\x08\x01\x13\x08\x02\x14" + END_OF_GROUP),
    ],
)
def test_a_skipped_value_ends_where_the_next_tag_begins(wire_type: int, value: bytes) -> None:
    reader = WireReader(value + b"\x28")
    reader.skip(wire_type)
    assert reader.tag("Gadget") == (5, 0)


@pytest.mark.parametrize(
    ("wire_type", "value", "message"),
    [
        (6, b"", "proto: illegal wireType 6"),
        (4, b"", "proto: unexpected end of group"),
        (3, b"\x08\x01", "unexpected EOF"),
        (1, b"1234567", "unexpected EOF"),
    ],
)
def test_a_malformed_value_cannot_be_skipped(wire_type: int, value: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as refused:
        WireReader(value).skip(wire_type)
    assert refused.value.message == message


def test_many_open_groups_do_no_harm() -> None:
    with pytest.raises(DecodeError, match="unexpected EOF"):
        WireReader(b"\x0b" * 100_000).skip(3)
