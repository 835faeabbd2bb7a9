import asyncio

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.registry.declarations.streaming import StreamFailed
from tests.controllers.kubelet.connections.client import Client, connections
from tests.controllers.kubelet.sandbox import container, sandbox

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("command", "output", "errors", "code"),
    [
        (["hostname"], "web\n", "", 0),
        (["printenv", "COLOR"], "blue\n", "", 0),
        (["sh", "-c", "echo out; nothing; exit 3"], "out\n", "sh: nothing: not found\n", 3),
        (
            ["nginx", "-v"],
            "",
            (
                'OCI runtime exec failed: exec failed: unable to start container process: exec: "nginx": '
                "executable file not found in $PATH: unknown\n"
            ),
            127,
        ),
    ],
)
async def test_a_command_runs_in_the_container(command: list[str], output: str, errors: str, code: int) -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", "sleep 60", env=[{"name": "COLOR", "value": "blue"}])])
        client = Client()
        nodes, pod = await connections(box)
        session = await nodes.execute(pod, "c0", command)
        assert await session(client.streams) == code
        assert (client.output.decode(), client.errors.decode()) == (output, errors)


async def test_a_command_reads_what_the_client_sends() -> None:
    async with sandbox() as box:
        await box.run("sleep 60")
        client = Client(b"one\ntw", b"o\nrest", b"")
        nodes, pod = await connections(box)
        assert await (await nodes.execute(pod, "c0", ["cat"]))(client.streams) == 0
        assert client.output == b"one\ntwo\nrest"


@pytest.mark.parametrize("attached", [False, True])
@pytest.mark.parametrize("piece", [b"x" * 1023 + b"\n", b"x" * 1024])
async def test_who_is_not_read_from_has_to_wait(attached: bool, piece: bytes) -> None:
    async with sandbox() as box:
        script = "sleep 10; wc -c; sleep 60"
        await box.create(containers=[container("c0", script if attached else "sleep 60", stdin=True, stdinOnce=True)])
        client = Client(*[piece] * 200, b"")
        nodes, pod = await connections(box)
        session = await (nodes.attach(pod, "c0") if attached else nodes.execute(pod, "c0", ["sh", "-c", script]))
        playing = asyncio.create_task(_run(session, client))
        await box.advance(1)
        assert client.unread > 100
        await box.advance(15)
        await client.shows(b"204800\n")
        playing.cancel()


async def test_a_shell_on_a_terminal_prompts_and_echoes() -> None:
    async with sandbox() as box:
        await box.run("sleep 60")
        client = Client(tty=True)
        nodes, pod = await connections(box)
        playing = asyncio.create_task(_run(await nodes.execute(pod, "c0", ["sh"]), client))
        await client.shows(b"/ # ")
        client.type(b"echo hx\x7fi\r")
        await client.shows(b"hi\r\n/ # ")
        client.type(b"sleep 60\r")
        await client.shows(b"sleep 60\r\n")
        client.type(b"\x03")
        await client.shows(b"^C\r\n/ # ")
        client.type(b"exit 5\r")
        assert await playing == 5


async def test_files_are_those_of_the_container() -> None:
    async with sandbox() as box:
        await box.run("echo left > /note; sleep 60")
        client = Client()
        nodes, pod = await connections(box)
        await (await nodes.execute(pod, "c0", ["cat", "/note"]))(client.streams)
        assert client.output == b"left\n"


async def test_a_command_waits_by_the_clock_of_the_server() -> None:
    async with sandbox() as box:
        await box.run("sleep 600")
        client = Client()
        nodes, pod = await connections(box)
        session = await nodes.execute(pod, "c0", ["sh", "-c", "echo a; sleep 30; echo b"])
        playing = asyncio.create_task(_run(session, client))
        await client.shows(b"a\n")
        await box.advance(30)
        assert (await playing, client.output) == (0, b"a\nb\n")


async def test_a_command_ends_with_its_container() -> None:
    async with sandbox() as box:
        await box.run("sleep 30")
        nodes, pod = await connections(box)
        playing = asyncio.create_task(_run(await nodes.execute(pod, "c0", ["sleep", "600"]), Client()))
        await asyncio.sleep(0)
        await box.advance(30)
        assert await playing == 137


