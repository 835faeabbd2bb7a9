import httpx
import pytest

NOT_FOUND = "404 page not found\n"


@pytest.mark.parametrize(
    ("path", "code", "text"),
    [
        ("/healthz/", 404, NOT_FOUND),
        ("/livez/ping/", 404, NOT_FOUND),
        ("/openapi/v2/", 404, NOT_FOUND),
        ("/openapi", 404, NOT_FOUND),
        ("/openapi/v3/", 404, ""),
        ("/openapi/v3/apis/none/v1", 404, ""),
    ],
)
def test_a_slash_at_the_end_is_another_address(client: httpx.Client, path: str, code: int, text: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.text) == (code, text)


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/api/v1"])
def test_an_openapi_document_has_no_text_form(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"accept": "text/plain"})
    assert (answer.status_code, answer.content, "content-type" in answer.headers) == (406, b"", False)


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3", "/openapi/v3/apis/policy/v1", "/", "/index.html"])
def test_documents_answer_every_method(client: httpx.Client, path: str) -> None:
    assert client.post(path).status_code == 200


def test_a_health_check_that_is_none_cannot_be_excluded(client: httpx.Client) -> None:
    text = client.get("/readyz?verbose&exclude=b&exclude=a&exclude=ping").text
    assert "[+]ping excluded: ok\n" in text
    assert 'warn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n' in text


@pytest.mark.parametrize("path", ["/api/v1/watch", "/api/v1/watch/?a=b", "/apis/none/v1/watch", "/api/v1/proxy"])
def test_an_address_that_watches_nothing_is_no_address(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {path}"
    assert (answer.status_code, answer.text) == (500, f'Internal Server Error: "{path}": {why}\n')
