"""The ``scale`` subresource: desired and observed replicas of any kind with a field ``spec.replicas``."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from memkube.apimachinery import labels
from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.managed_fields import ReplicasPaths, entries_after_scaling, scale_entries
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import Document
from memkube.registry.declarations.interface import View
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, ViewSubresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="autoscaling",
    version="v1",
    kind="Scale",
    plural="scales",
    model=lazy("types:Scale"),
    strategy=lazy("strategy:ScaleStrategy()"),
    printer=lazy("columns:PRINTER"),
    verbs=(),
)
WrittenSelector: TypeAlias = Callable[[Any], str]
"""Function that returns an object's ``spec.selector`` as a selector string such as ``app=web``."""

_KEPT: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def selector_in_query(selector: Document) -> str:
    """Return a LabelSelector as a selector string such as ``app=web``. Raises ApiError 400 if it is invalid."""
    try:
        return str(labels.from_model(LabelSelector.from_document(selector)))
    except ValueError as error:
        raise bad_request(str(error)) from None


def labels_in_query(selector: dict[str, str] | None) -> str:
    """Return a map of labels as a selector string such as ``app=web``."""
    return ",".join(f"{name}={value}" for name, value in sorted((selector or {}).items()))


class ScaleView(View):
    """Shows an object as a Scale: its ``spec.replicas``, ``status.replicas`` and ``spec.selector``.

    Source: the type ``ScaleREST`` in the packages of kube-apiserver's workload kinds.
    """

    def __init__(self, api_version: str, selector: WrittenSelector) -> None:
        self._api_version = api_version
        self._selector = selector
        self._paths: ReplicasPaths = {api_version: ("spec", "replicas")}

    def show(self, document: Document) -> Document:
        metadata, spec = document["metadata"], document["spec"]
        status: Document = {"replicas": document["status"].get("replicas", 0)}
        if selector := self._selector(spec.get("selector")):
            status["selector"] = selector
        return {
            "kind": RESOURCE.kind,
            "apiVersion": RESOURCE.api_version,
            "metadata": {name: metadata[name] for name in _KEPT if name in metadata},
            "spec": {"replicas": spec["replicas"]} if spec.get("replicas") else {},
            "status": status,
        }

    def owners(self, document: Document) -> list[Document]:
        return scale_entries(document, self._paths)

    def put_back(self, shown: Any, current: Document) -> Document:
        entries = entries_after_scaling(current, shown.to_document(), self._api_version, self._paths)
        return {
            **current,
            "metadata": {**current["metadata"], "managedFields": entries},
            "spec": {**current["spec"], "replicas": shown.spec.replicas},
        }


def scale_subresource(api_version: str, selector: WrittenSelector = selector_in_query) -> ViewSubresource:
    """Return the declaration of the ``scale`` subresource of a kind with the apiVersion `api_version`.

    `selector` gets ``spec.selector`` of an object of this kind, and returns it as text, such as ``app=web``.
    """
    return ViewSubresource("scale", shown=RESOURCE, view=ScaleView(api_version, selector))
