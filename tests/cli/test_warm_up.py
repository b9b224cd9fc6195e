"""What installing runs, so that the first edit does not wait for the compiler."""

from __future__ import annotations

import subprocess
import sys

from conftest import ROOT

CODE = """
from kinesphere.cli.rehearsal import rehearse
assert rehearse()
import importlib, pkgutil, kinesphere.kernels as room
names = [m.name for m in pkgutil.iter_modules(room.__path__) if m.name.startswith("jit_")]
kernels = {}
for name in names:
    for key, value in vars(importlib.import_module(f"kinesphere.kernels.{name}")).items():
        if hasattr(value, "signatures") and value.__module__.endswith(name):
            kernels[name, key] = value
before = {key: len(kernel.signatures) for key, kernel in kernels.items()}
from kinesphere.builtin import motion
from kinesphere.signals import Blend, Displace, Equalize, Smooth, Timewarp, Waveshape, align
from kinesphere.signals.displacement import Target
given, other = motion("walk"), motion("bow")
Equalize(preset="twitch", joints="arms", start=0.5, end=2.0)(given)
Waveshape("cosine")(other)
Waveshape("soft cap", by="joint")(other)
Smooth(0.5)(other)
Displace([Target("leftHand", seconds=1.0, by=(0.0, 0.1, 0.0))])(given)
Timewarp(marks=[(1.0, 1.5)])(given)
Timewarp(other, cost="shape")(given)
Blend()(given, other)
Blend(bands={1: [0.0, 1.0]})(given, other)
align(given, other, "pose")
after = {key: len(kernel.signatures) for key, kernel in kernels.items()}
assert before == after, {key: (before[key], after[key]) for key in before if before[key] != after[key]}
"""


def test_a_rehearsal_compiles_everything_that_edits_call() -> None:
    """In a process of its own: after it, editing compiles nothing more."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", CODE], check=True, cwd=ROOT)
