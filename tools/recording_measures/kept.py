"""What hands keep: how far a hand that touches, meets, stays or points is from where the recording has it.

Only frames in which a referent holds fully, and of hands that meet only those in which they touch no different parts of
the body. A hand that touches is measured in the frame of what it touches; two that
meet by the distance between the wrists; one that stays in the world; one that points by the angle to its target, beyond
the angle that it was recorded with.
"""

from __future__ import annotations

import numpy as np

from kinesphere.engine.recorded_referents import kept_joint, referent_window
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, norms, unit
from kinesphere.motion.referent import Kind, Referent
from recording_measures.performances import Found, Performance


def measure(own: Performance) -> dict[str, Found]:
    """The worst of each kind: millimetres, and degrees of pointing; kinds that do not occur are missing."""
    found: dict[str, Found] = {}
    rate = own.recorded.plain.rate
    for referent in own.phrase.referents:
        rows = np.flatnonzero((own.frames >= referent.start * rate) & (own.frames <= referent.end * rate))
        if referent.kind == Kind.MEET:
            rows = rows[~_touch_different(own)[rows]]
        if not len(rows) or referent.kind not in _KINDS:
            continue
        for side in referent.sides:
            errors = _KINDS[referent.kind](own, referent, side)[rows]
            at = int(np.argmax(errors))
            name = f"kept {referent.kind.value}"
            what = f" {referent.joint}" if referent.joint else ""
            if errors[at] >= found.get(name, Found(-1.0)).value:
                found[name] = Found(float(errors[at]), f"{side}{what} {own.at(int(rows[at]))}")
    return found


def _touch_different(own: Performance) -> Bools:
    """``(T,)`` where hands touch parts of the body, not the same, in the seconds in which touches come and go.

    Hands that do cannot both go with what they touch and stay as far from each other.
    """
    touched: dict[str | None, Bools] = {}
    for referent in own.phrase.referents:
        if referent.kind == Kind.TOUCH:
            weight = referent_window(referent, own.frames / own.recorded.plain.rate)
            touched[referent.joint] = touched.get(referent.joint, np.zeros(len(weight), dtype=np.bool_)) | (
                weight > 0.0
            )
    return np.asarray(np.sum([np.zeros(len(own.frames)), *touched.values()], axis=0) > 1.0)


def _joint(own: Performance, role: str) -> int:
    return own.recorded.phrase.body.roles[role]


def _now(own: Performance, role: str) -> Floats:
    return own.world[1][:, _joint(own, role)]


def _was(own: Performance, role: str) -> Floats:
    return own.shown(own.recorded.world[1][:, _joint(own, role)])


def _touch(own: Performance, referent: Referent, side: str) -> Floats:
    joint = kept_joint(own.phrase, referent)
    places = own.recorded.world[1]
    now = rotations.rotate(
        rotations.conjugate(own.world[0][:, joint]), _now(own, f"{side}Hand") - own.world[1][:, joint]
    )
    own_place = places[:, _joint(own, f"{side}Hand")] - places[:, joint]
    was = own.shown(rotations.rotate(rotations.conjugate(own.recorded.world[0][:, joint]), own_place))
    return own.recorded.millimetres * norms(now - was)


def _meet(own: Performance, referent: Referent, side: str) -> Floats:
    now = norms(_now(own, "leftHand") - _now(own, "rightHand"))
    return own.recorded.millimetres * np.abs(now - norms(_was(own, "leftHand") - _was(own, "rightHand")))


def _place(own: Performance, referent: Referent, side: str) -> Floats:
    return own.recorded.millimetres * norms(_now(own, f"{side}Hand") - _was(own, f"{side}Hand"))


def _aim(own: Performance, referent: Referent, side: str) -> Floats:
    if referent.target is None:
        return np.zeros(len(own.frames))
    target = np.array(referent.target)

    def angle(elbow: Floats, wrist: Floats) -> Floats:
        return np.asarray(
            np.degrees(np.arccos(np.clip(np.sum(unit(wrist - elbow) * unit(target - wrist), axis=1), -1, 1)))
        )

    now, was = (angle(place(own, f"{side}LowerArm"), place(own, f"{side}Hand")) for place in (_now, _was))
    return np.maximum(now - was, 0.0)


_KINDS = {Kind.TOUCH: _touch, Kind.MEET: _meet, Kind.PLACE: _place, Kind.AIM: _aim}
