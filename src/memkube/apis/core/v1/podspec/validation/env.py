"""Validation of environment variables, and of references to pod fields in variables and downward API files."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_found, not_supported_string, required
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import is_config_map_key, is_env_var_name, subdomain_name
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.podspec.types.env import (
    ConfigMapEnvSource,
    ConfigMapKeySelector,
    EnvFromSource,
    EnvVar,
    EnvVarSource,
    FileKeySelector,
    ObjectFieldSelector,
    ResourceFieldSelector,
    SecretEnvSource,
    SecretKeySelector,
)
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.context import (
    containers_with_paths,
    validate_dns_label,
    validate_no_backsteps,
)

_FIELD_LABELS: Final = frozenset(
    {
        "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid",
        "spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName", "spec.schedulerName",
        "status.phase", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
    }
)  # fmt: skip
_SHOWN_RESOURCES: Final = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_BYTE_DIVISORS: Final = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_CPU_DETAIL: Final = "only divisor's values 1m and 1 are supported with the cpu resource"
_FIELD_PATHS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)


def validate_field_selector(selector: ObjectFieldSelector, fields: Sequence[str], path: FieldPath) -> list[FieldError]:
    """Validate a reference to a field of the pod: one of `fields`, or a single label or annotation."""
    for name in ("apiVersion", "fieldPath"):
        if not getattr(selector, name):
            return [required(path.child(name))]
    error = _conversion_error(selector)
    if error:
        return [invalid(path.child("fieldPath"), selector.fieldPath, f"error converting fieldPath: {error}")]
    subscripted = _subscripted(selector.fieldPath)
    if subscripted is None:
        name = "spec.nodeName" if selector.fieldPath == "spec.host" else selector.fieldPath
        return [] if name in fields else [not_supported_string(path.child("fieldPath"), name, fields)]
    field, key = subscripted
    return validate_label_name(key.lower() if field == "metadata.annotations" else key, path)


def validate_resource_selector(
    selector: ResourceFieldSelector, path: FieldPath, *, of_volume: bool = False
) -> list[FieldError]:
    """Validate a reference to a container's resource request or limit, and the divisor of the amount.

    In a volume, the reference must name the container.
    """
    errors: list[FieldError] = []
    resource = selector.resource
    if of_volume and not selector.containerName:
        errors.append(required(path.child("containerName")))
    elif not resource:
        errors.append(required(path.child("resource")))
    elif resource not in _SHOWN_RESOURCES and not resource.startswith(_HUGE_PAGES):
        errors.append(not_supported_string(path.child("resource"), resource, _SHOWN_RESOURCES))
    detail = _divisor_error(resource, selector.divisor)
    return [*errors, invalid(path.child("divisor"), resource, detail)] if detail else errors


def _conversion_error(selector: ObjectFieldSelector) -> str:
    if selector.apiVersion != "v1":
        return f"unsupported pod version: {selector.apiVersion}"
    subscripted = _subscripted(selector.fieldPath)
    if subscripted is not None:
        known = subscripted[0] in ("metadata.annotations", "metadata.labels")
        return "" if known else f"field label does not support subscript: {selector.fieldPath}"
    known = selector.fieldPath in _FIELD_LABELS or selector.fieldPath == "spec.host"
    return "" if known else f"field label not supported: {selector.fieldPath}"


def _subscripted(field_path: str) -> tuple[str, str] | None:
    """Split a field path such as ``metadata.labels['key']`` into field and key.

    Returns None if the path has no key in brackets.
    """
    if not field_path.endswith("']"):
        return None
    field, bracket, key = field_path[:-2].partition("['")
    return (field, key) if field and bracket else None


def _divisor_error(resource: str, divisor: Quantity) -> str:
    if divisor.nano == 0:
        return ""
    kind = resource.partition(".")[2] if resource in _SHOWN_RESOURCES else ""
    if kind == "cpu":
        return "" if divisor in ("1m", "1") else _CPU_DETAIL
    prose = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}.get(kind)
    if resource.startswith(_HUGE_PAGES):
        prose = "hugepages"
    if prose is None or divisor in _BYTE_DIVISORS:
        return ""
    return f"only divisor's values {', '.join(_BYTE_DIVISORS)} are supported with the {prose} resource"


def validate_env(variables: Sequence[EnvVar], path: FieldPath) -> list[FieldError]:
    """Validate environment variables: each has a name, and at most one source."""
    errors: list[FieldError] = []
    for index, variable in enumerate(variables):
        if not variable.name:
            errors.append(required(path.item(index).child("name")))
        else:
            messages = is_env_var_name(variable.name)
            errors += [invalid(path.item(index).child("name"), variable.name, message) for message in messages]
        if variable.valueFrom is not None:
            errors += _validate_source(variable, variable.valueFrom, path.item(index).child("valueFrom"))
    return errors


def validate_env_from(sources: Sequence[EnvFromSource], path: FieldPath) -> list[FieldError]:
    """Validate `envFrom`: each source refers to either a ConfigMap or a Secret."""
    errors: list[FieldError] = []
    for index, source in enumerate(sources):
        item = path.item(index)
        if source.prefix:
            errors += [invalid(item.child("prefix"), source.prefix, e) for e in is_env_var_name(source.prefix)]
        if source.configMapRef is not None:
            errors += _validate_reference(source.configMapRef, item.child("configMapRef"))
        if source.secretRef is not None:
            errors += _validate_reference(source.secretRef, item.child("secretRef"))
        if source.configMapRef is None and source.secretRef is None:
            errors.append(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif source.configMapRef is not None and source.secretRef is not None:
            errors.append(invalid(path, "", "may not have more than one field specified at a time"))
    return errors


def validate_env_file_volumes(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """Validate that each `fileKeyRef` of an environment variable names an emptyDir volume of the pod."""
    errors: list[FieldError] = []
    for container, container_path in containers_with_paths(spec, path):
        for index, variable in enumerate(container.env):
            file = variable.valueFrom.fileKeyRef if variable.valueFrom else None
            if file is None:
                continue
            name_path = container_path.child("env").item(index).child("valueFrom").child("fileKeyRef.volumeName")
            volume = next((volume for volume in reversed(spec.volumes) if volume.name == file.volumeName), None)
            if volume is None:
                errors.append(not_found(name_path, file.volumeName))
            elif volume.emptyDir is None:
                errors.append(invalid(name_path, file.volumeName, "referenced volume must be of type emptyDir"))
    return errors


def _validate_source(variable: EnvVar, source: EnvVarSource, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if source.fieldRef is not None:
        errors += validate_field_selector(source.fieldRef, _FIELD_PATHS, path.child("fieldRef"))
    if source.resourceFieldRef is not None:
        errors += validate_resource_selector(source.resourceFieldRef, path.child("resourceFieldRef"))
    if source.configMapKeyRef is not None:
        errors += _validate_key_selector(source.configMapKeyRef, path.child("configMapKeyRef"))
    if source.secretKeyRef is not None:
        errors += _validate_key_selector(source.secretKeyRef, path.child("secretKeyRef"))
    if source.fileKeyRef is not None:
        errors += _validate_file_selector(source.fileKeyRef, path.child("fileKeyRef"))
    given = sum(getattr(source, name) is not None for name in EnvVarSource.model_fields)
    if given == 0:
        names = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        errors.append(invalid(path, "", f"must specify one of: {names}"))
    elif variable.value:
        errors.append(invalid(path, "", "may not be specified when `value` is not empty"))
    elif given > 1:
        errors.append(invalid(path, "", "may not have more than one field specified at a time"))
    return errors


def _validate_reference(source: ConfigMapEnvSource | SecretEnvSource, path: FieldPath) -> list[FieldError]:
    if not source.name:
        return [required(path.child("name"))]
    return [invalid(path.child("name"), source.name, error) for error in subdomain_name(source.name, True)]


def _validate_key_selector(selector: ConfigMapKeySelector | SecretKeySelector, path: FieldPath) -> list[FieldError]:
    errors = [invalid(path.child("name"), selector.name, error) for error in subdomain_name(selector.name)]
    if not selector.key:
        return [*errors, required(path.child("key"))]
    return errors + [invalid(path.child("key"), selector.key, error) for error in is_config_map_key(selector.key)]


def _validate_file_selector(selector: FileKeySelector, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if not selector.key:
        errors.append(required(path.child("key")))
    else:
        errors += [invalid(path.child("key"), selector.key, error) for error in is_env_var_name(selector.key)]
    if not selector.volumeName:
        errors.append(required(path.child("volumeName")))
    else:
        errors += validate_dns_label(selector.volumeName, path.child("volumeName"))
    if not selector.path:
        return [*errors, required(path.child("path"))]
    return errors + validate_no_backsteps(selector.path, path.child("path"))
