"""Rolls a Deployment back to an earlier revision if an annotation requests it (``rollback.go``).

The annotation replaces the field ``rollbackTo`` of ``extensions/v1beta1``.
"""

from collections.abc import Iterable

from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.deployments.validation import ROLLBACK_TO
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.controllers.deployment.new_replica_set import HASH_LABEL, same_template
from memkube.controllers.deployment.rollout import Rollout
from memkube.controllers.deployment.sizes import NOT_COPIED, parsed_revision, revision_of


def requested_revision(deployment: Deployment) -> int | None:
    """Return the revision to which the Deployment's annotation requests a rollback.

    The result is 0 for the previous revision, and None if no rollback is requested.
    """
    return parsed_revision(deployment.metadata.annotations.get(ROLLBACK_TO, ""))


async def roll_back(rollout: Rollout, revision: int) -> None:
    """Copy the template and annotations of the ReplicaSet with this revision to the Deployment of `rollout`.

    The revision 0 stands for the previous one. If no ReplicaSet has the revision, or if its template is the current
    one, record an Event instead of copying. In each case, remove the annotation that requested the rollback.
    """
    await rollout.ensure_new()
    if revision == 0:
        revision = _previous(rollout.models)
        if revision == 0:
            await rollout.report("Warning", "DeploymentRollbackRevisionNotFound", "Unable to find last revision.")
            await rollout.change(_end_rollback)
            return
    target = next((model for model in rollout.models if revision_of(model) == revision), None)
    if target is None:
        text = "Unable to find the revision to rollback to."
        await rollout.report("Warning", "DeploymentRollbackRevisionNotFound", text)
        await rollout.change(_end_rollback)
    else:
        await _restore(rollout, target, revision)


async def _restore(rollout: Rollout, target: ReplicaSet, revision: int) -> None:
    name = rollout.deployment.metadata.name
    if same_template(target.spec.template, rollout.deployment.spec.template):
        text = f'The rollback revision contains the same template as current deployment "{name}"'
        await rollout.report("Warning", "DeploymentRollbackTemplateUnchanged", text)
        await rollout.change(_end_rollback)
        return

    def change(deployment: Deployment) -> None:
        deployment.spec.template = target.spec.template.model_copy(deep=True)
        deployment.spec.template.metadata.labels.pop(HASH_LABEL, None)
        restored = {name: text for name, text in target.metadata.annotations.items() if name not in NOT_COPIED}
        own = {name: text for name, text in deployment.metadata.annotations.items() if name in NOT_COPIED}
        deployment.metadata.annotations = own | restored
        _end_rollback(deployment)

    await rollout.change(change)
    await rollout.report("Normal", "DeploymentRollback", f'Rolled back deployment "{name}" to revision {revision}')


def _end_rollback(deployment: Deployment) -> None:
    annotations = deployment.metadata.annotations
    deployment.metadata.annotations = {name: text for name, text in annotations.items() if name != ROLLBACK_TO}


def _previous(replica_sets: Iterable[ReplicaSet]) -> int:
    """Return the second highest revision among the ReplicaSets, or 0 if there is none."""
    revisions = sorted((number for each in replica_sets if (number := revision_of(each)) is not None), reverse=True)
    return max(revisions[1], 0) if len(revisions) > 1 else 0
