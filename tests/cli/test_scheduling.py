from memkube import Memkube
from tests.cli.processes import run_memkube


def test_the_scheduling_of_a_pod_is_explained_in_lines(environment: dict[str, str]) -> None:
    spec = {"containers": [{"name": "app", "image": "nginx"}], "nodeSelector": {"kubernetes.io/hostname": "node-2"}}
    with Memkube(nodes=2, clock="stepped") as kube:
        kube.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec})
        said = run_memkube({**environment, "MEMKUBE_SERVER": kube.url}, "scheduling", "web").stdout.splitlines()
    assert said[:3] == [
        "default/web is on node node-2.",
        "The scheduler would choose node-2.",
        "node-1 rejected by NodeAffinity: node(s) didn't match Pod's node affinity/selector",
    ]
    assert said[3].startswith("node-2 fits, score ")
