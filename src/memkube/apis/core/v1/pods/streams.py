"""What is behind a running pod's containers: logs, exec, attach, port-forward and proxy, as far as no node is needed.

Source: ``pkg/registry/core/pod/strategy.go`` (LogLocation, streamLocation, ResourceLocation).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from memkube.apimachinery.errors import bad_request, invalid, not_found
from memkube.apimachinery.field_errors import FieldError, forbidden
from memkube.apimachinery.field_errors import invalid as invalid_value
from memkube.apimachinery.model import Document
from memkube.apimachinery.names import is_path_segment_name
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.registry.connect import Connection
from memkube.registry.registry import Registry
from memkube.registry.store import Store

Query = Mapping[str, list[str]]
_INT64 = 2**63
_LARGEST_PORT = 2**16 - 1
_PROXY_PARTS = 3


async def read_log(registry: Registry, namespace: str, name: str, query: Query) -> Connection:
    """GET of ``log``. A pod that no node runs has no log, which is no error."""
    options = _log_options(query)
    errors = _log_errors(query, options)
    if errors:
        raise invalid("", "PodLogOptions", name, errors)
    store = _pods(registry)
    pod = await _pod(store, namespace, name)
    choose_container(pod, _first(query, "container"))
    if not pod.spec.nodeName:
        return Connection(None)
    raise not_found(store.resource.group_resource, pod.spec.nodeName)


async def stream(registry: Registry, namespace: str, name: str, query: Query) -> Connection:
    """``exec`` and ``attach``: they need a node that runs the pod."""
    _refuse_dry_run(query)
    store = _pods(registry)
    pod = await _pod(store, namespace, name)
    choose_container(pod, _first(query, "container"))
    raise _no_host(store, pod)


async def forward_ports(registry: Registry, namespace: str, name: str, query: Query) -> Connection:
    """``portforward`` needs a node that runs the pod."""
    _refuse_dry_run(query)
    _check_ports(query.get("ports", []))
    store = _pods(registry)
    raise _no_host(store, await _pod(store, namespace, name))


async def proxy(registry: Registry, namespace: str, name: str, query: Query) -> Connection:
    """``proxy`` needs a pod with an address."""
    _refuse_dry_run(query)
    await _pod(_pods(registry), namespace, _proxied_name(name))
    raise bad_request("address not allowed")


def choose_container(pod: Pod, container: str) -> str:
    """The container that a request means. Raises ApiError 400 where that is not clear."""
    spec = pod.spec
    names = [c.name for c in (*spec.initContainers, *spec.containers)]
    names += [c.name for c in spec.ephemeralContainers]
    if container:
        if container not in names:
            raise bad_request(f"container {container} is not valid for pod {pod.metadata.name}")
        return container
    if len(spec.containers) == 1:
        return spec.containers[0].name
    choice = f"a container name must be specified for pod {pod.metadata.name}, choose one of: [{' '.join(names)}]"
    raise bad_request(choice)


def _refuse_dry_run(query: Query) -> None:
    if "dryRun" in query:
        raise bad_request("dryRun is not supported")


def _check_ports(values: Sequence[str]) -> None:
    """Raises ApiError 400 unless each value lists ports, with commas between them."""
    for text in ",".join(values).split(",") if values else ():
        if not (text.isascii() and text.isdigit()):
            why = "invalid syntax"
        elif int(text) > _LARGEST_PORT:
            why = "value out of range"
        else:
            continue
        raise bad_request(f"cannot convert to []int32: strconv.ParseUint: parsing {quoted(text)}: {why}")


def _proxied_name(text: str) -> str:
    """The pod in ``pod``, ``pod:port`` or ``scheme:pod:port``. Raises ApiError 400."""
    parts = text.split(":")
    scheme, name = ("", parts[0]) if len(parts) < _PROXY_PARTS else (parts[0], parts[1])
    if len(parts) > _PROXY_PARTS or not name or scheme not in ("", "http", "https"):
        raise bad_request(f"invalid pod request {quoted(text)}")
    return name


def _no_host(store: Store, pod: Pod) -> Exception:
    if not pod.spec.nodeName:
        return bad_request(f"pod {pod.metadata.name} does not have a host assigned")
    return not_found(store.resource.group_resource, pod.spec.nodeName)


def _pods(registry: Registry) -> Store:
    return registry.find("", "v1", "pods")


async def _pod(store: Store, namespace: str, name: str) -> Pod:
    problems = is_path_segment_name(name)
    if problems:
        raise bad_request(f"Name parameter invalid: {quoted(name)}: {'; '.join(problems)}")
    return Pod.from_document((await store.get(namespace, name)).document)


def _first(query: Query, name: str) -> str:
    values = query.get(name)
    return values[0] if values else ""


def _log_options(query: Query) -> Document:
    """The numbers and the time of a log request. Raises ApiError 400."""
    options: Document = {}
    readers: dict[str, Callable[[str], int | datetime]] = {
        "sinceSeconds": _integer,
        "sinceTime": _time,
        "tailLines": _integer,
        "limitBytes": _integer,
    }
    for name, read in readers.items():
        if name in query:
            options[name] = read(_first(query, name))
    return options


def _log_errors(query: Query, options: Document) -> list[FieldError]:
    errors: list[FieldError] = []
    if options.get("tailLines", 0) < 0:
        errors.append(invalid_value("tailLines", options["tailLines"], "must be greater than or equal to 0"))
    if options.get("limitBytes", 1) < 1:
        errors.append(invalid_value("limitBytes", options["limitBytes"], "must be greater than 0"))
    if "sinceSeconds" in options and "sinceTime" in options:
        errors.append(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
    elif options.get("sinceSeconds", 1) < 1:
        errors.append(invalid_value("sinceSeconds", options["sinceSeconds"], "must be greater than 0"))
    if "stream" in query:
        errors.append(forbidden("stream", "may not be specified"))
    return errors


def _integer(text: str) -> int:
    unsigned = text[1:] if text[:1] in ("-", "+") else text
    if not (unsigned.isascii() and unsigned.isdigit()):
        raise bad_request(f"strconv.ParseInt: parsing {quoted(text)}: invalid syntax")
    number = int(text)
    if not -_INT64 <= number < _INT64:
        raise bad_request(f"strconv.ParseInt: parsing {quoted(text)}: value out of range")
    return number


def _time(text: str) -> datetime:
    if text in ("", "null"):
        return datetime.min.replace(tzinfo=UTC)
    try:
        return Time.parse(text).instant
    except ValueError as error:
        raise bad_request(str(error)) from None
