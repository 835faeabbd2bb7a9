"""What the reference's flags say about tokens (``pkg/kubeapiserver/options`` and those of the control plane)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from memkube.apimachinery.shown_values import quoted

_DEFAULT_ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
_SHORTEST_MAXIMUM: Final = 60 * 60
_LONGEST_MAXIMUM: Final = 2**32


@dataclass(frozen=True, slots=True)
class TokenOptions:
    """How tokens of service accounts are signed and believed. Raises ValueError for what the reference refuses too."""

    issuers: tuple[str, ...] = (_DEFAULT_ISSUER,)
    """Whose tokens are believed; the first one is who signs them here."""
    api_audiences: tuple[str, ...] = ()
    """What the API server goes by as a reader of tokens: the issuers if there is nothing."""
    signing_key_file: Path | None = None
    """A private key in PEM; a new one is made where none is given."""
    key_files: tuple[Path, ...] = ()
    """Further files with keys that verify: then the signing key does so only if it is in one of them."""
    extend_expiration: bool = True
    """Whether tokens that are injected into pods outlive what was asked for, so that old clients can be found."""
    max_expiration: int = 0
    """How many seconds tokens are good for at most; 0 is no bound."""
    jwks_uri: str = ""
    """Where the keys are published, if not at this server."""

    @property
    def audiences(self) -> tuple[str, ...]:
        """Who the API server is to tokens."""
        return self.api_audiences or self.issuers

    def __post_init__(self) -> None:
        if not self.issuers:
            raise ValueError("service-account-issuer is a required flag")
        for index, issuer in enumerate(self.issuers):
            if not issuer:
                raise ValueError("service-account-issuer should not be an empty string")
            if issuer in self.issuers[:index]:
                raise ValueError(f"service-account-issuer {quoted(issuer)} is already specified")
        if self.max_expiration and not _SHORTEST_MAXIMUM <= self.max_expiration <= _LONGEST_MAXIMUM:
            raise ValueError("the service-account-max-token-expiration must be between 1 hour and 2^32 seconds")
        if self.jwks_uri and urlsplit(self.jwks_uri).scheme != "https":
            raise ValueError(f"service-account-jwks-uri requires https scheme, parsed as: {self.jwks_uri}")
        if self.key_files and self.signing_key_file is None:
            raise ValueError("service-account-key-file needs a service-account-signing-key-file")
