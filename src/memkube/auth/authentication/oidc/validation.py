"""Validation of an AuthenticationConfiguration (apiserver ``pkg/apis/apiserver/validation``)."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, required, too_many
from memkube.apimachinery.go_url import parse_url
from memkube.apimachinery.meta.validation.prefixed_paths import prefixed_path_errors
from memkube.apimachinery.pem import pem_blocks
from memkube.apimachinery.x509_objects import read_certificate
from memkube.auth.authentication.oidc.configuration import (
    AuthenticationConfiguration,
    ClaimMappings,
    ClaimValidationRule,
    Issuer,
    JWTAuthenticator,
    PrefixedClaimOrExpression,
    UserValidationRule,
)
from memkube.auth.authentication.oidc.expressions import compile_mapping, compile_rule
from memkube.cel.environment import Compiled, CompileError
from memkube.cel.selections import selects_field

_MOST_PROVIDERS: Final = 64
_MATCH_ANY: Final = "MatchAny"
_RESERVED: Final = ("kubernetes.io", "k8s.io")
_BOTH: Final = "claim and expression can't both be set"
_UNVERIFIED: Final = (
    "claims.email_verified must be used in claimMappings.username.expression or "
    "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in "
    "claimMappings.username.expression"
)


def validate_authentication(
    configuration: AuthenticationConfiguration, disallowed_issuers: Collection[str]
) -> list[FieldError]:
    """Return the errors of a configuration. `disallowed_issuers` are the issuers of this server's own tokens."""
    root = FieldPath("jwt")
    if len(configuration.jwt) > _MOST_PROVIDERS:
        return [too_many(root, len(configuration.jwt), _MOST_PROVIDERS)]
    errors: list[FieldError] = []
    issuers, discovery = set[str](), set[str]()
    for index, authenticator in enumerate(configuration.jwt):
        path = root.item(index)
        errors += validate_provider(authenticator, path, disallowed_issuers)
        issuer = path.child("issuer")
        if authenticator.issuer.url in issuers:
            errors.append(duplicate(issuer.child("url"), authenticator.issuer.url))
        issuers.add(authenticator.issuer.url)
        if authenticator.issuer.discoveryURL in discovery:
            errors.append(duplicate(issuer.child("discoveryURL"), authenticator.issuer.discoveryURL))
        discovery |= {authenticator.issuer.discoveryURL} - {""}
    anonymous = configuration.anonymous
    if anonymous is not None and anonymous.conditions and not anonymous.enabled:
        why = "enabled should be set to true when conditions are defined"
        conditions = [{"Path": condition.path} for condition in anonymous.conditions]
        errors.append(invalid(FieldPath("anonymous").child("conditions"), conditions, why))
    return errors


def validate_provider(
    provider: JWTAuthenticator, path: FieldPath, disallowed_issuers: Collection[str]
) -> list[FieldError]:
    """Return the errors of the configuration of one provider."""
    checks = _ExpressionChecks()
    errors = list(_issuer_errors(provider.issuer, path.child("issuer"), disallowed_issuers))
    errors += checks.claim_rules(provider.claimValidationRules, path.child("claimValidationRules"))
    errors += checks.mappings(provider.claimMappings, path.child("claimMappings"))
    return errors + list(_user_rule_errors(provider.userValidationRules, path.child("userValidationRules")))


def _issuer_errors(issuer: Issuer, path: FieldPath, disallowed: Collection[str]) -> Iterator[FieldError]:
    if not issuer.url:
        yield required(path.child("url"))
    else:
        yield from _url_errors(issuer.url, path.child("url"), disallowed)
    if issuer.discoveryURL:
        field = path.child("discoveryURL")
        if issuer.url and issuer.url.rstrip("/") == issuer.discoveryURL.rstrip("/"):
            yield invalid(field, issuer.discoveryURL, "discoveryURL must be different from URL")
        yield from _url_errors(issuer.discoveryURL, field, ())
    yield from _audience_errors(issuer, path)
    if issuer.certificateAuthority and (why := _certificate_problem(issuer.certificateAuthority)):
        yield invalid(path.child("certificateAuthority"), "<omitted>", why)
    if issuer.egressSelectorType:
        yield invalid(
            path.child("egressSelectorType"), issuer.egressSelectorType, "memkube does not support this value"
        )


