"""Reads an audit policy (``audit.k8s.io/v1`` Policy), and finds the rule for a request.

Sources: apiserver's ``pkg/audit/policy`` and ``pkg/apis/audit/validation``.
"""

from pathlib import Path
from typing import Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from memkube.endpoints.auditing.rule import LEVELS, NOT_AUDITED, AuditRule
from memkube.registry.declarations.authorization import Attributes

Stage = Literal["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"]
_LevelName = Literal["None", "Metadata", "Request", "RequestResponse"]
_ALL: Final = "*"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _GroupResources(_Strict):
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


class _Rule(_Strict):
    level: _LevelName
    users: list[str] = []
    userGroups: list[str] = []
    verbs: list[str] = []
    resources: list[_GroupResources] = []
    namespaces: list[str] = []
    nonResourceURLs: list[str] = []
    omitStages: list[Stage] = []
    omitManagedFields: bool | None = None

    @model_validator(mode="after")
    def _check(self) -> "_Rule":
        if self.nonResourceURLs and (self.resources or self.namespaces):
            raise ValueError("rules cannot apply to both regular resources and non-resource URLs")
        for url in self.nonResourceURLs:
            if url != _ALL and not url.startswith("/"):
                raise ValueError("non-resource URL rules must begin with a '/' character")
            if _ALL in url[:-1]:
                raise ValueError("non-resource URL wildcards '*' must be the final character of the rule")
        if any(one.resourceNames and not one.resources for one in self.resources):
            raise ValueError("using resourceNames requires at least one resource")
        return self

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


class AuditPolicy(_Strict):
    """An audit policy. Its first rule that applies to a request decides how the request is recorded."""

    apiVersion: Literal["audit.k8s.io/v1"]
    kind: Literal["Policy"]
    metadata: dict[str, object] = {}
    rules: list[_Rule]
    omitStages: list[Stage] = []
    omitManagedFields: bool = False

    def rule_for(self, request: Attributes) -> AuditRule:
        """Return the decision of the first rule that applies to a request; if none applies, it is not recorded."""
        for rule in self.rules:
            if rule.matches(request):
                omits = self.omitManagedFields if rule.omitManagedFields is None else rule.omitManagedFields
                return AuditRule(LEVELS[rule.level], frozenset([*self.omitStages, *rule.omitStages]), omits)
        return NOT_AUDITED


def read_audit_policy(path: Path) -> AuditPolicy:
    """Read an audit policy from a YAML file.

    Raises ValueError, with a message of one line, if the file cannot be read or is not a valid policy with at least one
    rule. Unlike kube-apiserver, it does not ignore unknown fields but rejects them.
    """
    try:
        policy = AuditPolicy.model_validate(yaml.safe_load(path.read_text()))
    except OSError as error:
        raise ValueError(f"cannot read the audit policy {path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"the audit policy {path} is not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ValueError(f"the audit policy {path} is invalid: {field}: {first['msg']}") from None
    if not policy.rules:
        raise ValueError(f"the audit policy {path} has no rules")
    return policy


def _matches_resource(pattern: str, request: Attributes) -> bool:
    subresource = request.subresource
    combined = f"{request.resource}/{subresource}" if subresource else request.resource
    if pattern in (combined, _ALL, f"{request.resource}/*"):
        return True
    return bool(subresource) and pattern == f"*/{subresource}"


def _matches_path(pattern: str, path: str) -> bool:
    return pattern in (_ALL, path) or (pattern.endswith(_ALL) and path.startswith(pattern.rstrip(_ALL)))
