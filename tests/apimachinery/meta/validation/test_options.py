from typing import Any

import pytest

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.validation.options import (
    validate_delete_options,
    validate_patch_force,
    validate_write_options,
)


def test_the_options_of_a_write_are_told_one_by_one() -> None:
    errors = validate_write_options("a\tb", ["Some"], "strict")
    assert [error.field for error in errors] == ["fieldManager", "dryRun", "fieldValidation"]


def test_only_an_apply_may_force_and_it_names_its_manager() -> None:
    assert validate_patch_force(True, "me", True) == []
    assert [e.field for e in validate_patch_force(True, "", None)] == ["fieldManager"]
    assert [e.field for e in validate_patch_force(False, "me", False)] == ["force"]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            {"orphanDependents": True, "propagationPolicy": "Orphan"},
            'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
        ),
        (
            {"propagationPolicy": "x"},
            'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
        ),
        ({"dryRun": ["x"]}, 'dryRun: Unsupported value: ["x"]: supported values: "All"'),
        (
            {"ignoreStoreReadErrorWithClusterBreakingPotential": True, "gracePeriodSeconds": 1},
            (
                "ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: "
                "cannot be set together with .gracePeriodSeconds"
            ),
        ),
    ],
)
def test_delete_options_do_not_contradict_each_other(options: dict[str, Any], error: str) -> None:
    assert [str(e) for e in validate_delete_options(DeleteOptions(**options))] == [error]
