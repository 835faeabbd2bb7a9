import io
from pathlib import Path

import pytest

from memkube.errors import ManifestError
from memkube.manifests.sources import Source, sources

_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"


def _sources(*paths: Path | str, exclude: tuple[str, ...] = ()) -> list[Source]:
    return list(sources([str(path) for path in paths], io.StringIO(_POD), exclude))


def _written(path: Path, text: str = _POD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_folders_are_taken_with_all_below_them(tmp_path: Path) -> None:
    for name in ("b/c.yml", "a.yaml", "b/d.json", "notes.md", ".git/x.yaml", "b/.hidden.yaml"):
        _written(tmp_path / name)
    assert [source.file for source in _sources(tmp_path)] == [
        str(tmp_path / n) for n in ("a.yaml", "b/c.yml", "b/d.json")
    ]


def test_a_file_that_is_meant_twice_is_read_once(tmp_path: Path) -> None:
    file = _written(tmp_path / "a.yaml")
    assert len(_sources(tmp_path, file, file)) == 1


def test_files_can_be_left_out(tmp_path: Path) -> None:
    for name in ("a.yaml", "values.yaml", "old/b.yaml"):
        _written(tmp_path / name)
    assert [Path(s.file).name for s in _sources(tmp_path, exclude=("values*.yaml", "old"))] == ["a.yaml"]


def test_a_dash_is_standard_input() -> None:
    (source,) = _sources("-")
    assert (source.file, len(source.found)) == ("stdin", 1)


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_a_folder_of_kustomize_is_refused_as_a_whole(tmp_path: Path, name: str) -> None:
    _written(tmp_path / "base" / name, "resources: [pod.yaml]\n")
    _written(tmp_path / "base" / "pod.yaml", "spec: {a: patch}\n")
    (source,) = _sources(tmp_path)
    assert source.refusal is not None
    assert source.refusal.rule == "Kustomize"
    assert f"kubectl kustomize {tmp_path / 'base'} | memkube validate -" in source.refusal.message


def test_a_kustomize_object_is_refused_whatever_its_file_is_called(tmp_path: Path) -> None:
    file = _written(tmp_path / "x.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n")
    (source,) = _sources(file)
    assert source.refusal is not None
    assert source.refusal.rule == "Kustomize"


def test_a_kustomization_of_flux_is_an_object_like_any_other(tmp_path: Path) -> None:
    file = _written(tmp_path / "x.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n")
    assert _sources(file)[0].refusal is None


def test_a_chart_is_refused_as_a_whole(tmp_path: Path) -> None:
    _written(tmp_path / "Chart.yaml", "apiVersion: v2\nname: web\n")
    _written(tmp_path / "templates" / "a.yaml")
    (source,) = _sources(tmp_path)
    assert source.refusal is not None
    assert f"helm template {tmp_path} | memkube validate -" in source.refusal.message


@pytest.mark.parametrize(
    "line",
    [
        "metadata: {name: web}\n{{- if .Values.pod }}\n",
        "metadata:\n  name: {{ .Release.Name }}\n",
        "x: {{ include `a` }}\n",
    ],
)
def test_a_template_is_told_where_it_stands(tmp_path: Path, line: str) -> None:
    (source,) = _sources(_written(tmp_path / "templates" / "a.yaml", f"apiVersion: v1\nkind: Pod\n{line}"))
    assert source.refusal is not None
    assert (source.refusal.rule, source.refusal.position.line) == ("Helm", 2 + line.count("\n"))


def test_braces_in_a_text_are_no_template(tmp_path: Path) -> None:
    file = _written(tmp_path / "a.yaml", 'apiVersion: v1\nkind: ConfigMap\ndata: {a: "{{ $labels.pod }}"}\n')
    assert _sources(file)[0].refusal is None


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"a: \xe9\n")
    (tmp_path / "empty").mkdir()
    for path, why in (("no.yaml", "No such file"), ("latin.yaml", "not UTF-8"), ("empty", "no file in this folder")):
        with pytest.raises(ManifestError, match=why):
            _sources(tmp_path / path)


def test_links_that_lead_back_are_not_followed(tmp_path: Path) -> None:
    _written(tmp_path / "a" / "a.yaml")
    (tmp_path / "a" / "back").symlink_to(tmp_path)
    assert len(_sources(tmp_path)) == 1


def test_input_that_is_no_text_is_told() -> None:
    with pytest.raises(ManifestError, match="stdin: it is not UTF-8"):
        list(sources(["-"], io.TextIOWrapper(io.BytesIO(b"a: \xe9\n"), encoding="utf-8")))
