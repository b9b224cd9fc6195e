"""Kinesphere beside its peers, in one run, as ratios. `make bench` installs the peers and runs this.

Warm numbers come from one process in which all take turns; cold ones from fresh interpreters, imports included.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pybvh
import pymotion.ops.skeleton as pymotion_skeleton
from pymotion.io.bvh import BVH

import kinesphere
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.behaviour import stream_behaviours
from timing import Timing, cold, race, report


def clip() -> Path:
    """A real clip of 3,065 frames and 31 joints, or one of the same size made up here."""
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    real = data / "bvh/cmu/137_33.bvh"
    if real.is_file():
        return real
    made = Path(tempfile.mkdtemp()) / "made.bvh"
    kinesphere.save(random_motion(3065, 31), made)
    return made


def random_motion(frames: int, joints: int) -> kinesphere.Motion:
    rng = np.random.default_rng(1)
    parents = np.array([-1, *(int(rng.integers(max(0, i - 4), i)) for i in range(1, joints))])
    skeleton = kinesphere.Skeleton(
        tuple(f"joint{i}" for i in range(joints)), parents, rng.uniform(-0.3, 0.3, (joints, 3))
    )
    q = rotations.from_rotation_vector(np.cumsum(rng.normal(scale=0.02, size=(frames, joints, 3)), axis=0))
    return kinesphere.Motion(skeleton, 120.0, rotations.continuous(q))


def reading(path: Path) -> bool:
    name = str(path)

    def ours() -> Floats:
        return kinesphere.load(name).positions_world()

    def theirs() -> Any:
        return pybvh.read_bvh_file(name).joint_positions()

    def pymotion_read() -> BVH:
        reader = BVH()
        reader.load(name)
        return reader

    peers = {"pybvh": lambda: pybvh.read_bvh_file(name), "pymotion": pymotion_read}
    read = race({"kinesphere.load": lambda: kinesphere.load(name), **peers}, seconds=4.0)
    met = report(f"BVH read, warm: {path.name}", read, "kinesphere.load", {"pybvh": (">=", 1.0)})
    whole = race({"kinesphere": ours, "pybvh": theirs}, seconds=3.0)
    met &= report("file → world positions, warm", whole, "kinesphere", {"pybvh": (">=", 3.0)})
    for what, our_end, their_end in (
        ("BVH read", "", ""),
        ("file → world positions", ".positions_world()", ".joint_positions()"),
    ):
        seconds = {
            "kinesphere": cold(f"import kinesphere; kinesphere.load({name!r}){our_end}"),
            "pybvh": cold(f"import pybvh; pybvh.read_bvh_file({name!r}){their_end}"),
        }
        first = {library: Timing(taken, taken) for library, taken in seconds.items()}
        report(f"{what}, cold (a fresh interpreter, imports included)", first, "kinesphere", {})
    return met


def forward_kinematics(frames: int = 3000, joints: int = 31) -> bool:
    motion = random_motion(frames, joints)
    q, t, parents = motion.rotations, motion.translations, motion.skeleton.parents
    root, offsets = t[:, 0].copy(), motion.skeleton.offsets
    pymotion_parents = np.where(parents < 0, 0, parents)
    rest_of_cache = np.zeros(8_000_000)
    contestants = {
        "kinesphere forward": lambda: kinematics.forward(q, t, parents),
        "kinesphere positions only": lambda: kinematics.forward_positions(q, t, parents),
        "pymotion": lambda: pymotion_skeleton.fk(q, root, offsets, pymotion_parents),
        "copying the same bytes": lambda: (q.copy(), t.copy()),
    }
    results = race(contestants, seconds=4.0)
    goals = {"pymotion": (">=", 20.0), "copying the same bytes": ("<=", 3.0)}
    met = report(f"forward kinematics, {frames} × {joints}, all in cache", results, "kinesphere forward", goals)

    def flushed(run: Any) -> Timing:
        import time

        taken = []
        for _ in range(15):
            rest_of_cache.fill(1.0)
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
        return Timing(min(taken), float(np.median(taken)))

    names = ("kinesphere forward", "copying the same bytes")
    from_memory = {name: flushed(contestants[name]) for name in names}
    return met & report("the same from memory (cache flushed)", from_memory, names[0], {names[1]: ("<=", 3.0)})


def bodies(path: Path) -> bool:
    """Ten seconds on another body. pybvh's retargeting only copies bone lengths: no rest poses, no hands, no feet."""
    motion = kinesphere.load(path)
    if "hips" not in motion.skeleton.roles:
        print("\nretargeting: skipped, the made-up clip is no humanoid's")
        return True
    ten = motion.between(1.0, 11.0)
    coarse = ten.resampled(30.0)
    other = ten.mirrored().skeleton.scaled(0.8)
    theirs, reference = pybvh.read_bvh_file(str(path)), pybvh.read_bvh_file(str(path))
    results = race(
        {
            "retarget, 10 s at 30 fps": lambda: kinesphere.retarget(coarse, other),
            f"retarget, 10 s at {ten.rate:.0f} fps": lambda: kinesphere.retarget(ten, other),
            f"lock_feet, 10 s at {ten.rate:.0f} fps": lambda: kinesphere.lock_feet(ten),
            "pybvh retarget (copies offsets)": lambda: theirs.retarget(reference),
        },
        seconds=4.0,
    )
    report("bodies (goal: ten seconds in 20 ms)", results, "retarget, 10 s at 30 fps", {})
    return results["retarget, 10 s at 30 fps"].median <= 0.020


