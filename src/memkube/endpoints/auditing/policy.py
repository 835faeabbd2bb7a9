"""Reads an audit policy (``audit.k8s.io/v1`` Policy), and finds the rule for a request.

Sources: apiserver's ``pkg/audit/policy`` and ``pkg/apis/audit/validation``.
"""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    aggregate_message,
    invalid,
    not_supported,
    required,
)
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import quoted
from memkube.endpoints.auditing.rule import LEVELS, NOT_AUDITED, AuditRule
from memkube.registry.declarations.authorization import Attributes

_LOGGER: Final = logging.getLogger("memkube")
_VERSION: Final = "audit.k8s.io/v1"
_KIND: Final = "Policy"
_STAGES: Final = ("RequestReceived", "ResponseStarted", "ResponseComplete", "Panic")
_ALL: Final = "*"


class _Part(BaseModel):
    """A struct of an audit policy. As in Go, a null, whether a struct or a field, has the default value."""

    model_config = ConfigDict(extra="allow", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return {} if data is None else data
        return {name: value for name, value in data.items() if value is not None}

    def unknown_fields(self, path: FieldPath) -> Iterator[FieldPath]:
        """Yield the paths of the fields that Kubernetes does not define, in this struct and in those that it contains.

        `path` is the path of this struct.
        """
        for name in self.model_extra or ():
            yield path.child(name)
        for name in type(self).model_fields:
            value = getattr(self, name)
            for index, part in enumerate(value if isinstance(value, list) else ()):
                if isinstance(part, _Part):
                    yield from part.unknown_fields(path.child(name).item(index))


class _GroupResources(_Part):
    group: str = ""
    resources: list[str] = []
    resourceNames: list[str] = []

    def matches(self, request: Attributes) -> bool:
        """Return True if the resource and the object's name in the request are among those that the rule lists."""
        if self.group not in (request.group, _ALL):
            return False
        if not self.resources:
            return True
        if self.resourceNames and request.name not in self.resourceNames:
            return False
        return any(_matches_resource(pattern, request) for pattern in self.resources)

    def validate_fields(self, path: FieldPath) -> Iterator[FieldError]:
        """Yield the errors of the group and the names. `path` is that of the list, as in kube-apiserver's messages."""
        if self.group not in ("", _ALL) and (problems := subdomain_name(self.group, False)):
            yield invalid(path.child("group"), self.group, ",".join(problems))
        if self.resourceNames and not self.resources:
            detail = "using resourceNames requires at least one resource"
            yield invalid(path.child("resourceNames"), self.resourceNames, detail)


class _Rule(_Part):
    level: str = ""
    users: list[str] = []
    userGroups: list[str] = []
    verbs: list[str] = []
    resources: list[_GroupResources] = []
    namespaces: list[str] = []
    nonResourceURLs: list[str] = []
    omitStages: list[str] = []
    omitManagedFields: bool | None = None

    def validate_fields(self, path: FieldPath) -> Iterator[FieldError]:
        """Yield the errors of this rule, in kube-apiserver's order (``validatePolicyRule``)."""
        if not self.level:
            yield required(path.child("level"))
        elif self.level not in LEVELS:
            yield not_supported(path.child("level"), self.level, LEVELS)
        urls = path.child("nonResourceURLs")
        for index, url in enumerate(self.nonResourceURLs):
            yield from _validate_url(url, urls.item(index))
        for resources in self.resources:
            yield from resources.validate_fields(path.child("resources"))
        yield from _validate_stages(self.omitStages, path.child("omitStages"))
        if self.nonResourceURLs and (self.resources or self.namespaces):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            yield invalid(urls, self.nonResourceURLs, detail)

    def matches(self, request: Attributes) -> bool:
        """Return True if the rule applies to the request."""
        if self.users and request.user.name not in self.users:
            return False
        if self.userGroups and not set(request.user.groups) & set(self.userGroups):
            return False
        if self.verbs and request.verb not in self.verbs:
            return False
        if self.namespaces or self.resources:
            return request.is_resource and self._matches_resource(request)
        if self.nonResourceURLs:
            return not request.is_resource and any(_matches_path(url, request.path) for url in self.nonResourceURLs)
        return True

    def _matches_resource(self, request: Attributes) -> bool:
        if self.namespaces and request.namespace not in self.namespaces:
            return False
        return not self.resources or any(one.matches(request) for one in self.resources)


class AuditPolicy(_Part):
    """An audit policy. Its first rule that applies to a request decides how the request is recorded."""

    apiVersion: str = ""
    kind: str = _KIND
    metadata: dict[str, object] = {}
    rules: list[_Rule] = []
    omitStages: list[str] = []
    omitManagedFields: bool = False

    def validate_fields(self) -> Iterator[FieldError]:
        """Yield the errors of the policy, in kube-apiserver's order (``ValidatePolicy``)."""
        yield from _validate_stages(self.omitStages, FieldPath("omitStages"))
        for index, rule in enumerate(self.rules):
            yield from rule.validate_fields(FieldPath("rules").item(index))

    def rule_for(self, request: Attributes) -> AuditRule:
        """Return the audit level, omitted stages and omitted fields of the first rule that applies to a request.

        Returns `NOT_AUDITED` if no rule applies: the request is not recorded.
        """
        for rule in self.rules:
            if rule.matches(request):
                omits = self.omitManagedFields if rule.omitManagedFields is None else rule.omitManagedFields
                return AuditRule(LEVELS[rule.level], frozenset([*self.omitStages, *rule.omitStages]), omits)
        return NOT_AUDITED


def read_audit_policy(path: Path) -> AuditPolicy:
    """Read an audit policy from a YAML file.

    Unknown fields are ignored, as by kube-apiserver, and named in a warning. Raises ValueError, with a message of one
    line, if the file cannot be read or is not a valid policy with at least one rule.
    """
    policy = _parsed(path)
    if (policy.apiVersion, policy.kind) != (_VERSION, _KIND):
        raise ValueError(f"the audit policy {path} must have the kind {_KIND} of {_VERSION}")
    unknown = [f"unknown field {quoted(field)}" for field in policy.unknown_fields(FieldPath(""))]
    if unknown:
        _LOGGER.warning("the audit policy %s has errors that are ignored: %s", path, ", ".join(unknown))
    errors = list(policy.validate_fields())
    if errors:
        raise ValueError(f"the audit policy {path} is invalid: {aggregate_message(errors)}")
    if not policy.rules:
        raise ValueError(f"the audit policy {path} has no rules")
    return policy


def _parsed(path: Path) -> AuditPolicy:
    try:
        return AuditPolicy.model_validate(yaml.safe_load(path.read_text()))
    except OSError as error:
        raise ValueError(f"cannot read the audit policy {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the audit policy {path} is not UTF-8") from None
    except yaml.YAMLError as error:
        raise ValueError(f"the audit policy {path} is not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ValueError(f"the audit policy {path} is invalid: {field}: {first['msg']}") from None


def _validate_url(url: str, path: FieldPath) -> Iterator[FieldError]:
    if url == _ALL:
        return
    if not url.startswith("/"):
        yield invalid(path, url, "non-resource URL rules must begin with a '/' character")
    if _ALL in url[:-1]:
        yield invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule")


def _validate_stages(stages: Sequence[str], path: FieldPath) -> Iterator[FieldError]:
    for index, stage in enumerate(stages):
        if stage not in _STAGES:
            yield invalid(path.item(index), stage, f"allowed stages are {','.join(_STAGES)}")


def _matches_resource(pattern: str, request: Attributes) -> bool:
    subresource = request.subresource
    combined = f"{request.resource}/{subresource}" if subresource else request.resource
    if pattern in (combined, _ALL, f"{request.resource}/*"):
        return True
    return bool(subresource) and pattern == f"*/{subresource}"


def _matches_path(pattern: str, path: str) -> bool:
    return pattern in (_ALL, path) or (pattern.endswith(_ALL) and path.startswith(pattern.rstrip(_ALL)))
