"""Signs service account tokens, and provides the documents of OpenID Connect Discovery (``pkg/serviceaccount``).

If no key file is configured, a signing key is generated, which all servers with the same storage share.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import orjson

from memkube.apimachinery.model import Document
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.replicas.shared_state import SharedState

if TYPE_CHECKING:
    from memkube.apis.authentication.v1.tokens.keys import KeySet

_new_key_set: Final[Lazy[Callable[[], "KeySet"]]] = Lazy("memkube.apis.authentication.v1.tokens.keys:new_key_set")
_key_set_of: Final[Lazy[Callable[[str], "KeySet"]]] = Lazy("memkube.apis.authentication.v1.tokens.keys:key_set_of")
_KEYS: Final = ("token-keys", "signing")
"""Collection and name under which the signing key is in the shared state of all servers that use the same storage."""
_read_key_set: Final[Lazy[Callable[..., "KeySet"]]] = Lazy("memkube.apis.authentication.v1.tokens.keys:read_key_set")


class TokenIssuer:
    """Signs service account tokens.

    The constructor reads the keys from their files, and raises ValueError if a file has no key. If the options name no
    files, a key is generated on first use and stored in `state`, which all servers with the same storage share.
    """

    def __init__(self, options: TokenOptions, state: SharedState) -> None:
        self.options = options
        self._state = state
        self._keys: KeySet | None = None
        self._pem = ""
        self._making = asyncio.Lock()
        if options.signing_key_file is not None:
            self._keys = _read_key_set.load()(options.signing_key_file, options.key_files)

    async def keys(self) -> "KeySet":
        """Return the signing and verification keys. The first call generates missing keys in a thread.

        If several servers share the storage, all use the key that was stored first.
        """
        if self._keys is not None and self.options.signing_key_file is not None:
            return self._keys
        async with self._making:
            known = self._state.get(*_KEYS) or await self._state.newest(*_KEYS)
            if known is None:
                made = await asyncio.to_thread(_make_keys)
                known = await self._state.first(*_KEYS, {"pem": made.as_pem()})
            if self._keys is None or self._pem != known["pem"]:
                self._keys, self._pem = _key_set_of.load()(known["pem"]), known["pem"]
            return self._keys

    def saved(self) -> str:
        """Return the generated signing key as PEM; empty if no key was generated."""
        known = self._state.get(*_KEYS)
        return "" if known is None or self.options.signing_key_file is not None else str(known["pem"])

    async def restore(self, pem: str) -> None:
        """Sign tokens with the private key `pem`, a PEM text, unless the options name a file with the signing key.

        Does nothing if `pem` is empty. Raises ValueError if it is neither empty nor a valid key.
        """
        if pem and self.options.signing_key_file is None and pem != self.saved():
            _key_set_of.load()(pem)
            await self._state.put(*_KEYS, {"pem": pem})

    async def signed(self, claims: dict[str, Any]) -> str:
        """Return a signed token with `claims`. Its issuer is the server's, unless `claims` has another ``iss``."""
        claims = {"iss": self.options.issuers[0], **claims}
        return (await self.keys()).sign(orjson.dumps(claims, option=orjson.OPT_SORT_KEYS))

    @property
    def is_discoverable(self) -> bool:
        """True if the issuer is an HTTPS URL without query and fragment, as OpenID Connect Discovery requires."""
        address = urlsplit(self.options.issuers[0])
        return address.scheme == "https" and not address.query and not address.fragment

    async def configuration(self, jwks_uri: str) -> Document:
        """Return the OpenID provider metadata. `jwks_uri` is the default URL of the verification keys."""
        keys = (await self.keys()).verifying
        return {
            "issuer": self.options.issuers[0],
            "jwks_uri": self.options.jwks_uri or jwks_uri,
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": sorted({key.algorithm for key in keys}),
        }

    async def key_set(self) -> Document:
        """Return the verification keys as a JSON Web Key Set."""
        return (await self.keys()).as_jwks()


def _make_keys() -> "KeySet":
    """Generate an RSA key that signs and verifies tokens.

    This is slow, because it imports ``cryptography`` and searches for primes.
    """
    return _new_key_set.load()()
