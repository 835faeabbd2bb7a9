from memkube.apimachinery.json_forms import line_diff


def test_equal_texts_differ_in_no_line() -> None:
    assert line_diff("a\nb", "a\nb") == ""


def test_a_change_is_shown_with_three_lines_around_it() -> None:
    assert line_diff("1\n2\n3\n4\n5", "1\n2\n3\n4\nfive") == "@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+five\n"


def test_distant_changes_have_hunks_of_their_own() -> None:
    before = "\n".join("abcdefghi")
    assert line_diff(before, before.replace("a", "A").replace("i", "I")).count("@@ -") == 2


def test_only_newlines_end_lines() -> None:
    assert line_diff("a\x85b", "a\x85c") == "@@ -1 +1 @@\n-a\x85b\n+a\x85c\n"
