"""Records a real API server's responses to projects' objects: ``python -m tests.custom.record_answers URL FOLDER``.

Requests have the bearer token in MEMKUBE_REFERENCE_TOKEN. The server's certificate is not verified.
"""

import json
import os
import sys
from pathlib import Path

import httpx

from tests.custom.real_projects import Project, answers_to


def main(url: str, folder: Path) -> None:
    """Write ``answers.json`` into the folder of each project that has none."""
    headers = {"Authorization": f"Bearer {os.environ.get('MEMKUBE_REFERENCE_TOKEN', '')}"}
    with httpx.Client(base_url=url, headers=headers, verify=False, timeout=120, trust_env=False) as client:
        for project in sorted(path.parent for path in folder.glob("*/definitions.json")):
            recorded = project / "answers.json"
            if not recorded.exists():
                recorded.write_text(json.dumps(answers_to(client, Project.read(project))))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
