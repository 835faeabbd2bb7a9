"""JSON patch, merge patch and strategic merge patch as pure functions. Invalid patches raise :class:`PatchError`."""

from memkube.apimachinery.patches.errors import PatchError, go_text, with_sorted_maps
from memkube.apimachinery.patches.json_patch import (
    NotApplied,
    TestFailed,
    apply_json_patch,
    apply_operations,
    check_operations,
    strict_errors,
)
from memkube.apimachinery.patches.merge_patch import apply_merge_patch
from memkube.apimachinery.patches.strategic_merge import apply_strategic_merge_patch, quoted_strategic_patch

__all__ = [
    "NotApplied",
    "PatchError",
    "TestFailed",
    "apply_json_patch",
    "apply_merge_patch",
    "apply_operations",
    "apply_strategic_merge_patch",
    "check_operations",
    "go_text",
    "quoted_strategic_patch",
    "strict_errors",
    "with_sorted_maps",
]
