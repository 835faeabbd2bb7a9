import httpx
import pytest

from memkube.endpoints.responses.responses import warning_headers


def lengths(headers: list[str]) -> list[int]:
    return [len(header) - len('299 - ""') for header in headers]


def test_quotes_and_backslashes_are_escaped() -> None:
    assert warning_headers(['a "b" \\c']) == ['299 - "a \\"b\\" \\\\c"']


def test_empty_repeated_and_unprintable_texts_are_left_out() -> None:
    assert warning_headers(["a", "", "a", "b\nc", "\u2028"]) == ['299 - "a"', '299 - "\u2028"']


def test_long_texts_are_whole_up_to_the_limit() -> None:
    assert lengths(warning_headers(["a" * 4000, "b" * 96])) == [4000, 96]


def test_beyond_the_limit_every_text_is_shortened() -> None:
    assert lengths(warning_headers(["a" * 4000, "b" * 97, "c" * 300])) == [256, 97, 256]


def test_what_comes_after_many_shortened_texts_is_dropped() -> None:
    assert len(warning_headers([f"{number:0300}" for number in range(30)])) == 16


def test_each_key_that_yaml_gives_twice_is_warned_of(client: httpx.Client, namespace: str) -> None:
    body = "metadata: {name: a, name: b}\ndata: {a: b}\ndata: {}\nmore: 1\n"
    answer = client.post(
        f"/api/v1/namespaces/{namespace}/configmaps",
        content=body.encode(),
        headers={"Content-Type": "application/yaml", "Accept": "application/json"},
    )
    twice = [f'299 - "line {line}: key \\"{key}\\" already set in map"' for line, key in ((1, "name"), (3, "data"))]
    assert answer.headers.get_list("warning") == [*twice, '299 - "unknown field \\"more\\""']


@pytest.mark.parametrize(("accept", "warned"), [("application/xml", False), ("application/json;as=Table;v=v2", True)])
def test_only_those_whom_the_address_answers_are_warned_of_it(client: httpx.Client, accept: str, warned: bool) -> None:
    answer = client.get("/api/v1/namespaces/default/endpoints/a", headers={"Accept": accept})
    assert (answer.status_code, "warning" in answer.headers) == (406, warned)
