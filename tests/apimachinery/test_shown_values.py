import pytest

from memkube.apimachinery.meta.v1.api_object import OwnerReference
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.shown_values import InternalValue, go_json, internal_form, line_diff, quoted, shown
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.probes import Probe
from memkube.apis.core.v1.podspec.types.retired_volumes import AzureDiskVolumeSource, PhotonPersistentDiskVolumeSource
from memkube.apis.core.v1.podspec.types.security import SecurityContext
from memkube.apis.core.v1.podspec.types.volumes import ISCSIVolumeSource, Volume
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudgetSpec


def test_json_on_one_line_has_no_spaces() -> None:
    assert go_json({"a": [1, None]}) == '{"a":[1,null]}'


def test_indented_json_keeps_empty_lists_and_maps_on_their_line() -> None:
    assert go_json({"a": [], "b": {}, "c": ["<"]}, indent=1) == ('{\n "a": [],\n "b": {},\n "c": [\n  "\\u003c"\n ]\n}')


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (Container(), {"Name", "TTY", "EnvFrom"}),
        (Probe(), {"Exec", "HTTPGet", "TCPSocket", "GRPC"}),
        (SecurityContext(), {"SELinuxOptions", "RunAsUser"}),
        (Volume(), {"GCEPersistentDisk", "AWSElasticBlockStore", "NFS", "CephFS", "FC", "StorageOS", "CSI"}),
        (ISCSIVolumeSource(), {"IQN", "ISCSIInterface", "FSType", "DiscoveryCHAPAuth", "SessionCHAPAuth"}),
        (AzureDiskVolumeSource(), {"DiskName", "DataDiskURI", "FSType"}),
        (PhotonPersistentDiskVolumeSource(), {"PdID", "FSType"}),
    ],
)
def test_fields_have_their_go_names(value: ApiModel, names: set[str]) -> None:
    assert names <= internal_form(value).keys()


def test_a_list_that_nobody_wrote_is_null() -> None:
    assert internal_form(Container())["Args"] is None
    assert internal_form(Container(args=[]))["Args"] == []


def test_equal_texts_differ_in_no_line() -> None:
    assert line_diff("a\nb", "a\nb") == ""


def test_a_change_is_shown_with_three_lines_around_it() -> None:
    assert line_diff("1\n2\n3\n4\n5", "1\n2\n3\n4\nfive") == "@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+five\n"


def test_distant_changes_have_hunks_of_their_own() -> None:
    before = "\n".join("abcdefghi")
    assert line_diff(before, before.replace("a", "A").replace("i", "I")).count("@@ -") == 2


def test_only_newlines_end_lines() -> None:
    assert line_diff("a\x85b", "a\x85c") == "@@ -1 +1 @@\n-a\x85b\n+a\x85c\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", '"plain"'),
        ('say "hi"', r'"say \"hi\""'),
        ("a\nb\tc", r'"a\nb\tc"'),
        ("\x01", r'"\x01"'),
        ("é", '"é"'),
        ("\u200b", r'"\u200b"'),
        ("\U000e0001", r'"\U000e0001"'),
    ],
)
def test_strings_are_quoted_with_go_escapes(text: str, written: str) -> None:
    assert quoted(text) == written


def test_a_struct_is_shown_in_the_order_of_its_fields() -> None:
    reference = OwnerReference(kind="Pod", name="a", apiVersion="v1", uid="u", controller=True)
    assert shown(reference) == '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u","controller":true}'


def test_a_map_inside_a_struct_is_shown_with_sorted_keys() -> None:
    assert shown(LabelSelector(matchLabels={"b": "1", "a": "2"})) == '{"matchLabels":{"a":"2","b":"1"}}'


def test_markup_is_escaped_inside_json() -> None:
    assert shown(["<&>"]) == r'["\u003c\u0026\u003e"]'


def test_an_unversioned_struct_shows_all_fields_under_go_names() -> None:
    spec = PodDisruptionBudgetSpec(minAvailable=1, selector=LabelSelector(matchLabels={"app": "web"}))
    expected = '{"MinAvailable":1,"Selector":{"matchLabels":{"app":"web"}},"MaxUnavailable":null,'
    assert shown(InternalValue(spec)) == f'{expected}"UnhealthyPodEvictionPolicy":null}}'


def test_an_unversioned_struct_keeps_the_capitals_of_abbreviations() -> None:
    assert '"SELinuxOptions":null' in shown(InternalValue(SecurityContext()))
