import pytest

from memkube.admission.pod_security.policy import policy_of

_LEVELS = "must be one of privileged, baseline, restricted"
_VERSIONS = 'must be "latest" or "v1.x"'


def _labels(**values: str) -> dict[str, str]:
    return {f"pod-security.kubernetes.io/{mode.replace('_', '-')}": value for mode, value in values.items()}


@pytest.mark.parametrize(
    ("labels", "modes"),
    [
        ({}, "privileged:latest privileged:latest privileged:latest"),
        ({"enforce": "baseline"}, "baseline:latest privileged:latest baseline:latest"),
        ({"enforce": "baseline", "enforce_version": "v1.20"}, "baseline:v1.20 privileged:latest baseline:v1.20"),
        ({"enforce": "restricted", "warn": "baseline"}, "restricted:latest privileged:latest baseline:latest"),
        ({"enforce": "restricted", "warn": "no"}, "restricted:latest privileged:latest privileged:latest"),
        (
            {"enforce": "restricted", "enforce_version": "v1.20", "warn_version": "v1.21"},
            "restricted:v1.20 privileged:latest restricted:v1.21",
        ),
        ({"audit": "restricted", "audit_version": "v1.0"}, "privileged:latest restricted:v1.0 privileged:latest"),
        ({"enforce": "wrong"}, "restricted:latest privileged:latest privileged:latest"),
        ({"enforce": "baseline", "enforce_version": "1.20"}, "baseline:latest privileged:latest baseline:latest"),
    ],
)
def test_labels_name_levels_and_versions(labels: dict[str, str], modes: str) -> None:
    policy, _ = policy_of(_labels(**labels))
    assert " ".join(map(str, policy)) == modes


@pytest.mark.parametrize(
    ("labels", "messages"),
    [
        ({"enforce": "", "warn": "Baseline"}, [("enforce", "", _LEVELS), ("warn", "Baseline", _LEVELS)]),
        (
            {"audit_version": "v1.01", "enforce": "x"},
            [("enforce", "x", _LEVELS), ("audit-version", "v1.01", _VERSIONS)],
        ),
        ({"warn_version": f"v1.{2**63}"}, [("warn-version", f"v1.{2**63}", _VERSIONS)]),
        ({"warn_version": f"v1.{2**63 - 1}"}, []),
    ],
)
def test_labels_that_cannot_be_read_are_named(labels: dict[str, str], messages: list[tuple[str, str, str]]) -> None:
    _, errors = policy_of(_labels(**labels))
    prefix = "metadata.labels[pod-security.kubernetes.io/"
    assert list(map(str, errors)) == [f'{prefix}{mode}]: Invalid value: "{v}": {why}' for mode, v, why in messages]
