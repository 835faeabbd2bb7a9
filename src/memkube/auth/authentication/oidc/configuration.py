"""The configuration of OpenID Connect providers: a file (AuthenticationConfiguration), or the options ``--oidc-*``.

Source: apiserver's ``pkg/apis/apiserver`` (types).
"""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from memkube.apimachinery.field_errors import aggregate_message
from memkube.apimachinery.markers import Named
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.shown_values import one_line
from memkube.auth.authentication.options import AnonymousAccess
from memkube.auth.configuration_decoding import decode_configuration

ALGORITHMS: Final = ("ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512")


class Issuer(ApiModel):
    """An OpenID Connect provider, and the accepted audiences: each of its tokens must be issued for one of them."""

    url: str = ""
    discoveryURL: str = ""
    certificateAuthority: str = ""
    """CA certificates in PEM that verify the provider's certificate; empty to use those of the system."""
    audiences: list[str] = Field(default_factory=list)
    audienceMatchPolicy: Annotated[str, Named("v1.AudienceMatchPolicyType")] = ""
    egressSelectorType: Annotated[str, Named("v1.EgressSelectorType")] = ""


class ClaimValidationRule(ApiModel):
    """A claim that must have a value, or a CEL expression over ``claims`` that must be true."""

    claim: str = ""
    requiredValue: str = ""
    expression: str = ""
    message: str = ""


class PrefixedClaimOrExpression(ApiModel):
    """The source of a user's name or groups: a claim with a prefix for its value, or a CEL expression."""

    claim: str = ""
    prefix: str | None = None
    expression: str = ""


class ClaimOrExpression(ApiModel):
    """The source of a user's uid: a claim, or a CEL expression."""

    claim: str = ""
    expression: str = ""


class ExtraMapping(ApiModel):
    """A key of the user's extra attributes, and the CEL expression that gives the values of the key."""

    key: str = ""
    valueExpression: str = ""


class ClaimMappings(ApiModel):
    """The claims of a token, and CEL expressions, that give the attributes of its user."""

    username: PrefixedClaimOrExpression = Field(default_factory=PrefixedClaimOrExpression)
    groups: PrefixedClaimOrExpression = Field(default_factory=PrefixedClaimOrExpression)
    uid: ClaimOrExpression = Field(default_factory=ClaimOrExpression)
    extra: list[ExtraMapping] = Field(default_factory=list)


class UserValidationRule(ApiModel):
    """A CEL expression over ``user`` that must be true for a token to be accepted."""

    expression: str = ""
    message: str = ""


class JWTAuthenticator(ApiModel):
    """An OpenID Connect provider, the rules that its tokens must satisfy, and the mapping of claims to users."""

    issuer: Issuer = Field(default_factory=Issuer)
    claimValidationRules: list[ClaimValidationRule] = Field(default_factory=list)
    claimMappings: ClaimMappings = Field(default_factory=ClaimMappings)
    userValidationRules: list[UserValidationRule] = Field(default_factory=list)


class AnonymousAuthCondition(ApiModel):
    """A path for which requests without credentials are accepted."""

    path: str = ""


class AnonymousAuthConfig(ApiModel):
    """Whether, and for which paths, requests without credentials are accepted as requests of ``system:anonymous``."""

    enabled: bool = False
    conditions: list[AnonymousAuthCondition] = Field(default_factory=list)
    """The only paths for which requests without credentials are accepted; empty to accept them for all paths."""

    def access(self) -> AnonymousAccess:
        """Return these settings for anonymous requests in the form that the authenticator uses."""
        return AnonymousAccess(self.enabled, frozenset(condition.path for condition in self.conditions))


class AuthenticationConfiguration(ApiModel):
    """The content of a file for kube-apiserver's option ``--authentication-config``."""

    kind: str = ""
    apiVersion: str = ""
    jwt: list[JWTAuthenticator] = Field(default_factory=list)
    anonymous: AnonymousAuthConfig | None = None


def parse_authentication_configuration(
    text: str, path: Path, disallowed_issuers: Collection[str] = ()
) -> AuthenticationConfiguration:
    """Return the AuthenticationConfiguration in the text of a file, whose `path` is named in errors.

    `disallowed_issuers` are the issuers of this server's own tokens; no provider may have one of them. Raises
    ValueError with a one-line message if the text is not valid. The field ``egressSelectorType``, which memkube does
    not support, is an error.
    """
    # The module of the validation is imported here, because it imports this one.
    from memkube.auth.authentication.oidc.validation import validate_authentication  # noqa: PLC0415

    if not text:
        raise ValueError(_invalid(path, "empty config data"))
    try:
        configuration = decode_configuration(text, AuthenticationConfiguration)
    except ValueError as error:
        raise ValueError(_invalid(path, str(error))) from None
    if errors := validate_authentication(configuration, disallowed_issuers):
        raise ValueError(_invalid(path, aggregate_message(errors)))
    return configuration


def _invalid(path: Path, why: str) -> str:
    return f"the authentication configuration {path} is invalid: {one_line(why)}"
