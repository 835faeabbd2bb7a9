"""What the programs of clients deploy."""

from typing import Any, Final

Document = dict[str, Any]

LABELS: Final = {"app": "web"}
SELECTOR: Final = "app=web"
# Runs until it is told to end, and writes no more.
WRITES_THREE_LINES: Final = "echo one; echo two; echo three; sleep 3600"

# Then it ends.
WRITES_EACH_20_SECONDS: Final = "for n in 1 2 3; do echo line $n; sleep 20; done"


def deployment(image: str = "nginx:1", replicas: int = 3) -> Document:
    """Web servers, which are given a minute to make progress."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "progressDeadlineSeconds": 60,
            "selector": {"matchLabels": LABELS},
            "template": {
                "metadata": {"labels": LABELS},
                "spec": {"containers": [{"name": "web", "image": image, "ports": [{"containerPort": 80}]}]},
            },
        },
    }


def budget(min_available: int) -> Document:
    """A budget for the web servers."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web"},
        "spec": {"minAvailable": min_available, "selector": {"matchLabels": LABELS}},
    }


def pod(name: str, script: str = "") -> Document:
    """A pod whose container ``main`` is a web server, or plays a script and ends."""
    played: Document = {"image": "busybox:1", "command": ["sh", "-c", script]}
    served: Document = {"image": "nginx:1", "ports": [{"containerPort": 80}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "main", **(played if script else served)}]},
    }


def config_map(name: str, **data: str) -> Document:
    """Settings."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def site_definition() -> Document:
    """A custom kind with a status and a scale."""
    properties = {
        "spec": {
            "type": "object",
            "required": ["host"],
            "properties": {"host": {"type": "string"}, "replicas": {"type": "integer", "default": 1}},
        },
        "status": {
            "type": "object",
            "properties": {"replicas": {"type": "integer"}, "phase": {"type": "string"}},
        },
    }
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "sites.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "sites", "singular": "site", "kind": "Site"},
            "versions": [version],
        },
    }


def site(name: str, **spec: object) -> Document:
    """An object of that kind."""
    spec = {"host": f"{name}.example.com", **spec}
    return {"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"name": name}, "spec": spec}


def is_rolled_out(deployment: Document) -> bool:
    """What ``kubectl rollout status`` waits for."""
    status, wanted = deployment.get("status", {}), deployment["spec"]["replicas"]
    return bool(
        status.get("observedGeneration") == deployment["metadata"]["generation"]
        and status.get("updatedReplicas") == status.get("replicas") == status.get("availableReplicas") == wanted
    )


def condition(document: Document, kind: str) -> Document:
    """One of an object's conditions, of unknown status where it has none of that type."""
    conditions = document.get("status", {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] == kind), {"status": "Unknown"})


def is_ready(document: Document) -> bool:
    """Whether a pod or a node is."""
    return bool(condition(document, "Ready")["status"] == "True")
