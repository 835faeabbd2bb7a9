from datetime import UTC, datetime

from memkube.apis.core.v1.configmaps.columns import PRINTER


def test_binary_entries_count_as_data() -> None:
    metadata = {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}
    config_map = {"metadata": metadata, "data": {"k": "v"}, "binaryData": {"l": "dg=="}}
    assert PRINTER.row(config_map).at(datetime(2026, 1, 2, tzinfo=UTC)) == ["a", 2, "24h"]
