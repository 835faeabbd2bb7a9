"""Table cells shared by admission policies and their bindings."""

from memkube.apimachinery.meta.v1.selectors import LabelSelector, printed
from memkube.apimachinery.model import Document

_UNSET = "<unset>"


def param_kind_cell(policy: Document) -> str:
    """Return the policy's parameter kind as ``apiVersion/kind``; ``<unset>`` if the policy has no paramKind."""
    kind = policy["spec"].get("paramKind")
    return _UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


def param_ref_cell(binding: Document) -> str:
    """Return the parameter object as ``namespace/name``, or the paramRef's selector as Go prints it."""
    reference = binding["spec"].get("paramRef") or {}
    if name := reference.get("name"):
        # Use * without a namespace, because a binding does not know whether its parameter kind is namespaced.
        return f"{reference.get('namespace') or '*'}/{name}"
    selector = reference.get("selector")
    return _UNSET if selector is None else printed(LabelSelector.from_document(selector))
