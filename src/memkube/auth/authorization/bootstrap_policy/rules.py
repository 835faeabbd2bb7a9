"""Functions that create PolicyRules from short texts: words separated by spaces.

``core`` stands for the core API group.
"""

from typing import Final

from memkube.apimachinery.model import Document

READ: Final = "get list watch"
WRITE: Final = "create delete deletecollection patch update"
READ_WRITE: Final = f"{READ} {WRITE}"
_CORE: Final = "core"


def rule(verbs: str, groups: str, resources: str, names: str = "") -> Document:
    """Return a PolicyRule about resources. Each argument has words separated by spaces; ``core`` is the core group.

    The lists of the rule are sorted, as in kube-apiserver. Without `names`, the rule covers objects of any name.
    """
    document: Document = {
        "verbs": sorted(verbs.split()),
        "apiGroups": sorted("" if group == _CORE else group for group in groups.split()),
        "resources": sorted(resources.split()),
    }
    return document | {"resourceNames": sorted(names.split())} if names else document


def urls(verbs: str, paths: str) -> Document:
    """Return a PolicyRule about non-resource paths. Both arguments have words separated by spaces."""
    return {"verbs": sorted(verbs.split()), "nonResourceURLs": sorted(paths.split())}


EVENTS: Final = rule("create patch update", "core events.k8s.io", "events")
"""Rule that allows a component to report events."""
