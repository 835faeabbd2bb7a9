"""Serves environments over HTTP and WebSockets, with the protocol of OpenEnv.

``POST /reset``, ``POST /step`` and ``GET /state`` use the episode with the name `episode_id`; requests without a name
share one episode. Each WebSocket at ``/ws`` has its own episode, which ends when the connection is closed, as OpenEnv's
clients expect.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from fastapi import FastAPI, HTTPException, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memkube.errors import MemkubeError, UsageError
from memkube.gym.environment import Environment
from memkube.gym.episode import Preparations
from memkube.gym.messages import Action, Observation, State
from memkube.gym.pack import task_names
from memkube.version import VERSION

T = TypeVar("T")
_NAME: Final = "memkube-gym"
_WHAT: Final = "Broken Kubernetes clusters, which an agent repairs with kubectl."
_CONFLICT: Final = 409
_TOO_MANY: Final = 429


class ResetRequest(BaseModel):
    """Request to begin an episode. Unknown fields are refused: a misspelt ``task`` would mean a random task."""

    model_config = ConfigDict(extra="forbid")

    seed: int | None = Field(
        default=None, ge=0, description="Seed that chooses the names and numbers in the task; random if not given."
    )
    episode_id: str | None = Field(
        default=None, max_length=255, description="Name for the new episode; requests without a name share one episode."
    )
    task: str = Field(default="", description="Name of the task; if it is empty, the seed chooses a task.")


class StepRequest(BaseModel):
    """Request to perform an action in an episode."""

    model_config = ConfigDict(extra="forbid")

    action: Action
    episode_id: str | None = Field(
        default=None, max_length=255, description="Name of the episode, as given to its reset; empty if none was given."
    )
    timeout_s: float | None = Field(
        default=None, gt=0, description="Ignored: commands are limited by the cluster's clock, not by real time."
    )
    request_id: str | None = Field(
        default=None, max_length=255, description="Id of the request, which OpenEnv clients may send. Ignored."
    )


class StepResponse(BaseModel):
    """Response to a reset or a step, with the agent's observation."""

    observation: Observation
    reward: float | None = None
    done: bool = False


class SchemaResponse(BaseModel):
    """The response of ``GET /schema``: JSON schemas of actions, observations and states."""

    action: dict[str, Any]
    observation: dict[str, Any]
    state: dict[str, Any]


class Metadata(BaseModel):
    """Name, version and tasks of the environment (OpenEnv's ``GET /metadata``)."""

    name: str = _NAME
    description: str = _WHAT
    version: str = VERSION
    tasks: list[str]


class Health(BaseModel):
    """The response of ``GET /health``, which a server gives once it is ready."""

    status: str = "healthy"


class TooManyEpisodes(MemkubeError):
    """Raised if no episode can begin, because the maximum number of episodes is running."""


class Sessions:
    """Environments, keyed by the names of their episodes.

    The number of environments is limited. The methods may be called from several threads.
    """

    def __init__(self, make: Callable[[Preparations], Environment], most: int) -> None:
        self._make = make
        self._most = most
        self._preparations = Preparations()
        self._lock = threading.Lock()
        self._environments: dict[str, tuple[Environment, threading.Lock]] = {}

    def reset(self, name: str, given: ResetRequest) -> StepResponse:
        """Begin an episode with this name, and with the task and the seed of the request `given`.

        If an episode with this name is running, the new one replaces it. Raises UsageError for an unknown task, and
        TooManyEpisodes if the maximum number of episodes is reached.
        """
        environment, lock = self._opened(name)
        with lock:
            options = {"task": given.task} if given.task else {}
            observation, _ = environment.reset(seed=given.seed, options=options)
        return StepResponse(observation=Observation.model_validate(observation))

    def step(self, name: str, action: Action) -> StepResponse:
        """Perform an action in the episode with this name.

        Raises UsageError if the episode does not exist or has ended.
        """
        environment, lock = self._found(name)
        with lock:
            observation, reward, *_ = environment.step(action.command)
            done = environment.state.done
        return StepResponse(observation=Observation.model_validate(observation), reward=reward, done=done)

    def state(self, name: str) -> State:
        """Return the state of the episode with this name. Raises UsageError if it does not exist."""
        return self._found(name)[0].state.model_copy(update={"episode_id": name})

    def end(self, name: str) -> None:
        """Stop the environment of the episode with this name, if it exists."""
        with self._lock:
            found = self._environments.pop(name, None)
        if found is not None:
            with found[1]:
                found[0].close()

    def close(self) -> None:
        """Stop the servers of all environments."""
        for name in list(self._environments):
            self.end(name)

    def _opened(self, name: str) -> tuple[Environment, threading.Lock]:
        with self._lock:
            if name in self._environments:
                return self._environments[name]
            if len(self._environments) >= self._most:
                # Close an episode that has ended, to make room for the new one.
                ended = next((key for key, (env, _) in self._environments.items() if env.state.done), None)
                if ended is None:
                    raise TooManyEpisodes(f"the maximum of {self._most} episodes is running already")
                self._environments.pop(ended)[0].close()
            self._environments[name] = self._make(self._preparations), threading.Lock()
            return self._environments[name]

    def _found(self, name: str) -> tuple[Environment, threading.Lock]:
        try:
            return self._environments[name]
        except KeyError:
            raise UsageError(f"there is no episode with the name {name!r}: send a reset first") from None