def ten_seconds() -> kinesphere.Gesture:
    """Both hands through eleven goals in ten seconds."""
    rng = np.random.default_rng(0)
    places = np.array([-0.1, -0.1, 0.3]) + rng.uniform(-0.15, 0.15, (11, 3))
    sides = {}
    for side, sign in (("left", -1.0), ("right", 1.0)):
        keys = tuple(
            kinesphere.Keypoint(57.0 * i, (sign * float(x), float(y), float(z)), -0.4 * sign)
            for i, (x, y, z) in enumerate(places)
        )
        sides[side] = kinesphere.Keypoints(keys, 60.0, f"{side}Arm")
    return kinesphere.Gesture("ten seconds", 10.0, sides["left"], sides["right"])


def performing() -> bool:
    """Ten seconds of gestures with Effort and Shape; many at once. Without a peer: copying the result is beside it."""
    gesture = ten_seconds()

    def score(i: int) -> kinesphere.Score:
        effort = kinesphere.Effort(0.5 * float(np.sin(i)), 0.4 * float(np.cos(i)), 0.0, -0.3)
        return kinesphere.Score(gesture, (kinesphere.Layer(kinesphere.Express(effort, kinesphere.Shape(0.2, -0.3))),))

    values = itertools.cycle(np.linspace(-1.0, 1.0, 41).tolist())

    def drag() -> kinesphere.Motion:
        """One dial where the pointer is now: the whole way from the number to the motion."""
        return kinesphere.perform(gesture, kinesphere.Effort(next(values), 0.4), kinesphere.Shape(0.2, -0.3))

    def everything() -> kinesphere.Motion:
        """All dials, Shape, a word with its body language, intensity and restlessness."""
        effort = kinesphere.Effort(next(values), 0.4, -0.5, -0.3)
        shape = kinesphere.Shape(0.2, -0.3, 0.3, 0.1)
        return kinesphere.perform(gesture, effort, shape, words="angry", intensity=1.3, stillness=-0.5)

    plain, dialled = kinesphere.Score(gesture), score(1)
    many = [score(i) for i in range(100)]
    made = kinesphere.render(dialled)
    results = race(
        {
            "neutral": lambda: kinesphere.render(plain),
            "Effort and Shape": lambda: kinesphere.render(dialled),
            "everything on": everything,
            "one dial, dragged": drag,
            "Effort and Shape, 120 fps": lambda: kinesphere.render(dialled, rate=120.0),
            "copying the result": lambda: (made.rotations.copy(), made.translations.copy()),
        },
        seconds=4.0,
    )
    report(
        "perform, 10 s at 60 fps, 55 joints (goals: 15 ms with everything; 8 ms for a dial)",
        results,
        "Effort and Shape",
        {},
    )
    crowd = race(
        {
            "100 in one call": lambda: kinesphere.render_all(many),
            "100 calls": lambda: [kinesphere.render(one) for one in many],
        },
        seconds=1.0,
    )
    report("a crowd of 100 (goal: half of 100 calls)", crowd, "100 in one call", {})
    each = streaming(made)
    reached = [results["everything on"].median <= 0.015, results["one dial, dragged"].median <= 0.008]
    return all(reached) and crowd["100 in one call"].median <= 0.5 * crowd["100 calls"].median and each <= 0.0002


def streaming(motion: kinesphere.Motion) -> float:
    """Seconds that one pose takes with behaviours on top, step by step."""
    body = kinesphere.body_of(motion)
    behaviours: dict[str, kinesphere.Behaviour] = {
        "breath": kinesphere.Breath(),
        "sway": kinesphere.Sway(),
        "fidget": kinesphere.Fidget(),
    }

    def run(own: list[kinesphere.Behaviour]) -> Callable[[], object]:
        return lambda: sum(1 for _ in stream_behaviours(motion, own, body))

    results = race(
        {name: run([own]) for name, own in behaviours.items()} | {"all": run([*behaviours.values()])}, seconds=2.0
    )
    print("\nstreaming a pose (goal: 0.2 ms)")
    for name, result in results.items():
        print(f"  {name:<8} {1e6 * result.median / len(motion):7.1f} µs")
    return float(results["all"].median / len(motion))


def linearity() -> bool:
    """Ten times the frames, ten times the work: seconds a frame from 1,000 to 100,000 frames."""
    print("\nlinear in frames (31 joints): nanoseconds a frame and joint")
    each = []
    for frames in (1_000, 10_000, 100_000):
        motion = random_motion(frames, 31)
        taken = race({"forward": motion.positions_world}, seconds=1.0)["forward"].best
        each.append(taken / frames / 31 * 1e9)
        print(f"  {frames:>8} frames {each[-1]:8.2f} ns")
    return max(each) < 3.0 * min(each)


def main() -> None:
    met = [reading(clip()), forward_kinematics(), bodies(clip()), performing(), linearity()]
    print(f"\n{sum(met)} of {len(met)} groups of goals met")


if __name__ == "__main__":
    main()
