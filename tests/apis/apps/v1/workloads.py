"""Workload objects with the defaults that a server sets."""

from typing import Any

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.catalog import served_resources

TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]},
}


def workload(kind: str, **spec: Any) -> Any:
    """Return a workload of this kind with defaults, whose pods have the label ``app: web``."""
    resource = next(r for r in served_resources() if r.kind == kind)
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE, **spec}
    metadata = {"name": "web", "namespace": "default", "resourceVersion": "1"}
    obj: ApiObject = resource.model.from_document({"metadata": metadata, "spec": spec})
    resource.strategy.default(obj)
    return obj
