"""The compiled kernels. Import this only through ``compiled``: numba is slow to load.

Each has a plain NumPy twin that states what it does and tests it: ``rotations.multiply_reference`` and its like,
``kinematics.forward_reference`` and its like, ``limbs.bent_limb_reference``,
``limb_turns.limb_turns_reference``, ``rows.rows_at_reference``, ``bands.smoother_reference``,
``shaping.shaped_reference``, ``hinges.shape_hinge_reference``, ``smoothing.calmed_reference``, those of
``warping_reference``, ``channels.local_reference`` and
``numbers.parse_reference``. The figure's own have theirs in ``figure``: ``arm_laying.laid_reference``,
``hand_laying.lay_reference``, ``legs.lay_leg_reference``, ``Paths.at_reference``, and what ``trunk.set_trunk`` and
``Spans.rounded`` do without them. Shape's are in ``laban``: ``posture.seen_reference``,
``arm_shape.turned_reference``, ``clearing.pressed_reference`` and its like. They release the interpreter's lock, so
callers may share frames among threads, and are cached on disk.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_arms import lay_arms
from kinesphere.kernels.jit_bands import mix_bands, split_bands
from kinesphere.kernels.jit_bending import bend_more, find_excess
from kinesphere.kernels.jit_bodies import lay_legs, lay_trunk, overreach
from kinesphere.kernels.jit_hands import lay_hands
from kinesphere.kernels.jit_hinges import shape_hinge
from kinesphere.kernels.jit_limbs import bend, turn
from kinesphere.kernels.jit_paths import lay_paths, turns_since
from kinesphere.kernels.jit_resampling import places_between, turn_steps, turns_between
from kinesphere.kernels.jit_rotations import between, exponential, multiply, off_unit, rotate, slerp, turns_over
from kinesphere.kernels.jit_rows import cubic_rows, late_rows, path_rows, smooth_rows
from kinesphere.kernels.jit_shape import clear_keys, free_room, press, see_bodies, turn_keys
from kinesphere.kernels.jit_shaping import column_ends, shape_rows
from kinesphere.kernels.jit_smoothing import calm, third_differences
from kinesphere.kernels.jit_terms import compile_exact, compile_kernel
from kinesphere.kernels.jit_timing import run_clock, stroke_peaks
from kinesphere.kernels.jit_warping import trace_warp, warp_distances, warp_pose, warp_shape
from kinesphere.kernels.jit_weights import body_lines, surface_rows, turn_arms, weigh
from kinesphere.kernels.jit_winding import unwind, wind

__all__ = [
    "bend",
    "bend_more",
    "between",
    "body_lines",
    "calm",
    "clear_keys",
    "column_ends",
    "complete",
    "cubic_rows",
    "exponential",
    "find_excess",
    "forward",
    "forward_positions",
    "free_room",
    "inverse",
    "late_rows",
    "lay_arms",
    "lay_hands",
    "lay_legs",
    "lay_paths",
    "lay_trunk",
    "local_pose",
    "mix_bands",
    "multiply",
    "off_unit",
    "overreach",
    "parse",
    "path_rows",
    "place",
    "places_between",
    "press",
    "rotate",
    "run_clock",
    "see_bodies",
    "shape_hinge",
    "shape_rows",
    "slerp",
    "smooth_rows",
    "split_bands",
    "stroke_peaks",
    "surface_rows",
    "third_differences",
    "trace_warp",
    "turn",
    "turn_arms",
    "turn_keys",
    "turn_steps",
    "turns_between",
    "turns_over",
    "turns_since",
    "unwind",
    "warp_distances",
    "warp_pose",
    "warp_shape",
    "weigh",
    "wind",
]


@compile_kernel
def forward(q, t, parents, world_q, world_t):  # type: ignore[no-untyped-def]
    """Forward kinematics of (T, J, 4) and (T, J, 3) into arrays of the same shapes."""
    for f in range(t.shape[0]):
        _forward_frame(q[f], t[f], parents, world_q[f], world_t[f])


@compile_kernel
def forward_positions(q, t, parents, world_t):  # type: ignore[no-untyped-def]
    """As ``forward``, but the world rotations of one frame at a time stay in a small scratch array."""
    scratch = np.empty((t.shape[1], 4))
    for f in range(t.shape[0]):
        _forward_frame(q[f], t[f], parents, scratch, world_t[f])


@compile_kernel
def _forward_frame(q, t, parents, world_q, world_t):  # type: ignore[no-untyped-def]
    for j in range(t.shape[0]):
        p = parents[j]
        if p < 0:
            world_q[j, 0], world_q[j, 1], world_q[j, 2], world_q[j, 3] = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
            world_t[j, 0], world_t[j, 1], world_t[j, 2] = t[j, 0], t[j, 1], t[j, 2]
            continue
        aw, ax, ay, az = world_q[p, 0], world_q[p, 1], world_q[p, 2], world_q[p, 3]
        bw, bx, by, bz = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
        x, y, z = t[j, 0], t[j, 1], t[j, 2]
        world_q[j, 0] = aw * bw - ax * bx - ay * by - az * bz
        world_q[j, 1] = aw * bx + ax * bw + ay * bz - az * by
        world_q[j, 2] = aw * by - ax * bz + ay * bw + az * bx
        world_q[j, 3] = aw * bz + ax * by - ay * bx + az * bw
        u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
        world_t[j, 0] = world_t[p, 0] + x + aw * u + ay * w - az * v
        world_t[j, 1] = world_t[p, 1] + y + aw * v + az * u - ax * w
        world_t[j, 2] = world_t[p, 2] + z + aw * w + ax * v - ay * u


@compile_kernel
def inverse(world_q, world_t, parents, q, t):  # type: ignore[no-untyped-def]
    """Local rotations and translations of (T, J, 4) and (T, J, 3) world ones."""
    for f in range(world_t.shape[0]):
        for j in range(world_t.shape[1]):
            p = parents[j]
            bw, bx, by, bz = world_q[f, j, 0], world_q[f, j, 1], world_q[f, j, 2], world_q[f, j, 3]
            x, y, z = world_t[f, j, 0], world_t[f, j, 1], world_t[f, j, 2]
            if p < 0:
                q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3] = bw, bx, by, bz
                t[f, j, 0], t[f, j, 1], t[f, j, 2] = x, y, z
                continue
            aw, ax, ay, az = world_q[f, p, 0], -world_q[f, p, 1], -world_q[f, p, 2], -world_q[f, p, 3]
            q[f, j, 0] = aw * bw - ax * bx - ay * by - az * bz
            q[f, j, 1] = aw * bx + ax * bw + ay * bz - az * by
            q[f, j, 2] = aw * by - ax * bz + ay * bw + az * bx
            q[f, j, 3] = aw * bz + ax * by - ay * bx + az * bw
            x, y, z = x - world_t[f, p, 0], y - world_t[f, p, 1], z - world_t[f, p, 2]
            u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
            t[f, j, 0] = x + aw * u + ay * w - az * v
            t[f, j, 1] = y + aw * v + az * u - ax * w
            t[f, j, 2] = z + aw * w + ax * v - ay * u


@compile_kernel
def complete(world_q, known, rest, parents):  # type: ignore[no-untyped-def]
    """World rotations (T, J, 4) of joints that are not known: rest rotations carried by their parents, in place."""
    for f in range(world_q.shape[0]):
        for j in range(world_q.shape[1]):
            if known[j]:
                continue
            p = parents[j]
            bw, bx, by, bz = rest[j, 0], rest[j, 1], rest[j, 2], rest[j, 3]
            if p < 0:
                world_q[f, j, 0], world_q[f, j, 1], world_q[f, j, 2], world_q[f, j, 3] = bw, bx, by, bz
                continue
            aw, ax, ay, az = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
            world_q[f, j, 0] = aw * bw - ax * bx - ay * by - az * bz
            world_q[f, j, 1] = aw * bx + ax * bw + ay * bz - az * by
            world_q[f, j, 2] = aw * by - ax * bz + ay * bw + az * bx
            world_q[f, j, 3] = aw * bz + ax * by - ay * bx + az * bw


@compile_kernel
def place(world_q, offsets, parents, world_t):  # type: ignore[no-untyped-def]
    """World positions (T, J, 3) of joints with these world rotations (T, J, 4) and offsets (J, 3)."""
    for f in range(world_q.shape[0]):
        for j in range(world_q.shape[1]):
            p = parents[j]
            x, y, z = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            if p < 0:
                world_t[f, j, 0], world_t[f, j, 1], world_t[f, j, 2] = x, y, z
                continue
            aw, ax, ay, az = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
            u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
            world_t[f, j, 0] = world_t[f, p, 0] + x + aw * u + ay * w - az * v
            world_t[f, j, 1] = world_t[f, p, 1] + y + aw * v + az * u - ax * w
            world_t[f, j, 2] = world_t[f, p, 2] + z + aw * w + ax * v - ay * u


@compile_kernel
def local_pose(rows, axes, columns, places, base, q, t):  # type: ignore[no-untyped-def]
    """Rows of channel values to local rotations and translations; see ``channels``."""
    to_half_radians = math.pi / 360.0
    for f in range(rows.shape[0]):
        for j in range(axes.shape[0]):
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for n in range(axes.shape[1]):
                axis = axes[j, n]
                if axis < 0:
                    break
                half = rows[f, columns[j, n]] * to_half_radians
                c, s = math.cos(half), math.sin(half)
                if axis == 0:
                    w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
                elif axis == 1:
                    w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
                else:
                    w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
            if f > 0 and w * q[f - 1, j, 0] + x * q[f - 1, j, 1] + y * q[f - 1, j, 2] + z * q[f - 1, j, 3] < 0:
                w, x, y, z = -w, -x, -y, -z
            q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3] = w, x, y, z
            for n in range(3):
                place = places[j, n]
                t[f, j, n] = base[j, n] + (rows[f, place] if place >= 0 else 0.0)


_POWERS = 10.0 ** np.arange(23)  # the powers of ten that a double holds exactly


@compile_exact
def parse(text, values, line_ends, line_numbers, odd):  # type: ignore[no-untyped-def]
    """Decimal numbers of a text; see ``numbers``.

    A mantissa below 2⁵³ times or over an exact power of ten is rounded once, so correctly (Clinger 1990). Tokens
    beyond that, and tokens that are no numbers, are listed in ``odd`` (index, start, end) for the caller to look
    at. Returns how many values, lines and odd tokens were found.
    """
    count, lines, oddities = 0, 0, 0
    line, on_line = 0, 0
    i, size = 0, text.size
    while i < size:
        byte = text[i]
        if byte == 32 or byte == 9 or byte == 11 or byte == 12:
            i += 1
            continue
        if byte == 10 or byte == 13:
            if on_line > 0:
                line_ends[lines], line_numbers[lines] = count, line
                lines += 1
                on_line = 0
            i += 1
            if byte == 13 and i < size and text[i] == 10:
                i += 1
            line += 1
            continue
        start = i
        negative = byte == 45
        if byte == 45 or byte == 43:
            i += 1
        mantissa, digits, exponent, seen = 0, 0, 0, False
        while i < size and 48 <= text[i] <= 57:
            mantissa, digits, seen = _with_digit(mantissa, digits, text[i])
            i += 1
        if i < size and text[i] == 46:
            i += 1
            while i < size and 48 <= text[i] <= 57:
                mantissa, digits, seen = _with_digit(mantissa, digits, text[i])
                exponent -= 1
                i += 1
        if seen and i < size and (text[i] == 69 or text[i] == 101):
            i, power, seen = _exponent(text, i + 1)
            exponent += power
        whole = i == size or text[i] == 32 or text[i] == 10 or text[i] == 13 or 9 <= text[i] <= 12
        if seen and whole and digits <= 15 and -22 <= exponent <= 22:
            value = float(mantissa)
            value = value * _POWERS[exponent] if exponent >= 0 else value / _POWERS[-exponent]
            values[count] = -value if negative else value
        else:
            while i < size and not (text[i] == 32 or 9 <= text[i] <= 13):
                i += 1
            values[count] = np.nan
            if oddities < odd.shape[0]:
                odd[oddities, 0], odd[oddities, 1], odd[oddities, 2] = count, start, i
            oddities += 1
        count += 1
        on_line += 1
    if on_line > 0:
        line_ends[lines], line_numbers[lines] = count, line
        lines += 1
    return count, lines, oddities


@compile_exact
def _with_digit(mantissa, digits, byte):  # type: ignore[no-untyped-def]
    """One more digit. Beyond 18 the mantissa would overflow: the token then counts as odd anyway."""
    if digits < 18:
        mantissa = mantissa * 10 + (byte - 48)
    if mantissa > 0:
        digits += 1
    return mantissa, digits, True


@compile_exact
def _exponent(text, i):  # type: ignore[no-untyped-def]
    """The signed exponent that starts at ``i``: where it ends, its value, and whether it had a digit."""
    negative = i < text.size and text[i] == 45
    if i < text.size and (text[i] == 45 or text[i] == 43):
        i += 1
    power, seen = 0, False
    while i < text.size and 48 <= text[i] <= 57:
        power = min(power * 10 + (text[i] - 48), 10000)
        seen = True
        i += 1
    return i, -power if negative else power, seen
