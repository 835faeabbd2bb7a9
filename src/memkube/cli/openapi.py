"""``memkube openapi FOLDER``: writes the OpenAPI documents of the Kubernetes API and the control API as files."""

import asyncio
import json
from pathlib import Path

import click

from memkube.cli.commands import PATH, Command, argument
from memkube.control.application import create_control_application
from memkube.endpoints.openapi.documents import Documents, indented
from memkube.endpoints.responses.responses import status_of
from memkube.server.app import create_app
from memkube.server.settings import Settings
from memkube.version import VERSION


@click.command(cls=Command)
@argument("folder", type=PATH, help="Folder to write the OpenAPI documents into.")
def openapi(folder: Path) -> None:
    """Write the OpenAPI documents that the server serves.

    swagger.json describes the Kubernetes API, memkube__v1.json the control API.

    Example::

        memkube openapi build/openapi
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in document_files().items():
        (folder / name).write_bytes(text)


def document_files() -> dict[str, bytes]:
    """Return the OpenAPI documents of a new server, by file name."""
    parts = create_app(Settings()).state.parts
    documents = Documents(parts.registry.catalog)
    control = create_control_application(parts, status_of, VERSION).openapi()
    texts = {
        "swagger": asyncio.run(documents.v2()).text,
        "memkube/v1": json.dumps(control).encode(),
        **asyncio.run(documents.texts()),
    }
    return {f"{path.replace('/', '__')}.json": indented(text) for path, text in texts.items()}
