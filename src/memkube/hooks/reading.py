"""GET requests to extension API servers."""

import asyncio
from collections.abc import Mapping

from memkube.hooks.client import MOST_ANSWER_BYTES, Answer, HookClient
from memkube.hooks.configuration import ClientConfig, HookFailed


async def read(
    client: HookClient, config: ClientConfig, target: str, headers: Mapping[str, str], seconds: float
) -> Answer:
    """Send a GET request for `target` (path and query) to the server of `config`, and return the response.

    The response is returned whatever its status code, and redirects are not followed. Raises HookFailed if the request
    fails, the response is too long, or no complete response arrives within `seconds`; its message contains neither the
    method nor the URL.
    """
    import httpcore  # noqa: PLC0415  imported on the first call

    lines = [("Host", config.base.authority), *headers.items()]
    request = httpcore.Request("GET", client.url(config, target.encode()), headers=lines)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds), client.stream(config, request) as response:
            async for part in response.aiter_stream():
                parts.append(part)
                size += len(part)
                if size > MOST_ANSWER_BYTES:
                    raise HookFailed(f"response body is longer than {MOST_ANSWER_BYTES} bytes")
            named = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            return Answer(response.status, named, b"".join(parts))
    except TimeoutError:
        raise HookFailed("context deadline exceeded") from None
    except httpcore.RemoteProtocolError:
        raise HookFailed("unexpected EOF") from None
