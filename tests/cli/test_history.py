from memkube import Memkube
from tests.cli.processes import run_memkube


def test_it_prints_each_revision(environment: dict[str, str]) -> None:
    with Memkube(controllers="none") as kube:
        for colour in ("red", "blue"):
            kube.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"colour": colour}})
        first, second = (revision.revision for revision in kube.history("configmaps", "a"))
        printed = run_memkube(environment, "history", "cm", "a", "-s", kube.url).stdout.splitlines()
    assert printed[0] == f"{first} created by memkube-python (apply)"
    after = printed[printed.index(f"{second} updated") :]
    assert "    -  colour: red" in after
    assert "    +  colour: blue" in after
