from typing import Any

import pytest

from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

_WRITES = "sleep 15; printf 0123456789 > /data/file; sleep 3600"
_TALKS = "echo 0123456789; sleep 3600"
_MOUNTS = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}


def _limited(script: str, limit: str, **fields: Any) -> list[dict[str, Any]]:
    return [container("c0", script, resources={"limits": {"ephemeral-storage": limit}}, **fields)]


def _volumes(**source: str) -> list[dict[str, Any]]:
    return [{"name": "data", "emptyDir": source}]


async def _evicted(box: Sandbox) -> str:
    """Return the message of the pod's eviction; "" if it was not evicted."""
    status = await box.status()
    if status.get("reason") != "Evicted":
        return ""
    assert status["phase"] == "Failed"
    assert await box.events("Evicted") == [status["message"]]
    return str(status["message"])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            {"containers": [container("c0", _WRITES, **_MOUNTS)], "volumes": _volumes(sizeLimit="9")},
            'Usage of EmptyDir volume "data" exceeds the limit "9". ',
        ),
        ({"containers": [container("c0", _WRITES, **_MOUNTS)], "volumes": _volumes(sizeLimit="10")}, ""),
        ({"containers": [container("c0", _WRITES, **_MOUNTS)], "volumes": _volumes()}, ""),
        (
            {"containers": _limited(_WRITES, "9", **_MOUNTS), "volumes": _volumes()},
            "Pod ephemeral local storage usage exceeds the total limit of containers 9. ",
        ),
        ({"containers": _limited(_WRITES, "9", **_MOUNTS), "volumes": _volumes(medium="Memory")}, ""),
        (
            {"containers": _limited(_TALKS, "10")},
            "Pod ephemeral local storage usage exceeds the total limit of containers 10. ",
        ),
        (
            {"containers": [*_limited(_TALKS, "10"), {**_limited("sleep 3600", "1Ki")[0], "name": "c1"}]},
            'Container c0 exceeded its local ephemeral storage limit "10". ',
        ),
        ({"containers": _limited(_TALKS, "11")}, ""),
    ],
    ids=["volume", "full volume", "no limit", "pod", "volume in memory", "log", "one container", "full log"],
)
async def test_a_pod_that_writes_more_than_it_may_is_evicted(spec: dict[str, Any], message: str) -> None:
    async with sandbox() as box:
        await box.create(**spec)
        await box.advance(22)
        assert await _evicted(box) == message


async def test_an_evicted_pod_has_a_second_to_end() -> None:
    async with sandbox() as box:
        await box.create(containers=_limited(_TALKS, "10"))
        await box.advance(10)
        assert "running" in (await box.container())["state"]
        await box.advance(2)
        assert (await box.container())["state"]["terminated"]["exitCode"] == 137


async def test_a_critical_pod_is_not_evicted() -> None:
    async with sandbox() as box:
        await box.create(containers=_limited(_TALKS, "10"), priorityClassName="system-node-critical")
        await box.advance(60)
        assert await _evicted(box) == ""
