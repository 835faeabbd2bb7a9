from memkube.apis.apps.v1.statefulsets.strategy import StatefulSetStrategy
from tests.apis.apps.v1.workloads import workload

PROSE = 'fractional byte value "1500m" is invalid, must be an integer'


def test_half_a_byte_of_storage_warns_under_a_path_of_its_own_for_each_verb() -> None:
    claim = {"metadata": {"name": "a"}, "spec": {"resources": {"requests": {"storage": "1500m"}}}}
    stateful_set, strategy = workload("StatefulSet", volumeClaimTemplates=[claim]), StatefulSetStrategy()
    claim_path = "spec.volumeClaimTemplates[0]"
    assert strategy.warnings_on_create(stateful_set) == [f"{claim_path}.resources.requests[storage]: {PROSE}"]
    updated = strategy.warnings_on_update(stateful_set, stateful_set)
    assert updated == [f"{claim_path}.Spec.resources.requests[storage]: {PROSE}"]


def test_quantities_of_a_claim_are_rounded_up_to_thousandths() -> None:
    claim = {"metadata": {"name": "a"}, "status": {"capacity": {"storage": "1u"}}}
    (template,) = workload("StatefulSet", volumeClaimTemplates=[claim]).spec.volumeClaimTemplates
    assert template.status.capacity == {"storage": "1m"}
