"""Tests of docs/faithfulness.md against the catalog and the recordings."""

import re

from tests.recordings.faithfulness import DOCUMENT, kinds, table, written

_left = re.compile(r"^\*\*(.+?)\*\*", re.MULTILINE)


def test_the_table_has_every_kind_and_what_agrees() -> None:
    assert written() == table(), "run: python -m tests.recordings.faithfulness"


def test_rules_are_left_out_of_kinds_that_there_are() -> None:
    section = DOCUMENT.read_text().partition("## Rules left out, by kind")[2].partition("\n## ")[0]
    named = {name for heading in _left.findall(section) for name in heading.split(", ")}
    served = {resource.kind for resource in kinds()} | {"TokenRequest", "TokenReview", "CustomResourceDefinition"}
    assert named
    assert named <= served
