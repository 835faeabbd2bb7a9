"""Claims that are not there (``plugins/volumerestrictions``, ``plugins/volumebinding``).

PersistentVolumeClaims are not served, so every claim that a pod names is missing. That is what a pod is told in a
cluster without the claim.
"""

from typing import Final

from memkube.apimachinery.shown_values import quoted
from memkube.controllers.scheduler.framework import Check, Impossible, Rule, Situation

NAME: Final = "VolumeBinding"


def _prepare(situation: Situation) -> Check | None:
    pod = situation.pod
    ephemeral = None
    for volume in pod.spec.get("volumes") or ():
        claim = volume.get("persistentVolumeClaim")
        if claim is not None:
            raise Impossible(NAME, f"persistentvolumeclaim {quoted(claim['claimName'])} not found")
        if volume.get("ephemeral") is not None:
            ephemeral = ephemeral or f"{pod.name}-{volume['name']}"
    if ephemeral is not None:
        why = f"waiting for ephemeral volume controller to create the persistentvolumeclaim {quoted(ephemeral)}"
        raise Impossible(NAME, why)
    return None


RULE: Final = Rule(NAME, _prepare)
