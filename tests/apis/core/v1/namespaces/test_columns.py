from datetime import UTC, datetime

from memkube.apis.core.v1.namespaces.columns import PRINTER


def test_a_namespace_shows_its_phase() -> None:
    metadata = {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}
    namespace = {"metadata": metadata, "status": {"phase": "Terminating"}}
    assert PRINTER.row(namespace).at(datetime(2026, 1, 1, tzinfo=UTC)) == ["a", "Terminating", "0s"]
