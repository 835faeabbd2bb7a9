"""``memkube validate FILE|FOLDER…``: manifests checked without a cluster."""

import asyncio
import re
import sys
from enum import StrEnum
from typing import Annotated, Final, NoReturn

import typer

from memkube.admission.available import selected_plugins
from memkube.errors import ManifestError
from memkube.manifests.findings import Report
from memkube.manifests.reports import github_lines, json_text, text_lines
from memkube.manifests.sources import sources
from memkube.manifests.validation import Choices, validate

app = typer.Typer(add_completion=False)
_version: Final = re.compile(r"v?1\.36(\.\d+)?").fullmatch
_NOT_RUN: Final = 2


class Output(StrEnum):
    """What findings are written as."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


@app.command(name="validate")
def validate_command(
    paths: Annotated[
        list[str], typer.Argument(metavar="FILE|FOLDER...", help="Files, folders with all below them, - for input.")
    ],
    output: Annotated[Output, typer.Option("--output", "-o", help="What findings are written as.")] = Output.TEXT,
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Where objects go that name none.")] = "default",
    make_namespaces: Annotated[
        bool,
        typer.Option(
            "--make-namespaces/--no-make-namespaces", help="Take for granted the namespaces that no manifest defines."
        ),
    ] = True,
    skip_unknown_kinds: Annotated[
        bool, typer.Option("--skip-unknown-kinds", help="Let pass what no definition is given for.")
    ] = False,
    warnings_as_errors: Annotated[bool, typer.Option("--warnings-as-errors", help="Fail for warnings, too.")] = False,
    exclude: Annotated[
        list[str] | None, typer.Option(help="A pattern of files and folders to leave out, such as 'values*.yaml'.")
    ] = None,
    enable_admission_plugins: Annotated[str, typer.Option(help="Admission plugins to add, with commas between.")] = "",
    disable_admission_plugins: Annotated[
        str, typer.Option(help="Admission plugins to leave out, such as ServiceAccount.")
    ] = "",
    kubernetes_version: Annotated[str, typer.Option(help="The release to check for: there is but 1.36.")] = "1.36",
) -> None:
    """Check manifests by creating them in an empty cluster.

    Every error is told with its file, line and column, in the words of the API server. Unknown and repeated fields
    are errors. The exit status is 0 if all is right, 1 if something is wrong, 2 if it could not be looked at.

    Example::

        memkube validate --warnings-as-errors deploy/
        kubectl kustomize overlays/prod | memkube validate -
    """
    if not _version(kubernetes_version):
        _stop(f"{kubernetes_version}: memkube speaks Kubernetes 1.36, and cannot check for another release")
    accounts = "" if "ServiceAccount" in disable_admission_plugins.split(",") else "ServiceAccount"
    try:
        plugins = selected_plugins(f"{accounts},{enable_admission_plugins}", disable_admission_plugins)
        choices = Choices(namespace, make_namespaces, plugins, skip_unknown_kinds)
        read = list(sources(paths, sys.stdin, exclude or ()))
    except (ManifestError, ValueError) as error:
        _stop(str(error))
    if not any(source.found or source.refusal for source in read):
        _stop(f"{', '.join(paths)}: there is no manifest in what was given")
    report = asyncio.run(validate(read, choices))
    _write(report, output)
    failed = report.count("error") or (warnings_as_errors and report.count("warning"))
    raise typer.Exit(1 if failed else 0)


def _write(report: Report, output: Output) -> None:
    if output is Output.SARIF:
        from memkube.manifests.sarif import sarif_text  # noqa: PLC0415 - imported for those who ask for it

        lines = [sarif_text(report)]
    elif output is Output.JSON:
        lines = [json_text(report)]
    elif output is Output.GITHUB:
        lines = list(github_lines(report))
    else:
        lines = list(text_lines(report, colors=sys.stdout.isatty()))
    typer.echo("\n".join(lines))


def _stop(why: str) -> NoReturn:
    typer.echo(f"memkube: {why}", err=True)
    raise typer.Exit(_NOT_RUN)
