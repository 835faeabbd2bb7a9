"""The configuration of OpenID Connect providers: a file (AuthenticationConfiguration), or the options ``--oidc-*``.

Source: apiserver's ``pkg/apis/apiserver`` (types and validation).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from memkube.auth.authentication.options import AnonymousAccess

_EMAIL: Final = re.compile(r"claims(\.email\b|\[\"email\"\])")
_EMAIL_VERIFIED: Final = "email_verified"
_RESERVED: Final = re.compile(r"(^|\.)(kubernetes|k8s)\.io$")
_DOMAIN_KEY: Final = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?/.+")
DEFAULT_ALGORITHMS: Final = ("RS256",)
ALGORITHMS: Final = ("ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Issuer(_Strict):
    """An OpenID Connect provider, and the accepted audiences: each of its tokens must be issued for one of them."""

    url: str
    discoveryURL: str = ""
    certificateAuthority: str = ""
    """CA certificates in PEM that verify the provider's certificate; empty to use those of the system."""
    audiences: list[str] = Field(min_length=1)
    audienceMatchPolicy: Literal["", "MatchAny"] = ""

    @model_validator(mode="after")
    def _check(self) -> "Issuer":
        _check_url(self.url)
        if self.discoveryURL:
            if self.discoveryURL == self.url:
                raise ValueError("discoveryURL must be different from URL")
            _check_url(self.discoveryURL)
        if not all(self.audiences) or len(set(self.audiences)) < len(self.audiences):
            raise ValueError("audiences must be unique and not empty")
        if len(self.audiences) > 1 and not self.audienceMatchPolicy:
            raise ValueError("audienceMatchPolicy must be MatchAny for multiple audiences")
        return self


class ClaimValidationRule(_Strict):
    """A claim that must have a value, or a CEL expression over ``claims`` that must be true."""

    claim: str = ""
    requiredValue: str = ""
    expression: str = ""
    message: str = ""

    @model_validator(mode="after")
    def _check(self) -> "ClaimValidationRule":
        if self.claim and self.expression:
            raise ValueError("claim and expression can't both be set")
        if not self.claim and not self.expression:
            raise ValueError("claim or expression is required")
        if self.claim and self.message:
            raise ValueError("message may not be specified when claim is set")
        if self.expression and self.requiredValue:
            raise ValueError("requiredValue may not be specified when expression is set")
        return self


class PrefixedClaim(_Strict):
    """The source of a user's name or groups: a claim with a prefix for its value, or a CEL expression."""

    claim: str = ""
    prefix: str | None = None
    expression: str = ""

    @model_validator(mode="after")
    def _check(self) -> "PrefixedClaim":
        if self.claim and self.expression:
            raise ValueError("claim and expression can't both be set")
        if self.expression and self.prefix is not None:
            raise ValueError("prefix can't be set when expression is set")
        if self.claim and self.prefix is None:
            raise ValueError('prefix is required when claim is set. It can be set to "" to disable prefixing')
        if not self.claim and self.prefix is not None:
            raise ValueError("non-nil prefix can't be set when claim is not set")
        return self


class ClaimOrExpression(_Strict):
    """The source of a user's uid: a claim, or a CEL expression."""

    claim: str = ""
    expression: str = ""

    @model_validator(mode="after")
    def _check(self) -> "ClaimOrExpression":
        if self.claim and self.expression:
            raise ValueError("claim and expression can't both be set")
        return self


class ExtraMapping(_Strict):
    """A key of the user's extra attributes, and the CEL expression that gives the values of the key."""

    key: str
    valueExpression: str = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> "ExtraMapping":
        if not _DOMAIN_KEY.fullmatch(self.key):
            raise ValueError("key must be a domain-prefixed path (such as 'acme.io/foo') in lower case")
        if _RESERVED.search(self.key.partition("/")[0]):
            raise ValueError("k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use")
        return self


class ClaimMappings(_Strict):
    """The claims of a token, and CEL expressions, that give the attributes of its user."""

    username: PrefixedClaim
    groups: PrefixedClaim = PrefixedClaim()
    uid: ClaimOrExpression = ClaimOrExpression()
    extra: list[ExtraMapping] = []

    @model_validator(mode="after")
    def _check(self) -> "ClaimMappings":
        if not self.username.claim and not self.username.expression:
            raise ValueError("username: claim or expression is required")
        keys = [mapping.key for mapping in self.extra]
        if len(set(keys)) < len(keys):
            raise ValueError("extra: keys must be unique")
        return self


