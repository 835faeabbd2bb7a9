"""Requests per second of the server and of a bare server, measured in alternation so that both see the same noise."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

import uvloop

from benchmarks.kinds import create_config_maps, create_objects, define, forget
from benchmarks.load import Address, MakeRequest, repeated, send_many
from benchmarks.workload import FEW, MANY, STRATEGIC, Workload, call

_TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"


@dataclass(frozen=True, slots=True)
class Throughput:
    """Requests per second, medians of the rounds."""

    name: str
    server: float
    bare: float


@dataclass(frozen=True, slots=True)
class _Measurement:
    name: str
    make: MakeRequest
    count: int
    answer: bytes
    """Body for the bare server to send: the bytes of the measured server's own response."""


def measure_throughput(workload: Workload, bare: Address, rounds: int) -> Iterator[Throughput]:
    """Take all measurements, one after another."""
    for measurement in chain(_measurements(workload), _kinds(workload)):
        call(bare, "PUT", "/", measurement.answer)
        rates: dict[Address, list[float]] = {workload.address: [], bare: []}
        for number in range(rounds):
            for address, seen in rates.items():
                first = number * measurement.count
                seconds = uvloop.run(send_many(address, measurement.make, first, measurement.count))
                seen.append(measurement.count / seconds)
        server_rate, bare_rate = (statistics.median(seen) for seen in rates.values())
        yield Throughput(measurement.name, server_rate, bare_rate)


def _measurements(workload: Workload) -> Iterator[_Measurement]:
    path = f"{workload.pods('few')}/pod-0"
    pod = workload.call("GET", path)
    yield _Measurement("GET a pod", repeated(workload.get(path)), 10_000, pod)
    for suffix, size, count in (("few", FEW, 2_000), ("many", MANY, 40)):
        path = workload.pods(suffix)
        yield _Measurement(f"LIST {size:,} pods", repeated(workload.get(path)), count, workload.call("GET", path))
    path = workload.pods("few")
    table = workload.call("GET", path, accept=_TABLE)
    yield _Measurement(f"Table of {FEW:,} pods", repeated(workload.get(path, _TABLE)), 2_000, table)
    yield _Measurement("create a pod", workload.create("new"), 3_000, pod)
    yield _Measurement("create a pod like no other", workload.create_various("new"), 3_000, pod)
    yield _Measurement("patch a pod", workload.patch(), 3_000, pod)
    yield _Measurement("patch a pod, strategically", workload.patch(STRATEGIC), 3_000, pod)


def _kinds(workload: Workload) -> Iterator[_Measurement]:
    new = create_config_maps(workload)
    answer = new(0).partition(b"\r\n\r\n")[2]
    yield _Measurement("create a ConfigMap", new, 1_000, answer)
    objects = define(workload)
    yield _Measurement("create an object with ten rules", create_objects(workload, objects), 1_000, answer)
    forget(workload)
