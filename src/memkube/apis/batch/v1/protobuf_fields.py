"""Field numbers of the batch/v1 messages. Source: the protobuf tags of the reference's types."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "Job": "metadata=1 spec=2 status=3",
    "JobCondition": "type=1 status=2 lastProbeTime=3 lastTransitionTime=4 reason=5 message=6",
    "JobSpec": (
        "parallelism=1 completions=2 activeDeadlineSeconds=3 podFailurePolicy=11 successPolicy=16 backoffLimit=7 "
        "backoffLimitPerIndex=12 maxFailedIndexes=13 selector=4 manualSelector=5 template=6 ttlSecondsAfterFinished=8 "
        "completionMode=9 suspend=10 podReplacementPolicy=14 managedBy=15"
    ),
    "JobStatus": (
        "conditions=1 startTime=2 completionTime=3 active=4 succeeded=5 failed=6 terminating=11 completedIndexes=7 "
        "failedIndexes=10 uncountedTerminatedPods=8 ready=9"
    ),
    "PodFailurePolicy": "rules=1",
    "PodFailurePolicyOnExitCodesRequirement": "containerName=1 operator=2 values=3",
    "PodFailurePolicyOnPodConditionsPattern": "type=1 status=2",
    "PodFailurePolicyRule": "action=1 onExitCodes=2 onPodConditions=3",
    "SuccessPolicy": "rules=1",
    "SuccessPolicyRule": "succeededIndexes=1 succeededCount=2",
    "UncountedTerminatedPods": "succeeded=1 failed=2",
}
