"""Tasks for agents: broken clusters to repair, and graders that judge the repair from the history of the cluster.

The server imports no module of this package. The agent's user has only RBAC rights in its cluster. No data that the
agent can read may contain the declaration of its task or data of the grader.
"""

from memkube.gym.environment import Environment
from memkube.gym.messages import Action, Observation, State
from memkube.gym.pack import task_names

__all__ = ["Action", "Environment", "Observation", "State", "task_names"]
