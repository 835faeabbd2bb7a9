"""Environment variables of containers (``makeEnvironmentVariables`` of the kubelet), and the downward API."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainer
from memkube.apis.core.v1.podspec.types.env import EnvFromSource, EnvVarSource, FileKeySelector, ResourceFieldSelector
from memkube.controllers.kubelet.containers.env_files import variable_in
from memkube.controllers.kubelet.pod_context import NotConfigured, PodContext
from memkube.controllers.kubelet.programs.inodes import Contents
from memkube.controllers.kubelet.programs.variables import Environment

_SUBSCRIPT: Final = re.compile(r"metadata\.(annotations|labels)\['(.*)'\]")
_NANO: Final = 10**9
_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_REFERENCE: Final = re.compile(r"\$(?:\$|\(([^)]*)\))")


def pod_field(path: str, context: PodContext) -> str:
    """Return the value of a pod field for the downward API, such as ``metadata.name`` or ``status.podIP``.

    `context` has the pod and its IP addresses. Raises NotConfigured if the path is not supported.
    """
    pod = context.pod
    if found := _SUBSCRIPT.fullmatch(path):
        values: Mapping[str, str] = getattr(pod.metadata, found[1])
        return values.get(found[2], "")
    match path:
        case "metadata.name":
            return pod.metadata.name
        case "metadata.namespace":
            return pod.metadata.namespace
        case "metadata.uid":
            return pod.metadata.uid
        case "metadata.labels":
            return _lines(pod.metadata.labels)
        case "metadata.annotations":
            return _lines(pod.metadata.annotations)
        case "spec.nodeName" | "spec.host":
            return pod.spec.nodeName
        case "spec.serviceAccountName":
            return pod.spec.serviceAccountName
        case "status.hostIP" | "status.hostIPs":
            return context.host_ip
        case "status.podIP" | "status.podIPs":
            return context.pod_ip
    raise NotConfigured(f"unsupported fieldPath: {path}")


def container_resource(
    selector: ResourceFieldSelector, container: Container | EphemeralContainer, context: PodContext
) -> str:
    """Return the resource request or limit of a container that a ``resourceFieldRef`` (`selector`) names.

    It is divided by the divisor and rounded up. `container` is used if the selector names no container. `context`
    has the pod and the resources of the node: a limit that the container does not set is that of the pod, or else that
    of the node. Raises NotConfigured if the selector names a container that does not exist.
    """
    if selector.containerName:
        spec = context.pod.spec
        named = [c for c in (*spec.containers, *spec.initContainers) if c.name == selector.containerName]
        if not named:
            raise NotConfigured(f"container {selector.containerName} not found")
        container = named[0]
    kind, _, resource = selector.resource.partition(".")
    amounts = container.resources.limits if kind == "limits" else container.resources.requests
    amount = amounts.get(resource)
    if kind == "limits" and (amount is None or not amount.nano) and resource in context.allocatable:
        of_pod = context.pod.spec.resources
        amount = of_pod.limits.get(resource) if of_pod is not None else None
        if amount is None or not amount.nano:
            amount = Quantity.parse(context.allocatable[resource])
    divisor = selector.divisor.nano or _NANO
    return str(-(-(amount.nano if amount is not None else 0) // divisor))


def _lines(values: Mapping[str, str]) -> str:
    return "\n".join(f"{key}={quoted(values[key])}" for key in sorted(values))


def container_environment(
    container: Container | EphemeralContainer, context: PodContext, volumes: Mapping[str, Contents]
) -> Environment:
    """Return the environment variables of a container: PATH, HOSTNAME, those in its spec, and those of Services.

    `context` has the pod, and the objects to which variables refer. `volumes` has the files of the pod's writable
    volumes, which may be environment files. Raises NotConfigured if a variable has an invalid reference.
    """
    declared = Environment({}, context.service_variables)
    for source in container.envFrom:
        declared.update(_entries(source, context))
    for variable in container.env:
        if variable.valueFrom is None:
            declared[variable.name] = expanded(variable.value, declared)
            continue
        value = _value(variable.valueFrom, container, context, volumes)
        if value is not None:
            declared[variable.name] = value
    of_runtime = {"PATH": _PATH, "HOSTNAME": context.hostname}
    names = tuple(name for name in of_runtime if name not in declared.own)
    return Environment({**of_runtime, **declared.own}, declared.shared, names)


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """Replace each ``$(NAME)`` by the value of the variable, and ``$$`` by ``$``.

    ``$(NAME)`` is kept if there is no such variable.
    """

    def value(found: re.Match[str]) -> str:
        if found[1] is None:
            return "$"
        return variables.get(found[1], found[0])

    return _REFERENCE.sub(value, text) if "$" in text else text


def references(text: str) -> Iterator[str]:
    """Yield the names of the variables that `text` refers to as ``$(NAME)``."""
    yield from (found[1] for found in _REFERENCE.finditer(text) if found[1] is not None)


def expanded_command(words: Sequence[str], environment: Environment) -> list[str]:
    """Replace references to environment variables, such as ``$(NAME)``, in the words of a container's command.

    References to variables that the container runtime sets, such as ``$(PATH)``, are kept.
    """
    if not any("$" in word for word in words):
        return list(words)
    variables = environment.declared()
    return [expanded(word, variables) for word in words]


def _entries(source: EnvFromSource, context: PodContext) -> dict[str, str]:
    entries: Mapping[str, str] | None = None
    if (config_map := source.configMapRef) is not None:
        entries = context.config_map_texts(config_map.name, optional=config_map.optional)
    elif (secret := source.secretRef) is not None:
        entries = _secret_texts(secret.name, context, optional=secret.optional)
    return {source.prefix + key: value for key, value in (entries or {}).items()}


def _secret_texts(name: str, context: PodContext, *, optional: bool | None) -> Mapping[str, str] | None:
    data = context.secret_data(name, optional=optional)
    return None if data is None else {key: value.decode(errors="replace") for key, value in data.items()}


def _value(
    source: EnvVarSource,
    container: Container | EphemeralContainer,
    context: PodContext,
    volumes: Mapping[str, Contents],
) -> str | None:
    namespace = context.pod.metadata.namespace
    if source.fieldRef is not None:
        return pod_field(source.fieldRef.fieldPath, context)
    if source.resourceFieldRef is not None:
        return container_resource(source.resourceFieldRef, container, context)
    if (config_map := source.configMapKeyRef) is not None:
        entries = context.config_map_texts(config_map.name, optional=config_map.optional)
        where = f"ConfigMap {namespace}/{config_map.name}"
        return _entry(entries, config_map.key, where, optional=config_map.optional)
    if (secret := source.secretKeyRef) is not None:
        entries = _secret_texts(secret.name, context, optional=secret.optional)
        return _entry(entries, secret.key, f"Secret {namespace}/{secret.name}", optional=secret.optional)
    if source.fileKeyRef is not None:
        return _from_file(source.fileKeyRef, context, volumes)
    return ""


def _entry(entries: Mapping[str, str] | None, key: str, where: str, *, optional: bool | None) -> str | None:
    if entries is not None and key in entries:
        return entries[key]
    if entries is None or optional:
        return None
    raise NotConfigured(f"couldn't find key {key} in {where}")


def _from_file(source: FileKeySelector, context: PodContext, volumes: Mapping[str, Contents]) -> str | None:
    """Return the value of a variable in an environment file; None if the file does not set it and it is optional.

    Raises NotConfigured if the file cannot be parsed, or does not set a variable that is required.
    """
    file = volumes.get(source.volumeName, {}).get(posixpath.normpath(source.path))
    try:
        value = variable_in(file, source.key)
    except ValueError:
        raise NotConfigured("couldn't parse env file") from None
    if value or source.optional:
        return value or None
    directory = f"/var/lib/kubelet/pods/{context.pod.metadata.uid}/volumes/kubernetes.io~empty-dir/{source.volumeName}"
    path = quoted(posixpath.join(directory, source.path))
    raise NotConfigured(f"environment variable key {quoted(source.key)} not found in file {path}")
