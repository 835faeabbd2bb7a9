from memkube import Memkube
from tests.cli.processes import run_memkube


def test_it_prints_each_revision(environment: dict[str, str]) -> None:
    # Both writes have the same time, so managedFields does not tell who made the second one.
    with Memkube(controllers="none", clock="stepped") as kube:
        for colour in ("red", "blue"):
            kube.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"colour": colour}})
        first, second = (revision.revision for revision in kube.history("configmaps", "a"))
        printed = run_memkube(environment, "history", "cm", "a", "-s", kube.url).stdout.splitlines()
    assert printed[0] == f"{first} created by memkube-python (apply)"
    after = printed[printed.index(f"{second} updated") :]
    assert "    -  colour: red" in after
    assert "    +  colour: blue" in after
