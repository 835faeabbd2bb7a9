"""Makes the table in `docs/faithfulness.md`: ``python -m tests.recordings.faithfulness``."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memkube.apis.catalog import served_resources
from memkube.registry.declarations.resource import Resource
from tests.recordings.agreement import key_of, read_agreeing
from tests.recordings.archive import load

DOCUMENT: Final = Path(__file__).parents[2] / "docs/faithfulness.md"
_SUITES: Final = ("cases", "kinds", "extensions")
_REGISTRATIONS: Final = "admissionregistration.k8s.io/v1"
_AREAS: Final = {
    ("apiextensions.k8s.io/v1", "customresourcedefinitions"): (
        "extensions/crd-objects",
        "extensions/crd-discovery",
        "extensions/cr-crud",
        "extensions/cr-schema",
        "extensions/cr-versions",
        "extensions/cr-cel",
    ),
    (_REGISTRATIONS, "validatingadmissionpolicies"): (
        "kinds/kind-validatingadmissionpolicies",
        "extensions/adm-policy",
    ),
    (_REGISTRATIONS, "mutatingadmissionpolicies"): ("kinds/kind-mutatingadmissionpolicies", "extensions/adm-policy"),
    (_REGISTRATIONS, "validatingwebhookconfigurations"): (
        "kinds/kind-validatingwebhookconfigurations",
        "extensions/adm-webhook",
    ),
    (_REGISTRATIONS, "mutatingwebhookconfigurations"): (
        "kinds/kind-mutatingwebhookconfigurations",
        "extensions/adm-webhook",
    ),
    ("autoscaling/v1", "horizontalpodautoscalers"): ("kinds/kind-hpa-v1",),
    ("autoscaling/v2", "horizontalpodautoscalers"): ("kinds/kind-hpa-v2",),
    ("events.k8s.io/v1", "events"): ("kinds/kind-events-v1",),
    ("v1", "pods"): (
        "cases/pods-crud",
        "cases/pods-defaults",
        "cases/pods-delete",
        "cases/pods-subresources",
        "cases/pods-update",
        "cases/pods-validation",
    ),
    ("policy/v1", "poddisruptionbudgets"): ("cases/pdb-crud", "cases/pdb-status", "cases/pdb-validation"),
}
"""Areas of the recordings about a kind, unless the area is named after the kind. Some areas are about two kinds."""
_table: Final = re.compile(r"(<!-- kinds -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def kinds() -> list[Resource]:
    """Return the built-in kinds that can be listed, in the order of discovery."""
    return [resource for resource in served_resources() if "list" in resource.verbs]


def _recorded() -> tuple[Counter[str], Counter[str]]:
    """Return the number of recordings in each area, and how many of them agree."""
    keys = [key_of(suite, recording) for suite in _SUITES for recording in load(suite)]
    agreeing = set(read_agreeing())
    area = [key.rpartition("/")[0] for key in keys]
    return Counter(area), Counter(a for a, key in zip(area, keys, strict=True) if key in agreeing)


def rows() -> Iterator[str]:
    """Yield the rows of the table."""
    recorded, agreeing = _recorded()
    for resource in kinds():
        areas = _AREAS.get((resource.api_version, resource.plural), (f"kinds/kind-{resource.plural}",))
        count, agree = (sum(counted[area] for area in areas) for counted in (recorded, agreeing))
        yield f"| {resource.kind} | {resource.api_version} | {f'{agree} of {count}' if count else 'none recorded'} |"


def table() -> str:
    """Return the table with its heading."""
    return "\n".join(["| kind | version | recorded cases that agree |", "| --- | --- | --- |", *rows()])


def written() -> str:
    """Return the table in the document."""
    found = _table.search(DOCUMENT.read_text())
    return found[2].strip() if found else ""


if __name__ == "__main__":
    DOCUMENT.write_text(_table.sub(lambda found: f"{found[1]}\n{table()}\n\n{found[3]}", DOCUMENT.read_text()))
