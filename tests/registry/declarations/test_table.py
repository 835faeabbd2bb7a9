from datetime import UTC, datetime

from memkube.registry.declarations.table import NAME_AND_AGE, column, name_column

NOW = datetime(2026, 1, 1, 0, 5, tzinfo=UTC)


def test_any_object_can_be_shown_by_name_and_age() -> None:
    document = {"metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}}
    assert NAME_AND_AGE.row(document).at(NOW) == ["a", "5m"]


def test_an_object_that_was_never_created_is_of_unknown_age() -> None:
    assert NAME_AND_AGE.row({"metadata": {}}).at(NOW) == ["", "<unknown>"]


def test_only_wide_columns_have_a_priority() -> None:
    assert column("IP", "An address.").priority == 0
    assert column("IP", "An address.", wide=True).priority == 1


def test_the_format_of_a_column_marks_the_name() -> None:
    assert name_column().format == "name"
