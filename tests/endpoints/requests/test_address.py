import pytest

from memkube.endpoints.requests.api_request import parse_address


@pytest.mark.parametrize("path", ["", "/", "//", "/api", "/apis/", "/apis//v1", "/version"])
def test_what_is_no_address_of_a_version_names_nothing(path: str) -> None:
    assert parse_address(path) is None
