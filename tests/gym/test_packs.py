import pytest

from memkube.gym import Environment, task_names
from memkube.gym.pack import read_task, title_of
from tests.gym.episodes import SEED, SOLUTIONS, lines, played, rewards

pytestmark = pytest.mark.kubectl

CHEATS = [(task, cheat) for task in task_names() for cheat in SOLUTIONS[task]["cheats"]]


def test_there_are_ten_tasks_with_a_solution_and_two_cheats_each() -> None:
    assert len(task_names()) == 10
    assert sorted(SOLUTIONS) == task_names()
    assert all(len(SOLUTIONS[task]["cheats"]) >= 2 for task in task_names())


@pytest.mark.parametrize("task", task_names())
def test_a_right_solution_is_rewarded(env: Environment, task: str) -> None:
    env.reset(seed=SEED, options={"task": task})
    verdict = env.judge(patience=0)
    assert verdict.unmet != []
    assert verdict.damage == []
    steps = played(env, lines(task, SOLUTIONS[task]["solution"]))
    assert steps[-1][0] == 1, steps


@pytest.mark.parametrize(("task", "cheat"), CHEATS, ids=lambda part: part.replace(" ", "-"))
def test_a_cheat_is_not_rewarded(env: Environment, task: str, cheat: str) -> None:
    env.reset(seed=SEED, options={"task": task})
    assert set(rewards(env, lines(task, SOLUTIONS[task]["cheats"][cheat]))) == {0.0}
    assert env.judge(patience=0).reasons != []


@pytest.mark.parametrize("task", task_names())
def test_seeds_vary_the_names_of_a_task(task: str) -> None:
    texts = {read_task(task, seed).text for seed in range(10)}
    assert len(texts) > 5
    assert title_of(task).endswith(".")


@pytest.mark.parametrize("task", task_names())
def test_every_seed_gives_a_valid_task(task: str) -> None:
    for seed in range(20):
        assert "{{" not in read_task(task, seed).text
