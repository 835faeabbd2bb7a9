"""Authenticators for bearer tokens that this server has not issued, created from the options of authentication."""

from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

from memkube.apimachinery.field_errors import FieldPath, aggregate_message
from memkube.auth.authentication.bootstrap_tokens import BootstrapTokens
from memkube.auth.authentication.oidc.authenticator import OidcAuthenticator
from memkube.auth.authentication.oidc.configuration import ALGORITHMS, JWTAuthenticator
from memkube.auth.authentication.oidc.configured_providers import ConfiguredProviders
from memkube.auth.authentication.oidc.validation import validate_provider
from memkube.auth.authentication.options import AnonymousAccess, AuthenticationOptions, OidcOptions
from memkube.errors import unknown_name
from memkube.registry.declarations.kind_services import FindUser
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures

_TWO_ANONYMOUS: Final = (
    "anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication "
    "configuration file"
)


class OtherTokens(NamedTuple):
    """The authenticators of tokens that this server has not issued, and the configured access of anonymous users."""

    find_user: tuple[FindUser, ...]
    """Functions that find the user of a bootstrap token or OpenID Connect token, in kube-apiserver's order."""
    anonymous: AnonymousAccess | None
    """Whether requests without credentials are accepted; None if neither an option nor the file says so."""


def other_tokens(options: AuthenticationOptions, registry: Registry, measures: Measures) -> OtherTokens:
    """Create the authenticators of bootstrap tokens and OpenID Connect tokens that the options enable.

    Bootstrap tokens are Secrets in `registry`, and `measures` counts the reloads of the configuration file. Raises
    ValueError with a one-line message if an option or the configuration file is not valid.
    """
    anonymous = None if options.anonymous is None else AnonymousAccess(options.anonymous)
    now, found = registry.clock.now, list[FindUser]()
    issuers = registry.kind_services.token_issuer.options.issuers
    if options.bootstrap_tokens:
        found.append(BootstrapTokens(registry, now).user_of)
    if options.configuration_file is not None:
        if options.oidc is not None:
            raise ValueError("authentication-config file and oidc-* flags are mutually exclusive")
        configured = ConfiguredProviders(options.configuration_file, issuers, measures.reloads["authentication"], now)
        if configured.anonymous is not None:
            if anonymous is not None:
                raise ValueError(_TWO_ANONYMOUS)
            anonymous = configured.anonymous.access()
        found.append(configured.user_of)
    if options.oidc is not None:
        algorithms = options.oidc.signing_algorithms
        for algorithm in algorithms:
            if algorithm not in ALGORITHMS:
                raise ValueError(unknown_name("signing algorithm", algorithm, ALGORITHMS))
        found.append(OidcAuthenticator([_provider(options.oidc, issuers)], algorithms, now).user_of)
    return OtherTokens(tuple(found), anonymous)


def _provider(options: OidcOptions, issuers: Collection[str]) -> JWTAuthenticator:
    prefix = options.username_prefix
    if not prefix and options.username_claim != "email":
        prefix = f"{options.issuer_url}#"
    mappings = {"username": {"claim": options.username_claim, "prefix": "" if prefix == "-" else prefix}}
    if options.groups_claim:
        mappings["groups"] = {"claim": options.groups_claim, "prefix": options.groups_prefix}
    issuer = {"url": options.issuer_url, "audiences": [options.client_id]}
    issuer["certificateAuthority"] = _read(options.ca_file)
    rules = [{"claim": claim, "requiredValue": value} for claim, value in options.required_claims]
    provider = JWTAuthenticator.from_document(
        {"issuer": issuer, "claimMappings": mappings, "claimValidationRules": rules}
    )
    if errors := validate_provider(provider, FieldPath("jwt").item(0), issuers):
        raise ValueError(f"the oidc options are invalid: {aggregate_message(errors)}")
    return provider


def _read(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text()
    except OSError as error:
        raise ValueError(f"cannot read the oidc CA file {path}: {error.strerror}") from None
