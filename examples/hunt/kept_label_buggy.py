"""Gives the ConfigMap of each Widget the labels of the Widget's spec, with the dynamic client.

The bug: labels that are removed from the spec stay on the ConfigMap, because a merge patch only adds. Acto (SOSP 2023)
finds this kind by changing the custom resource; cloudfoundry-incubator/quarks-operator mended it for the annotations of
its StatefulSets (pull request 1275).
"""

from typing import Any

from controller import owned
from dynamic import follow, resource


def reconcile(widget: dict[str, Any]) -> None:
    """Make the ConfigMap of a Widget as it should be."""
    name, labels = f"{widget['metadata']['name']}-settings", widget["spec"].get("labels") or {}
    found = resource("v1", "ConfigMap").find(name)
    if found is None:
        config_map = owned(widget, name)
        config_map["metadata"]["labels"] = labels
        resource("v1", "ConfigMap").create(config_map)
    elif found["metadata"].get("labels", {}) != labels:
        resource("v1", "ConfigMap").merge(name, {"metadata": {"labels": labels}})


follow(reconcile)
