"""Ansible with running pods (commands, logs and files), and with an overloaded server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memkube import Memkube, faults
from tests.clients.ansible.playbook import Ansible, needs_ansible

pytestmark = [pytest.mark.slow, needs_ansible]


@pytest.fixture(scope="module")
def kube() -> Iterator[Memkube]:
    with Memkube() as started:
        yield started


@pytest.fixture(scope="module")
def ansible(kube: Memkube, tmp_path_factory: pytest.TempPathFactory) -> Ansible:
    """Ansible with a cluster in which a pod runs."""
    container = {"name": "main", "image": "nginx:1", "command": ["sh", "-c", "echo begun; exec nginx"]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [container]}}
    kube.apply(pod)
    kube.wait_for("pods", "web", "condition=Ready")
    return Ansible(kube.kubeconfig, tmp_path_factory.mktemp("ansible"))


def test_commands_run_and_logs_are_read(ansible: Ansible) -> None:
    play = ansible.play("""
- name: a command that fails
  kubernetes.core.k8s_exec: {namespace: default, pod: web, command: "sh -c 'echo out; echo err >&2; exit 3'"}
  ignore_errors: true
- name: the log
  kubernetes.core.k8s_log: {namespace: default, name: web, tail_lines: 1}
""")
    command = play.result("a command that fails")
    assert (command["rc"], command["stdout"], command["stderr"]) == (3, "out\n", "err\n")
    assert play.result("the log")["log"] == "begun\n"


def test_files_are_copied_into_a_pod_and_out_of_it(ansible: Ansible, tmp_path: Path) -> None:
    play = ansible.play(f"""
- name: into the pod
  kubernetes.core.k8s_cp: {{namespace: default, pod: web, remote_path: /tmp/greeting, content: "hello\\nyou\\n"}}
- name: out of the pod
  kubernetes.core.k8s_cp:
    {{namespace: default, pod: web, remote_path: /tmp/greeting, local_path: {tmp_path}/greeting, state: from_pod}}
- name: is what it was
  ansible.builtin.slurp: {{src: {tmp_path}/greeting}}
""")
    assert list(play.outcomes().values()) == ["changed", "changed", "ok"]
    assert play.result("is what it was")["content"] == "aGVsbG8KeW91Cg=="


def test_a_task_is_tried_until_the_server_has_time_for_it(ansible: Ansible, kube: Memkube) -> None:
    busy = kube.faults.add(faults.error(503), verb="create", resource="configmaps", first=2)
    with busy:
        play = ansible.play("""
- name: made at last
  kubernetes.core.k8s:
    definition: {apiVersion: v1, kind: ConfigMap, metadata: {name: late, namespace: default}}
  register: made
  until: made is succeeded
  retries: 5
  delay: 0
""")
    assert play.outcomes() == {"made at last": "changed"}
    assert (busy.hits, play.result("made at last")["attempts"]) == (2, 3)
