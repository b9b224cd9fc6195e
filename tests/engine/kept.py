"""How well a motion keeps what its gesture refers to, measured on the joints of the body that it is on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinesphere.builtin.library import gesture
from kinesphere.engine.embodiment import embody
from kinesphere.engine.generation import _prepare, generate
from kinesphere.engine.phrases import phrase_of
from kinesphere.files import load_gesture
from kinesphere.maths import rotations
from kinesphere.maths.vectors import unit
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "gestures"
FAR = 3.0  # metres along a ray to its target, for arms as long as the figure's
UP = np.array([0.0, 1.0, 0.0])
# What is held in each gesture, as one who watches it would say: kind, arm, first and last second.
HELD = {
    "point": (("aim", "right", 0.90, 1.75),),
    "drink": (("touch", "right", 1.85, 2.80), ("level", "right", 1.10, 3.65)),
    "clap": tuple(("meet", "right", t, t) for t in (0.97, 1.31, 1.65, 1.99, 2.33, 2.68)),
    "reach": (("level", "right", 1.70, 2.95),),  # on the shelf, which is fixed in the world, wrists alone can help
    "salute": (("touch", "right", 0.75, 1.60),),
    "shush_or_hush": (("touch", "right", 1.00, 1.90),),
}
MOST = {
    "aim": 3.0,
    "touch": 14.0,
    "meet": 5.0,
    "level": 5.0,
}  # degrees and millimetres; a touch is kept within 10.1 on the figure, within 14 on wide bodies


def read(name: str):
    """A gesture, built in or of the examples."""
    file = EXAMPLES / f"{name}.toml"
    return load_gesture(file) if file.exists() else gesture(name)


class Shown(NamedTuple):
    """A performance, and what it shows of one arm."""

    phrase: Phrase
    motion: Motion

    def joint(self, role):
        joint = self.phrase.body.roles[role]
        q, p = self.motion.world()
        return q[:, joint], p[:, joint]

    def time(self, side):
        """``(T,)`` the phrase's own time, by the arm's clock."""
        return _prepare(self.phrase, embody(self.phrase.body).actor, self.motion.rate).tasks[side].source_time

    def palm(self, side):
        return 0.5 * (self.joint(f"{side}Hand")[1] + self.joint(f"{side}MiddleProximal")[1])

    def ray(self, side):
        """The index finger's, from its knuckle to its tip."""
        knuckle = self.joint(f"{side}IndexProximal")[1]
        (q, end), last = self.joint(f"{side}IndexDistal"), self.phrase.body.roles[f"{side}IndexDistal"]
        for tip in self.phrase.body.skeleton.tips:
            if tip.joint == last:
                end = end + rotations.rotate(q, np.array(tip.offset))
        return knuckle, unit(end - knuckle)

    def palm_from_head(self, side):
        q, p = self.joint("head")
        return rotations.rotate(rotations.conjugate(q), self.palm(side) - p)

    def up_in_hand(self, side):
        return rotations.rotate(rotations.conjugate(self.joint(f"{side}Hand")[0]), UP)


def show(phrase, rate=60.0):
    """One performance."""
    return Shown(phrase, generate(phrase, rate))


def at_times(rows, times, wanted):
    return np.stack([np.interp(wanted, times, column) for column in rows.T], axis=1)


def degrees(a, b):
    return np.degrees(np.arccos(np.clip(np.sum(unit(a) * unit(b), axis=-1), -1.0, 1.0)))


def misses(name, before: Shown, after: Shown):
    """By how much the second performance misses what the first, the plain one, refers to: kind to degrees or mm."""
    found: dict[str, float] = {}
    for kind, side, start, end in HELD[name]:
        times = before.time(side), after.time(side)
        held = [(time >= start - 1e-6) & (time <= end + 1e-6) for time in times]
        if kind == "meet":
            frames = [int(np.abs(time - start).argmin()) for time in times]
            gaps = [
                np.linalg.norm(shown.palm("left")[f] - shown.palm("right")[f])
                for shown, f in zip((before, after), frames, strict=True)
            ]
            missed = 1000.0 * abs(gaps[1] - gaps[0])
        elif kind == "aim":
            knuckle, direction = before.ray(side)
            size = embody(before.phrase.body).actor.arm_size
            target = (knuckle + FAR * size * direction)[held[0]].mean(axis=0)
            knuckle, direction = after.ray(side)
            missed = degrees(direction, target - knuckle)[held[1]].max()
        elif kind == "touch":
            wanted = at_times(before.palm_from_head(side), times[0], times[1][held[1]])
            missed = 1000.0 * np.linalg.norm(after.palm_from_head(side)[held[1]] - wanted, axis=1).max()
        else:
            wanted = at_times(before.up_in_hand(side), times[0], times[1][held[1]])
            missed = degrees(rotations.rotate(after.joint(f"{side}Hand")[0][held[1]], unit(wanted)), UP).max()
        found[kind] = max(found.get(kind, 0.0), float(missed))
    return found


def worst(name, own, phrases):
    """The worst of several edits of one phrase beside itself: kind to what is missed, and whose it is.

    Beside a statue it has neither breath nor sway.
    """
    before = {still: show(replace(own, life=0.0 if still else 1.0)) for still in (False, True)}
    found: dict[str, tuple[float, int]] = {}
    for i, motion in enumerate(generate(phrases)):
        shown = Shown(phrases[i], motion)
        for kind, missed in misses(name, before[phrases[i].life <= 0.25], shown).items():
            found[kind] = max(found.get(kind, (0.0, 0)), (missed, i))
    return found


def written(name, body=None):
    """A gesture on a body."""
    return phrase_of(read(name), body)


def added(phrase, **channels):
    """A phrase with numbers added to channels, ``torso_turn=0.6``."""
    made = phrase
    for channel, value in channels.items():
        part = channel.partition("_")[0]
        track = made.track(part)
        name = channel.replace("_", ".")
        before = np.asarray(track.overlays.get(name, 0.0))
        made = made.with_tracks({part: replace(track, overlays={**track.overlays, name: before + value})})
    return made
