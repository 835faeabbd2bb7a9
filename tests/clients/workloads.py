"""Objects that the client programs create."""

from typing import Any, Final

Document = dict[str, Any]

LABELS: Final = {"app": "web"}
SELECTOR: Final = "app=web"
# After three lines, the script runs until it is terminated.
WRITES_THREE_LINES: Final = "echo one; echo two; echo three; sleep 3600"

# The script exits after three lines.
WRITES_EACH_20_SECONDS: Final = "for n in 1 2 3; do echo line $n; sleep 20; done"


def deployment(image: str = "nginx:1", replicas: int = 3) -> Document:
    """Return a Deployment of web servers with a progress deadline of a minute."""
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
    """Return a PodDisruptionBudget for the web servers."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web"},
        "spec": {"minAvailable": min_available, "selector": {"matchLabels": LABELS}},
    }


def pod(name: str, script: str = "") -> Document:
    """Return a pod whose container ``main`` is a web server, or runs a script and exits."""
    played: Document = {"image": "busybox:1", "command": ["sh", "-c", script]}
    served: Document = {"image": "nginx:1", "ports": [{"containerPort": 80}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "main", **(played if script else served)}]},
    }


def config_map(name: str, **data: str) -> Document:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def site_definition() -> Document:
    """Return the definition of a custom kind with the subresources status and scale."""
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
    """Return an object of the custom kind."""
    spec = {"host": f"{name}.example.com", **spec}
    return {"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"name": name}, "spec": spec}


def is_rolled_out(deployment: Document) -> bool:
    """True if a Deployment meets the condition that ``kubectl rollout status`` waits for."""
    status, wanted = deployment.get("status", {}), deployment["spec"]["replicas"]
    return bool(
        status.get("observedGeneration") == deployment["metadata"]["generation"]
        and status.get("updatedReplicas") == status.get("replicas") == status.get("availableReplicas") == wanted
    )


def condition(document: Document, kind: str) -> Document:
    """Return the condition of this type. Its status is Unknown if the object has no such condition."""
    conditions = document.get("status", {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] == kind), {"status": "Unknown"})


def is_ready(document: Document) -> bool:
    """True if a pod or a node is ready."""
    return bool(condition(document, "Ready")["status"] == "True")
