"""Protobuf, which kubectl's typed clients request since the release 1.32 and decode with Kubernetes' own code."""

from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

_HEADER = "Content-Type: application/vnd.kubernetes.protobuf"


def test_kubectl_reads_an_object_that_is_answered_in_protobuf(kubectl: Kubectl) -> None:
    words = ("create", "configmap", "a", "--from-literal=b=c", "-o", "jsonpath={.data.b} {.metadata.uid}")
    done = kubectl.run(*words, "-v=8")
    assert done.stderr.count(_HEADER) == 2, "one of the request, one of the answer"
    assert done.stdout.split() == ["c", kubectl("get", "configmap", "a", "-o", "jsonpath={.metadata.uid}")]


def test_kubectl_reads_a_refusal_in_protobuf(kubectl: Kubectl) -> None:
    kubectl("create", "configmap", "a")
    done = kubectl.run("create", "configmap", "a")
    assert done.stderr == 'error: failed to create configmap: configmaps "a" already exists\n'


def test_kubectl_describes_what_it_lists_in_protobuf(kubectl: Kubectl) -> None:
    kubectl("run", "web", "--image", "nginx:1", "--env", "A=b")
    described = kubectl("describe", "pods", "web")
    assert [line.split() for line in described.splitlines() if "A:" in line] == [["A:", "b"]]
