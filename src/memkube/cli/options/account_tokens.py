"""Options for how the server issues and checks tokens of service accounts: issuer, keys, lifetime and audiences."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from memkube.apimachinery.duration import parse_duration
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.cli.commands import PATH
from memkube.cli.options.groups import option


@dataclass(frozen=True, slots=True)
class AccountTokenOptions:
    """Options for issuing tokens of service accounts, and for accepting them."""

    service_account_issuer: tuple[str, ...] = option(
        "Issuer of service account tokens; may be repeated. New tokens name the first; tokens of all are valid.",
        multiple=True,
    )
    service_account_signing_key_file: Path | None = option(
        "File with the private key that signs service account tokens, in PEM; generated if not given.", type=PATH
    )
    service_account_key_file: tuple[Path, ...] = option(
        "File with keys that verify service account tokens, in PEM; may be repeated.", type=PATH, multiple=True
    )
    service_account_extend_token_expiration: Literal["true", "false"] = option(
        "If true, tokens that are mounted into pods are valid for a year instead of an hour.",
        type=click.Choice(["true", "false"]),
        default="true",
    )
    service_account_max_token_expiration: str = option(
        "Maximum lifetime of service account tokens, such as 24h; 0 for no limit.", default="0"
    )
    service_account_jwks_uri: str = option(
        "URL at which the public keys of service account tokens are published, if not at this server.", default=""
    )
    api_audiences: str = option(
        "Audiences of service account tokens for this server, with commas between them; the issuers if empty.",
        default="",
    )

    def tokens(self) -> TokenOptions:
        """Return the settings for issuing and checking tokens. Raises ValueError for a malformed duration."""
        return TokenOptions(
            issuers=self.service_account_issuer or TokenOptions().issuers,
            api_audiences=tuple(filter(None, self.api_audiences.split(","))),
            signing_key_file=self.service_account_signing_key_file,
            key_files=self.service_account_key_file,
            extend_expiration=self.service_account_extend_token_expiration == "true",
            max_expiration=int(parse_duration(self.service_account_max_token_expiration)),
            jwks_uri=self.service_account_jwks_uri,
        )
