"""The error responses of the control API."""

from pathlib import Path

import httpx

from memkube.server.server import Server
from memkube.server.settings import Settings, StorageOptions
from tests.etcd_server import EtcdServer, needs_etcd


def test_a_name_that_is_not_allowed_is_refused_in_words(client: httpx.Client) -> None:
    answer = client.put("/memkube/v1/rules/My_Rule", json={"exitCode": 1})
    said = "name: may contain lower-case letters, digits, - and ., and must begin and end with a letter or a digit"
    assert (answer.status_code, answer.json()["message"]) == (422, said)


@needs_etcd
def test_storage_that_does_not_answer_is_told_by_a_status(tmp_path: Path) -> None:
    etcd = EtcdServer(tmp_path)
    place = StorageOptions.of(f"etcd:{etcd.url}")
    try:
        with (
            Server(Settings(controllers=(), storage=place)).in_thread() as server,
            httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client,
        ):
            etcd.kill()
            answer = client.post("/memkube/v1/faults/compact-history")
    finally:
        etcd.kill()
    assert (answer.status_code, answer.json()["kind"]) == (500, "Status")
