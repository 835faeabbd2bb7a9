import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.stream_options import exec_options, log_options, port_forward_options


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ({}, {}),
        ({"follow": ["true"], "timestamps": ["1"]}, {"follow": True, "timestamps": True}),
        ({"follow": ["False"], "previous": ["0"], "unknown": ["1"]}, {}),
        ({"tailLines": ["0"], "limitBytes": ["+5"]}, {"tailLines": 0, "limitBytes": 5}),
        ({"sinceTime": ["2026-01-02T03:04:05+01:00"]}, {"sinceTime": "2026-01-02T02:04:05Z"}),
        ({"container": ["a", "b"], "sinceSeconds": ["60"]}, {"container": "a", "sinceSeconds": 60}),
    ],
)
def test_options_of_logs_are_read_as_the_reference_reads_them(query: dict[str, list[str]], document: Document) -> None:
    assert log_options(query, "web").to_document() == document


def test_every_word_of_a_command_counts() -> None:
    options = exec_options({"command": ["sh", "-c", ""], "stdin": [""], "tty": ["no"]})
    assert (options.command, options.stdin, options.tty, options.stdout) == (["sh", "-c", ""], True, True, False)


def test_ports_come_one_by_one_or_with_commas() -> None:
    assert port_forward_options({"ports": ["80,443", "8080"]}).ports == [80, 443, 8080]


def test_a_negative_port_is_none() -> None:
    with pytest.raises(ApiError) as refusal:
        port_forward_options({"ports": ["-1"]})
    assert refusal.value.code == 400
