"""``memkube validate FILE|FOLDER…``: a check of manifests without a cluster."""

import asyncio
import re
import sys
from enum import StrEnum
from typing import Annotated, Final, NoReturn

import typer

from memkube.admission.available import selected_plugins
from memkube.errors import ManifestError
from memkube.manifests.findings import Report
from memkube.manifests.junit import junit_text
from memkube.manifests.reports import github_lines, json_text, text_lines
from memkube.manifests.sarif import sarif_text
from memkube.manifests.sources import sources
from memkube.manifests.validation import Choices, validate

app = typer.Typer(add_completion=False)
_version: Final = re.compile(r"v?1\.36(\.\d+)?").fullmatch
_NOT_RUN: Final = 2


class Output(StrEnum):
    """Formats in which ``memkube validate`` prints errors and warnings."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    JUNIT = "junit"


@app.command(name="validate")
def validate_command(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="FILE|FOLDER...", help="Files, folders (recursively), or - for standard input."),
    ],
    output: Annotated[
        Output, typer.Option("--output", "--format", "-o", help="Format of the printed errors and warnings.")
    ] = Output.TEXT,
    namespace: Annotated[
        str, typer.Option("--namespace", "-n", help="Namespace of objects whose manifests have none.")
    ] = "default",
    make_namespaces: Annotated[
        bool,
        typer.Option(
            "--make-namespaces/--no-make-namespaces", help="Treat namespaces that no manifest defines as existing."
        ),
    ] = True,
    skip_unknown_kinds: Annotated[
        bool,
        typer.Option("--skip-unknown-kinds", help="Skip objects of unknown custom kinds, instead of reporting errors."),
    ] = False,
    warnings_as_errors: Annotated[
        bool, typer.Option("--warnings-as-errors", help="Exit with status 1 for warnings as well.")
    ] = False,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="Pattern of files and folders to leave out, such as 'values*.yaml'; may be repeated."),
    ] = None,
    enable_admission_plugins: Annotated[
        str, typer.Option(help="Admission plugins to enable, with commas between them.")
    ] = "",
    disable_admission_plugins: Annotated[
        str, typer.Option(help="Admission plugins to disable, with commas between them.")
    ] = "",
    kubernetes_version: Annotated[
        str, typer.Option(help="Kubernetes release to check for; only 1.36 is available.")
    ] = "1.36",
) -> None:
    """Check manifests by creating them in an empty cluster.

    Every error is reported with its file, line and column, in the words of the API server. Unknown and duplicate fields
    are errors. The exit status is 0 if there is no error, 1 if there is one, 2 if the manifests cannot be read.

    Example::

        memkube validate --warnings-as-errors deploy/
        kubectl kustomize overlays/prod | memkube validate -
    """
    if not _version(kubernetes_version):
        _stop(f"{kubernetes_version}: memkube can only check for Kubernetes 1.36")
    try:
        plugins = selected_plugins(enable_admission_plugins, disable_admission_plugins, have_accounts=True)
        choices = Choices(namespace, make_namespaces, plugins, skip_unknown_kinds)
        read = list(sources(paths, sys.stdin, exclude or ()))
    except (ManifestError, ValueError) as error:
        _stop(str(error))
    if not any(source.found or source.refusal for source in read):
        _stop(f"{', '.join(paths)}: no manifest found")
    report = asyncio.run(validate(read, choices))
    _write(report, output)
    failed = report.count("error") or (warnings_as_errors and report.count("warning"))
    raise typer.Exit(1 if failed else 0)


def _write(report: Report, output: Output) -> None:
    if output is Output.SARIF:
        lines = [sarif_text(report)]
    elif output is Output.JSON:
        lines = [json_text(report)]
    elif output is Output.JUNIT:
        lines = [junit_text(report)]
    elif output is Output.GITHUB:
        lines = list(github_lines(report))
    else:
        lines = list(text_lines(report, colors=sys.stdout.isatty()))
    typer.echo("\n".join(lines))


def _stop(why: str) -> NoReturn:
    typer.echo(f"memkube: {why}", err=True)
    raise typer.Exit(_NOT_RUN)
