"""What probes find out and what hooks take, in a container that only pretends to run."""

import math
from dataclasses import replace
from datetime import datetime

from memkube.apis.core.v1.podspec.types.probes import LifecycleHandler, Probe
from memkube.controllers.kubelet.behavior import ProbeBehavior
from memkube.controllers.kubelet.playback import Playback, play_to_end
from memkube.controllers.kubelet.probes import ProbeResult, failure_text
from memkube.controllers.kubelet.programs.program import Budget, Session, Traps
from memkube.controllers.kubelet.programs.shell import play

_LONGEST_HOOK = 3600.0


def probe_result(
    decided: ProbeBehavior | None, probe: Probe, run_seconds: float, session: Session, pod_ip: str
) -> ProbeResult:
    """The result of a check: what is decided for it, else that of its command, else success."""
    if decided is not None:
        succeeded = decided.succeeds(run_seconds)
        return ProbeResult(succeeded, "" if succeeded else decided.message or failure_text(probe, pod_ip))
    if probe.exec is None:
        return ProbeResult(True)
    limit = float(max(probe.timeoutSeconds, 1))
    played = _played(probe.exec.command, session, limit)
    if played.seconds == math.inf:
        return ProbeResult(True)
    if played.code is None:
        return ProbeResult(False, f'command timed out: "{" ".join(probe.exec.command)}" timed out after {limit:g}s')
    return ProbeResult(played.code == 0, played.output)


def hook_seconds(handler: LifecycleHandler | None, session: Session) -> float:
    """How long a hook takes; one whose command is not played takes no time."""
    if handler is None:
        return 0
    if handler.sleep is not None:
        return handler.sleep.seconds
    if handler.exec is None:
        return 0
    seconds = _played(handler.exec.command, session, _LONGEST_HOOK).seconds
    return 0 if seconds == math.inf else min(seconds, _LONGEST_HOOK)


def hook_fails(handler: LifecycleHandler | None, session: Session) -> bool:
    """Whether a hook's command ends with a code other than 0."""
    if handler is None or handler.exec is None:
        return False
    return bool(_played(handler.exec.command, session, _LONGEST_HOOK).code)


def at_instant(session: Session, instant: datetime) -> Session:
    """The session of a further program in the same container, with an environment of its own."""
    return replace(
        session,
        environment=dict(session.environment),
        variables={},
        now=lambda: instant,
        runs_on=True,
        budget=Budget(),
        traps=Traps(),
    )


def _played(command: list[str], session: Session, limit: float) -> Playback:
    if not command:
        return Playback(0, "", 0)
    inner = at_instant(session, session.now())
    return play_to_end(play(command, inner), limit)