def _certificate_problem(authorities: str) -> str:
    """Return why a text in PEM is no list of certificates; empty if it is one."""
    blocks = [block for block in pem_blocks(authorities.encode()) if block.type == "CERTIFICATE"]
    try:
        for block in blocks:
            read_certificate(block.content)
    except ValueError:
        return "x509: malformed certificate"
    return "" if blocks else "data does not contain any valid RSA or ECDSA certificates"


def _url_errors(url: str, path: FieldPath, disallowed: Collection[str]) -> Iterator[FieldError]:
    if url in disallowed:
        shown = " ".join(sorted(set(disallowed)))
        yield invalid(path, url, f"URL must not overlap with disallowed issuers: [{shown}]")
    try:
        parts = parse_url(url)
    except ValueError as error:
        yield invalid(path, url, str(error))
        return
    if parts.scheme != "https":
        yield invalid(path, url, "URL scheme must be https")
    if parts.user is not None:
        yield invalid(path, url, "URL must not contain a username or password")
    if parts.query:
        yield invalid(path, url, "URL must not contain a query")
    if parts.fragment:
        yield invalid(path, url, "URL must not contain a fragment")


def _audience_errors(issuer: Issuer, path: FieldPath) -> Iterator[FieldError]:
    field = path.child("audiences")
    if not issuer.audiences:
        yield required(field, f"at least one {field} is required")
        return
    known = set[str]()
    for index, audience in enumerate(issuer.audiences):
        if not audience:
            yield required(field.item(index))
        if audience in known:
            yield duplicate(field.item(index), audience)
        known.add(audience)
    policy = issuer.audienceMatchPolicy
    if len(issuer.audiences) > 1 and policy != _MATCH_ANY:
        why = "audienceMatchPolicy must be MatchAny for multiple audiences"
        yield invalid(path.child("audienceMatchPolicy"), policy, why)
    elif policy not in ("", _MATCH_ANY):
        why = "audienceMatchPolicy must be empty or MatchAny for single audience"
        yield invalid(path.child("audienceMatchPolicy"), policy, why)


class _Mapped(NamedTuple):
    """A compiled expression; None if it does not compile, or if there is none."""

    compiled: Compiled | None = None
    errors: Sequence[FieldError] = ()


