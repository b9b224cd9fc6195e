"""A hand along a spline at even speed: splines by arc length, an arm solved to follow, goals met exactly."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.arc_length import arc_length
from kinesphere.kernels.limbs import solve_limb
from kinesphere.kernels.splines import kochanek_bartels

# Where the wrist is to be, relative to the shoulder: at the hip, past the face, out to the side.
goals = np.array([[-0.10, -0.45, 0.10], [0.05, 0.05, 0.40], [-0.45, 0.15, 0.15]])

for tension in (-1.0, 0.0, 1.0):
    path = arc_length(kochanek_bartels(goals, tension=tension))
    along = np.linspace(0.0, float(path.total), 61)
    wrist = path.at_length(along)
    arm = solve_limb(np.zeros(3), wrist, upper=0.30, lower=0.27, swivel=0.4)
    steps = np.linalg.norm(np.diff(arm.wrist, axis=0), axis=1)
    at_goals = path.at_length(path.key_lengths)
    print(
        f"tension {tension:+.0f}: path {float(path.total):.3f} m, "
        f"goals met within {np.abs(at_goals - goals).max():.1e} m, "
        f"largest shortfall {arm.shortfall.max():.1e} m, elbow bent up to {np.degrees(arm.flexion.max()):.0f}°"
    )
    assert steps.std() < 0.05 * steps.mean(), "even speed along the whole path"
