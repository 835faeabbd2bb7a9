"""The example of "Disruptions" in the Kubernetes documentation: drain nodes while a budget protects a web service.

    memkube run --nodes 3 --clock stepped -- python examples/disruptions.py

pod-a, pod-b and pod-c belong to one application, of which two pods have to be available; pod-x belongs to another,
without a budget. All requests are made with kubectl. Time passes only when the program calls ``advance``, and after
each step the program checks that the pods are where the documentation says. Only Python and kubectl are required.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

MANIFESTS = Path(__file__).parent / "manifests" / "disruptions"
CLOCK = "/memkube/v1/clock/advance"
NEW_NAMES = {"web": iter(("pod-d", "pod-e", "pod-f")), "other": iter(("pod-y",))}


def kubectl(*words: str, stdin: str = "") -> str:
    """Run kubectl and return its output. Raises CalledProcessError if kubectl fails."""
    return subprocess.run(["kubectl", *words], input=stdin, text=True, stdout=subprocess.PIPE, check=True).stdout


def advance(seconds: float) -> None:
    """Advance the clock; return when the controllers have finished everything that became due."""
    kubectl("create", "--raw", CLOCK, "-f", "-", stdin=json.dumps({"seconds": seconds}))


class Drain:
    """A ``kubectl drain``, which runs until the pods that it evicts are gone."""

    def __init__(self, node: str, *options: str) -> None:
        self._process = subprocess.Popen(
            ["kubectl", "drain", node, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def wait_until_refused(self) -> None:
        """Return when the budget has refused an eviction; kubectl retries until the eviction succeeds."""
        assert self._process.stderr is not None
        refusal = "Cannot evict pod as it would violate the pod's disruption budget."
        assert any(refusal in line for line in self._process.stderr), "no pod was refused"

    def give_up(self) -> None:
        """Terminate kubectl, as a user does with Ctrl-C."""
        self._process.terminate()
        self._process.communicate()

    def finish(self) -> None:
        """Return when the node is drained."""
        _, problems = self._process.communicate()
        assert self._process.returncode == 0, problems


def wait_until_terminating(*pods: str) -> None:
    """Return when all of the pods are terminating."""
    kubectl("wait", "--for=jsonpath={.metadata.deletionTimestamp}", "--timeout=20s", *(f"pod/{pod}" for pod in pods))


class Story:
    """The progress of the example, with the names that the documentation gives to replacement pods."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def real_name(self, name: str) -> str:
        """Return the name in the cluster of a pod of the documentation."""
        return next((real for real, told in self._names.items() if told == name), name)

    def first_terminating(self, *pods: str) -> str:
        """Wait until one of the pods is terminating, and return the name of that pod."""
        while True:
            for pod in pods:
                if kubectl("get", "pod", self.real_name(pod), "-o", "jsonpath={.metadata.deletionTimestamp}"):
                    return pod

    def tell(self, what: str, expected: dict[str, str]) -> None:
        """Print the pods on each node, and check that they are as expected."""
        print(f"\n{what}")
        found: dict[str, list[str]] = {}
        pods = json.loads(kubectl("get", "pods", "-o", "json", "--sort-by=.metadata.creationTimestamp"))["items"]
        for pod in pods:
            found.setdefault(pod["spec"].get("nodeName", "no node"), []).append(f"{self._name(pod)} {state(pod)}")
        shown = {node: ", ".join(sorted(pods)) for node, pods in sorted(found.items())}
        for node, line in shown.items():
            print(f"  {node}: {line}")
        assert shown == expected, f"the documentation says {expected}"

    def _name(self, pod: Any) -> str:
        name: str = pod["metadata"]["name"]
        if not name.startswith("pod-") and name not in self._names:
            self._names[name] = next(NEW_NAMES[pod["metadata"]["labels"]["app"]])
        return self._names.get(name, name)


def state(pod: Any) -> str:
    """Return the documentation's word for the state of a pod."""
    if "deletionTimestamp" in pod["metadata"]:
        return "terminating"
    if "nodeName" not in pod["spec"]:
        return "pending"
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"]["conditions"])
    return "available" if ready else "starting"


def main() -> None:
    """Drain node-1 and then node-2, as the documentation does."""
    story = Story()
    kubectl("apply", "-f", str(MANIFESTS / "pods.yaml"), "-f", str(MANIFESTS / "replicas.yaml"))
    advance(10)
    drain_first_node(story)
    evicted, kept = drain_second_node(story)

    kubectl("uncordon", "node-1")
    advance(180)
    rest = {"node-1": "pod-e available", "node-3": "pod-c available, pod-y available"}
    story.tell("node-1 is added back, and pod-e starts there", rest | {"node-2": f"{kept} available"})
    drain = Drain("node-2")
    wait_until_terminating(story.real_name(kept))
    advance(30)
    drain.finish()
    rest |= {"node-1": "pod-e available, pod-f starting"}
    story.tell(f"node-2 is drained: {kept} was evicted after {evicted}", rest)
    print("\nAll this is what the documentation says.")


def drain_first_node(story: Story) -> None:
    """Drain node-1: both pods are evicted at once and replaced."""
    others = {"node-2": "pod-b available", "node-3": "pod-c available"}
    story.tell("At first", {"node-1": "pod-a available, pod-x available"} | others)

    drain = Drain("node-1")
    wait_until_terminating("pod-a", "pod-x")
    advance(10)
    others = {"node-2": "pod-b available, pod-d starting", "node-3": "pod-c available, pod-y available"}
    leaving = {"node-1": "pod-a terminating, pod-x terminating"}
    story.tell("node-1 is drained: both pods are evicted, and replaced elsewhere", leaving | others)

    advance(20)
    drain.finish()
    story.tell("They had 30 seconds to end, and node-1 is drained", others)

    drain = Drain("node-3", "--pod-selector=app=web")
    drain.wait_until_refused()
    drain.give_up()
    kubectl("uncordon", "node-3")
    story.tell("Somebody was impatient, and may not drain node-3: only two pods of web are available", others)


def drain_second_node(story: Story) -> tuple[str, str]:
    """Drain node-2: one of two pods is evicted, and there is no room for its replacement. Return both pods."""
    advance(180)
    rest = {"node-3": "pod-c available, pod-y available"}
    story.tell("Three minutes later pod-d is available", rest | {"node-2": "pod-b available, pod-d available"})

    drain = Drain("node-2")
    drain.wait_until_refused()
    evicted = story.first_terminating("pod-b", "pod-d")
    kept = "pod-b" if evicted == "pod-d" else "pod-d"
    drain.give_up()
    advance(30)
    rest |= {"node-2": f"{kept} available", "no node": "pod-e pending"}
    story.tell(f"{evicted} was evicted, {kept} was not, and there is no room for pod-e", rest)
    return evicted, kept


if __name__ == "__main__":
    main()
