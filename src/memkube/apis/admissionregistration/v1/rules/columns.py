"""Table cells shared by admission policies and their bindings."""

from memkube.apimachinery.meta.v1.selectors import LabelSelector, printed
from memkube.apimachinery.model import Document

_UNSET = "<unset>"


def param_kind_cell(policy: Document) -> str:
    """Return the policy's parameter kind as ``apiVersion/kind``; ``<unset>`` if the policy has no paramKind."""
    kind = policy["spec"].get("paramKind")
    return _UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


def param_ref_cell(binding: Document) -> str:
    """Return the table cell for a binding's paramRef: ``namespace/name``, or the label selector as Go prints it.

    The cell is ``<unset>`` if the binding has neither.
    """
    reference = binding["spec"].get("paramRef") or {}
    if name := reference.get("name"):
        # A paramRef without a namespace is printed as ``*/name``, because the table code does not know whether the
        # parameter kind is namespaced.
        return f"{reference.get('namespace') or '*'}/{name}"
    selector = reference.get("selector")
    return _UNSET if selector is None else printed(LabelSelector.from_document(selector))
