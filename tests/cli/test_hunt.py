from tests.cli.processes import run_memkube


def test_a_hunt_needs_a_description_or_a_plan(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "hunt")
    expected = "memkube: give the file that describes the hunt, or --replay with the plan of a finding\n"
    assert (done.returncode, done.stderr) == (2, expected)
