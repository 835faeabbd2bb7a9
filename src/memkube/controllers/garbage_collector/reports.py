"""What the garbage collector reports on objects."""

from memkube.apimachinery.shown_values import quoted
from memkube.controllers.event_recorder import Report
from memkube.controllers.garbage_collector.identity import Identity


def wrong_namespace(owner: Identity) -> Report:
    """The owner that a reference means is in another namespace, where nobody may refer to it from here."""
    where = f"namespace: {owner.namespace}, name: {owner.name}, uid: {owner.uid}"
    named = f"[{owner.api_version}/{owner.kind}, {where}]"
    message = f"ownerRef {named} does not exist in namespace {quoted(owner.namespace)}"
    return Report("Warning", "OwnerRefInvalidNamespace", message)
