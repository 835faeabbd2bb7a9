import shutil
import subprocess
from pathlib import Path

import pytest

from memkube.server.server import Server

_CHROMIUM = shutil.which("chromium")
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Only the server's address can be resolved, so that a script from another host cannot load.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    # Milliseconds of the page's own clock that scripts may run.
    "--virtual-time-budget=20000",
)

pytestmark = pytest.mark.skipif(_CHROMIUM is None, reason="there is no chromium on PATH")


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("/docs", 'data-path="/api/v1/namespaces/{namespace}/pods/{name}"'),
        ("/memkube/v1/docs", 'data-path="/clock/advance"'),
    ],
)
def test_a_browser_shows_the_operations(server: Server, tmp_path: Path, page: str, shown: str) -> None:
    assert _CHROMIUM is not None
    command = [_CHROMIUM, *_OPTIONS, f"--user-data-dir={tmp_path}", "--dump-dom", f"{server.url}{page}"]
    rendered = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert shown in rendered
