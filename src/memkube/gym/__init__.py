"""Tasks for agents: broken clusters to repair, and graders that judge the repair from the history of the cluster.

Nothing in this package is imported by a server. The agent reaches its cluster as a user with RBAC rights only; nothing
that the agent can read may contain the declaration of its task or data of the grader.
"""

from memkube.gym.environment import Environment
from memkube.gym.messages import Action, Observation, State
from memkube.gym.pack import task_names

__all__ = ["Action", "Environment", "Observation", "State", "task_names"]
