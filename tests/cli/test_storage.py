from pathlib import Path

import httpx
import pytest

from tests.cli.processes import run_memkube, serving

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def test_what_was_answered_is_there_after_kill_9(environment: dict[str, str], tmp_path: Path) -> None:
    storage = f"--storage=sqlite:{tmp_path / 'memkube.db'}"
    with serving(environment, storage, "--controllers=none") as server:
        for name in ("one", "two"):
            answered = httpx.post(f"{server.url}{CONFIG_MAPS}", json={"metadata": {"name": name}}, trust_env=False)
            assert answered.status_code == 201
        server.process.kill()
    with serving(environment, storage, "--controllers=none") as server:
        assert httpx.get(f"{server.url}{CONFIG_MAPS}/two", trust_env=False).json() == answered.json()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--storage=tape"], "memkube: unknown storage tape: use memory, sqlite:PATH, or etcd:http://HOST:PORT"),
        (["--storage=sqlite:a.db", "--durability=some"], "memkube: unknown durability some: use strict or relaxed"),
        (["--storage=sqlite:/nowhere/a.db"], "memkube: /nowhere/a.db cannot be opened: unable to open database file"),
    ],
)
def test_storage_that_cannot_be_used_is_refused_in_a_line(
    environment: dict[str, str], options: list[str], why: str
) -> None:
    done = run_memkube(environment, "serve", "--port=0", *options)
    assert (done.returncode, done.stderr.strip()) == (1, why)
