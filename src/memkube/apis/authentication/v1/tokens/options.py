"""Options of service account tokens, like kube-apiserver's ``--service-account-*`` flags.

Source: ``pkg/kubeapiserver/options``.
"""

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
    """Options for signing and verifying service account tokens.

    Raises ValueError for values that kube-apiserver rejects.
    """

    issuers: tuple[str, ...] = (_DEFAULT_ISSUER,)
    """Accepted token issuers; the first one is the issuer of new tokens."""
    api_audiences: tuple[str, ...] = ()
    """Audiences of the API server; if empty, the issuers."""
    signing_key_file: Path | None = None
    """File with the private signing key in PEM; if None, a key is generated."""
    key_files: tuple[Path, ...] = ()
    """Files with verification keys. If set, tokens of the signing key are accepted only if one of the files has its
    public key."""
    extend_expiration: bool = True
    """True to give tokens that admission injects into pods a lifetime of one year, for clients that do not reload their
    token before it expires after an hour.
    """
    max_expiration: int = 0
    """Maximum lifetime of tokens in seconds; 0 for no limit."""
    jwks_uri: str = ""
    """URL at which the verification keys are published; empty for the URL of this server."""

    @property
    def audiences(self) -> tuple[str, ...]:
        """Audiences of tokens that the API server accepts; the issuers by default."""
        return self.api_audiences or self.issuers

    def __post_init__(self) -> None:
        if not self.issuers:
            raise ValueError("service-account-issuer is a required flag")
        for index, issuer in enumerate(self.issuers):
            if not issuer:
                raise ValueError("service-account-issuer should not be an empty string")
            if ":" in issuer and issuer != _DEFAULT_ISSUER:
                _check_url(issuer)
            if issuer in self.issuers[:index]:
                raise ValueError(f"service-account-issuer {quoted(issuer)} is already specified")
        if self.max_expiration and not _SHORTEST_MAXIMUM <= self.max_expiration <= _LONGEST_MAXIMUM:
            raise ValueError("the service-account-max-token-expiration must be between 1 hour and 2^32 seconds")
        if self.jwks_uri and urlsplit(self.jwks_uri).scheme != "https":
            raise ValueError(f"service-account-jwks-uri requires https scheme, parsed as: {self.jwks_uri}")
        if self.key_files and self.signing_key_file is None:
            raise ValueError("service-account-key-file needs a service-account-signing-key-file")


def _check_url(issuer: str) -> None:
    from memkube.apimachinery.go_url import parse_url  # noqa: PLC0415  its patterns take 10 ms to compile

    try:
        parse_url(issuer)
    except ValueError as error:
        what = f"service-account-issuer {quoted(issuer)} contained a ':' but was not a valid URL"
        raise ValueError(f"{what}: {error}") from None
