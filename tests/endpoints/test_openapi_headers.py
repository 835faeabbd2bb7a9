from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx
import pytest

_DOCUMENTS = ("/openapi/v2", "/openapi/v3/api/v1", "/openapi/v3/version")


@pytest.mark.parametrize("path", _DOCUMENTS)
def test_a_document_says_when_it_was_made_and_what_it_varies_with(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert datetime.now(UTC) - parsedate_to_datetime(headers["last-modified"]) < timedelta(hours=1)
    assert headers["vary"] == "Accept"
    assert headers["cache-control"] == "no-cache, private"


def test_the_index_is_sent_as_text_without_an_etag(client: httpx.Client) -> None:
    headers = client.get("/openapi/v3").headers
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert "etag" not in headers
    assert datetime.now(UTC) - parsedate_to_datetime(headers["last-modified"]) < timedelta(minutes=1)


@pytest.mark.parametrize("path", _DOCUMENTS)
def test_a_document_that_is_known_is_not_sent_again(client: httpx.Client, path: str) -> None:
    etag = client.get(path).headers["etag"]
    answer = client.get(path, headers={"If-None-Match": etag})
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", etag)


def test_the_index_leads_to_documents_that_may_be_kept(client: httpx.Client) -> None:
    paths = client.get("/openapi/v3").json()["paths"]
    assert {"version", "api", "api/v1", "apis", "apis/apps", "apis/apps/v1"} <= paths.keys()
    headers = client.get(paths["version"]["serverRelativeURL"]).headers
    assert headers["cache-control"] == "public, immutable"
    assert headers["expires"].endswith(" UTC")


def test_an_address_of_an_older_document_leads_to_the_present_one(client: httpx.Client) -> None:
    answer = client.get("/openapi/v3/version?hash=OLD")
    assert answer.status_code == 301
    assert answer.headers["location"] == client.get("/openapi/v3").json()["paths"]["version"]["serverRelativeURL"]


@pytest.mark.parametrize("path", _DOCUMENTS)
def test_documents_are_of_the_release(client: httpx.Client, path: str) -> None:
    document = client.get(path).json()
    assert document["info"]["version"] == "1.36"
    operations = [o for item in document["paths"].values() for method, o in item.items() if method != "parameters"]
    assert all(operation["description"].endswith(".") for operation in operations)


@pytest.mark.parametrize(("kind", "answer"), [("namespaces", "Status"), ("pods", "Pod"), ("configmaps", "Status")])
def test_deletions_are_described_as_in_the_reference(client: httpx.Client, kind: str, answer: str) -> None:
    scope = "" if kind == "namespaces" else "/namespaces/{namespace}"
    delete = client.get("/openapi/v2").json()["paths"][f"/api/v1{scope}/{kind}/{{name}}"]["delete"]
    assert delete["responses"]["200"]["schema"]["$ref"].endswith(f".{answer}")
