"""Sprig's functions for times. The expected texts are those of Sprig 3.3, if the time is not the present one."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            'date "2006-01-02 15:04:05.000 MST -0700 Mon January _2 3PM" 1700000000',
            "2023-11-14 22:13:20.000 UTC +0000 Tue November 14 10PM",
        ),
        (
            'dateInZone "2006-01-02T15:04:05Z07:00 Monday Jan 2 06 1" (int64 "1700000000") "Europe/Berlin"',
            "2023-11-14T23:13:20+01:00 Tuesday Nov 14 23 11",
        ),
        ('date_in_zone "03:04:05 pm 002 __2 Z0700 -07" 0 "America/New_York"', "07:00:00 pm 365 365 -0500 -05"),
        ('dateInZone "15h" 0 "Nowhere/X"', "00h"),
        ("htmlDate 0", "1970-01-01"),
        ('htmlDateInZone 0 "Asia/Tokyo"', "1970-01-01"),
        ('dateInZone "2006_2006 5:4 Z07 .99 Janet Months" 0 "UTC"', "1970_1970 0:0 Z  Janet Months"),
        ('duration "95"', "1m35s"),
        ("duration 95", "0s"),
        ("duration (int64 95)", "1m35s"),
        ('duration "x"', "0s"),
        ('duration "3661"', "1h1m1s"),
        ("duration (int64 -5)", "-5s"),
        ('duration "+-5"', "0s"),
        ('duration "²"', "0s"),
        ('durationRound "2h10m5s"', "2h"),
        ('durationRound "2400h"', "3mo"),
        ('durationRound "-49h"', "2d"),
        ("durationRound 5", "0s"),
        ('durationRound "500ms"', "0s"),
        ('durationRound "9000h"', "1y"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("now", "2026-01-02 03:04:05.6 +0000 UTC"),
        ("date `2006-01-02 15:04:05.00` now", "2026-01-02 03:04:05.60"),
        ("now | dateModify `-1.5h` | date `15:04`", "01:34"),
        ("now | mustDateModify `24h` | htmlDate", "2026-01-03"),
        ("now | dateModify `nonsense` | htmlDate", "2026-01-02"),
        ("unixEpoch now", "1767323045"),
        ("ago 1767323000", "46s"),
        ("durationRound (now | dateModify `-72h`)", "3d"),
        ("toJson now", '"2026-01-02T03:04:05.6Z"'),
    ],
)
def test_the_present_time_is_that_of_the_server(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    ("layout", "text", "expected"),
    [
        ("2006-01-02T15:04:05Z07:00", "2026-01-02T03:04:05.123456789Z", "2026-01-02 03:04:05.123456789 +0000 UTC"),
        ("2006-01-02T15:04:05Z07:00", "2026-01-02T03:04:05+02:00", "2026-01-02 03:04:05 +0200 +0200"),
        ("2006-01-02T15:04:05Z07:00", "2026-01-02T03:04:05+00:00", "2026-01-02 03:04:05 +0000 UTC"),
        ("2006-01-02T15:04:05Z07:00", "nonsense", "0001-01-01 00:00:00 +0000 UTC"),
        ("2006-01-02T15:04:05Z07:00", "2026-02-30T03:04:05Z", "0001-01-01 00:00:00 +0000 UTC"),
        ("2006-1-2", "2017-2-3", "2017-02-03 00:00:00 +0000 UTC"),
        ("January _2 2006", "March  3 2017", "2017-03-03 00:00:00 +0000 UTC"),
        ("02 Jan 06 15:04 MST", "03 Feb 17 04:05 CET", "2017-02-03 04:05:00 +0000 CET"),
        ("02 Jan 06 15:04 -0700", "03 Feb 99 04:05 -0330", "1999-02-03 04:05:00 -0330 -0330"),
        ("Mon Jan 2 2006 3:04PM", "Tue Feb 3 2017 4:05PM", "2017-02-03 16:05:00 +0000 UTC"),
        ("2006 3PM", "2017 12AM", "2017-01-01 00:00:00 +0000 UTC"),
        ("2006 3PM", "2017 12PM", "2017-01-01 12:00:00 +0000 UTC"),
        ("2006 3PM", "2017 13PM", "0001-01-01 00:00:00 +0000 UTC"),
        ("2006 15PM", "2017 13PM", "2017-01-01 13:00:00 +0000 UTC"),
        ("2006 3PM", "2017 4pm", "0001-01-01 00:00:00 +0000 UTC"),
        ("2006-01-02T15", "2017-02-03t04", "0001-01-01 00:00:00 +0000 UTC"),
        ("2 Jan 2006", "3 JAN 2017", "2017-01-03 00:00:00 +0000 UTC"),
        ("2006-01-02 15:04:05.000", "2017-02-03 04:05:06.123", "2017-02-03 04:05:06.123 +0000 UTC"),
        ("20060102", "20171231", "2017-12-31 00:00:00 +0000 UTC"),
    ],
)
def test_times_are_read_by_a_layout(layout: str, text: str, expected: str) -> None:
    assert rendered(f"{{{{ toDate `{layout}` `{text}` }}}}") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("toJson (toDate `2006-01-02 -0700` `2026-01-02 +0200`)", '"2026-01-02T00:00:00+02:00"'),
        ("toDate `2006-01-02 -07` `2026-01-02 +02` | dateModify `90m`", "2026-01-02 01:30:00 +0200 +0200"),
        ("mustToDate `2006-01-02 -07` `2026-01-02 +02` | date `01-02 15h`", "01-01 22h"),
    ],
)
def test_a_time_keeps_its_zone(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        "mustToDate `2006` `x`",
        "toDate `15:04` `01:02`",
        "toDate `2006 002` `2026 001`",
        "mustDateModify `x` now",
        "unixEpoch 5",
        "now | date 3",
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
