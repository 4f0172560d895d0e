"""Steps of a program: each prints one line, and a failed one does not stop the others."""

import asyncio
import faulthandler
import os
import time
import traceback
import uuid

NAMESPACE = os.environ["PROGRAM_NAMESPACE"]
LIMIT_SECONDS = 60

faulthandler.dump_traceback_later(550, exit=True)


class Refused(Exception):
    """A check does not hold."""


def expect(holds, *values):
    if not holds:
        raise Refused(" ".join(map(str, values)) or "does not hold")


def report(name, error=None):
    if error is None:
        print(f"STEP ok {name}", flush=True)
        return
    place = traceback.extract_tb(error.__traceback__)[-1] if error.__traceback__ else None
    text = " ".join(f"{type(error).__name__}: {error} {place and place.line}".split())
    print(f"STEP failed {name}: {text[:900]}", flush=True)


def step(name):
    """Runs the function at once."""

    def run(check):
        try:
            check()
            report(name)
        except Exception as error:  # noqa: BLE001 - every failure is the outcome of the step
            report(name, error)
        return check

    return run


async def astep(name, check):
    try:
        await asyncio.wait_for(check(), LIMIT_SECONDS)
        report(name)
    except Exception as error:  # noqa: BLE001
        report(name, error)


def refused(call, status, *parts):
    """The status of the error that a call raises, wherever its library keeps it."""
    try:
        call()
    except Exception as error:  # noqa: BLE001
        check_refusal(error, status, *parts)
        return
    raise Refused(f"accepted, but {status} was expected")


async def arefused(call, status, *parts):
    try:
        await call()
    except Exception as error:  # noqa: BLE001
        check_refusal(error, status, *parts)
        return
    raise Refused(f"accepted, but {status} was expected")


def check_refusal(error, status, *parts):
    response = getattr(error, "response", None)
    found = [
        getattr(error, "status", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
        getattr(getattr(error, "status", None), "code", None),
    ]
    expect(status in found, f"{found} in place of {status}:", error)
    text = f"{error} {getattr(error, 'body', '')} {getattr(response, 'text', '')}"
    for part in parts:
        expect(part in text, f"no {part!r} in", text)


def eventually(what, holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        expect(time.monotonic() < end, "not in time:", what)
        time.sleep(0.05)


async def aeventually(what, holds, seconds=30):
    end = time.monotonic() + seconds
    while not await holds():
        expect(time.monotonic() < end, "not in time:", what)
        await asyncio.sleep(0.05)


def config_map(name, labels=None, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "labels": labels or {}, **metadata},
        "data": {"key": "value"},
    }


def deployment(name, replicas=1):
    labels = {"app": name}
    containers = [{"name": "main", "image": "example.com/main:1"}]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
    }


def pod(name, **spec):
    containers = [{"name": "main", "image": "example.com/main:1"}]
    metadata = {"name": name}
    spec = {"automountServiceAccountToken": False, "containers": containers, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


GROUP = f"{NAMESPACE}.example.com"


def definition(plural="widgets", kind="Widget"):
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "size": {"type": "integer", "minimum": 1, "maximum": 10},
                    "colour": {"type": "string", "default": "blue"},
                    "replicas": {"type": "integer"},
                },
            },
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": plural[:-1], "kind": kind},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    "subresources": {"status": {}, "scale": scale},
                }
            ],
        },
    }


def widget(name, **spec):
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"size": 1, **spec},
    }


def unique():
    return uuid.uuid4().hex[:6]


def end():
    print("STEP end", flush=True)
