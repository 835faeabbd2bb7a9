"""Plays a JupyterHub with one user in kubespawner's own environment: each line of input is a call of the spawner.

The hub itself does not run. The program does what the hub does with a spawner: create it, load its state, start it and
show its progress, poll it, and stop it.
"""

import asyncio
import json
import sys
from types import SimpleNamespace
from typing import Any

from kubespawner import KubeSpawner
from traitlets.config import Config

HUB = SimpleNamespace(public_host="", url="http://hub/hub/", base_url="/hub/", api_url="http://hub/hub/api")


class Spawners:
    """The spawner of one user, which is created anew when the hub restarts."""

    def __init__(self) -> None:
        self._spawner: Any = None

    async def make(self, user: str, options: dict[str, Any], state: dict[str, Any]) -> None:
        """Create a spawner as a hub does after its start."""
        self._spawner = KubeSpawner(
            user=SimpleNamespace(name=user, id=1, url=f"/user/{user}/", escaped_name=user),
            hub=HUB,
            config=Config(KubeSpawner=options),
            api_token="token",
            oauth_client_id="client",
        )
        self._spawner.load_state(state)

    async def start(self) -> dict[str, Any]:
        """Start the user's server. Return its URL and the progress messages."""
        url, shown = await asyncio.gather(self._spawner.start(), self._progress())
        return {"url": url, "shown": shown, "state": self._spawner.get_state()}

    async def poll(self) -> int | None:
        """Return None while the user's server runs, otherwise its exit code."""
        code: int | None = await self._spawner.poll()
        return code

    async def poll_until_it_ends(self) -> int:
        """Poll until the user's server has ended, as a hub does every half minute."""
        while (code := await self.poll()) is None:  # noqa: ASYNC110  spawners tell only who asks
            await asyncio.sleep(0.1)
        return code

    async def stop(self) -> None:
        """Stop the user's server, and wait until the reflector has seen the deletion."""
        await self._spawner.stop()

    async def delete_forever(self) -> None:
        """Delete everything that was kept for the user."""
        await self._spawner.delete_forever()

    async def seen(self) -> list[str]:
        """Return the names of the pods that the reflector knows."""
        return sorted(self._spawner.pod_reflector.pods)

    async def _progress(self) -> list[str]:
        return [shown["message"].split("] ")[1] async for shown in self._spawner.progress()]


async def main() -> None:
    """Run the calls in the lines of input until the input ends."""
    spawners = Spawners()
    while line := await asyncio.to_thread(sys.stdin.readline):
        method, arguments = json.loads(line)
        try:
            answer = {"result": await getattr(spawners, method)(**arguments)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
