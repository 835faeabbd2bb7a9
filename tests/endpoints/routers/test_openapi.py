import httpx
import pytest

from memkube.server.server import Server


@pytest.mark.parametrize("path", ["/docs", "/docs/"])
def test_the_page_of_the_api_has_an_address_with_and_without_a_slash(server: Server, path: str) -> None:
    answer = httpx.get(f"{server.url}{path}")
    assert (answer.status_code, "swagger-ui" in answer.text) == (200, True)