class _ExpressionChecks:
    """Checks the rules and mappings of one provider, and whether its expressions use the claims about e-mail."""

    def __init__(self) -> None:
        self._verifies_email = False

    def claim_rules(self, rules: Sequence[ClaimValidationRule], path: FieldPath) -> list[FieldError]:
        """Return the errors of the rules that claims must satisfy."""
        errors: list[FieldError] = []
        claims, expressions = set[str](), set[str]()
        for index, rule in enumerate(rules):
            item = path.item(index)
            if rule.claim and rule.expression:
                errors.append(invalid(item, rule.claim, _BOTH))
            elif rule.claim:
                if rule.message:
                    errors.append(
                        invalid(item.child("message"), rule.message, "may not be specified when claim is set")
                    )
                if rule.claim in claims:
                    errors.append(duplicate(item.child("claim"), rule.claim))
                claims.add(rule.claim)
            elif rule.expression:
                errors += self._rule_errors(rule, item, expressions)
            else:
                errors.append(required(item, "claim or expression is required"))
        return errors

    def _rule_errors(self, rule: ClaimValidationRule, path: FieldPath, known: set[str]) -> list[FieldError]:
        errors: list[FieldError] = []
        if rule.requiredValue:
            why = "may not be specified when expression is set"
            errors.append(invalid(path.child("requiredValue"), rule.requiredValue, why))
        field = path.child("expression")
        if rule.expression in known:
            return [*errors, duplicate(field, rule.expression)]
        known.add(rule.expression)
        return errors + list(
            self._verifying(_mapped(compile_rule("claims", rule.expression), rule.expression, field)).errors
        )

    def mappings(self, mappings: ClaimMappings, path: FieldPath) -> list[FieldError]:
        """Return the errors of the mappings from claims to a user."""
        name = _prefixed(mappings.username, path.child("username"), is_required=True)
        errors = list(name.errors)
        uses_email = False
        if not name.errors and name.compiled is not None:
            uses_email = selects_field(name.compiled.ast, "claims", "email")
            self._verifying(name)
        errors += _prefixed(mappings.groups, path.child("groups"), is_required=False).errors
        if mappings.uid.claim and mappings.uid.expression:
            errors.append(invalid(path.child("uid"), "", _BOTH))
        elif mappings.uid.expression:
            errors += _claims(mappings.uid.expression, path.child("uid").child("expression")).errors
        errors += self._extra_errors(mappings, path.child("extra"))
        if uses_email and not self._verifies_email:
            errors.append(
                invalid(path.child("username").child("expression"), mappings.username.expression, _UNVERIFIED)
            )
        return errors

    def _extra_errors(self, mappings: ClaimMappings, path: FieldPath) -> Iterator[FieldError]:
        known = set[str]()
        for index, mapping in enumerate(mappings.extra):
            item, key = path.item(index), path.item(index).child("key")
            yield from prefixed_path_errors(mapping.key, key)
            if mapping.key != mapping.key.lower():
                yield invalid(key, mapping.key, "must be lowercase")
            domain, slash, _ = mapping.key.partition("/")
            if slash and any(domain == one or domain.endswith(f".{one}") for one in _RESERVED):
                why = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use"
                yield invalid(key, mapping.key, why)
            if mapping.key in known:
                yield duplicate(key, mapping.key)
                continue
            known.add(mapping.key)
            field = item.child("valueExpression")
            if not mapping.valueExpression:
                yield required(field)
            else:
                yield from self._verifying(_claims(mapping.valueExpression, field)).errors

    def _verifying(self, mapped: _Mapped) -> _Mapped:
        if mapped.compiled is not None and selects_field(mapped.compiled.ast, "claims", "email_verified"):
            self._verifies_email = True
        return mapped


def _prefixed(mapping: PrefixedClaimOrExpression, path: FieldPath, *, is_required: bool) -> _Mapped:
    if mapping.expression and mapping.claim:
        return _Mapped(errors=[invalid(path, "", _BOTH)])
    if mapping.expression:
        found = _claims(mapping.expression, path.child("expression"))
        if mapping.prefix is None:
            return found
        why = "may not be specified when expression is set"
        return _Mapped(found.compiled, [invalid(path.child("prefix"), mapping.prefix, why), *found.errors])
    if mapping.claim and mapping.prefix is None:
        why = "prefix is required when claim is set. It can be set to an empty string to disable prefixing"
        return _Mapped(errors=[required(path.child("prefix"), why)])
    if not mapping.claim and is_required:
        return _Mapped(errors=[required(path, "claim or expression is required")])
    return _Mapped()


def _user_rule_errors(rules: Sequence[UserValidationRule], path: FieldPath) -> Iterator[FieldError]:
    known = set[str]()
    for index, rule in enumerate(rules):
        field = path.item(index).child("expression")
        if not rule.expression:
            yield required(field)
        elif rule.expression in known:
            yield duplicate(field, rule.expression)
        else:
            yield from _mapped(compile_rule("user", rule.expression), rule.expression, field).errors
        known.add(rule.expression)


def _claims(expression: str, path: FieldPath) -> _Mapped:
    return _mapped(compile_mapping(expression), expression, path)


def _mapped(compiled: Compiled | CompileError, expression: str, path: FieldPath) -> _Mapped:
    if isinstance(compiled, CompileError):
        return _Mapped(errors=[invalid(path, expression, compiled.detail)])
    return _Mapped(compiled)
