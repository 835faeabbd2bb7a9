from memkube.apimachinery.random_values import RandomValues


def test_one_seed_gives_the_same_values() -> None:
    first, second = RandomValues(7), RandomValues(7)
    assert [first.uid(), first.suffix(), first.below(100)] == [second.uid(), second.suffix(), second.below(100)]


def test_values_for_one_purpose_do_not_change_those_of_others() -> None:
    first, second = RandomValues(7), RandomValues(7)
    first.uid()
    assert first.suffix() == second.suffix()


def test_uids_of_a_name_depend_on_the_seed_and_the_name_only() -> None:
    first, second = RandomValues(7), RandomValues(7)
    first.uids_of("node 1", 3)
    assert first.uids_of("node 2", 3) == second.uids_of("node 2", 3)
    assert first.uids_of("node 1", 3) != second.uids_of("node 2", 3)


def test_uids_are_of_version_4() -> None:
    uid = RandomValues(7).uid()
    assert (uid[14], uid[19] in "89ab", len(uid)) == ("4", True, 36)