async def test_a_container_that_does_not_run_takes_no_commands() -> None:
    async with sandbox() as box:
        await box.run("true", restartPolicy="Never")
        nodes, pod = await connections(box)
        with pytest.raises(ApiError, match='container not found \\("c0"\\)'):
            await nodes.execute(pod, "c0", ["hostname"])


async def test_a_pod_has_only_so_many_sessions_at_once() -> None:
    async with sandbox(sessions_per_pod=2) as box:
        await box.run("sleep 60")
        nodes, pod = await connections(box)
        sessions = [await nodes.execute(pod, "c0", ["sleep", "30"]), await nodes.attach(pod, "c0")]
        late = await nodes.execute(pod, "c0", ["hostname"])
        playing = [asyncio.create_task(_run(session, Client())) for session in sessions]
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="pod web has 2 exec and attach sessions already"):
            await nodes.execute(pod, "c0", ["hostname"])
        with pytest.raises(StreamFailed, match="pod web has 2 exec and attach sessions already"):
            await _run(late, Client())
        await box.advance(30)
        assert await playing[0] == 0
        assert await _run(await nodes.execute(pod, "c0", ["hostname"]), Client()) == 0
        playing[1].cancel()


async def test_attaching_shows_what_is_written_from_now_on() -> None:
    async with sandbox() as box:
        await box.run("echo before; sleep 10; echo after; exit 4", restartPolicy="Never")
        client = Client()
        nodes, pod = await connections(box)
        attached = asyncio.create_task(_run(await nodes.attach(pod, "c0"), client))
        await asyncio.sleep(0)
        await box.advance(10)
        assert (await attached, client.output) == (0, b"after\n"), "how the process ended is told by the pod's status"


async def test_an_attached_client_types_into_the_process() -> None:
    async with sandbox() as box:
        shell = {"name": "c0", "image": "busybox", "command": ["sh"], "stdin": True, "tty": True}
        await box.create(containers=[shell], restartPolicy="Never")
        client = Client(tty=True)
        nodes, pod = await connections(box)
        attached = asyncio.create_task(_run(await nodes.attach(pod, "c0"), client))
        client.type(b"hostname\r")
        await client.shows(b"web\r\n/ # ")
        client.type(b"exit\r")
        await attached
        await box.cluster.settle()
        assert (await box.status())["phase"] == "Succeeded"


