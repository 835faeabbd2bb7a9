import json

import httpx
import pytest

_OWN = "/api/v1/namespaces/default"
_MISSING = "/api/v1/namespaces/missing"
_PATHS = (_OWN, _MISSING, "/api/v1/namespaces", "/api", "/apis", "/api/v1", "/apis/policy")


def _is_pretty(text: str) -> bool:
    compact = json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False) + "\n"
    pretty = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    assert text in (compact, pretty)
    return text == pretty


@pytest.mark.parametrize("path", _PATHS)
def test_compact_json_ends_its_line(client: httpx.Client, path: str) -> None:
    assert not _is_pretty(client.get(path).text)


@pytest.mark.parametrize("path", _PATHS)
@pytest.mark.parametrize("agent", ["curl/8.5.0", "Wget/1.21", "Mozilla/5.0 (X11; Linux)"])
def test_people_get_json_that_is_laid_out(client: httpx.Client, path: str, agent: str) -> None:
    assert _is_pretty(client.get(path, headers={"User-Agent": agent}).text)


@pytest.mark.parametrize(
    ("query", "agent", "pretty"),
    [
        ("pretty=true", "x", True),
        ("pretty=1", "x", True),
        ("pretty=T", "x", True),
        ("pretty=x", "x", False),
        ("pretty=yes", "curl", False),
        ("pretty=false", "curl", False),
        ("pretty=", "curl", True),
        ("pretty", "x", False),
        ("a=b", "Curl", False),
    ],
)
def test_the_query_has_the_last_word_on_the_layout(client: httpx.Client, query: str, agent: str, pretty: bool) -> None:
    assert _is_pretty(client.get(f"{_OWN}?{query}", headers={"User-Agent": agent}).text) is pretty


@pytest.mark.parametrize(("parameter", "pretty"), [("1", True), ("true", False), ("0", False)])
@pytest.mark.parametrize("path", [_OWN, _MISSING, "/apis"])
def test_accept_may_ask_for_a_layout(client: httpx.Client, path: str, parameter: str, pretty: bool) -> None:
    answer = client.get(path, headers={"Accept": f"application/json;pretty={parameter}"})
    assert _is_pretty(answer.text) is pretty


@pytest.mark.parametrize("path", ["/version", "/"])
def test_some_answers_are_always_laid_out(client: httpx.Client, path: str) -> None:
    assert _is_pretty(client.get(path).text)