class UserValidationRule(_Strict):
    """A CEL expression over ``user`` that must be true for a token to be accepted."""

    expression: str = Field(min_length=1)
    message: str = ""


class JwtAuthenticator(_Strict):
    """An OpenID Connect provider, the rules that its tokens must satisfy, and the mapping of claims to users."""

    issuer: Issuer
    claimValidationRules: list[ClaimValidationRule] = []
    claimMappings: ClaimMappings
    userValidationRules: list[UserValidationRule] = []

    @model_validator(mode="after")
    def _check(self) -> "JwtAuthenticator":
        used = _EMAIL.search(self.claimMappings.username.expression)
        if used and not any(_EMAIL_VERIFIED in text for text in self.claim_expressions()):
            raise ValueError(
                "claims.email_verified must be used in claimMappings.username.expression or "
                "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression "
                "when claims.email is used in claimMappings.username.expression"
            )
        return self

    def claim_expressions(self) -> Iterator[str]:
        """Yield the CEL expressions over ``claims`` for names, extra attributes and validation rules."""
        mappings = self.claimMappings
        yield mappings.username.expression
        yield from (mapping.valueExpression for mapping in mappings.extra)
        yield from (rule.expression for rule in self.claimValidationRules)


class AnonymousCondition(_Strict):
    """A path for which requests without credentials are accepted."""

    path: str = ""


class Anonymous(_Strict):
    """Whether, and for which paths, requests without credentials are accepted as requests of ``system:anonymous``."""

    enabled: bool = False
    conditions: list[AnonymousCondition] = []
    """The only paths for which requests without credentials are accepted; empty to accept them for all paths."""

    @field_validator("conditions")
    @classmethod
    def _check(cls, conditions: list[AnonymousCondition], info: ValidationInfo) -> list[AnonymousCondition]:
        if conditions and not info.data.get("enabled"):
            raise ValueError("enabled should be set to true when conditions are defined")
        return conditions

    def access(self) -> AnonymousAccess:
        """Return these settings for anonymous requests in the form that the authenticator uses."""
        return AnonymousAccess(self.enabled, frozenset(condition.path for condition in self.conditions))


class AuthenticationConfiguration(_Strict):
    """The content of a file for kube-apiserver's option ``--authentication-config``."""

    apiVersion: Literal[
        "apiserver.config.k8s.io/v1", "apiserver.config.k8s.io/v1beta1", "apiserver.config.k8s.io/v1alpha1"
    ]
    kind: Literal["AuthenticationConfiguration"]
    jwt: list[JwtAuthenticator] = []
    anonymous: Anonymous | None = None

    @model_validator(mode="after")
    def _check(self) -> "AuthenticationConfiguration":
        urls = [one.issuer.url for one in self.jwt]
        if len(set(urls)) < len(urls):
            raise ValueError("jwt: the URLs of issuers must be unique")
        return self


def parse_authentication_configuration(text: str, path: Path) -> AuthenticationConfiguration:
    """Return the AuthenticationConfiguration in the text of a YAML file, whose `path` is named in errors.

    Raises ValueError with a one-line message if the text is not valid. The field ``egressSelectorType``, which memkube
    does not support, is an error.
    """
    try:
        return AuthenticationConfiguration.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        why = " ".join(str(error).split())
        raise ValueError(f"the authentication configuration {path} is not YAML: {why}") from None
    except ValidationError as error:
        raise ValueError(f"the authentication configuration {path} is invalid: {first_error(error)}") from None


def first_error(error: ValidationError) -> str:
    """Return the field and the message of a validation error's first problem, in one line."""
    first = error.errors()[0]
    field = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    return f"{field}: {message}" if field else message


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https":
        raise ValueError("URL scheme must be https")
    if parts.username is not None or parts.password is not None:
        raise ValueError("URL must not contain a username or password")
    if parts.query:
        raise ValueError("URL must not contain a query")
    if parts.fragment:
        raise ValueError("URL must not contain a fragment")
