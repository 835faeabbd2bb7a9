"""Authenticators for bearer tokens that this server has not issued, created from the options of authentication."""

from pathlib import Path

from pydantic import ValidationError

from memkube.auth.authentication.bootstrap_tokens import BootstrapTokens
from memkube.auth.authentication.oidc.authenticator import OidcAuthenticator
from memkube.auth.authentication.oidc.configuration import (
    ALGORITHMS,
    DEFAULT_ALGORITHMS,
    JwtAuthenticator,
    first_error,
    read_authentication_configuration,
)
from memkube.auth.authentication.options import AuthenticationOptions, OidcOptions
from memkube.errors import unknown_name
from memkube.registry.declarations.kind_services import FindUser
from memkube.registry.registry import Registry


def other_tokens(options: AuthenticationOptions, registry: Registry) -> tuple[FindUser, ...]:
    """Return functions that find the user of a bootstrap token or OpenID Connect token, as the options ask for.

    They are in kube-apiserver's order of authenticators. Raises ValueError with a one-line message if the configuration
    is not valid.
    """
    now, found = registry.clock.now, list[FindUser]()
    if options.bootstrap_tokens:
        found.append(BootstrapTokens(registry, now).user_of)
    providers, algorithms = list[JwtAuthenticator](), tuple[str, ...](DEFAULT_ALGORITHMS)
    if options.configuration_file is not None:
        if options.oidc is not None or options.anonymous is not None:
            raise ValueError("authentication-config file and oidc-* or anonymous-auth flags are mutually exclusive")
        providers = read_authentication_configuration(options.configuration_file).jwt
    if options.oidc is not None:
        providers, algorithms = [_provider(options.oidc)], options.oidc.signing_algorithms
        for algorithm in algorithms:
            if algorithm not in ALGORITHMS:
                raise ValueError(unknown_name("signing algorithm", algorithm, ALGORITHMS))
    if providers:
        found.append(OidcAuthenticator(providers, algorithms, now).user_of)
    return tuple(found)


def configured_anonymous(options: AuthenticationOptions) -> bool | None:
    """True if the options or the configuration file accept the anonymous user, and False if they refuse it.

    Returns None if neither says so.
    """
    if options.configuration_file is None:
        return options.anonymous
    anonymous = read_authentication_configuration(options.configuration_file).anonymous
    return None if anonymous is None else anonymous.enabled


def _provider(options: OidcOptions) -> JwtAuthenticator:
    prefix = options.username_prefix
    if not prefix and options.username_claim != "email":
        prefix = f"{options.issuer_url}#"
    mappings = {"username": {"claim": options.username_claim, "prefix": "" if prefix == "-" else prefix}}
    if options.groups_claim:
        mappings["groups"] = {"claim": options.groups_claim, "prefix": options.groups_prefix}
    issuer = {"url": options.issuer_url, "audiences": [options.client_id]}
    issuer["certificateAuthority"] = _read(options.ca_file)
    rules = [{"claim": claim, "requiredValue": value} for claim, value in options.required_claims]
    try:
        return JwtAuthenticator.model_validate(
            {"issuer": issuer, "claimMappings": mappings, "claimValidationRules": rules}
        )
    except ValidationError as error:
        raise ValueError(f"the oidc options are invalid: {first_error(error)}") from None


def _read(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text()
    except OSError as error:
        raise ValueError(f"cannot read the oidc CA file {path}: {error.strerror}") from None
