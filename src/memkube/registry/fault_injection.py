"""Injected faults that apply to a request before it is handled: delays, errors and dropped connections."""

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.errors import timeout
from memkube.faults.active import ActiveFault, Asker, ConnectionDropped, wait_for_delay
from memkube.faults.attributes import Stage
from memkube.faults.refusals import refusal
from memkube.registry.registry import Registry
from memkube.time.clock import Clock, SteppedClock, Timer

if TYPE_CHECKING:
    from memkube.faults.effects import Delay

MAX_WAIT: Final = 30.0
"""Seconds of real time after which a delayed request fails if no client advances the clock far enough.

Applies to a stepped clock, which moves only when a client advances it.
"""
_LOGGER = logging.getLogger("memkube")


async def apply_request_faults(
    registry: Registry, asker: Asker, version: str = "", max_wait: float | None = MAX_WAIT
) -> bool:
    """Apply the faults that match a request, one after another, until a fault ends the request.

    Return True if the connection must be dropped after the request has been processed. `asker` is the request, and
    `version` its resourceVersion.

    A fault may delay the request by the server's clock. If that is a stepped clock, which moves only when a client
    advances it, `max_wait` limits the delay, in seconds of real time; None means no limit.

    Raises ApiError if a fault answers with an error, or 504 if the clock is not advanced far enough within `max_wait`.
    Raises ConnectionDropped if a fault drops the connection before the request is processed.
    """
    asked, loses_answer = asker.asked(), False
    for fault in registry.faults.about(Stage.REQUEST):
        if not fault.falls_on(asked, registry.clock.now()):
            continue
        asker.was_hit(fault.name)
        effect = fault.rule.effect
        if effect.type == "delay":
            await _wait(fault, effect, registry.clock, max_wait)
        elif effect.type == "compactHistory":
            await registry.forget_history()
        elif effect.type == "error":
            raise refusal(effect, asked, version, await registry.backend.storage.current_revision())
        elif effect.type == "drop":
            if not effect.after_write:
                raise ConnectionDropped
            loses_answer = True
    return loses_answer


async def _wait(fault: ActiveFault, effect: "Delay", clock: Clock, max_wait: float | None) -> None:
    """Delay a request by the time in `effect`, the effect of `fault`.

    Raises ApiError 504 if a stepped clock is not advanced far enough within `max_wait` seconds of real time.
    """
    if not effect.seconds:
        return
    loop = asyncio.get_running_loop()
    passing: asyncio.Future[None] = loop.create_future()

    def pass_on() -> None:
        if not passing.done():
            passing.set_result(None)

    is_still = effect.clock == "server" and isinstance(clock, SteppedClock)
    if effect.clock == "wall":
        timer: Timer = loop.call_later(effect.seconds, pass_on)
    else:
        timer = clock.call_at(clock.now() + timedelta(seconds=effect.seconds), pass_on)
    if is_still:
        _LOGGER.info("fault %s delays a request until the clock is advanced by %g s", fault.name, effect.seconds)
    try:
        async with asyncio.timeout(max_wait if is_still else None):
            await wait_for_delay(fault, passing)
    except TimeoutError:
        delay = f"fault {fault.name} delays the request by {effect.seconds:g} s of the server's clock"
        raise timeout(f"{delay}, but the clock has not been advanced that far", 0) from None
    finally:
        timer.cancel()
