"""The tables of field facts, their reader, and the program that writes the tables."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memkube.apimachinery.field_facts import FieldFacts, go_package

CORE = "k8s.io/api/core/v1"
PROGRAM = Path(__file__).parents[2] / "tools/field_facts.py"
TABLES = PROGRAM.parents[1] / "src/memkube/apimachinery/field_facts"
POLICY = "staging/src/k8s.io/api/policy/v1"

IMPORTS = 'import (\n\tmeta "k8s.io/apimachinery/pkg/apis/meta/v1"\n)\n'
TYPES = """
type Mode string

// Budget is prose.
type Budget struct {
	meta.TypeMeta `json:",inline"`
	meta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	/* more
	prose */
	HTTPMode Mode `json:"httpMode" protobuf:"bytes,2,opt,name=httpMode,casttype=Mode"` // and more
	Since *meta.Time `json:"since,omitzero" protobuf:"bytes,3,opt,name=since"`
}
"""
INTERNAL = """
type Budget struct {
	meta.TypeMeta
	meta.ObjectMeta
	Since *meta.Time
	HTTPMode Mode
}
"""
PROTO = """
message Budget {
  optional .k8s.ObjectMeta metadata = 1;
  optional string httpMode = 2;
  optional .k8s.Time since = %d;
}
"""


def run_program(folder: Path, number: int) -> subprocess.CompletedProcess[str]:
    """Run the program on a source tree with one struct, whose third field has this protobuf number."""
    for table in TABLES.glob("*.json"):
        path = json.loads(table.read_text())["package"]
        (folder / "staging/src" / path).mkdir(parents=True)
        (folder / "pkg/apis" / path.split("/")[2]).mkdir(parents=True, exist_ok=True)
    package, internal = folder / POLICY, folder / "pkg/apis/policy"
    (package / "types.go").write_text(IMPORTS + TYPES)
    (package / "generated.proto").write_text(PROTO % number)
    (internal / "types.go").write_text(IMPORTS + INTERNAL)
    return subprocess.run([sys.executable, PROGRAM, folder, folder], capture_output=True, text=True, check=False)


def test_a_field_has_its_name_type_and_number() -> None:
    fields = {facts.name: facts for facts in go_package(CORE).fields("Container")}
    assert fields["tty"] == FieldFacts("TTY", "tty", "bool", 18, always=False, omit_zero=False)
    assert fields["lifecycle"].pointer
    assert fields["name"].always


def test_an_embedded_struct_has_no_name_on_the_wire() -> None:
    assert [facts.go_name for facts in go_package(CORE).fields("Volume") if not facts.name] == ["VolumeSource"]


@pytest.mark.parametrize(
    ("go_type", "resolved"),
    [
        ("Container", (CORE, "Container")),
        ("metav1.Time", ("k8s.io/apimachinery/pkg/apis/meta/v1", "Time")),
        ("string", ("", "string")),
    ],
)
def test_types_are_found_in_their_packages(go_type: str, resolved: tuple[str, str]) -> None:
    assert go_package(CORE).resolve(go_type) == resolved


def test_internal_types_name_embedded_structs() -> None:
    assert go_package(CORE).internal_fields("PodTemplateSpec") == [("ObjectMeta", True), ("Spec", False)]
    assert go_package(CORE).internal_fields("EnvVar") == [("Name", False), ("Value", False), ("ValueFrom", False)]


def test_what_there_is_no_table_of_is_an_error() -> None:
    with pytest.raises(LookupError, match=r"no table of the fields of Go package example.com/v1"):
        go_package("example.com/v1")
    with pytest.raises(LookupError, match=r"the table of Go package k8s.io/api/core/v1 has no struct Widget"):
        go_package(CORE).fields("Widget")


@pytest.mark.parametrize("path", sorted(TABLES.glob("*.json")))
def test_no_two_fields_of_a_struct_have_the_same_name_or_number(path: Path) -> None:
    package = go_package(json.loads(path.read_text())["package"])
    for struct in package.structs:
        numbers = [facts.number for facts in package.fields(struct) if facts.number]
        names = [facts.name for facts in package.fields(struct) if facts.name not in ("", "-")]
        assert (len(set(numbers)), len(set(names))) == (len(numbers), len(names)), struct


def test_no_table_is_read_before_one_is_needed() -> None:
    program = """
from urllib.request import urlopen
from memkube.apimachinery.field_facts import go_package
from memkube.server.server import Server
from memkube.server.settings import Settings
with Server(Settings()).in_thread() as server:
    urlopen(server.url + "/api/v1/pods").read()
    print(go_package.cache_info().misses)
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "0\n"


def test_the_program_writes_what_go_declares(tmp_path: Path) -> None:
    run_program(tmp_path, 3).check_returncode()
    assert json.loads((tmp_path / "k8s.io.api.policy.v1.json").read_text()) == {
        "package": "k8s.io/api/policy/v1",
        "imports": {"metav1": "k8s.io/apimachinery/pkg/apis/meta/v1"},
        "types": {"Mode": "string"},
        "structs": {
            "Budget": (
                "TypeMeta: metav1.TypeMeta, ObjectMeta:metadata metav1.ObjectMeta 1, HTTPMode:httpMode Mode 2 !, "
                "Since *metav1.Time 3 ?"
            )
        },
        "internal": {"Budget": "TypeMeta: ObjectMeta: Since HTTPMode"},
    }


def test_the_program_ends_where_go_and_protobuf_disagree(tmp_path: Path) -> None:
    ended = run_program(tmp_path, 4)
    assert (ended.returncode, ended.stderr) == (
        1,
        "k8s.io/api/policy/v1:\nBudget: [1, 2, 3] in Go, [1, 2, 4] in its message\n",
    )


def test_the_program_writes_nothing_from_a_folder_that_is_not_a_checkout(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, PROGRAM, tmp_path, tmp_path], capture_output=True, text=True, check=False, timeout=60
    )
    assert (answer.returncode, list(tmp_path.iterdir())) == (1, [])
    assert POLICY in answer.stderr
