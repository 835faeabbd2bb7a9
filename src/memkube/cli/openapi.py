"""``memkube openapi FOLDER``: the OpenAPI documents as files."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from memkube.app import create_registry
from memkube.endpoints.openapi_documents import Documents, indented
from memkube.settings import Settings

app = typer.Typer(add_completion=False)


@app.command()
def openapi(
    folder: Annotated[Path, typer.Argument(help="Where to write the documents.")],
) -> None:
    """Write the OpenAPI documents that the server serves.

    Example::

        memkube openapi build/openapi
    """
    documents = Documents(create_registry(Settings()).catalog)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"swagger": asyncio.run(documents.v2()).text, **asyncio.run(documents.texts())}
    for path, text in texts.items():
        (folder / f"{path.replace('/', '__')}.json").write_bytes(indented(text))
