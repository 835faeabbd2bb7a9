"""Containers that share a volume, as in the examples of the Kubernetes documentation."""

from typing import Any

import pytest

from tests.controllers.kubelet.connections.client import logged
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox, sidecar

pytestmark = pytest.mark.anyio

_COUNTS = """
i=0;
while true;
do
  echo "$i: $(date +%S)" >> /var/log/1.log;
  echo "$(date +%S) INFO $i" >> /var/log/2.log;
  i=$((i+1));
  sleep 1;
done
"""


async def test_a_counter_logs_a_line_each_second() -> None:
    async with sandbox() as box:
        script = 'i=0; while true; do echo "$i: $(date)"; i=$((i+1)); sleep 1; done'
        await box.create(containers=[{"name": "c0", "image": "busybox", "args": ["/bin/sh", "-c", script]}])
        await box.advance(2)
        assert [line.split(":")[0] for line in (await logged(box)).splitlines()] == ["0", "1", "2"]


async def test_a_helper_streams_a_file_that_another_container_writes() -> None:
    async with sandbox() as box:
        await _share(box, "/var/log", c0=_COUNTS, c1="tail -n+1 -F /var/log/1.log", c2="tail -n+1 -F /var/log/2.log")
        await box.advance(3)
        first, second = await logged(box, "c1"), await logged(box, "c2")
        assert [line.split(":")[0] for line in first.splitlines()] == ["0", "1", "2", "3"]
        assert [line[2:] for line in second.splitlines()] == [" INFO 0", " INFO 1", " INFO 2", " INFO 3"]


async def test_a_helper_adapts_what_it_reads() -> None:
    async with sandbox() as box:
        adapts = 'touch /data/raw; tail -F /data/raw | while read line; do echo "adapted: $line"; done'
        writes = "while true; do echo event >> /data/raw; sleep 2; done"
        await _share(box, "/data", init=[sidecar("s0", adapts)], c0=writes)
        await box.advance(3)
        assert await logged(box, "s0") == "adapted: event\nadapted: event\n"


async def test_what_an_init_container_prepares_is_there() -> None:
    async with sandbox() as box:
        prepares = "seq 3 | tr '\\n' ' ' > /scratch/list; echo done >> /scratch/list"
        await _share(box, "/scratch", init=[container("i0", prepares)], c0="rev < /scratch/list; sleep 60")
        assert await logged(box) == "enod 3 2 1\n"


async def test_output_goes_to_a_file_and_to_the_log() -> None:
    async with sandbox() as box:
        await _share(box, "/logs", c0="while [ true ]; do echo Hello; sleep 10; done | tee -a /logs/hello.txt", c1="")
        await box.advance(10)
        assert await logged(box) == "Hello\nHello\n"


async def test_a_container_finds_the_names_of_hosts() -> None:
    async with sandbox() as box:
        aliases = [{"ip": "127.0.0.1", "hostnames": ["foo.local", "bar.local"]}]
        shows = {"name": "c0", "image": "busybox", "command": ["cat"], "args": ["/etc/hosts"]}
        await box.create(containers=[shows], restartPolicy="Never", hostAliases=aliases)
        added = "\n# Entries added by HostAliases.\n127.0.0.1\tfoo.local\tbar.local\n"
        assert (await logged(box)).endswith(f"10.244.1.2\tweb\n{added}")


async def test_a_hook_writes_what_the_container_reads() -> None:
    async with sandbox() as box:
        hook = {"postStart": {"exec": {"command": ["/bin/sh", "-c", "echo Hello from the hook > /usr/share/message"]}}}
        reads = "sleep 1; cat /usr/share/message; sleep 60"
        await box.create(containers=[container("c0", reads, lifecycle=hook)])
        await box.advance(1)
        assert await logged(box) == "Hello from the hook\n"


async def _share(box: Sandbox, path: str, init: list[Any] | None = None, **scripts: str) -> None:
    """Create a pod whose containers all mount the same volume."""
    mounts = [{"name": "shared", "mountPath": path}]
    containers = [container(name, script, volumeMounts=mounts) for name, script in scripts.items()]
    helpers = [{**helper, "volumeMounts": mounts} for helper in init or []]
    await box.create(containers=containers, initContainers=helpers, volumes=[{"name": "shared", "emptyDir": {}}])
