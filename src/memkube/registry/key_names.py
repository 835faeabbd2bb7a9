"""What of a name can be part of a storage key (apiserver ``registry/generic/registry``: NamespaceKeyFunc)."""

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.names import is_path_segment_name
from memkube.apimachinery.shown_values import quoted


def check_key_name(name: str) -> None:
    """Raises ApiError 400 for a name that no key can hold."""
    if not name:
        raise bad_request("Name parameter required.")
    problems = is_path_segment_name(name)
    if problems:
        raise bad_request(f"Name parameter invalid: {quoted(name)}: {'; '.join(problems)}")