@pytest.mark.parametrize("image", ["busybox", "docker.io/library/ubuntu:24.04", "alpine@sha256:" + "0" * 64])
async def test_an_image_whose_program_is_a_shell_runs_it_for_a_client_that_types(image: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": image, "stdin": True}], restartPolicy="Never")
        client = Client(b"hostname\n", b"exit 3\n")
        nodes, pod = await connections(box)
        await _run(await nodes.attach(pod, "c0"), client)
        await box.cluster.settle()
        assert client.output == b"web\n"
        assert (await box.container())["state"]["terminated"]["exitCode"] == 3


@pytest.mark.parametrize("fields", [{"image": "nginx", "stdin": True}, {"image": "redis"}])
async def test_other_containers_without_a_command_run_as_servers(fields: Document) -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", **fields}], restartPolicy="Never")
        await box.advance(60)
        assert "running" in (await box.container())["state"]


@pytest.mark.parametrize(("once", "tty"), [(False, False), (True, True)])
async def test_a_client_that_types_no_more_is_detached(once: bool, tty: bool) -> None:
    async with sandbox() as box:
        reader = {"name": "c0", "image": "busybox", "command": ["cat"], "stdin": True, "stdinOnce": once, "tty": tty}
        await box.create(containers=[reader], restartPolicy="Never")
        client = Client(b"hello\n", b"", tty=tty)
        nodes, pod = await connections(box)
        assert await _run(await nodes.attach(pod, "c0"), client) == 0
        assert client.output.endswith(b"hello\r\n" if tty else b"hello\n")
        assert (await box.status())["phase"] == "Running"


async def test_input_that_is_given_once_ends_with_its_client() -> None:
    async with sandbox() as box:
        reader = {"name": "c0", "image": "busybox", "command": ["sh", "-c", "cat; sleep 5; echo end"]}
        await box.create(containers=[reader | {"stdin": True, "stdinOnce": True}], restartPolicy="Never")
        client = Client(b"hello\n", b"")
        nodes, pod = await connections(box)
        attached = asyncio.create_task(_run(await nodes.attach(pod, "c0"), client))
        await client.shows(b"hello\n")
        await box.advance(5)
        assert (await attached, client.output) == (0, b"hello\nend\n")


@pytest.mark.parametrize(("fields", "ends"), [({}, True), ({"stdin": True}, False), ({"tty": True}, False)])
async def test_a_program_without_input_reads_nothing_at_once(fields: Document, ends: bool) -> None:
    async with sandbox() as box:
        reader = {"name": "c0", "image": "busybox", "command": ["sh", "-c", "cat; read line; exit 3"], **fields}
        await box.create(containers=[reader], restartPolicy="Never")
        assert (await box.status())["phase"] == ("Failed" if ends else "Running")


async def _run(session: object, client: Client) -> int:
    assert callable(session)
    code: int = await session(client.streams)
    return code


@pytest.mark.parametrize(
    ("script", "signal", "code"),
    [
        ("trap 'exit 7' INT; while true; do sleep 1; done", "-2", 7),
        ("trap 'exit 8' TERM; while true; do sleep 1; done", "-s TERM", 8),
        ("exec nginx", "-QUIT", 0),
        ("exec nginx", "", 0),
    ],
)
async def test_a_signal_reaches_the_first_process_of_the_container(script: str, signal: str, code: int) -> None:
    async with sandbox() as box:
        await box.create(restartPolicy="Never", containers=[container("c0", script)])
        nodes, pod = await connections(box)
        client = Client(f"kill {signal} $(pgrep -u $(id -u) -f '(sh|nginx)'); echo sent\n".encode())
        playing = asyncio.create_task(_run(await nodes.execute(pod, "c0", ["/bin/sh"]), client))
        async with asyncio.timeout(60):
            await client.shows(b"sent\n")
        await box.advance(2)
        assert (client.errors, playing.done()) == (b"", True)
        assert await playing == 137
        (status,) = (await box.status())["containerStatuses"]
        assert status["state"]["terminated"]["exitCode"] == code


@pytest.mark.parametrize("signal", ["-KILL", "-0", "-2"])
async def test_the_first_process_takes_no_notice_of_signals_without_a_trap(signal: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", "sleep 60")])
        client = Client()
        nodes, pod = await connections(box)
        assert await (await nodes.execute(pod, "c0", ["kill", signal, "1"]))(client.streams) == 0
        await box.advance(2)
        assert (await box.status())["containerStatuses"][0]["state"]["running"]


_PROCESSES = "PID   USER     TIME  COMMAND\n    1 1000      0:00 sh -c sleep 60\n    7 1000      0:00 "


@pytest.mark.parametrize(
    ("command", "output", "errors", "code"),
    [
        (["id", "-u"], "1000\n", "", 0),
        (["whoami"], "", "whoami: unknown uid 1000\n", 1),
        (["pgrep", "sh"], "1\n", "", 0),
        (["pgrep", "-x", "s"], "", "", 1),
        (["pgrep", "-f", "sleep"], "1\n", "", 0),
        (["pgrep", "-u", "root", "sh"], "", "", 1),
        (["ps"], f"{_PROCESSES}ps\n", "", 0),
        (["ps", "aux"], f"{_PROCESSES}ps aux\n", "", 0),
        (["ps", "-o", "pid"], "", "sh: ps -o pid is not simulated\n", 2),
        (["kill", "2"], "", "kill: can't kill pid 2: No such process\n", 1),
        (["kill", "-FOO", "1"], "", "kill: invalid signal 'FOO'\n", 1),
    ],
)
async def test_a_command_finds_the_user_and_the_first_process(
    command: list[str], output: str, errors: str, code: int
) -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", "sleep 60")], securityContext={"runAsUser": 1000})
        client = Client()
        nodes, pod = await connections(box)
        assert await (await nodes.execute(pod, "c0", command))(client.streams) == code
        assert (client.output.decode(), client.errors.decode()) == (output, errors)
