"""The configuration of authorizers in a file (``AuthorizationConfiguration`` of ``apiserver.config.k8s.io``).

Source: apiserver's ``pkg/apis/apiserver`` (types and validation).
"""

from collections.abc import Collection, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

from pydantic import Field

from memkube.apimachinery.duration import go_duration, parse_duration
from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    aggregate_message,
    duplicate,
    invalid,
    not_supported,
    not_supported_string,
    required,
    too_many,
)
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.names import is_dns1123_subdomain
from memkube.apimachinery.shown_values import InternalStruct, InternalValue, one_line
from memkube.auth.authorization.modes import WEBHOOK
from memkube.auth.authorization.union import aggregate
from memkube.auth.authorization.webhook.match_conditions import compiled_condition
from memkube.auth.authorization.webhook.options import VERSIONS, ConfiguredAuthorizers, WebhookOptions
from memkube.auth.configuration_decoding import decode_configuration
from memkube.cel.environment import CompileError

_TYPES: Final = ("ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", WEBHOOK)
_NOT_SERVED: Final = "ABAC"
_POLICIES: Final = ("NoOpinion", "Deny")
_FROM_FILE: Final = "KubeConfigFile"
_CONNECTIONS: Final = ("InClusterConfig", _FROM_FILE)
_MOST_CONDITIONS: Final = 64
_MOST_SECONDS: Final = 30
_DEFAULT_SECONDS: Final = {"timeout": 0, "authorizedTTL": 5 * 60, "unauthorizedTTL": 30}
"""Durations of a webhook in seconds that replace those that are 0 or not given; a timeout has no default."""


class WebhookConnectionInfo(ApiModel):
    """How the server connects to a webhook."""

    type: str = ""
    kubeConfigFile: str | None = None


class WebhookMatchCondition(ApiModel):
    """A CEL expression over a request that must be true for the webhook to be asked."""

    expression: str = ""


class WebhookConfiguration(ApiModel):
    """The settings of a webhook that authorizes requests. Durations are texts such as ``3s``; empty if not given."""

    timeout: str = ""
    authorizedTTL: str = ""
    cacheAuthorizedRequests: bool | None = None
    unauthorizedTTL: str = ""
    cacheUnauthorizedRequests: bool | None = None
    subjectAccessReviewVersion: str = ""
    matchConditionSubjectAccessReviewVersion: str = ""
    failurePolicy: str = ""
    connectionInfo: WebhookConnectionInfo = Field(default_factory=WebhookConnectionInfo)
    matchConditions: list[WebhookMatchCondition] = Field(default_factory=list)

    def seconds(self, name: str) -> float:
        """Return one of the durations in seconds, or its default. Raises ValueError with Go's message."""
        text: str = getattr(self, name)
        if not text and name not in self.model_fields_set:
            return _DEFAULT_SECONDS[name]
        try:
            return parse_duration(text) or _DEFAULT_SECONDS[name]
        except ValueError as error:
            raise ValueError(f"time: {error}") from None

    def check_durations(self) -> None:
        """Raise ValueError with Go's message if one of the durations is malformed."""
        for name in _DEFAULT_SECONDS:
            self.seconds(name)

    def options(self) -> WebhookOptions:
        """Convert this part of the configuration file to options: durations in seconds, 0 for a cache that is off."""
        return WebhookOptions(
            Path(self.connectionInfo.kubeConfigFile or ""),
            self.subjectAccessReviewVersion,
            0 if self.cacheAuthorizedRequests is False else self.seconds("authorizedTTL"),
            0 if self.cacheUnauthorizedRequests is False else self.seconds("unauthorizedTTL"),
            self.seconds("timeout"),
            self.failurePolicy == "Deny",
            tuple(condition.expression for condition in self.matchConditions),
        )


class AuthorizerConfiguration(ApiModel):
    """One authorizer: its type, its name, and the settings of a webhook."""

    type: str = ""
    name: str = ""
    webhook: WebhookConfiguration | None = None


