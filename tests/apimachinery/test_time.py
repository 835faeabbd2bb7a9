import pytest

from memkube.apimachinery.time import MicroTime, Time

_LAYOUT = '"2006-01-02T15:04:05Z07:00"'


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-02T3:04:05Z", "2026-01-02T03:04:05Z"),
        ("0999-12-31T23:59:59Z", "0999-12-31T23:59:59Z"),
    ],
)
def test_times_are_written_in_utc(text: str, written: str) -> None:
    assert Time.parse(text) == written


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", f' as {_LAYOUT}: cannot parse "" as "2006"'),
        ("yesterday", f' as {_LAYOUT}: cannot parse "yesterday" as "2006"'),
        ("2026", f' as {_LAYOUT}: cannot parse "" as "-"'),
        ("2026-1-2T03:04:05Z", f' as {_LAYOUT}: cannot parse "1-2T03:04:05Z" as "01"'),
        ("2026-01-02 03:04:05Z", f' as {_LAYOUT}: cannot parse " 03:04:05Z" as "T"'),
        ("2026-01-02T03:04:05", f' as {_LAYOUT}: cannot parse "" as "Z07:00"'),
        ("2026-01-02T03:04:05+0200", f' as {_LAYOUT}: cannot parse "+0200" as "Z07:00"'),
        ("2026-13-02T03:04:05Z", ": month out of range"),
        ("2026-02-30T03:04:05Z", ": day out of range"),
        ("2026-01-02T24:04:05Z", ": hour out of range"),
        ("2026-01-02T03:04:05Zx", ': extra text: "x"'),
    ],
)
def test_other_texts_are_refused_in_gos_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match="parsing time") as refusal:
        Time.parse(text)
    assert str(refusal.value) == f'parsing time "{text}"{words}'


def test_the_zero_time_is_none() -> None:
    assert Time.parse_unless_zero("0001-01-01T00:00:00Z") is None


def test_a_micro_time_needs_six_digits() -> None:
    assert MicroTime.parse("2026-01-02T03:04:05.000006Z") == "2026-01-02T03:04:05.000006Z"
    with pytest.raises(ValueError, match=r'cannot parse "Z" as "\.000000"'):
        MicroTime.parse("2026-01-02T03:04:05Z")


def test_what_is_not_ascii_is_shown_as_its_bytes() -> None:
    with pytest.raises(ValueError, match=r'^parsing time "\\xc3\\xa9\\x0a\\"" as '):
        Time.parse('é\n"')
