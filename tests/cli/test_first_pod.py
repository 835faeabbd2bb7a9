import subprocess
import sys

_PROGRAM = """
import sys, memkube
from memkube.cli.first_pod import prepare_soon

prepare_soon(0).join()
pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}
pod["spec"] = {"containers": [{"name": "web", "image": "nginx"}]}
with memkube.Memkube() as kube:
    kube.object("nodes", "node-1")
    before = {*sys.modules}
    kube.apply(pod)
    kube.wait_for("pods", "web", "condition=Ready")
    print(sorted({*sys.modules} - before))
"""


def test_the_first_pod_imports_nothing_where_that_has_been_prepared() -> None:
    command = [sys.executable, "-c", _PROGRAM]
    printed = subprocess.run(command, text=True, capture_output=True, check=True, timeout=60).stdout
    assert printed == "[]\n"