class AuthorizationConfiguration(ApiModel):
    """The content of a file for kube-apiserver's option ``--authorization-config``."""

    kind: str = ""
    apiVersion: str = ""
    authorizers: list[AuthorizerConfiguration] = Field(default_factory=list)


def read_authorization_configuration(path: Path) -> ConfiguredAuthorizers:
    """Return the authorizers that a YAML file configures.

    Raises ValueError with a one-line message if the file cannot be read or is not valid.
    """
    try:
        text = path.read_text()
    except OSError as error:
        raise ValueError(f"cannot read the authorization configuration {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the authorization configuration {path} is invalid: it is not UTF-8") from None
    return parse_authorization_configuration(text, path)


def parse_authorization_configuration(
    text: str, path: Path, required_types: Collection[str] = ()
) -> ConfiguredAuthorizers:
    """Return the authorizers in the text of a YAML file, whose `path` is named in errors.

    Raises ValueError with a one-line message if the text is not valid, or lacks an authorizer of a required type.
    """
    configuration = _parsed(text, path)
    errors = list(_errors(configuration, FieldPath("authorizers")))
    problems = [aggregate_message(errors)] if errors else list(_mismatches(configuration, required_types))
    if problems:
        raise ValueError(f"the authorization configuration {path} is invalid: {one_line(aggregate(problems))}")
    webhooks = tuple(one.webhook.options() for one in configuration.authorizers if one.webhook is not None)
    return ConfiguredAuthorizers(tuple(one.type for one in configuration.authorizers), webhooks, path)


def _parsed(text: str, path: Path) -> AuthorizationConfiguration:
    try:
        configuration = decode_configuration(text, AuthorizationConfiguration) if text else AuthorizationConfiguration()
        for authorizer in configuration.authorizers:
            if authorizer.webhook is not None:
                authorizer.webhook.check_durations()
    except ValueError as error:
        raise ValueError(f"the authorization configuration {path} is invalid: {one_line(str(error))}") from None
    return configuration


def _mismatches(configuration: AuthorizationConfiguration, required_types: Collection[str]) -> Iterator[str]:
    """Yield an error for each authorizer with a wrong name, and one if an authorizer of a required type is missing.

    The name must be the authorizer's type in lower case; only webhooks may have any name.
    """
    types = set[str]()
    for authorizer in configuration.authorizers:
        kind, name = authorizer.type, authorizer.name
        if kind != WEBHOOK:
            types.add(kind)
            if name != kind.lower():
                yield f"expected name {kind.lower()} for authorizer {kind} instead of {name}"
    if missing := sorted(set(required_types) - types):
        yield f"missing required types: [{' '.join(missing)}]"


def _errors(configuration: AuthorizationConfiguration, path: FieldPath) -> Iterator[FieldError]:
    if not configuration.authorizers:
        yield required(path, "at least one authorization mode must be defined")
    types: set[str] = set()
    names: set[str] = set()
    for index, authorizer in enumerate(configuration.authorizers):
        item = path.item(index)
        if not authorizer.type:
            yield required(item.child("type"))
        elif authorizer.type not in _TYPES:
            yield not_supported_string(item.child("type"), authorizer.type, _TYPES)
        elif authorizer.type == _NOT_SERVED:
            yield invalid(item.child("type"), authorizer.type, "memkube does not support this value")
        elif authorizer.type in types and authorizer.type != WEBHOOK:
            yield duplicate(item.child("type"), authorizer.type)
        else:
            yield from _name_errors(authorizer.name, names, item.child("name"))
            yield from _kind_errors(authorizer, item)
            types.add(authorizer.type)
            names.add(authorizer.name)


def _name_errors(name: str, known: set[str], path: FieldPath) -> Iterator[FieldError]:
    if not name:
        yield required(path)
    elif name in known:
        yield duplicate(path, name)
    elif problems := is_dns1123_subdomain(name):
        yield invalid(path, name, f"authorizer name is invalid: {', '.join(problems)}")


