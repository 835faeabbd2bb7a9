from memkube.apis.core.v1.podspec.aggregate_resources import aggregate_limits, aggregate_requests
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from tests.apis.core.v1.pods.examples import container


def test_init_containers_count_by_the_phase_that_needs_most() -> None:
    spec = PodSpec.from_document(
        {
            "containers": [container(resources={"requests": {"cpu": "1"}})],
            "initContainers": [
                container(name="a", restartPolicy="Always", resources={"requests": {"cpu": "500m"}}),
                container(name="b", resources={"requests": {"cpu": "3", "memory": "1Gi"}}),
            ],
        }
    )
    assert aggregate_requests(spec) == {"cpu": "3500m", "memory": "1Gi"}
    assert aggregate_limits(spec) == {}
