"""End points of a denoised body: hands, head and feet follow their own denoised paths.

Captures are solved so that hands and feet are where their markers are: the noise of hips, thighs and shins is large and
cancels in the feet. Denoised joint by joint it no longer does, and feet that stood still shake. So paths of end points
are denoised as well, and the joints are given what is likeliest of both: the change of a joint has the variance that
denoising it had, the end of a chain is missed the more, the nearer its noise is to what independent joints would give
it. There, with noise that does not cancel, joints alone say as much, and little changes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.ground import performed_runs
from kinesphere.body.joint_subset import JointSubset, joint_subset
from kinesphere.maths import denoise
from kinesphere.maths.damped_ik import expected_variance, mean_changes, move_points
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

# Roles of end points whose paths are denoised together.
TOGETHER = (("leftFoot", "leftToes"), ("rightFoot", "rightToes"), ("leftHand",), ("rightHand",), ("head",))
MISS = 8.0  # times a point's own noise by which it is missed, if it were half of what independent joints give
MOST_SHARE = 0.98  # of the noise that independent joints give, from which on a point has no say
LEAST_MISS = 1e-9  # of the same, which keeps the equations solvable
NO_NOISE = 1e-9  # metres: paths with less noise are left alone


def keep_end_points(before: Motion, after: Motion, weight: Floats, noise: float = 1.0) -> Motion:
    """The denoised motion with hands, head and feet on their own denoised paths, as far as noise cancels there.

    Parameters
    ----------
    before, after
        The motion as it was, and with its joints denoised; joints that are the same in both stay.
    weight : (T,)
        The share of the noise that is taken out. Where it is 0, and both motions are the same, nothing changes.
    noise
        How many times noisier paths are taken to be than they look.
    """
    chain, points, limbs = _end_points(before.skeleton)
    if not len(points):
        return after
    stretches = performed_runs(before)
    whole = len(stretches) == 1 and len(before) == stretches[0].stop - stretches[0].start
    local, translations = after.rotations, after.translations
    if not whole:
        local, translations = local.copy(), translations.copy()
    for run in stretches:
        if run.stop - run.start < denoise.MIN_FRAMES or not (weight[run] > 0.0).any():
            continue
        was, now = (before.rotations[run], before.translations[run]), (local[run], translations[run])
        variances = mean_changes(was, now, chain.joints)
        if not any(variance.any() for variance in variances):
            continue
        _, places = forward_some(*was, chain.joints, chain.parents)
        paths = places[:, points]
        change = weight[run, None, None] * (_denoise_paths(paths, limbs, noise, before.rate) - paths)
        expected = expected_variance(places, chain.parents, points, *variances)
        own = (change**2).mean(axis=(0, 2))
        share = np.minimum(own / np.maximum(expected, 1e-30), MOST_SHARE)
        misses = np.maximum(MISS * own * share / (1.0 - share), LEAST_MISS * expected) + 1e-18
        made = move_points(*now, (chain.joints, chain.parents), points, paths + change, (*variances, misses))
        if whole:
            local, translations = made
        else:
            local[run], translations[run] = made
    return replace(after, rotations=freeze(local), translations=freeze(translations))


def _denoise_paths(paths: Floats, limbs: list[Ints], noise: float, rate: float) -> Floats:
    """Paths ``(T, P, 3)`` without noise; ``limbs`` are points that move together."""
    units = noise * np.repeat(denoise.estimate_noise(paths), 3)
    columns = [(3 * limb[:, None] + np.arange(3)).reshape(-1) for limb in limbs]
    noisy = [some[units[some] > NO_NOISE] for some in columns]
    return denoise.denoise(paths.reshape(len(paths), -1), noisy, units, 1.0, rate).reshape(paths.shape)


@memoised
def _end_points(skeleton: Skeleton) -> tuple[JointSubset, Ints, list[Ints]]:
    """End points with all their ancestors, their rows among these, and which of them move together."""
    roles = skeleton.with_found_roles().roles
    limbs = [[roles[role] for role in limb if role in roles] for limb in TOGETHER]
    ends = [joint for limb in limbs for joint in limb]
    chain = joint_subset(skeleton, ends)
    edges = np.cumsum([0, *map(len, limbs)])
    together = [np.arange(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True) if b > a]
    return chain, np.array([chain.rows[joint] for joint in ends], dtype=np.intp), together
