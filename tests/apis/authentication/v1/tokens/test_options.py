from pathlib import Path
from typing import Any

import pytest

from memkube.apis.authentication.v1.tokens.options import TokenOptions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"issuers": ()}, "service-account-issuer is a required flag"),
        ({"issuers": ("",)}, "service-account-issuer should not be an empty string"),
        (
            {"issuers": ("http://a:b",)},
            (
                "service-account-issuer \"http://a:b\" contained a ':' but was not a valid URL: "
                'parse "http://a:b": invalid port ":b" after host'
            ),
        ),
        ({"issuers": ("a", "b", "a")}, 'service-account-issuer "a" is already specified'),
        ({"max_expiration": 3599}, "the service-account-max-token-expiration must be between 1 hour and 2^32 seconds"),
        ({"jwks_uri": "http://x"}, "service-account-jwks-uri requires https scheme, parsed as: http://x"),
        ({"key_files": (Path("k"),)}, "service-account-key-file needs a service-account-signing-key-file"),
    ],
)
def test_what_the_reference_does_not_start_with_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011  the message is compared as a whole
        TokenOptions(**options)
    assert str(refusal.value) == message


def test_the_server_goes_by_the_names_of_its_issuers_unless_told_otherwise() -> None:
    assert TokenOptions(issuers=("a", "b")).audiences == ("a", "b")
    assert TokenOptions(issuers=("a", "b"), api_audiences=("c",)).audiences == ("c",)
