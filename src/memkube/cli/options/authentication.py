"""Options of authentication, which identifies the user of a request."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import click

from memkube.auth.authentication.options import AuthenticationOptions, OidcOptions
from memkube.auth.authentication.request_headers import RequestHeaderOptions
from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.cli.commands import PATH
from memkube.cli.options.durations import seconds_of
from memkube.cli.options.groups import listed, option
from memkube.errors import ServerError

_Version: TypeAlias = Literal["v1", "v1beta1"]


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """Options of authenticating proxies, whose headers name the user."""

    requestheader_client_ca_file: Path | None = option(
        "PEM file of CA certificates. A client with a certificate from one of these CAs is an authenticating proxy, "
        "which names the user of a request in headers. Needs TLS. Enables authentication.",
        metavar="FILE",
        type=PATH,
    )
    requestheader_allowed_names: tuple[str, ...] = option(
        "Common names of the certificates of authenticating proxies; all names if not given. "
        "Commas separate names; the option may be repeated, like the options for headers of proxies.",
        multiple=True,
    )
    requestheader_username_headers: tuple[str, ...] = option(
        "Headers in which proxies give the user's name, such as X-Remote-User.", multiple=True
    )
    requestheader_uid_headers: tuple[str, ...] = option(
        "Headers in which proxies give the user's uid, such as X-Remote-Uid.", multiple=True
    )
    requestheader_group_headers: tuple[str, ...] = option(
        "Headers in which proxies give the user's groups, such as X-Remote-Group.", multiple=True
    )
    requestheader_extra_headers_prefix: tuple[str, ...] = option(
        "Prefixes of headers with the user's extra values, such as X-Remote-Extra-.", multiple=True
    )

    def proxies(self) -> RequestHeaderOptions | None:
        """Return the settings of authenticating proxies; None if no proxy is trusted."""
        if self.requestheader_client_ca_file is None:
            return None
        headers = (
            self.requestheader_username_headers,
            self.requestheader_uid_headers,
            self.requestheader_group_headers,
            self.requestheader_extra_headers_prefix,
        )
        names = listed(self.requestheader_allowed_names)
        return RequestHeaderOptions(self.requestheader_client_ca_file, names, *map(listed, headers))


@dataclass(frozen=True, slots=True)
class OpenIdOptions:
    """Options of the OpenID Connect provider whose tokens are accepted."""

    authentication_config: Path | None = option(
        "YAML file with an AuthenticationConfiguration of OpenID Connect providers.", type=PATH
    )
    oidc_issuer_url: str = option(
        "URL of an OpenID Connect provider whose tokens are accepted, such as https://id.example.com.", default=""
    )
    oidc_client_id: str = option("Audience that tokens of the provider must have.", default="")
    oidc_ca_file: Path | None = option(
        "File with the CA certificates that the provider's certificate is verified with, in PEM.", type=PATH
    )
    oidc_username_claim: str = option(
        "Claim in the token that is used as the user's name, such as email.", default="sub"
    )
    oidc_username_prefix: str = option(
        "Prefix that is added to user names, or - for none. By default, it is the provider's URL and "
        "#, but empty for the claim email.",
        default="",
    )
    oidc_groups_claim: str = option(
        "Claim in the token from which the user's groups are taken; no groups if empty.", default=""
    )
    oidc_groups_prefix: str = option("Prefix that is added to the names of groups.", default="")
    oidc_signing_algs: str = option("Algorithms that tokens may be signed with, such as RS256,ES256.", default="RS256")
    oidc_required_claim: tuple[str, ...] = option(
        "Claim and value that tokens must have, as CLAIM=VALUE; may be repeated.", metavar="CLAIM=VALUE", multiple=True
    )

    def provider(self) -> OidcOptions | None:
        """Return the settings of the provider; None if no provider is given.

        Raises ServerError for incomplete options.
        """
        if self == OpenIdOptions(self.authentication_config):
            return None
        if not self.oidc_issuer_url or not self.oidc_client_id:
            raise ServerError(
                "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set"
            )
        return OidcOptions(
            self.oidc_issuer_url,
            self.oidc_client_id,
            self.oidc_ca_file,
            self.oidc_username_claim,
            self.oidc_username_prefix,
            self.oidc_groups_claim,
            self.oidc_groups_prefix,
            tuple(self.oidc_signing_algs.split(",")),
            tuple(map(_claim, self.oidc_required_claim)),
        )


@dataclass(frozen=True, slots=True)
class TokenWebhookFlags:
    """Options of the webhook that authenticates tokens."""

    authentication_token_webhook_config_file: Path | None = option(
        "Kubeconfig of the webhook that authenticates bearer tokens. Enables authentication.", metavar="FILE", type=PATH
    )
    authentication_token_webhook_version: _Version = option(
        "API version of the TokenReviews that are sent to the webhook.",
        type=click.Choice(["v1", "v1beta1"]),
        default="v1beta1",
    )
    authentication_token_webhook_cache_ttl: str = option(
        "Time for which the webhook's answers about tokens are remembered, such as 2m.", default="2m0s"
    )

    def webhook(self) -> TokenWebhookOptions | None:
        """Return the options of the webhook; None without a kubeconfig. Raises UsageError for a malformed duration."""
        kubeconfig = self.authentication_token_webhook_config_file
        if kubeconfig is None:
            return None
        seconds = seconds_of(self.authentication_token_webhook_cache_ttl)
        return TokenWebhookOptions(kubeconfig, self.authentication_token_webhook_version, seconds)


@dataclass(frozen=True, slots=True)
class CredentialOptions:
    """Options for static tokens, client certificates, bootstrap tokens and anonymous requests."""

    token: str = option(
        "Bearer token of an administrator in the group system:masters. Enables authentication.",
        envvar="MEMKUBE_TOKEN",
        show_envvar=True,
        default="",
    )
    token_auth_file: Path | None = option(
        'CSV file of bearer tokens: token,user,uid,"group1,group2". Enables authentication.', metavar="FILE", type=PATH
    )
    client_ca_file: Path | None = option(
        "PEM file of CA certificates. A client with a certificate from one of these CAs is the "
        "user that the certificate names. Needs TLS. Enables authentication.",
        metavar="FILE",
        type=PATH,
    )
    enable_bootstrap_token_auth: bool = option(
        "Accept Secrets of type bootstrap.kubernetes.io/token in kube-system as tokens.", is_flag=True
    )
    anonymous_auth: Literal["true", "false"] | None = option(
        "Accept or refuse requests without credentials, whose user is system:anonymous. Enables authentication.",
        type=click.Choice(["true", "false"]),
    )

    def authentication(
        self, proxies: ProxyOptions, providers: OpenIdOptions, webhook: TokenWebhookFlags
    ) -> AuthenticationOptions:
        """Return the settings of all authentication methods, from these options and three other groups of options.

        `proxies` has the options of authenticating proxies, `providers` those of OpenID Connect providers, and
        `webhook` those of the webhook for token authentication. Raises ServerError or UsageError for invalid options.
        """
        return AuthenticationOptions(
            token=self.token,
            token_file=self.token_auth_file,
            client_ca_file=self.client_ca_file,
            request_headers=proxies.proxies(),
            configuration_file=providers.authentication_config,
            oidc=providers.provider(),
            bootstrap_tokens=self.enable_bootstrap_token_auth,
            anonymous=None if self.anonymous_auth is None else self.anonymous_auth == "true",
            token_webhook=webhook.webhook(),
        )


def _claim(text: str) -> tuple[str, str]:
    claim, sign, value = text.partition("=")
    if not sign:
        raise ServerError(f"--oidc-required-claim {text} is not of the form CLAIM=VALUE")
    return claim, value
