"""``memkube validate FILE|FOLDER…``: a check of manifests without a cluster."""

import asyncio
import re
import sys
from typing import Final, NoReturn

import click

from memkube.admission.available import selected_plugins
from memkube.cli.commands import ANY_PATH, Command, argument
from memkube.errors import ManifestError
from memkube.manifests.findings import Report
from memkube.manifests.junit import junit_text
from memkube.manifests.reports import github_lines, json_text, text_lines
from memkube.manifests.sarif import sarif_text
from memkube.manifests.sources import sources
from memkube.manifests.validation import Choices
from memkube.manifests.validation import validate as check

_version: Final = re.compile(r"v?1\.36(\.\d+)?").fullmatch
_NOT_RUN: Final = 2
_FORMAT: Final = click.Choice(["text", "json", "sarif", "github", "junit"])


@click.command(cls=Command)
@argument(
    "paths",
    metavar="FILE|FOLDER...",
    type=ANY_PATH,
    nargs=-1,
    required=True,
    help="Files, folders (recursively), or - for standard input.",
)
@click.option(
    "--output", "--format", "-o", type=_FORMAT, default="text", help="Format of the printed errors and warnings."
)
@click.option("--namespace", "-n", default="default", help="Namespace of objects whose manifests have none.")
@click.option(
    "--make-namespaces/--no-make-namespaces",
    default=True,
    help="Treat namespaces that no manifest defines as existing.",
)
@click.option(
    "--skip-unknown-kinds", is_flag=True, help="Skip objects of unknown custom kinds, instead of reporting errors."
)
@click.option("--warnings-as-errors", is_flag=True, help="Exit with status 1 for warnings as well.")
@click.option(
    "--exclude",
    multiple=True,
    help="Pattern of files and folders to leave out, such as 'values*.yaml'; may be repeated.",
)
@click.option("--enable-admission-plugins", help="Admission plugins to enable, with commas between them.")
@click.option("--disable-admission-plugins", help="Admission plugins to disable, with commas between them.")
@click.option("--kubernetes-version", default="1.36", help="Kubernetes release to check for; only 1.36 is available.")
def validate(
    paths: tuple[str, ...],
    output: str,
    namespace: str,
    make_namespaces: bool,
    skip_unknown_kinds: bool,
    warnings_as_errors: bool,
    exclude: tuple[str, ...],
    enable_admission_plugins: str | None,
    disable_admission_plugins: str | None,
    kubernetes_version: str,
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
        plugins = selected_plugins(enable_admission_plugins or "", disable_admission_plugins or "", have_accounts=True)
        choices = Choices(namespace, make_namespaces, plugins, skip_unknown_kinds)
        read = list(sources(paths, sys.stdin, exclude))
    except (ManifestError, ValueError) as error:
        _stop(str(error))
    if not any(source.found or source.refusal for source in read):
        _stop(f"{', '.join(paths)}: no manifest found")
    report = asyncio.run(check(read, choices))
    _write(report, output)
    failed = report.count("error") or (warnings_as_errors and report.count("warning"))
    sys.exit(1 if failed else 0)


def _write(report: Report, output: str) -> None:
    if output == "sarif":
        lines = [sarif_text(report)]
    elif output == "json":
        lines = [json_text(report)]
    elif output == "junit":
        lines = [junit_text(report)]
    elif output == "github":
        lines = list(github_lines(report))
    else:
        lines = list(text_lines(report, colors=sys.stdout.isatty()))
    click.echo("\n".join(lines))


def _stop(why: str) -> NoReturn:
    click.echo(f"memkube: {why}", err=True)
    sys.exit(_NOT_RUN)
