"""Gait analysis: cadence, stride, support, bounce, arm swing, lean and looks of a walk, from its joints.

A *stride* runs from one foot's contact to its next. Each measure is taken over every stride, in the direction in which
the hips travel, and the median of all strides is given; strides in which the body turns or stands are left out. Lengths
are in leg lengths (thigh plus shin), angles in degrees, times in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from kinesphere.body.body import Body, body_of
from kinesphere.body.contacts import Contacts, find_contacts
from kinesphere.maths import rotations
from kinesphere.maths.filters import low_pass
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

SHORTEST, LONGEST = 0.35, 4.0  # seconds of a stride
STRAIGHT = np.radians(20.0)  # most that the heading may change within a stride
LEAST_STRIDE = 0.15  # leg lengths: what is shorter is a shift of weight
WANDER = 0.5  # hertz: what is quicker is sway
LANDING = 0.10  # seconds around a strike in which what lands is looked at

# What is measured, with its unit.
MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "cadence": "strides a second",
        "stride": "leg lengths from one contact of a foot to its next",
        "speed": "leg lengths a second",
        "stance": "share of a stride that a foot is in contact",
        "width": "leg lengths between both feet, across the way",
        "bounce": "leg lengths that the hips go up and down",
        "hips": "leg lengths of the hips above the ankles of feet in contact, on the mean",
        "knee": "degrees of the knee while its foot is in contact, on the mean",
        "lift": "leg lengths that the ankle rises as a foot swings",
        "landing": "degrees by which the toes are up as the foot lands",
        "impact": "leg lengths a second squared: the largest deceleration of the hips' fall after a strike",
        "sway": "leg lengths that the hips go from side to side",
        "hip_turn": "degrees of the line between the hip joints about the vertical, from end to end",
        "shoulder_turn": "degrees of the line between the shoulders, from end to end",
        "arm_swing": "degrees of the upper arm ahead and back, from end to end",
        "arm_centre": "degrees of the upper arm ahead of the vertical, on the mean",
        "elbow": "degrees of the elbow, on the mean",
        "arm_out": "degrees from the shoulder to the wrist away from the vertical, aside, on the mean",
        "arm_lag": "share of a stride by which the arm is behind the foot of the other side",
        "lean": "degrees of the line from hips to neck ahead of the vertical",
        "head": "degrees that the face looks down",
        "look": "degrees that the face turns from side to side, from end to end, over the longest stretch",
        "track": "leg lengths that the hips wander from the straight way, root mean square, over it",
    }
)


@dataclass(frozen=True)
class GaitMeasures:
    """The measures of a walk: ``values`` by the names of ``MEASURES``, medians over this many ``strides``."""

    values: Mapping[str, float]
    strides: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __getitem__(self, name: str) -> float:
        return self.values[name]


class _Stride(NamedTuple):
    side: str
    start: int
    leaves: int  # the frame after the last one in contact
    end: int


class _Frame(NamedTuple):
    """A motion seen in its direction of travel."""

    ahead: Floats  # (3,) unit, level
    left: Floats  # (3,)


def measure_gait(motion: Motion) -> GaitMeasures:
    """Measure a walk that travels. A motion with no stride of a walk is refused."""
    body = body_of(motion)
    seen = _SeenWalk(motion, body, find_contacts(motion))
    strides = seen.strides()
    rows = [seen.measure(stride) for stride in strides]
    if not rows:
        raise ValueError(f"{motion.name or 'the motion'} has no stride that travels straight ahead: nothing to measure")
    values = {name: float(np.median([row[name] for row in rows])) for name in rows[0]}
    return GaitMeasures(values | seen.wander(strides), len(rows))


class _SeenWalk:
    """Joint positions ``(T, 3)`` by role, low-passed, and when feet are in contact."""

    def __init__(self, motion: Motion, body: Body, contacts: Contacts) -> None:
        turned, placed = motion.world()
        self.rate, self.body = motion.rate, body
        self.place = {
            role: low_pass(np.ascontiguousarray(placed[:, joint]), motion.rate) for role, joint in body.roles.items()
        }
        self.turned = {role: turned[:, joint] for role, joint in body.roles.items()}
        self.leg = 0.5 * (body.lengths["leftLeg"] + body.lengths["rightLeg"])
        labels = contacts.labels
        self.on_ground: dict[str, Bools] = {
            side: np.any([labels[name] for name in labels if name.startswith(side)], axis=0) for side in SIDES
        }

    def strides(self) -> list[_Stride]:
        """Strides that travel straight."""
        found = []
        for side in SIDES:
            down = np.flatnonzero(np.diff(self.on_ground[side].astype(int)) == 1) + 1
            up = np.flatnonzero(np.diff(self.on_ground[side].astype(int)) == -1) + 1
            for start, end in zip(down[:-1], down[1:], strict=True):
                leaves = int(up[np.searchsorted(up, start)])
                stride = _Stride(side, int(start), leaves, int(end))
                if SHORTEST < (end - start) / self.rate < LONGEST and self._travels(stride):
                    found.append(stride)
        return found

    def _travels(self, stride: _Stride) -> bool:
        hips = self.place["hips"][stride.start : stride.end + 1][:, [0, 2]]
        half = len(hips) // 2
        first, second = hips[half] - hips[0], hips[-1] - hips[half]
        if np.linalg.norm(hips[-1] - hips[0]) < LEAST_STRIDE * self.leg:
            return False
        turn = np.arctan2(first[0], first[1]) - np.arctan2(second[0], second[1])
        return bool(abs((turn + np.pi) % (2.0 * np.pi) - np.pi) < STRAIGHT)

    def _frame(self, stride: _Stride) -> _Frame:
        hips = self.place["hips"]
        way = (hips[stride.end] - hips[stride.start]) * [1.0, 0.0, 1.0]
        ahead = way / np.linalg.norm(way)
        return _Frame(ahead, np.array([ahead[2], 0.0, -ahead[0]]))

    def measure(self, stride: _Stride) -> dict[str, float]:
        """All measures of one stride."""
        frame = self._frame(stride)
        seconds = (stride.end - stride.start) / self.rate
        foot = self.place[f"{stride.side}Foot"]
        length = float(np.linalg.norm((foot[stride.end] - foot[stride.start])[[0, 2]])) / self.leg
        made = {
            "cadence": 1.0 / seconds,
            "stride": length,
            "speed": length / seconds,
            "stance": (stride.leaves - stride.start) / (stride.end - stride.start),
        }
        return made | self._legs(stride, frame) | self._trunk(stride, frame) | self._arm(stride, frame)

    def _legs(self, stride: _Stride, frame: _Frame) -> dict[str, float]:
        own, side, rows = self.place, stride.side, slice(stride.start, stride.end + 1)
        stance = slice(stride.start, max(stride.leaves, stride.start + 1))
        other = next(name for name in SIDES if name != side)
        across = np.abs((own[f"{side}Foot"] - own[f"{other}Foot"]) @ frame.left)
        standing = self.on_ground[side][rows] & self.on_ground[other][rows]
        hips, foot = own["hips"][rows], own[f"{side}Foot"][rows]
        still = own[f"{side}Foot"][stance]
        fall = np.gradient(np.gradient(own["hips"][:, 1])) * self.rate**2
        late = slice(stride.start, stride.start + max(int(2.0 * LANDING * self.rate), 2))
        return {
            "width": float(np.median(across[rows][standing]) if standing.any() else across[stride.start]) / self.leg,
            "bounce": float(np.ptp(_level(hips[:, 1]))) / self.leg,
            "hips": float(np.mean(own["hips"][stance][:, 1]) - np.median(still[:, 1])) / self.leg,
            "knee": float(np.mean(self._flexion(side, "Leg")[stance])),
            "lift": float(foot[:, 1].max() - np.median(still[:, 1])) / self.leg,
            "landing": -self._pitch(side, stride.start, frame),
            "impact": float(fall[late].max()) / self.leg,
            "sway": float(np.ptp(_level(hips @ frame.left))) / self.leg,
        }

    def _trunk(self, stride: _Stride, frame: _Frame) -> dict[str, float]:
        own, rows = self.place, slice(stride.start, stride.end + 1)
        neck = own["neck" if "neck" in own else "head"]
        trunk = (neck - own["hips"])[rows]
        face = self._face(rows)
        return {
            "hip_turn": float(np.ptp(self._turn("UpperLeg", rows, frame))),
            "shoulder_turn": float(np.ptp(self._turn("UpperArm", rows, frame))),
            "lean": float(np.degrees(np.mean(np.arctan2(trunk @ frame.ahead, trunk[:, 1])))),
            "head": float(np.degrees(np.mean(np.arcsin(np.clip(-face[:, 1], -1.0, 1.0))))),
        }

    def _arm(self, stride: _Stride, frame: _Frame) -> dict[str, float]:
        own, side, rows = self.place, stride.side, slice(stride.start, stride.end + 1)
        upper = (own[f"{side}LowerArm"] - own[f"{side}UpperArm"])[rows]
        whole = (own[f"{side}Hand"] - own[f"{side}UpperArm"])[rows]
        swing = np.degrees(np.arctan2(upper @ frame.ahead, -upper[:, 1]))
        out = (1.0 if side == "left" else -1.0) * np.degrees(np.arctan2(whole @ frame.left, -whole[:, 1]))
        # An arm is ahead as the foot of the other side lands, half a stride after its own.
        first = np.mean((swing - swing.mean()) * np.exp(-2j * np.pi * np.linspace(0.0, 1.0, len(swing))))
        lag = -np.angle(first) / (2.0 * np.pi) % 1.0 - 0.5
        return {
            "arm_swing": float(np.ptp(swing)),
            "arm_centre": float(swing.mean()),
            "elbow": float(np.mean(self._flexion(side, "Arm")[rows])),
            "arm_out": float(out.mean()),
            "arm_lag": float(lag),
        }

    def _flexion(self, side: str, limb: str) -> Floats:
        """``(T,)`` degrees of a knee or an elbow."""
        upper, lower, end = (f"Upper{limb}", f"Lower{limb}", "Foot" if limb == "Leg" else "Hand")
        above = self.place[side + lower] - self.place[side + upper]
        below = self.place[side + end] - self.place[side + lower]
        return np.asarray(np.degrees(np.arctan2(norms(np.cross(above, below)), np.sum(above * below, axis=-1))))

    def _pitch(self, side: str, at: int, frame: _Frame) -> float:
        """Degrees that a foot points down, against its rest on the ground, shortly before the frame ``at``."""
        at = max(at - round(0.02 * self.rate), 0)
        axes = rotations.multiply(self.turned[f"{side}Foot"], self.body.anatomy.frames[f"{side}Foot"])
        sole = rotations.rotate(axes, np.array([0.0, 0.0, 1.0]))
        standing = np.median(sole[self.on_ground[side]], axis=0) if self.on_ground[side].any() else sole[at]
        return float(np.degrees(np.arcsin(np.clip(standing[1], -1, 1)) - np.arcsin(np.clip(sole[at, 1], -1, 1))))

    def _turn(self, joints: str, rows: slice, frame: _Frame) -> Floats:
        across = (self.place[f"left{joints}"] - self.place[f"right{joints}"])[rows]
        return np.asarray(np.degrees(np.arctan2(-across @ frame.ahead, across @ frame.left)))

    def _face(self, rows: slice) -> Floats:
        """``(T, 3)`` where the face looks."""
        axes = rotations.multiply(self.turned["head"][rows], self.body.anatomy.frames["head"])
        return rotations.rotate(axes, np.array([0.0, 0.0, 1.0]))

    def wander(self, strides: Sequence[_Stride]) -> dict[str, float]:
        """What single strides do not show, over the longest stretch of them: looking about, and a winding way."""
        first, last = _longest_stretch(strides)
        rows = slice(first, last + 1)
        hips = self.place["hips"][rows]
        way = (hips[-1] - hips[0]) * [1.0, 0.0, 1.0]
        ahead = way / max(float(np.linalg.norm(way)), 1e-9)
        left = np.array([ahead[2], 0.0, -ahead[0]])
        face = self._face(rows)
        look = np.degrees(np.unwrap(np.arctan2(face @ left, face @ ahead)))
        aside = low_pass(hips @ left, self.rate, WANDER)
        return {"look": float(np.ptp(look)), "track": float(np.std(_level(aside))) / self.leg}


def _longest_stretch(strides: Sequence[_Stride]) -> tuple[int, int]:
    """First and last frame of the longest stretch of strides that overlap."""
    best = first, last = strides[0].start, strides[0].end
    for stride in sorted(strides, key=lambda own: own.start):
        first, last = (first, max(last, stride.end)) if stride.start <= last else (stride.start, stride.end)
        best = max(best, (first, last), key=lambda span: span[1] - span[0])
    return best


def _level(values: Floats) -> Floats:
    """Values ``(T,)`` without the straight line from the first to the last."""
    return np.asarray(values - np.linspace(values[0], values[-1], len(values)))
