"""Move a hand along a spline at constant speed: arc-length parameterisation and two-bone inverse kinematics."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.splines import kochanek_bartels
from kinesphere.maths.two_bone import solve_limb

# Where the wrist is to be, relative to the shoulder: at the hip, past the face, out to the side.
goals = np.array([[-0.10, -0.45, 0.10], [0.05, 0.05, 0.40], [-0.45, 0.15, 0.15]])

for tension in (-1.0, 0.0, 1.0):
    spline = kochanek_bartels(goals, tension=tension)
    times = np.linspace(0.0, 2.0, 2001)  # keys are at 0, 1, 2
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(spline.value(times), axis=0), axis=1))])
    even = np.interp(np.linspace(0.0, length[-1], 61), length, times)
    arm = solve_limb(np.zeros(3), spline.value(even), upper=0.30, lower=0.27, swivel=0.4)
    steps = np.linalg.norm(np.diff(arm.wrist, axis=0), axis=1)
    print(
        f"tension {tension:+.0f}: path {length[-1]:.3f} m, "
        f"goals met within {np.abs(spline.value(np.arange(3.0)) - goals).max():.1e} m, "
        f"largest shortfall {arm.shortfall.max():.1e} m, elbow bent up to {np.degrees(arm.flexion.max()):.0f}°"
    )
    assert steps.std() < 0.05 * steps.mean(), "even speed along the whole path"
