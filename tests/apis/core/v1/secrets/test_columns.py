from datetime import UTC, datetime

from memkube.apis.core.v1.secrets.columns import PRINTER


def test_a_secret_shows_its_type_and_how_many_entries_it_has() -> None:
    metadata = {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}
    secret = {"metadata": metadata, "type": "Opaque", "data": {"k": "dg=="}}
    assert PRINTER.row(secret).at(datetime(2026, 1, 1, tzinfo=UTC)) == ["a", "Opaque", 1, "0s"]
