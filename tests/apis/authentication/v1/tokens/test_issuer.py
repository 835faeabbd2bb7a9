import asyncio
import subprocess
import sys

import pytest

from memkube.apis.authentication.v1.tokens.issuer import TokenIssuer
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.replicas.shared_state import SharedState
from memkube.storage.memory import MemoryStorage

_DOCUMENTS_WITHOUT_CRYPTOGRAPHY = """
import asyncio, sys
from memkube.server.app import create_core
from memkube.endpoints.openapi.documents import Documents
from memkube.server.settings import Settings

asyncio.run(Documents(create_core(Settings()).parts.registry.catalog).v2())
print(sorted({"cryptography", "jwt"} & sys.modules.keys()))
"""


def issuer_with(options: TokenOptions) -> TokenIssuer:
    return TokenIssuer(options, SharedState(MemoryStorage(ObjectCodec())))


@pytest.mark.anyio
async def test_those_who_ask_first_and_together_get_the_same_keys() -> None:
    issuer = issuer_with(TokenOptions())
    first, second = await asyncio.gather(issuer.keys(), issuer.keys())
    assert first is second


def test_a_server_that_nobody_asks_for_tokens_or_certificates_has_no_cryptography() -> None:
    command = [sys.executable, "-c", _DOCUMENTS_WITHOUT_CRYPTOGRAPHY]
    assert subprocess.run(command, text=True, capture_output=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("issuer", "is_discoverable"),
    [
        ("https://a.example", True),
        ("https://a.example/b", True),
        ("http://a.example", False),
        ("https://a.example?b=c", False),
        ("https://a.example#b", False),
        ("kubernetes/serviceaccount", False),
    ],
)
def test_only_an_https_address_is_discovered(issuer: str, is_discoverable: bool) -> None:
    assert issuer_with(TokenOptions(issuers=(issuer,))).is_discoverable is is_discoverable


@pytest.mark.anyio
async def test_keys_that_are_published_elsewhere_are_told_so() -> None:
    issuer = issuer_with(TokenOptions(jwks_uri="https://keys.example/jwks"))
    assert (await issuer.configuration("http://here/jwks"))["jwks_uri"] == "https://keys.example/jwks"
