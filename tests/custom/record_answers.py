"""Records what a real API server says to projects' definitions: ``python -m tests.custom.record_answers URL FOLDER``.

The token of MEMKUBE_REFERENCE_TOKEN is sent with every request; certificates are not looked at.
"""

import json
import os
import sys
from pathlib import Path

import httpx

from tests.custom.real_projects import Project, answers_to


def main(url: str, folder: Path) -> None:
    """Writes ``answers.json`` into the folder of each project that has none."""
    headers = {"Authorization": f"Bearer {os.environ.get('MEMKUBE_REFERENCE_TOKEN', '')}"}
    with httpx.Client(base_url=url, headers=headers, verify=False, timeout=120, trust_env=False) as client:
        for project in sorted(path.parent for path in folder.glob("*/definitions.json")):
            recorded = project / "answers.json"
            if not recorded.exists():
                recorded.write_text(json.dumps(answers_to(client, Project.read(project))))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
