"""Runs KubernetesPodOperators in Airflow's own environment: each line of input is a task, each line of output its end.

A task is JSON: the operator's arguments, ``deferrable`` among them. What Airflow's scheduler, workers and triggerer do
is done here: ``execute`` is called as a worker does, a trigger is awaited as the triggerer does, and then it goes on
where the operator says.
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
    """What the operator asks of the task that it runs for."""

    task_id: str
    try_number: int
    dag_id: str = "reports"
    run_id: str = "manual"
    map_index: int = -1
    start_date: datetime = field(default_factory=lambda: datetime.now(UTC))
    pushed: dict[str, Any] = field(default_factory=dict)

    def xcom_push(self, key: str, value: Any) -> None:
        """Keeps what a task leaves for others."""
        self.pushed[key] = value


def executed(operator: KubernetesPodOperator, context: dict[str, Any]) -> Any:
    """What a task returns, however often it defers itself."""
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
    """What a trigger fires."""
    async for event in trigger.run():
        return event.payload
    raise RuntimeError("the trigger ended without an event")


def run(arguments: dict[str, Any]) -> dict[str, Any]:
    """Runs a task, and tells how it ended."""
    instance = TaskInstance(arguments["task_id"], arguments.pop("try_number", 1))
    told: dict[str, Any] = {"result": None, "error": None, "message": ""}
    with DAG(instance.dag_id, schedule=None) as dag:
        operator = KubernetesPodOperator(**arguments)
        context = {"dag": dag, "ti": instance, "run_id": instance.run_id}
        try:
            told["result"] = executed(operator, context)
        except Exception as error:  # what a worker does with a task that fails
            told |= {"error": type(error).__name__, "message": f"{error.__context__}\n{error}"}
    return {**told, "xcom": instance.pushed}


if __name__ == "__main__":
    # Loggers hold standard output: what they write there goes with the other errors.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line)), default=str), file=answers, flush=True)
