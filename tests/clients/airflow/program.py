"""Runs KubernetesPodOperators in Airflow's own environment, each with the arguments in a line of input.

A line of input is JSON: the operator's arguments, which may contain ``deferrable``. The line of output says how the
task ended. The program does the work of Airflow's worker and triggerer: it calls ``execute``, awaits the trigger of a
deferred task, and then calls the method that the operator named.
"""

import asyncio
import json
import os
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import DAG
from airflow.sdk.exceptions import TaskDeferred


@dataclass
class TaskInstance:
    """The attributes of a task that the operator reads."""

    task_id: str
    try_number: int
    dag_id: str = "reports"
    run_id: str = "manual"
    map_index: int = -1
    start_date: datetime = field(default_factory=lambda: datetime.now(UTC))
    pushed: dict[str, Any] = field(default_factory=dict)

    def xcom_push(self, key: str, value: Any) -> None:
        """Record a value that the task pushes for other tasks."""
        self.pushed[key] = value


def executed(operator: KubernetesPodOperator, context: dict[str, Any]) -> Any:
    """Run a task, including all of its deferrals, and return its result."""
    try:
        return operator.execute(context)
    except TaskDeferred as deferred:
        waiting = deferred
    while True:
        event = asyncio.run(first_event(waiting.trigger))
        try:
            return getattr(operator, waiting.method_name)(context, event)
        except TaskDeferred as deferred:
            waiting = deferred


async def first_event(trigger: Any) -> Any:
    """Return the payload of a trigger's first event."""
    async for event in trigger.run():
        return event.payload
    raise RuntimeError("the trigger ended without an event")


def run(arguments: dict[str, Any]) -> dict[str, Any]:
    """Run a task, and return how it ended."""
    instance = TaskInstance(arguments["task_id"], arguments.pop("try_number", 1))
    told: dict[str, Any] = {"result": None, "error": None, "message": ""}
    with DAG(instance.dag_id, schedule=None) as dag:
        operator = KubernetesPodOperator(**arguments)
        context = {"dag": dag, "ti": instance, "run_id": instance.run_id}
        try:
            told["result"] = executed(operator, context)
        except Exception as error:  # a worker also catches every error
            told |= {"error": type(error).__name__, "message": f"{error.__context__}\n{error}"}
    return {**told, "xcom": instance.pushed}


if __name__ == "__main__":
    # Loggers write to file descriptor 1, so it is redirected to stderr, and answers use a copy of it.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line)), default=str), file=answers, flush=True)
