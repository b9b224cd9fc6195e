"""Foot plants: when which point of a foot stands, and where."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from kinesphere.body.ground import Ground
from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Bools, Floats, Ints, lengths

NEXT = 0.15  # seconds between plants that follow each other closely
AGREEING = 60  # rounds in which anchors settle; most feet need under ten


@dataclass(frozen=True)
class Plant:
    """One stand of one point."""

    side: str  # "left" or "right"
    point: str  # "heel", "ball" or "sole"
    first: int  # frame
    last: int  # frame, included
    anchor: tuple[float, float, float]  # where the point stands, metres in the world

    @cached_property
    def name(self) -> str:
        """The point's name, such as ``leftHeel``."""
        return self.side + self.point.capitalize()


@dataclass(frozen=True)
class Plants:
    """All plants of a motion, by ``find_plants`` or by hand."""

    frames: int
    rate: float
    ground: Ground
    points: tuple[str, ...]  # every point that could be planted, such as leftHeel
    intervals: tuple[Plant, ...]  # by point, then in time

    def __post_init__(self) -> None:
        for plant in self.intervals:
            if plant.name not in self.points:
                raise ValueError(f"{plant} is of no known point; known are {', '.join(self.points)}")
            if not 0 <= plant.first <= plant.last < self.frames:
                raise ValueError(f"{plant} does not fit into frames 0 to {self.frames - 1}")
            if not all(map(math.isfinite, plant.anchor)):
                raise ValueError(f"{plant} has no finite anchor")
        order = {name: i for i, name in enumerate(self.points)}
        arranged = tuple(sorted(self.intervals, key=lambda plant: (order[plant.name], plant.first)))
        for a, b in zip(arranged[:-1], arranged[1:], strict=True):
            if a.name == b.name and b.first <= a.last:
                raise ValueError(f"{a} and {b} overlap; a point stands in one place at a time")
        object.__setattr__(self, "intervals", arranged)

    @property
    def labels(self) -> Mapping[str, Bools]:
        """For each point ``(T,)``, whether it is planted."""
        labels = {name: np.zeros(self.frames, dtype=bool) for name in self.points}
        for plant in self.intervals:
            labels[plant.name][plant.first : plant.last + 1] = True
        return MappingProxyType(labels)

    def of(self, name: str) -> tuple[Plant, ...]:
        """The plants of one point, in time."""
        return tuple(plant for plant in self.intervals if plant.name == name)

    def planted(self) -> Bools:
        """``(T,)``, whether anything is planted."""
        return np.any(list(self.labels.values()), axis=0) if self.points else np.zeros(self.frames, dtype=bool)

    def anchors(self, names: Sequence[str], paths: Floats) -> Floats:
        """``(T, P, 3)`` anchors of one foot's points in planted frames, moved so that they agree among themselves.

        Heel and ball that stand together are as far apart as the foot is long. Plants that follow each other closely
        are as far apart as the foot went between them, the more the closer: there is no time to make up for more.
        """
        listed = [(k, plant) for k, name in enumerate(names) for plant in self.of(name)]
        place = np.array([plant.anchor for _, plant in listed]).reshape(-1, 3)
        share = np.array([1.0 / (plant.last - plant.first + 1) for _, plant in listed])  # long plants give way less
        settled = 1e-9 * math.dist(paths[0, -1].tolist(), paths[0, 0].tolist())
        pairs = _neighbours(listed, paths, NEXT * self.rate)
        if len(pairs.together) or len(pairs.following):
            settle(place, share, pairs, settled)
        result = np.zeros(paths.shape)
        for (k, plant), at in zip(listed, place, strict=True):
            result[plant.first : plant.last + 1, k] = at
        return result

    def at_height(self, height: float, clearances: Mapping[str, float] | None = None) -> Plants:
        """The same with every anchor on a level ground: at ``height``, plus the point's clearance if given."""
        raised = clearances or {}
        moved = tuple(
            replace(plant, anchor=(plant.anchor[0], height + raised.get(plant.name, 0.0), plant.anchor[2]))
            for plant in self.intervals
        )
        return replace(self, intervals=moved)

    def as_json(self) -> dict[str, Any]:
        """Plain data: frames count from 0, both ends included; anchors in metres."""
        return {
            "kinesphere": "plants",
            "frames": self.frames,
            "rate": self.rate,
            "ground": {"height": self.ground.height, "evidence": self.ground.evidence, "share": self.ground.share},
            "points": list(self.points),
            "intervals": [
                {"side": p.side, "point": p.point, "first": p.first, "last": p.last, "anchor": list(p.anchor)}
                for p in self.intervals
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plants:
        """What ``as_json`` gave."""
        if data.get("kinesphere") != "plants":
            raise ValueError(f"plants are expected: 'kinesphere' is {data.get('kinesphere')!r}, not 'plants'")
        ground = data["ground"]
        return cls(
            int(data["frames"]),
            float(data["rate"]),
            Ground(float(ground["height"]), str(ground["evidence"]), float(ground["share"])),
            tuple(data["points"]),
            tuple(
                Plant(p["side"], p["point"], int(p["first"]), int(p["last"]), _place(p["anchor"]))
                for p in data["intervals"]
            ),
        )


class Neighbours(NamedTuple):
    """Plants of one foot that have to do with each other, by their places in a list."""

    following: Ints  # (F, 2) closely after each other
    ways: Floats  # (F, 3) from the one to the other
    stiff: Floats  # (F,) how closely
    together: Ints  # (G, 2) at one time
    lengths: Floats  # (G,) how far apart


def settle(place: Floats, share: Floats, pairs: Neighbours, settled: float) -> None:
    """Anchors ``(N, 3)`` that agree with their neighbours, in place; ``share (N,)`` is how much each gives way."""
    if compiled.loaded(AGREEING * 10 * (len(pairs.together) + len(pairs.following))) is None:
        settle_reference(place, share, pairs, settled)
        return
    from kinesphere.kernels import jit_plants

    jit_plants.settle(place, share, *pairs, settled, AGREEING)


def settle_reference(place: Floats, share: Floats, pairs: Neighbours, settled: float) -> None:
    """The same in plain NumPy."""
    for _ in range(AGREEING):
        before = place.copy()
        for (i, j), way, stiff in zip(pairs.following.tolist(), pairs.ways, pairs.stiff, strict=True):
            push = stiff * (way - (place[j] - place[i])) / (share[i] + share[j])
            place[i], place[j] = place[i] - share[i] * push, place[j] + share[j] * push
        for (i, j), length in zip(pairs.together.tolist(), pairs.lengths, strict=True):
            apart = place[j] - place[i]
            push = (length / max(float(np.linalg.norm(apart)), 1e-9) - 1.0) * apart / (share[i] + share[j])
            place[i], place[j] = place[i] - share[i] * push, place[j] + share[j] * push
        if np.abs(place - before).max() < settled:
            break


def _neighbours(listed: list[tuple[int, Plant]], paths: Floats, near: float) -> Neighbours:
    """Plants of one foot that stand at one time, and those that follow closely; ``near`` is in frames."""
    together, following = [], []
    order = sorted(range(len(listed)), key=lambda i: listed[i][1].first)
    open_: list[int] = []  # those that may still have something to do with what begins now
    for j in order:
        m, b = listed[j]
        open_ = [i for i in open_ if b.first - listed[i][1].last < near]
        for i in open_:
            k, a = listed[i]
            if b.first > a.last:
                following.append((i, j, b.first, m, a.last, k))
            elif k != m:
                middle = (b.first + min(a.last, b.last)) // 2
                together.append((i, j, middle, m, k) if k < m else (j, i, middle, m, k))
        open_.append(j)
    after = np.array(sorted(following), dtype=np.intp).reshape(-1, 6)
    beside = np.array(sorted(together), dtype=np.intp).reshape(-1, 5)
    _, _, starts, begun, ends, ended = after.T
    ways, stiff = paths[starts, begun] - paths[ends, ended], 1.0 - (starts - ends) / near
    _, _, frames, one, other = beside.T
    apart = paths[frames, one] - paths[frames, other]
    return Neighbours(after[:, :2].copy(), ways, stiff, beside[:, :2].copy(), lengths(apart))


def _place(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)
