"""The options of ``memkube serve`` for an OpenID Connect provider."""

import pytest

from memkube.cli.options.authentication import OpenIdOptions
from memkube.errors import ServerError


def test_without_options_there_is_no_provider() -> None:
    assert OpenIdOptions().provider() is None


@pytest.mark.parametrize(
    "options",
    [
        OpenIdOptions(oidc_issuer_url="https://a"),
        OpenIdOptions(oidc_client_id="a"),
        OpenIdOptions(oidc_groups_claim="groups"),
    ],
)
def test_a_provider_needs_a_url_and_a_client(options: OpenIdOptions) -> None:
    with pytest.raises(ServerError, match="must be specified together when any oidc-\\* flags are set"):
        options.provider()
