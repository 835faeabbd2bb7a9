"""The pictures in the documents are made by a tool, which runs."""

import re
import shutil
import struct
from pathlib import Path

import pytest
from tools.screenshots import make_screenshots

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_pictures_of_the_documents_can_be_made(tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium on PATH")
    made = make_screenshots(tmp_path, chromium)
    assert {f"docs/images/{path.name}" for path in made} == {
        f"docs/{name}" for name in re.findall(r"images/\w+\.png", (DOCS / "ui.md").read_text())
    }
    for path in made:
        assert struct.unpack(">II", path.read_bytes()[16:24]) == (1100, 620)
