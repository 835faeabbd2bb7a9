"""Fail a node and see its pods replaced on other nodes: six simulated minutes that take a second on a stepped clock.

Only the standard library is needed. Run it with ``memkube run --clock stepped --nodes 3 -- python ...``.
"""

import json
import os
import re
import urllib.request
from pathlib import Path
from typing import Any

PODS = "/api/v1/namespaces/default/pods"
CONTROL = "/memkube/v1"


def server() -> str:
    """Return the address in the kubeconfig that ``memkube run`` sets."""
    found = re.search(r"server: (\S+)", Path(os.environ["KUBECONFIG"]).read_text())
    assert found is not None
    return found[1].strip("\"'")


def call(method: str, path: str, body: Any = None) -> Any:
    """Return the decoded response of the server."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(server() + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def advance(seconds: float) -> None:
    """Advance the clock; return when the controllers have finished everything that became due."""
    call("POST", f"{CONTROL}/clock/advance", {"seconds": seconds})


def deploy(replicas: int) -> None:
    """Create a Deployment whose pods stay on a failed node for five minutes, which is the default."""
    labels = {"app": "web"}
    pod = {"containers": [{"name": "main", "image": "nginx:1.27"}]}
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
    call("POST", "/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "web"}, "spec": spec})
    advance(30)


def ready_pods() -> dict[str, str]:
    """Return the nodes of the pods that are ready and not terminating, by the pods' names."""
    return {
        pod["metadata"]["name"]: pod["spec"]["nodeName"]
        for pod in call("GET", PODS)["items"]
        if "deletionTimestamp" not in pod["metadata"]
        and any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", ()))
    }


def ready_condition(node: str) -> str:
    """Return the status of a node's Ready condition: True, False or Unknown."""
    conditions = call("GET", f"/api/v1/nodes/{node}")["status"]["conditions"]
    status: str = next(c["status"] for c in conditions if c["type"] == "Ready")
    return status


def main() -> None:
    """Run three pods on three nodes, of which one fails and recovers."""
    deploy(3)
    print(len(ready_pods()), "pods are ready")
    lost = min(ready_pods().values())
    call("POST", f"{CONTROL}/nodes/{lost}/fail")
    advance(60)
    print("one minute later the node is", ready_condition(lost), "and", len(ready_pods()), "pods are ready")
    advance(330)
    pods = ready_pods()
    print("after six and a half", len(pods), "pods are ready,", list(pods.values()).count(lost), "of them on it")
    call("POST", f"{CONTROL}/nodes/{lost}/recover")
    advance(30)
    print("it comes back, is ready:", ready_condition(lost), "and", len(call("GET", PODS)["items"]), "pods are left")


if __name__ == "__main__":
    main()
