"""A hub with one user, in kubespawner's own environment: each line of input is what it does with the user's spawner.

The hub itself is not there. What it does with a spawner is to make it, load what it kept of it, start it and show its
progress, ask whether it still runs, and stop it.
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
    """The spawner of one user, made anew as often as the hub starts."""

    def __init__(self) -> None:
        self._spawner: Any = None

    async def make(self, user: str, options: dict[str, Any], state: dict[str, Any]) -> None:
        """Makes a spawner as a hub does that has just started."""
        self._spawner = KubeSpawner(
            user=SimpleNamespace(name=user, id=1, url=f"/user/{user}/", escaped_name=user),
            hub=HUB,
            config=Config(KubeSpawner=options),
            api_token="token",
            oauth_client_id="client",
        )
        self._spawner.load_state(state)

    async def start(self) -> dict[str, Any]:
        """Starts the server; tells its address and what the user is shown meanwhile."""
        url, shown = await asyncio.gather(self._spawner.start(), self._progress())
        return {"url": url, "shown": shown, "state": self._spawner.get_state()}

    async def poll(self) -> int | None:
        """None while it runs, else how it ended."""
        code: int | None = await self._spawner.poll()
        return code

    async def poll_until_it_ends(self) -> int:
        """Asks again and again, as a hub does every half minute."""
        while (code := await self.poll()) is None:  # noqa: ASYNC110  spawners tell only who asks
            await asyncio.sleep(0.1)
        return code

    async def stop(self) -> None:
        """Stops it, and waits until the reflector has seen it go."""
        await self._spawner.stop()

    async def delete_forever(self) -> None:
        """The user is deleted, with all that was kept for him."""
        await self._spawner.delete_forever()

    async def seen(self) -> list[str]:
        """The pods that the reflector knows."""
        return sorted(self._spawner.pod_reflector.pods)

    async def _progress(self) -> list[str]:
        return [shown["message"].split("] ")[1] async for shown in self._spawner.progress()]


async def main() -> None:
    """Does what it is told until it is told no more."""
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