def create_gym_application(make: Callable[[Preparations], Environment], most: int = 8) -> FastAPI:
    """Return the FastAPI application that serves environments.

    `make` is called with the cache of prepared clusters, which all environments share, and returns a new environment.
    `most` is the maximum number of environments.
    """
    sessions = Sessions(make, most)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(sessions.close)

    app = FastAPI(title=_NAME, description=_WHAT, version=VERSION, lifespan=lifespan, docs_url=None, redoc_url=None)
    _add_routes(app, sessions)
    app.add_api_websocket_route("/ws", _Connections(sessions).serve)
    return app


def _add_routes(app: FastAPI, sessions: Sessions) -> None:
    # These functions block until the episode has answered, so they are no coroutines: FastAPI runs them in threads.
    @app.post("/reset")
    def reset(given: ResetRequest | None = None) -> StepResponse:
        asked = given or ResetRequest()
        return _answered(lambda: sessions.reset(asked.episode_id or "", asked))

    @app.post("/step")
    def step(given: StepRequest) -> StepResponse:
        return _answered(lambda: sessions.step(given.episode_id or "", given.action))

    @app.get("/state")
    def state(episode_id: str = "") -> State:
        return _answered(lambda: sessions.state(episode_id))

    @app.get("/health")
    def health() -> Health:
        return Health()

    @app.get("/metadata")
    def metadata() -> Metadata:
        return Metadata(tasks=task_names())

    @app.get("/schema")
    def schema() -> SchemaResponse:
        models = (Action, Observation, State)
        action, observation, state = (model.model_json_schema() for model in models)
        return SchemaResponse(action=action, observation=observation, state=state)


def _answered(work: Callable[[], T]) -> T:
    """Call `work` and return its result. Convert a MemkubeError that it raises to an HTTPException."""
    try:
        return work()
    except TooManyEpisodes as error:
        raise HTTPException(_TOO_MANY, str(error)) from None
    except MemkubeError as error:
        raise HTTPException(_CONFLICT, str(error)) from None


class _Connections:
    """Serves the WebSockets of OpenEnv's clients. Each connection has an episode of its own."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._count = 0

    async def serve(self, socket: WebSocket) -> None:
        """Answer the messages of a client on this WebSocket until the client closes it."""
        await socket.accept()
        self._count += 1
        # The name of a WebSocket's episode begins with a space, so that no client over HTTP uses the same name by
        # accident.
        name = f" websocket {self._count}"
        try:
            while (answer := await self._answer(name, await socket.receive_text())) is not None:
                await socket.send_json(answer)
            await socket.close()
        except WebSocketDisconnect:
            pass
        finally:
            await asyncio.to_thread(self._sessions.end, name)

    async def _answer(self, name: str, text: str) -> dict[str, Any] | None:
        """Return the response to a client's message, or None if the message asks to close the connection."""
        try:
            message = json.loads(text)
            kind, data = message["type"], message.get("data") or {}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            return _error("INVALID_JSON", f"expected an object with type and data: {error}")
        if kind == "close":
            return None
        try:
            return await asyncio.to_thread(self._done, name, kind, data)
        except ValidationError as error:
            return _error("VALIDATION_ERROR", str(error))
        except TooManyEpisodes as error:
            return _error("CAPACITY_REACHED", str(error))
        except MemkubeError as error:
            return _error("EXECUTION_ERROR", str(error))

    def _done(self, name: str, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
        if kind == "reset":
            given = self._sessions.reset(name, ResetRequest.model_validate(data))
            return {"type": "observation", "data": given.model_dump()}
        if kind == "step":
            given = self._sessions.step(name, Action.model_validate(data))
            return {"type": "observation", "data": given.model_dump()}
        if kind == "state":
            return {"type": "state", "data": self._sessions.state(name).model_dump()}
        return _error("UNKNOWN_TYPE", f"unknown type {kind!r}: choose from reset, step, state, close")


def _error(code: str, message: str) -> dict[str, Any]:
    return {"type": "error", "data": {"message": message, "code": code}}
