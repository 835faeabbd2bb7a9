"""Validation of containers, and of their restart and resize policies."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    invalid_typed,
    not_found,
    not_supported,
    required,
    too_many,
)
from memkube.apimachinery.shown_values import TypedString
from memkube.apis.core.v1.podspec.types.containers import (
    Container,
    ContainerResizePolicy,
    ContainerRestartRule,
    EphemeralContainer,
    ResourceRequirements,
)
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.context import (
    AnyContainer,
    PodContext,
    validate_dns_label,
    validate_pull_policy,
)
from memkube.apis.core.v1.podspec.validation.env import validate_env, validate_env_from
from memkube.apis.core.v1.podspec.validation.handlers import (
    validate_lifecycle,
    validate_ports,
    validate_probes,
    validate_unique_host_ports,
)
from memkube.apis.core.v1.podspec.validation.mounts import validate_devices, validate_mounts
from memkube.apis.core.v1.podspec.validation.resources import (
    validate_container_resource_name,
    validate_requirements,
)
from memkube.apis.core.v1.podspec.validation.security import validate_security_context

_RESTART_POLICIES: Final = ("Always", "Never", "OnFailure")
_RESTART_ACTIONS: Final = ("Restart", "RestartAllContainers")
_EXIT_CODE_OPERATORS: Final = ("In", "NotIn")
_RESIZED: Final = ("cpu", "memory")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")
_RULES_LIMIT: Final = 20
_EXIT_CODES_LIMIT: Final = 255
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_NOT_EPHEMERAL: Final = (
    "ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
    "livenessProbe", "readinessProbe", "startupProbe", "lifecycle",
)  # fmt: skip


def validate_restart_policy(container: AnyContainer, path: FieldPath) -> list[FieldError]:
    """Validate a container's restart rules: they need a restart policy and valid exit codes."""
    policy, rules = container.restartPolicy, container.restartPolicyRules
    if policy is None:
        if not rules:
            return []
        errors = [required(path.child("restartPolicy"), "must specify restartPolicy when restart rules are used")]
    elif policy not in _RESTART_POLICIES:
        errors = [not_supported(path.child("restartPolicy"), policy, _RESTART_POLICIES)]
    else:
        errors = []
    rules_path = path.child("restartPolicyRules")
    if len(rules) > _RULES_LIMIT:
        errors.append(too_many(rules_path, len(rules), _RULES_LIMIT))
    for index, rule in enumerate(rules):
        errors += _validate_rule(rule, rules_path.item(index))
    return errors


def validate_init_restart_policy(container: AnyContainer, path: FieldPath) -> list[FieldError]:
    """Validate the restart policy and the restart rules of an init container.

    If it has rules but no restart policy, the missing policy is the only error. The rules themselves are then not
    checked, unlike those of other containers.
    """
    if container.restartPolicy is None:
        detail = "must specify restartPolicy when restart rules are used"
        return [required(path.child("restartPolicy"), detail)] if container.restartPolicyRules else []
    return validate_restart_policy(container, path)


def validate_resize_policy(
    policies: Sequence[ContainerResizePolicy], pod_restart_policy: str, path: FieldPath
) -> list[FieldError]:
    """Validate resize policies: one for each resource, and no restart if the pod's restart policy is Never."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        if policy.resourceName in seen:
            errors.append(duplicate(path.item(index), TypedString(policy.resourceName)))
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
            errors.append(invalid_typed(path, policy.restartPolicy, detail))
    return errors


def _validate_rule(rule: ContainerRestartRule, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if rule.action not in _RESTART_ACTIONS:
        errors.append(not_supported(path.child("action"), rule.action, _RESTART_ACTIONS))
    if rule.exitCodes is None:
        return [*errors, required(path.child("exitCodes"), "must be specified")]
    codes_path = path.child("exitCodes")
    if rule.exitCodes.operator not in _EXIT_CODE_OPERATORS:
        errors.append(not_supported(codes_path.child("operator"), rule.exitCodes.operator, _EXIT_CODE_OPERATORS))
    if len(rule.exitCodes.values) > _EXIT_CODES_LIMIT:
        errors.append(too_many(codes_path.child("values"), len(rule.exitCodes.values), _EXIT_CODES_LIMIT))
    return errors


def validate_containers(spec: PodSpec, pod: PodContext, path: FieldPath) -> list[FieldError]:
    """Validate the containers of a pod: there is at least one, and names, ports and devices do not conflict."""
    if not spec.containers:
        return [required(path)]
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, container in enumerate(spec.containers):
        item = path.item(index)
        errors += _validate_common(container, pod, item)
        if container.name in names:
            errors.append(duplicate(item.child("name"), container.name))
        names.add(container.name)
        errors += _validate_hooks(container, pod, item)
        errors += validate_restart_policy(container, item)
    return errors + validate_unique_host_ports(spec.containers, path)


def validate_init_containers(spec: PodSpec, pod: PodContext, path: FieldPath) -> list[FieldError]:
    """Validate init containers.

    Their names differ from those of containers, and only sidecars have lifecycle hooks and probes.
    """
    errors: list[FieldError] = []
    names = {container.name for container in spec.containers}
    for index, container in enumerate(spec.initContainers):
        item = path.item(index)
        errors += _validate_common(container, pod, item)
        errors += validate_init_restart_policy(container, item)
        if container.name in names:
            errors.append(duplicate(item.child("name"), container.name))
        elif container.name:
            names.add(container.name)
        errors += validate_unique_host_ports([container], path)
        if container.restartPolicy == "Always":
            errors += _validate_hooks(container, pod, item)
        else:
            errors += _validate_plain_init_container(container, item)
    return errors


def validate_ephemeral_containers(spec: PodSpec, pod: PodContext, path: FieldPath) -> list[FieldError]:
    """Validate ephemeral containers: unique names, and no ports, probes, resources or similar fields."""
    errors: list[FieldError] = []
    others = {container.name for container in (*spec.containers, *spec.initContainers)}
    names = set(others)
    for index, container in enumerate(spec.ephemeralContainers):
        item = path.item(index)
        errors += _validate_common(container, pod, item)
        errors += validate_image_spacing(container, item)
        if container.name in names:
            errors.append(duplicate(item.child("name"), container.name))
        names.add(container.name)
        if container.targetContainerName and container.targetContainerName not in others:
            errors.append(not_found(item.child("targetContainerName"), container.targetContainerName))
        errors += _validate_ephemeral_fields(container, item)
    return errors


def validate_image_spacing(container: AnyContainer, path: FieldPath) -> list[FieldError]:
    """Validate that the image of a pod's container has no leading or trailing whitespace.

    This rule does not apply to pod templates.
    """
    if container.image.strip() == container.image:
        return []
    return [invalid(path.child("image"), container.image, "must not have leading or trailing whitespace")]


def validate_images_spacing(containers: Sequence[Container], path: FieldPath) -> list[FieldError]:
    """Validate that no image of a pod's containers has leading or trailing whitespace."""
    errors: list[FieldError] = []
    for index, container in enumerate(containers):
        errors += validate_image_spacing(container, path.item(index))
    return errors


