"""Options for how the server issues and checks tokens of service accounts: issuer, keys, lifetime and audiences."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from typer import Option

from memkube.apimachinery.duration import parse_duration
from memkube.apis.authentication.v1.tokens.options import TokenOptions


@dataclass(frozen=True, slots=True)
class AccountTokenOptions:
    """Options for issuing tokens of service accounts, and for accepting them."""

    service_account_issuer: Annotated[
        list[str] | None,
        Option(
            help="Issuer of service account tokens; may be repeated. New tokens name the first; tokens of all "
            "are valid."
        ),
    ] = None
    service_account_signing_key_file: Annotated[
        Path | None,
        Option(help="File with the private key that signs service account tokens, in PEM; generated if not given."),
    ] = None
    service_account_key_file: Annotated[
        list[Path] | None, Option(help="File with keys that verify service account tokens, in PEM; may be repeated.")
    ] = None
    service_account_extend_token_expiration: Annotated[
        Literal["true", "false"],
        Option(help="If true, tokens that are mounted into pods are valid for a year instead of an hour."),
    ] = "true"
    service_account_max_token_expiration: Annotated[
        str, Option(help="Maximum lifetime of service account tokens, such as 24h; 0 for no limit.")
    ] = "0"
    service_account_jwks_uri: Annotated[
        str, Option(help="URL at which the public keys of service account tokens are published, if not at this server.")
    ] = ""
    api_audiences: Annotated[
        str,
        Option(
            help="Audiences of service account tokens for this server, with commas between them; the issuers if empty."
        ),
    ] = ""

    def tokens(self) -> TokenOptions:
        """Return the settings for issuing and checking tokens. Raises ValueError for a malformed duration."""
        return TokenOptions(
            issuers=tuple(self.service_account_issuer or TokenOptions().issuers),
            api_audiences=tuple(filter(None, self.api_audiences.split(","))),
            signing_key_file=self.service_account_signing_key_file,
            key_files=tuple(self.service_account_key_file or ()),
            extend_expiration=self.service_account_extend_token_expiration == "true",
            max_expiration=int(parse_duration(self.service_account_max_token_expiration)),
            jwks_uri=self.service_account_jwks_uri,
        )
