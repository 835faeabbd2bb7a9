"""Rules for when containers restart, by themselves or to be resized."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    invalid,
    not_supported,
    required,
    too_many,
)
from memkube.apis.core.v1.podspec.types.containers import ContainerResizePolicy, ContainerRestartRule
from memkube.apis.core.v1.podspec.validation.context import AnyContainer

_POLICIES: Final = ("Always", "Never", "OnFailure")
_ACTIONS: Final = ("Restart", "RestartAllContainers")
_OPERATORS: Final = ("In", "NotIn")
_RESIZED: Final = ("cpu", "memory")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")
_RULES_LIMIT: Final = 20
_EXIT_CODES_LIMIT: Final = 255


def validate_restart_policy(container: AnyContainer, path: FieldPath) -> list[FieldError]:
    """Restart rules come with a policy and say for which exit codes they hold."""
    policy, rules = container.restartPolicy, container.restartPolicyRules
    if policy is None:
        if not rules:
            return []
        errors = [required(path.child("restartPolicy"), "must specify restartPolicy when restart rules are used")]
    elif policy not in _POLICIES:
        errors = [not_supported(path.child("restartPolicy"), policy, _POLICIES)]
    else:
        errors = []
    rules_path = path.child("restartPolicyRules")
    if len(rules) > _RULES_LIMIT:
        errors.append(too_many(rules_path, len(rules), _RULES_LIMIT))
    for index, rule in enumerate(rules):
        errors += _validate_rule(rule, rules_path.item(index))
    return errors


def validate_init_restart_policy(container: AnyContainer, path: FieldPath) -> list[FieldError]:
    """As for other containers, but without a policy the rules are not looked at."""
    if container.restartPolicy is None:
        detail = "must specify restartPolicy when restart rules are used"
        return [required(path.child("restartPolicy"), detail)] if container.restartPolicyRules else []
    return validate_restart_policy(container, path)


def validate_resize_policy(
    policies: Sequence[ContainerResizePolicy], pod_restart_policy: str, path: FieldPath
) -> list[FieldError]:
    """Each resource has one policy, and a pod that never restarts is resized without."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        if policy.resourceName in seen:
            errors.append(duplicate(path.item(index), policy.resourceName))
        seen.add(policy.resourceName)
        if not policy.resourceName:
            errors.append(required(path))
        elif policy.resourceName not in _RESIZED:
            errors.append(not_supported(path, policy.resourceName, _RESIZED))
        if not policy.restartPolicy:
            errors.append(required(path))
        elif policy.restartPolicy not in _RESIZE_POLICIES:
            errors.append(not_supported(path, policy.restartPolicy, _RESIZE_POLICIES))
        if pod_restart_policy == "Never" and policy.restartPolicy != "NotRequired":
            detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            errors.append(invalid(path, policy.restartPolicy, detail))
    return errors


def _validate_rule(rule: ContainerRestartRule, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if rule.action not in _ACTIONS:
        errors.append(not_supported(path.child("action"), rule.action, _ACTIONS))
    if rule.exitCodes is None:
        return [*errors, required(path.child("exitCodes"), "must be specified")]
    codes_path = path.child("exitCodes")
    if rule.exitCodes.operator not in _OPERATORS:
        errors.append(not_supported(codes_path.child("operator"), rule.exitCodes.operator, _OPERATORS))
    if len(rule.exitCodes.values) > _EXIT_CODES_LIMIT:
        errors.append(too_many(codes_path.child("values"), len(rule.exitCodes.values), _EXIT_CODES_LIMIT))
    return errors
