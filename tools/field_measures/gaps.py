"""Gaps: the error of filled frames beside slerp and a cubic rotation spline, and gaps found in clips that are whole."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation, RotationSpline

from kinesphere import Character, Motion
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.signals.gaps import fill_gaps, find_gaps

ORDER = 160
LENGTHS = (1, 3, 5, 10, 20, 30)  # frames
RATES = (30.0, 120.0)  # frames a second
GAPS = 3  # of each length, in each clip
CONTEXT = 10  # frames to each side that the spline is drawn through


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """Mean errors in degrees by rate, length and method; the largest excess over slerp's; gaps that are found."""
    numbers = {"found": float(len(find_gaps(motion)))}
    start = max(motion.calibration_frames, default=-1) + 1
    for rate in RATES:
        if motion.rate < 0.9 * rate:
            continue
        clip = motion[start :: round(motion.rate / rate)][: round(10.0 * rate)]
        moves = rotations.angle_between(clip.rotations[1:], clip.rotations[:-1]).max(axis=0)
        joints = np.flatnonzero(moves > 1e-3)
        for length in LENGTHS:
            room = np.arange(CONTEXT, len(clip) - length - CONTEXT)
            if not len(room) or not len(joints):
                continue
            errors = [_errors(clip, first, length, joints) for first in room[:: max(len(room) // GAPS, 1)][:GAPS]]
            for name in errors[0]:
                values = np.concatenate([error[name] for error in errors])  # (gaps · joints, frames)
                key = f"{rate:.0f} fps, {length} frames, {name}"
                numbers[key] = float(values.mean())
                numbers[f"{key}, p95"] = float(np.quantile(values.mean(axis=1), 0.95))
            excess = max(float((error["ours"].max(axis=1) - error["slerp"].max(axis=1)).max()) for error in errors)
            numbers["excess"] = max(numbers.get("excess", 0.0), excess)
    return numbers


def _errors(clip: Motion, first: int, length: int, joints: Ints) -> dict[str, Floats]:
    """Errors ``(joints, frames)`` in degrees of one gap, by method."""
    missing = np.zeros(clip.rotations.shape[:2], dtype=np.bool_)
    missing[first : first + length, joints] = True
    frames, truth = slice(first, first + length), clip.rotations[first : first + length, joints]
    broken = clip.rotations.copy()
    broken[frames, joints] = rotations.identity()
    given = Motion(clip.skeleton, clip.rate, broken, clip.translations)
    share = (np.arange(1, length + 1) / (length + 1))[:, None]
    known = np.r_[first - CONTEXT : first, first + length : first + length + CONTEXT]
    at, spline = np.arange(first, first + length), np.empty_like(truth)
    for k, joint in enumerate(joints):
        curve = RotationSpline(known, Rotation.from_quat(clip.rotations[known, joint][:, [1, 2, 3, 0]]))
        spline[:, k] = curve(at).as_quat()[:, [3, 0, 1, 2]]
    made = {
        "ours": fill_gaps(given, missing).rotations[frames, joints],
        "slerp": rotations.slerp(clip.rotations[first - 1, joints], clip.rotations[first + length, joints], share),
        "spline": spline,
    }
    return {name: np.degrees(rotations.angle_between(values, truth)).T for name, values in made.items()}


def summarise(rows: dict[str, dict[str, float]]) -> str:
    """Errors beside those of slerp and of the spline by rate and length, the largest excess, and clips with gaps."""
    parts = []
    for rate in RATES:
        ratios = []
        for length in LENGTHS:
            texts = []
            for end in ("", ", p95"):
                keys = [f"{rate:.0f} fps, {length} frames, {name}{end}" for name in ("ours", "slerp", "spline")]
                values = np.array([[row[key] for key in keys] for row in rows.values() if keys[0] in row])
                if len(values):
                    ours, slerp, spline = values.mean(axis=0)
                    texts.append(f"{ours / max(slerp, 1e-9):.2f} {ours / max(spline, 1e-9):.2f}")
            if texts:
                ratios.append(f"{length}: {texts[0]} ({texts[1]})")
        parts.append(f"{rate:.0f} fps {', '.join(ratios)}")
    worst = max(rows, key=lambda clip: rows[clip].get("excess", 0.0))
    found = [clip for clip, row in rows.items() if row["found"]]
    return (
        f"error over slerp's and the spline's by frames, mean (95th percentile): {'; '.join(parts)}; "
        f"at most {rows[worst].get('excess', 0.0):.0f}° beyond slerp's ({worst}); "
        f"gaps found in {len(found)} of {len(rows)} clips{': ' + ', '.join(found[:3]) if found else ''}"
    )
