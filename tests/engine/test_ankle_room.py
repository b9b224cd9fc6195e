"""Room of ankles: hips sink as far as feet that stand allow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere import lift, perform
from kinesphere.builtin.library import motion as builtin
from kinesphere.engine.ankle_room import FARTHEST, sink_room
from kinesphere.maths import rotations


def held(motion, frame, count=90):
    """A motion of one pose."""
    frames = np.full(count, frame)
    return replace(motion, rotations=motion.rotations[frames], translations=motion.translations[frames], source=None)


def astride(angle=0.5):
    """Somebody who stands with one foot behind and one ahead of the body, both flat, knees as they were."""
    motion = upright()
    roles, parents = motion.skeleton.roles, motion.skeleton.parents
    world, local = motion.rotations_world(), motion.rotations.copy()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn = rotations.from_axis_angle([1.0, 0.0, 0.0], sign * angle)
        upper, foot = roles[f"{side}UpperLeg"], roles[f"{side}Foot"]
        local[:, upper] = rotations.multiply(
            rotations.conjugate(world[:, parents[upper]]), rotations.multiply(turn, world[:, upper])
        )
        shin = rotations.multiply(turn, world[:, parents[foot]])
        local[:, foot] = rotations.multiply(rotations.conjugate(shin), world[:, foot])
    made = replace(motion, rotations=local)
    translations = made.translations.copy()
    ankles = [roles["leftFoot"], roles["rightFoot"]]
    rise = made.positions_world()[0, ankles, 1].min() - motion.positions_world()[0, ankles, 1].min()
    translations[:, roles["hips"], 1] -= rise
    return replace(made, translations=translations)


def upright():
    return held(builtin("wave"), 0)


def test_who_stands_astride_has_less_room():
    rooms = [float(sink_room(lift(own).detail.poses).mean()) for own in (upright(), astride())]
    assert 0.0 <= rooms[1] < 0.6 * rooms[0] < 0.6 * FARTHEST


def test_room_does_not_depend_on_size_heading_or_rate():
    motion = astride()
    room = sink_room(lift(motion).detail.poses)[0]
    small = replace(motion.scaled(0.1), rate=30.0)
    assert abs(sink_room(lift(small).detail.poses)[0] - room) < 1e-6


def test_who_stands_astride_sinks_less_and_on_feet():
    """Heels rise a little; the body does not fall onto its toes."""
    sunk = []
    for motion in (upright(), astride()):
        made = perform(motion, words="menacingly")
        roles = motion.skeleton.roles
        heights = [own.positions_world()[:, roles["hips"], 1].mean() for own in (motion, made)]
        sunk.append(heights[0] - heights[1])
        for side in ("left", "right"):
            foot = roles[f"{side}Foot"]
            turned = rotations.angle_between(motion.rotations_world()[0, foot], made.rotations_world()[:, foot])
            assert np.degrees(turned).max() < 25.0
    assert 0.005 < sunk[1] < 0.8 * sunk[0]
