"""Scaled, mirrored, sheared and turned nodes: every joint stands where plain 4×4 matrices put it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.scenes import Scene, chain, world_positions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kinesphere

quick = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
KINDS = ("uniform", "negative", "axes", "mirrored", "zero")


def scales_of(rng: np.random.Generator, kind: str, *shape: int) -> np.ndarray:
    if kind in ("uniform", "negative"):
        factor = rng.uniform(0.2, 3.0, (*shape, 1)) * (-1.0 if kind == "negative" else 1.0)
        return np.repeat(factor, 3, axis=-1)
    values = rng.uniform(0.2, 3.0, (*shape, 3))
    if kind == "mirrored":
        values *= rng.choice([-1.0, 1.0], (*shape, 3))
    if kind == "zero":
        values[..., 0] = 0.0
    return values


def random_scene(seed: int, kinds: tuple[str, ...], matrices: bool) -> Scene:
    """A random tree, some of it animated, with scales of the given kinds at rest and in motion."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 9))
    nodes: list[dict[str, Any]] = []
    for _ in range(count):
        q = rng.normal(size=4)
        node = {
            "translation": rng.normal(size=3).tolist(),
            "rotation": (q / np.linalg.norm(q)).tolist(),
            "scale": scales_of(rng, str(rng.choice(kinds))).tolist(),
        }
        nodes.append(node)
    for child in range(1, count):
        nodes[int(rng.integers(0, child))].setdefault("children", []).append(child)
    times = np.arange(6) / 30.0
    moving = sorted(set(rng.integers(0, count, 3).tolist()))
    channels: list[tuple[Any, ...]] = []
    for node in moving:
        q = rng.normal(size=(6, 4))
        channels.append((node, "rotation", times, q / np.linalg.norm(q, axis=1, keepdims=True)))
        channels.append((node, "translation", times, rng.normal(size=(6, 3))))
        channels.append((node, "scale", times, scales_of(rng, str(rng.choice(kinds)), 6)))
    if matrices:
        for index in set(range(count)) - set(moving):
            matrix = np.eye(4)
            matrix[:3] = rng.normal(size=(3, 4))  # any matrix: also sheared, also mirrored
            kept = {k: v for k, v in nodes[index].items() if k == "children"}
            nodes[index] = {**kept, "matrix": matrix.T.ravel().tolist()}
    return Scene(nodes).clip(*channels)


def deviation(path: Path) -> float:
    motion = kinesphere.load(path)
    expected = world_positions(path, 0, np.arange(len(motion)) / motion.rate)
    found = motion.positions_world()
    nodes = [int(name.removeprefix("node_")) for name in motion.skeleton.names]
    size = max(1.0, *(float(np.abs(expected[node]).max()) for node in nodes))
    return max(float(np.abs(expected[node] - found[:, i]).max()) for i, node in enumerate(nodes)) / size


@pytest.mark.parametrize("kinds", [("uniform",), ("uniform", "negative"), KINDS])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_scales(tmp_path: Path, kinds: tuple[str, ...], seed: int) -> None:
    assert deviation(random_scene(seed, kinds, matrices=False).write(tmp_path / "scene.glb")) < 1e-6


@given(seed=st.integers(0, 2**32 - 1))
@quick
def test_any_matrices(tmp_path: Path, seed: int) -> None:
    assert deviation(random_scene(seed, KINDS, matrices=True).write(tmp_path / "scene.glb")) < 1e-6


def test_a_mirrored_parent_turns_its_child_the_other_way(tmp_path: Path) -> None:
    nodes = chain("a", "b", "c")
    nodes[0]["scale"] = [-1.0, 1.0, 1.0]
    quarter = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
    scene = Scene(nodes).clip(
        (0, "translation", [0.0], [[0, 0, 0]]),
        (1, "rotation", [0.0], [quarter]),
        (2, "rotation", [0.0], [[0, 0, 0, 1]]),
    )
    motion = kinesphere.load(scene.write(tmp_path / "scene.glb"))
    np.testing.assert_allclose(motion.rotations[0, 1], [np.sqrt(0.5), 0, 0, -np.sqrt(0.5)], atol=1e-7)
    np.testing.assert_allclose(motion.positions_world()[0, 2], [1, 1, 0], atol=1e-7)
    # The bone keeps its length and its offset at rest: the mirror went into the rotation.
    np.testing.assert_allclose(motion.translations[0, 2], [0, 1, 0], atol=1e-7)


def test_a_still_nonuniform_scale_is_no_surface_scale_where_nothing_turns(tmp_path: Path) -> None:
    nodes = chain("a", "b")
    nodes[0]["scale"] = [1.0, 2.0, 3.0]
    scene = Scene(nodes).clip((0, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]]), (1, "scale", [0.0], [[1, 1, 1]]))
    assert kinesphere.load(scene.write(tmp_path / "scene.glb")).scales is None
