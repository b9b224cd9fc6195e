"""Edits with limits and targets: pops, jumps at a strength of 0.01 and knees that flip, on any rest pose.

Every clip is measured twice: as it is, and re-rigged so that all bones lie along one axis at rest. Places are the same
in both, so the edits should be as well.
"""

from __future__ import annotations

import numpy as np

from kinesphere import Character, Displace, Equalize, Motion, Waveshape
from kinesphere.maths.vectors import Floats
from kinesphere.motion.edit import MotionEdit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.scope import Scope
from kinesphere.motion.transform import with_plain_rest
from rerig import point_all_bones

ORDER = 12
LONGEST = 5.0  # seconds of a clip
AROUND = 0.1  # seconds in which a step is compared with those of the clip
POP = 30.0  # millimetres a frame beyond twice what the clip does around there
JUMP = 50.0  # millimetres at a strength of 0.01
SLIGHT = 0.01
BENT = 0.35  # sine of a flexion that shows to which side a limb bends
LIMBS = tuple(
    tuple(f"{side}{part}" for part in parts)
    for side in SIDES
    for parts in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))
)


def edits(seconds: float) -> dict[str, MotionEdit]:
    """What is done to a clip."""

    def displace(part: str, by: tuple[float, float, float]) -> MotionEdit:
        return Displace([{"part": part, "seconds": seconds, "by": by}], width=0.5)

    return {
        "hand": displace("rightHand", (0.0, 0.08, 0.05)),
        "foot": displace("leftFoot", (0.0, 0.08, 0.0)),
        "hips": displace("hips", (0.0, -0.06, 0.0)),
        "equalize": Equalize(preset="exaggerate"),
        "waveshape": Waveshape("limits", by="joint"),
    }


def added_step(before: Floats, after: Floats, rate: float) -> float:
    """Millimetres a frame by which any joint's step exceeds twice the largest of the clip around there."""
    old, new = (1000.0 * np.linalg.norm(np.diff(p, axis=0), axis=-1) for p in (before, after))
    reach = max(round(AROUND * rate), 2)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(old, ((reach, reach), (0, 0))), 2 * reach + 1, axis=0)
    return float((new - 2.0 * around.max(axis=-1)).max())


def flips(motion: Motion, before: Floats, after: Floats) -> float:
    """Frames of limbs that are bent to the other side of their upper bone than before."""
    roles, count = motion.skeleton.with_found_roles().roles, 0
    for limb in LIMBS:
        if not all(role in roles for role in limb):
            continue
        a, b, c = (roles[role] for role in limb)
        old, new = (np.cross(p[:, b] - p[:, a], p[:, c] - p[:, b]) for p in (before, after))
        length = np.linalg.norm(before[0, b] - before[0, a]) * np.linalg.norm(before[0, c] - before[0, b])
        shown = np.minimum(np.linalg.norm(old, axis=1), np.linalg.norm(new, axis=1)) > BENT * length
        count += int((shown & (np.einsum("ti,ti->t", old, new) < 0.0)).sum())
    return float(count)


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """The numbers of one clip, as it is and with its bones along one axis at rest."""
    first = max(motion.calibration_frames, default=-1) + 1
    clip = motion[first : first + round(LONGEST * motion.rate)]
    if len(clip) < 8:
        return {}
    before, numbers, places = clip.positions_world(), dict[str, float](), dict[str, list[Floats]]()
    for rig, given in (("own", clip), ("axis", with_plain_rest(point_all_bones(clip, (1.0, 0.0, 0.0))))):
        pops, jumps, flipped, refused = [0.0], [0.0], 0.0, 0.0
        for name, edit in edits(0.5 * clip.duration).items():
            try:
                after = edit(given).positions_world()
                slight = edit.apply(given, Scope(strength=SLIGHT))[0].positions_world()
            except ValueError:
                refused += 1.0
                continue
            pops.append(added_step(before, after, clip.rate))
            jumps.append(1000.0 * float(np.linalg.norm(slight - before, axis=-1).max()))
            flipped += flips(clip, before, after)
            places.setdefault(name, []).append(after)
        numbers |= {f"{rig} pop": max(pops), f"{rig} jump": max(jumps)}
        numbers |= {f"{rig} flips": flipped, f"{rig} refused": refused}
    apart = {
        name: 1000.0 * float(np.linalg.norm(both[0] - both[1], axis=-1).max())
        for name, both in places.items()
        if len(both) == 2
    }
    numbers["apart"] = max((apart[name] for name in ("hand", "foot", "hips") if name in apart), default=0.0)
    return numbers | {f"apart {name}": value for name, value in apart.items()}


def summarise(rows: dict[str, dict[str, float]]) -> str:
    """Clips that pop, jump and flip, on both rigs, and how far these come apart."""
    texts = []
    for rig, name in (("own", "own rest pose"), ("axis", "all bones along one axis at rest")):
        (most, pop), (far, jump) = (
            max((row[f"{rig} {key}"], clip) for clip, row in rows.items()) for key in ("pop", "jump")
        )
        texts.append(
            f"{name}: {sum(row[f'{rig} pop'] > POP for row in rows.values())} of {len(rows)} clips pop "
            f"(at most {most:.0f} mm a frame beyond twice the clip's, {pop}), "
            f"{sum(row[f'{rig} jump'] > JUMP for row in rows.values())} jump at strength 0.01 "
            f"(at most {far:.0f} mm, {jump}), limbs flip in "
            f"{sum(row[f'{rig} flips'] > 0 for row in rows.values())} clips, "
            f"{sum(row[f'{rig} refused'] > 0 for row in rows.values())} fail"
        )
    worst = max(rows, key=lambda clip: rows[clip]["apart"])
    middle = float(np.median([row["apart"] for row in rows.values()]))
    texts.append(f"displaced places apart by {middle:.1f} mm on the median, {rows[worst]['apart']:.0f} mm in {worst}")
    return "; ".join(texts)
