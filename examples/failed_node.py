"""Lose a node, and see its pods replaced elsewhere: six minutes that take a second, as the clock stands still.

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
    """The address in the kubeconfig that ``memkube run`` sets."""
    found = re.search(r"server: (\S+)", Path(os.environ["KUBECONFIG"]).read_text())
    assert found is not None
    return found[1].strip("\"'")


def call(method: str, path: str, body: Any = None) -> Any:
    """The answer of the server, decoded."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(server() + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def advance(seconds: float) -> None:
    """Moves the clock; returns when everything that this sets off has happened."""
    call("POST", f"{CONTROL}/clock/advance", {"seconds": seconds})


def deploy(replicas: int) -> None:
    """A Deployment of pods that stay on a lost node for five minutes, as is the default."""
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
    """The nodes of the pods that are ready and are to stay."""
    return {
        pod["metadata"]["name"]: pod["spec"]["nodeName"]
        for pod in call("GET", PODS)["items"]
        if "deletionTimestamp" not in pod["metadata"]
        and any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", ()))
    }


def ready_condition(node: str) -> str:
    """Whether a node is ready: True, False or Unknown."""
    conditions = call("GET", f"/api/v1/nodes/{node}")["status"]["conditions"]
    status: str = next(c["status"] for c in conditions if c["type"] == "Ready")
    return status


def main() -> None:
    """Three pods on three nodes, of which one is lost and comes back."""
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
