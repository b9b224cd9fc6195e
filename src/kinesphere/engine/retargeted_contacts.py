"""Contacts of hands on another body: a recording is performed on its own body and retargeted, contacts are kept then.

A hand that touches the face, the chest or a hip is brought to the same place of it, in arm lengths; palms that meet are
brought to the same distance. Windows are those of the phrase, so hands come there and leave as softly as on their own
body. Hands keep their orientation in the world.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.engine.hand_contacts import touched_place
from kinesphere.engine.recorded_limbs import place_limb, recorded_rig, shown_hinges
from kinesphere.engine.recorded_poses import RecordedPoses, performed_motion
from kinesphere.engine.recorded_referents import windows
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.referent import Kind

ROUNDS = 2  # palms go on from forearms, which turn as wrists are moved
LEAST = 1e-4  # metres


def keep_contacts(phrase: Phrase, performed: Motion, retargeted: Motion, shown: Floats) -> Motion:
    """A retargeted performance whose hands touch and meet as those of the performance do; the same where none does.

    ``shown`` are the moments of the recording, ``(T,)`` in seconds, that the frames show.
    """
    if not any(own.kind in (Kind.TOUCH, Kind.MEET) for own in phrase.referents):
        return retargeted
    if not len(performed) == len(retargeted) == len(shown):
        return retargeted
    source = RecordedPoses.of(performed_motion(performed))
    made = retargeted
    for _ in range(ROUNDS):
        target = RecordedPoses.of(performed_motion(made))
        ways = _ways(phrase, source, target, shown)
        for way in ways.values():
            way[list(retargeted.calibration_frames)] = 0.0
        if all(norms(way).max() < LEAST for way in ways.values()):
            break
        made = _moved(made, target, ways)
    return made


def _ways(phrase: Phrase, source: RecordedPoses, target: RecordedPoses, shown: Floats) -> dict[str, Floats]:
    """``(T, 3)`` metres that each hand has to go."""
    ways = {side: np.zeros((len(shown), 3)) for side in SIDES}
    for side, way in ways.items():
        for referent, weight in windows(phrase, side, shown, (Kind.TOUCH,)):
            joint = referent.joint or "head"
            place, frame = touched_place(source, side, joint)
            own = rotations.rotate(rotations.conjugate(frame), source.palm(side) - place) / source.arm_length
            there, turned = touched_place(target, side, joint)
            wanted = there + target.arm_length * rotations.rotate(turned, own)
            way += weight[:, None] * (wanted - target.palm(side) - way)
    for _, weight in windows(phrase, "left", shown, (Kind.MEET,)):
        apart = rotations.rotate(rotations.conjugate(source.chest), source.palm("left") - source.palm("right"))
        wanted = target.arm_length * rotations.rotate(target.chest, apart / source.arm_length)
        now = target.palm("left") + ways["left"] - target.palm("right") - ways["right"]
        for side, share in (("left", 0.5), ("right", -0.5)):
            ways[side] += share * weight[:, None] * (wanted - now)
    return ways


def _moved(motion: Motion, poses: RecordedPoses, ways: dict[str, Floats]) -> Motion:
    """The motion with its hands moved; they keep their orientation."""
    local, translations = np.array(motion.rotations), np.array(motion.translations)
    limbs, hinges = recorded_rig(poses.body).limbs, shown_hinges(poses)
    for side, way in ways.items():
        name = f"{side}Arm"
        wanted = norms(way) > LEAST
        if name in limbs and wanted.any():
            limb = limbs[name]._replace(hinge=hinges[name])
            hand = poses.rotation(f"{side}Hand")
            place = poses.position(f"{side}Hand") + way
            place_limb(limb, local, translations, place, shares=wanted, ends=hand, turned=wanted)
    return replace(motion, rotations=freeze(rotations.continuous(local)), translations=freeze(translations))