def _validate_common(container: AnyContainer, pod: PodContext, path: FieldPath) -> list[FieldError]:
    name_path = path.child("name")
    errors = validate_dns_label(container.name, name_path) if container.name else [required(name_path)]
    if not container.image:
        errors.append(required(path.child("image")))
    policy = container.terminationMessagePolicy
    if policy not in _MESSAGE_POLICIES:
        policy_path = path.child("terminationMessagePolicy")
        errors.append(not_supported(policy_path, policy, _MESSAGE_POLICIES) if policy else required(policy_path))
    if container.ports:
        errors += validate_ports(container.ports, path.child("ports"))
    if container.env:
        errors += validate_env(container.env, path.child("env"))
    if container.envFrom:
        errors += validate_env_from(container.envFrom, path.child("envFrom"))
    if container.volumeMounts:
        errors += validate_mounts(container, pod, path.child("volumeMounts"))
    if container.volumeDevices:
        errors += validate_devices(container, pod, path.child("volumeDevices"))
    errors += validate_pull_policy(container.imagePullPolicy, path.child("imagePullPolicy"))
    resources = container.resources
    if resources.limits or resources.requests or resources.claims:
        resources_path = path.child("resources")
        errors += validate_requirements(resources, pod.claim_names, resources_path, validate_container_resource_name)
    if container.resizePolicy:
        errors += validate_resize_policy(container.resizePolicy, pod.restart_policy, path.child("resizePolicy"))
    if container.securityContext is not None:
        context_path = path.child("securityContext")
        errors += validate_security_context(container.securityContext, context_path, host_users=pod.host_users)
    return errors


def _validate_hooks(container: Container, pod: PodContext, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if container.lifecycle is not None:
        errors += validate_lifecycle(container.lifecycle, pod.grace_period, path.child("lifecycle"))
    return errors + validate_probes(container, pod.grace_period, path)


def _validate_plain_init_container(container: Container, path: FieldPath) -> list[FieldError]:
    detail = "may not be set for init containers without restartPolicy=Always"
    errors = [
        forbidden(path.child(name), detail)
        for name in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
        if getattr(container, name) is not None
    ]
    for index, policy in enumerate(container.resizePolicy):
        if policy.restartPolicy == "RestartContainer":
            policy_path = path.child("resizePolicy").item(index).child("restartPolicy")
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            errors.append(invalid(policy_path, policy.restartPolicy, detail))
    return errors


def _validate_ephemeral_fields(container: EphemeralContainer, path: FieldPath) -> list[FieldError]:
    detail = "cannot be set for an Ephemeral Container"
    errors = [forbidden(path.child(name), detail) for name in _NOT_EPHEMERAL if _is_not_nil(container, name)]
    for index, mount in enumerate(container.volumeMounts):
        mount_path = path.child("volumeMounts").item(index)
        set_fields = (name for name in ("subPath", "subPathExpr") if getattr(mount, name))
        errors += [forbidden(mount_path.child(name), detail) for name in set_fields]
    return errors


def _is_not_nil(container: EphemeralContainer, name: str) -> bool:
    """True if a field of an ephemeral container is not nil in kube-apiserver's Go struct.

    An explicit empty list is not nil.
    """
    value = getattr(container, name)
    if isinstance(value, list):
        return bool(value) or name in container.model_fields_set
    if isinstance(value, ResourceRequirements):
        return bool(value.model_fields_set)
    return value is not None