def _kind_errors(authorizer: AuthorizerConfiguration, path: FieldPath) -> Iterator[FieldError]:
    webhook = authorizer.webhook
    if authorizer.type != WEBHOOK:
        if webhook is not None:
            yield invalid(path.child("webhook"), "non-null", "may only be specified when type=Webhook")
    elif webhook is None:
        yield required(path.child("webhook"), "required when type=Webhook")
    else:
        # As in kube-apiserver, error paths of the webhook's fields lack the element ``webhook``: `path` is passed on.
        yield from _time_errors(webhook, path)
        yield from _choice_errors(webhook, path)
        yield from _connection_errors(webhook.connectionInfo, path.child("connectionInfo"))
        yield from _condition_errors(webhook.matchConditions, path.child("matchConditions"))


def _time_errors(webhook: WebhookConfiguration, path: FieldPath) -> Iterator[FieldError]:
    for name in _DEFAULT_SECONDS:
        seconds = webhook.seconds(name)
        most = _MOST_SECONDS if name == "timeout" else seconds
        if seconds == 0:
            yield required(path.child(name))
        elif not 0 < seconds <= most:
            why = "must be > 0s and <= 30s" if name == "timeout" else "must be > 0s"
            shown = go_duration(timedelta(seconds=abs(seconds)))
            yield invalid(path.child(name), f"-{shown}" if seconds < 0 else shown, why)


def _choice_errors(webhook: WebhookConfiguration, path: FieldPath) -> Iterator[FieldError]:
    version, of_conditions = webhook.subjectAccessReviewVersion, webhook.matchConditionSubjectAccessReviewVersion
    if not version:
        yield required(path.child("subjectAccessReviewVersion"))
    elif version not in VERSIONS:
        yield not_supported_string(path.child("subjectAccessReviewVersion"), version, VERSIONS)
    field = path.child("matchConditionSubjectAccessReviewVersion")
    if not of_conditions and webhook.matchConditions:
        yield required(field, "required if match conditions are specified")
    elif of_conditions and of_conditions != "v1":
        yield not_supported_string(field, of_conditions, ("v1",))
    if not webhook.failurePolicy:
        yield required(path.child("failurePolicy"))
    elif webhook.failurePolicy not in _POLICIES:
        yield not_supported_string(path.child("failurePolicy"), webhook.failurePolicy, _POLICIES)


def _connection_errors(connection: WebhookConnectionInfo, path: FieldPath) -> Iterator[FieldError]:
    file, field = connection.kubeConfigFile, path.child("kubeConfigFile")
    if not connection.type:
        yield required(path.child("type"))
    elif connection.type not in _CONNECTIONS:
        shown = InternalStruct((("Type", connection.type), ("KubeConfigFile", file)))
        yield not_supported(path.child("type"), InternalValue(shown), _CONNECTIONS)
    elif connection.type != _FROM_FILE:
        if file is not None:
            yield invalid(field, file, "can only be set when type=KubeConfigFile")
        yield invalid(path.child("type"), connection.type, "kube-apiserver cannot ask itself")
    elif not file:
        yield required(field)
    elif not Path(file).is_absolute():
        yield invalid(field, file, "must be an absolute path")
    elif not Path(file).exists():
        yield invalid(field, file, f"error loading file: stat {file}: no such file or directory")
    elif not Path(file).is_file():
        yield invalid(field, file, "must be a regular file")


def _condition_errors(conditions: list[WebhookMatchCondition], path: FieldPath) -> Iterator[FieldError]:
    if len(conditions) > _MOST_CONDITIONS:
        yield too_many(path, len(conditions), _MOST_CONDITIONS)
        return
    known: set[str] = set()
    for index, condition in enumerate(conditions):
        field, expression = path.item(index).child("expression"), condition.expression
        if not expression.strip():
            yield required(field)
        elif expression in known:
            yield duplicate(field, expression)
        elif isinstance(compiled := compiled_condition(expression), CompileError):
            yield invalid(field, expression, compiled.detail)
        known.add(expression)
