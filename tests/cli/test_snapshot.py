import subprocess
from pathlib import Path

import httpx

from tests.cli.processes import MEMKUBE, SOON, serving

_MAPS = "/api/v1/namespaces/default/configmaps"


def memkube(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MEMKUBE, *words], env=environment, capture_output=True, text=True, timeout=SOON, check=False
    )


def test_a_server_is_saved_restored_and_begun_again(environment: dict[str, str], tmp_path: Path) -> None:
    file = str(tmp_path / "saved.jsonl")
    with serving(environment, "--clock", "stepped") as server, httpx.Client(base_url=server.url) as client:
        client.post(_MAPS, json={"metadata": {"name": "kept"}}).raise_for_status()
        saved = memkube(environment, "snapshot", "save", file, "--server", server.url)
        assert (saved.returncode, saved.stdout) == (0, f"saved {file}\n")
        client.delete(f"{_MAPS}/kept").raise_for_status()
        restored = memkube(environment, "snapshot", "restore", file, "--server", server.url)
        assert restored.returncode == 0
        assert restored.stdout.startswith("restored ")
        assert client.get(f"{_MAPS}/kept").status_code == 200
        now = client.get("/memkube/v1/clock").json()
    with serving(environment, "--snapshot", file) as server:
        assert httpx.get(f"{server.url}{_MAPS}/kept").status_code == 200
        assert httpx.get(f"{server.url}/memkube/v1/clock").json() == now


def test_what_is_no_snapshot_is_told_in_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text("nothing\n")
    for words in (("snapshot", "restore", str(file)), ("serve", "--snapshot", str(file))):
        refused = memkube(environment, *words)
        assert refused.returncode == 1
        assert refused.stderr.startswith(f"memkube: {file}: line 1: the line is not JSON")
        assert refused.stderr.count("\n") == 1


def test_nothing_is_left_of_a_snapshot_that_cannot_be_saved(environment: dict[str, str], tmp_path: Path) -> None:
    refused = memkube(environment, "snapshot", "save", str(tmp_path / "a.jsonl"), "--server", "http://127.0.0.1:1")
    assert refused.returncode == 1
    assert list(tmp_path.glob("*.jsonl*")) == []
    assert list(tmp_path.glob(".a*")) == []
