import pytest

from memkube import UsageError
from memkube.gym import Environment, Observation
from tests.gym.episodes import lines, rewards, values

pytestmark = pytest.mark.kubectl

IMAGE = "registry.example.com/{namespace}/{app}:v1.{minor}.{patch}"


def test_a_reset_returns_the_text_of_the_task(env: Environment) -> None:
    observation, info = env.reset(seed=5, options={"task": "wrong-image"})
    assert observation["output"].startswith(f"The deployment {values('wrong-image', 5)['app']} in the namespace ")
    assert (observation["exit_code"], info) == (0, {"task": "wrong-image", "seed": 5})


def test_a_reset_forgets_what_the_agent_has_done(env: Environment) -> None:
    namespace = values("wrong-image", 5)["namespace"]
    for _ in range(2):
        env.reset(seed=5, options={"task": "wrong-image"})
        observation, *_ = env.step(f"kubectl create configmap mine -n {namespace}")
        assert observation["output"] == "configmap/mine created\n"


def test_the_seed_chooses_the_task_if_none_is_given(env: Environment) -> None:
    first = [env.reset(seed=seed)[1]["task"] for seed in range(4)]
    assert first == [env.reset(seed=seed)[1]["task"] for seed in range(4)]
    assert len(set(first)) > 1


def test_a_reset_without_a_seed_follows_from_an_earlier_seed(env: Environment) -> None:
    seeds = []
    for _ in range(2):
        env.reset(seed=4, options={"task": "network-policy"})
        seeds.append(env.reset(options={"task": "network-policy"})[1]["seed"])
    assert seeds[0] == seeds[1] != 4


def test_an_episode_ends_when_the_agent_says_so(env: Environment) -> None:
    env.reset(seed=5, options={"task": "wrong-image"})
    assert env.step("exit")[1:4] == (0.0, True, False)
    assert env.state.done
    with pytest.raises(UsageError, match="the episode has ended: call reset"):
        env.step("kubectl get pods")


def test_an_episode_is_truncated_after_the_last_step() -> None:
    with Environment("wrong-image", most_steps=2) as env:
        env.reset(seed=5)
        assert env.step("kubectl version")[2:4] == (False, False)
        assert env.step("kubectl version")[2:4] == (False, True)
        assert (env.state.step_count, env.state.reward) == (2, 0.0)


def test_the_state_says_nothing_about_the_grader_before_the_end(env: Environment) -> None:
    env.reset(seed=5, options={"task": "wrong-image"})
    env.step("kubectl get pods")
    assert (env.state.step_count, env.state.reward, env.state.reasons) == (1, None, [])


def test_an_undone_change_is_forgiven(env: Environment) -> None:
    env.reset(seed=5, options={"task": "wrong-image"})
    scaled = "kubectl scale -n {namespace} deployment {app} --replicas=%d"
    commands = [scaled % 1, scaled % 2, "kubectl set image -n {namespace} deployment {app} app=" + IMAGE]
    assert rewards(env, lines("wrong-image", commands, 5)) == [0, 0, 1]


def test_a_pod_that_the_agent_leaves_behind_is_damage(env: Environment) -> None:
    env.reset(seed=5, options={"task": "wrong-image"})
    commands = [
        "kubectl run -n {namespace} debug --image=busybox -- sleep 1d",
        "kubectl set image -n {namespace} deployment {app} app=" + IMAGE,
        "kubectl delete pod -n {namespace} debug --now",
    ]
    assert rewards(env, lines("wrong-image", commands, 5)) == [0, 0, 1]


def test_waiting_takes_no_real_time_worth_mentioning(env: Environment) -> None:
    env.reset(seed=5, options={"task": "wrong-image"})
    (waiting,) = lines("wrong-image", ["kubectl wait -n {namespace} deployment/{app} --for=condition=Available"], 5)
    observation, *_ = env.step(waiting + " --timeout=1h")
    assert observation["exit_code"] == 124
    assert observation["output"].endswith("has not ended within 300 s of the cluster's time\n")


@pytest.mark.parametrize(
    "command",
    [
        "kubectl get --raw /memkube/v1/requests",
        "kubectl get --raw /memkube/v1/rules",
        "kubectl get secrets -n kube-system",
        "kubectl create clusterrolebinding me --clusterrole=cluster-admin --user=agent",
        "kubectl auth can-i create clusterroles -q",
        "kubectl delete node node-1",
    ],
)
def test_the_agent_has_no_rights_beyond_its_namespace(env: Environment, command: str) -> None:
    env.reset(seed=5, options={"task": "wrong-image"})
    observation, *_ = env.step(command)
    assert observation["exit_code"] == 1


def test_unknown_tasks_and_options_are_refused(env: Environment) -> None:
    with pytest.raises(UsageError, match="unknown task 'quotta': did you mean 'quota'"):
        Environment("quotta")
    with pytest.raises(UsageError, match="unknown option 'tsk' of reset"):
        env.reset(options={"tsk": "quota"})
    with pytest.raises(UsageError, match="there is no episode: call reset"):
        Environment().step("exit")


def test_observations_have_output_and_exit_code() -> None:
    assert Observation(output="a").visible() == {"output": "a", "exit_code": 0}
