from datetime import UTC, datetime

import pytest

from memkube.controllers.kubelet.containers.log import LINE_HEAD, ContainerLog, Position

AT = datetime(2026, 1, 2, tzinfo=UTC)


def test_output_is_read_line_by_line() -> None:
    log = ContainerLog(10 * 1024 * 1024, 16 * 1024)
    log.write(AT, "stdout", b"a\nb\nc")
    parts, position = log.read(Position(), 10)
    assert [part.line.data for part in parts] == [b"a\n", b"b\n", b"c"]
    assert log.read(position, 10) == ([], position)


def test_a_line_that_grows_is_read_in_parts() -> None:
    log = ContainerLog(10 * 1024 * 1024, 16 * 1024)
    log.write(AT, "stdout", b"a")
    parts, position = log.read(Position(), 10)
    log.write(AT, "stdout", b"b\nc")
    more, _ = log.read(position, 10)
    assert [(part.line.data, part.begins) for part in (*parts, *more)] == [(b"a", True), (b"b\n", False), (b"c", True)]


def test_a_line_that_another_stream_cuts_short_is_done() -> None:
    log = ContainerLog(10 * 1024 * 1024, 16 * 1024)
    log.write(AT, "stdout", b"a")
    log.write(AT, "stderr", b"e\n")
    log.write(AT, "stdout", b"b")
    parts, _ = log.read(Position(), 10)
    assert [(part.line.stream, part.line.data) for part in parts] == [
        ("stdout", b"a"),
        ("stderr", b"e\n"),
        ("stdout", b"b"),
    ]


def test_reading_goes_on_where_so_many_lines_were_read() -> None:
    log = ContainerLog(10 * 1024 * 1024, 16 * 1024)
    log.write(AT, "stdout", b"a\nb\nc\n")
    parts, position = log.read(Position(), 2)
    assert (len(parts), [part.line.data for part in log.read(position, 2)[0]]) == (2, [b"c\n"])


@pytest.mark.parametrize("line", [b"x\n", b"x" * 999 + b"\n", b"x"])
def test_of_a_long_log_the_oldest_lines_are_lost(line: bytes) -> None:
    log = ContainerLog(10_000, 1000)
    log.write(AT, "stdout", b"first\n")
    for _ in range(10_000 // len(line)):
        log.write(AT, "stdout", line)
    log.write(AT, "stdout", b"last")
    parts, _ = log.read(Position(), 20_000)
    assert sum(len(part.line.data) + LINE_HEAD for part in parts) <= 10_000
    assert (log.end > len(parts), parts[-1].line.data[-4:]) == (True, b"last")


def test_a_line_without_an_end_is_cut_into_pieces() -> None:
    log = ContainerLog(1000, 4)
    log.write(AT, "stdout", b"abc")
    log.write(AT, "stdout", b"defghi\njk\n")
    parts, _ = log.read(Position(), 10)
    found = [(part.line.data, part.begins) for part in parts]
    assert found == [(b"abcd", True), (b"efgh", False), (b"i\n", False), (b"jk\n", True)]
