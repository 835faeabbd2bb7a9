"""Show a container crash for twenty simulated minutes in well under a second, by moving the server's clock.

    python examples/crash_loop.py

The container is restarted at once, and then after growing delays: 10, 20, 40, 80 and 160 seconds, then always 300.
"""

import json
import time
import urllib.request
from typing import Any

from memkube.server.server import Server
from memkube.server.settings import Settings

PODS = "/api/v1/namespaces/default/pods"
POD = {
    "metadata": {"name": "crash"},
    "spec": {"containers": [{"name": "main", "image": "busybox", "command": ["sh", "-c", "echo failed; exit 1"]}]},
}
PAUSES = [0, 10, 20, 40, 80, 160, 300, 300]


def call(url: str, body: Any = None) -> Any:
    """Return the decoded response to a GET, or to a POST with a body."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, {"Content-Type": "application/json"})) as answer:
        return json.load(answer)


def watch_crashes(server: Server, minutes: int) -> list[int]:
    """Advance the clock in steps of ten seconds and print every restart; return the delays in seconds."""
    pauses: list[int] = []
    for second in range(0, minutes * 60, 10):
        server.advance(10 if second else 0)
        (status,) = call(f"{server.url}{PODS}/crash")["status"]["containerStatuses"]
        while len(pauses) < status["restartCount"]:
            pauses.append(second - sum(pauses))
            back_off, _, _ = status["state"]["waiting"]["message"].partition(" restarting")
            print(f"{second:4} s: restart {len(pauses)}, then {back_off}")
    return pauses


def main() -> None:
    """Run a server with one node and show the crashes of a pod on it."""
    with Server(Settings(clock="stepped")).in_thread() as server:
        begun = time.perf_counter()
        call(f"{server.url}{PODS}", POD)
        pauses = watch_crashes(server, minutes=20)
        print(f"20 minutes took {time.perf_counter() - begun:.2f} s")
    assert pauses == PAUSES, pauses


if __name__ == "__main__":
    main()
