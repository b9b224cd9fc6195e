"""Compiled Shape on the arms: the body around hands, keys turned, and kept off it. Import only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_limbs import reaches, solved
from kinesphere.kernels.jit_terms import compile_exact
from kinesphere.kernels.jit_turns import expo, rotated


@compile_exact
def see_bodies(  # type: ignore[no-untyped-def]
    bends, feet, spine, clavicle, leg, bones, shares, weights, numbers, head, shifts, rest, lines, sags
):
    """Bodies (K,) as their chests see them; see ``posture.seen``."""
    back, steady, ahead, down, upright, moved, stands, straight, splay, hangs = numbers
    for k in range(bends.shape[0]):
        forward, lean, nod = bends[k, 0], bends[k, 1], bends[k, 4]
        carried = forward - back * lean
        turn, y, z, middle = lean, 0.0, 0.0, 0.0
        for i in range(4):
            y, z = _on(y, z, spine[i].real, spine[i].imag, turn)
            turn += shares[i] * carried
            middle = z if i == 2 else middle
        neck, throat = _on(y, z, spine[4].real, spine[4].imag, turn)
        faced = nod - steady * (carried + lean)
        skull, brow = _on(neck, throat, spine[5].real, spine[5].imag, turn + shares[4] * faced)
        qw, qx, qy, qz = expo(0.0, -(bends[k, 6] + ahead), bends[k, 5] - down)
        out, u, v = rotated(qw, qx, qy, qz, clavicle[1, 0], clavicle[1, 1], clavicle[1, 2])
        out += clavicle[0, 0]
        high, deep = _on(y, z, clavicle[0, 1] + u, clavicle[0, 2] + v, turn)
        weight = weights[0] * middle + weights[1] * brow + weights[2] * deep
        shift = bends[k, 3] + (upright - weight) / moved
        for i in range(2):
            a, b = _on(skull, brow, head[i, 1], head[i, 2], turn + faced)
            _see(lines[k, 1, i], -out, a - high, b - deep, turn)
        _see(lines[k, 0, 0], -out, -high, -deep, turn)
        _see(lines[k, 0, 1], -out, neck - high, throat - deep, turn)
        for i in range(2):
            for j in range(3):
                lines[k, 0, i, j] += shifts[i, j]
        a, b = _on(0.0, 0.0, leg[0, 1], leg[0, 2], lean)
        for i in range(2):
            side = 1.0 - 2.0 * i
            hip = side * leg[0, 0]
            p = side * leg[1, 0] + feet[k, i, 0] - hip
            q = leg[1, 1] + feet[k, i, 1] - stands - bends[k, 2] - a
            r = leg[1, 2] + feet[k, i, 2] - shift - b
            p, q, r = _knee(p, q, r, side * splay, bones, straight)
            _see(lines[k, 2 + i, 0], hip + p - out, a + q - high, b + r - deep, turn)
            _see(lines[k, 2 + i, 1], hip - out, a - high, b - deep, turn)
        y, z = _on(0.0, 0.0, rest[1], rest[2], -hangs * turn)
        sags[k, 0], sags[k, 1], sags[k, 2] = 0.0, y - rest[1], z - rest[2]


@compile_exact
def _on(y, z, up, ahead, turn):  # type: ignore[no-untyped-def]
    """Further along a bone that is turned ahead."""
    c, s = math.cos(turn), math.sin(turn)
    return y + c * up - s * ahead, z + s * up + c * ahead


@compile_exact
def _see(end, x, y, z, turn):  # type: ignore[no-untyped-def]
    c, s = math.cos(turn), math.sin(turn)
    end[0], end[1], end[2] = x, c * y + s * z, c * z - s * y


@compile_exact
def _knee(p, q, r, splay, bones, straight):  # type: ignore[no-untyped-def]
    """From the hip to the knee of a leg that goes so far to its ankle."""
    far = math.sqrt(p * p + q * q + r * r)
    p, q, r = p / far, q / far, r / far
    thigh, shin = bones[0], bones[1]
    held = min(far, straight * (thigh + shin))
    cosine = (thigh * thigh + held * held - shin * shin) / (2.0 * thigh * held)
    sine = math.sqrt(1.0 - cosine * cosine)
    u, w = math.sin(splay), math.cos(splay)
    along = u * p + w * r
    u, v, w = u - along * p, -along * q, w - along * r
    size = math.sqrt(u * u + v * v + w * w)
    return (
        thigh * (cosine * p + sine * u / size),
        thigh * (cosine * q + sine * v / size),
        thigh * (cosine * r + sine * w / size),
    )


@compile_exact
def turn_keys(places, factors, numbers, middle, moved):  # type: ignore[no-untyped-def]
    """Keys (K, 3) turned on their ellipses and moved from the middle; see ``arm_shape.turned``."""
    ratio, most, fade, crosses, near, reaches_ = numbers
    for k in range(places.shape[0]):
        out, up, ahead = places[k, 0], places[k, 1], places[k, 2]
        a, b = _turned(out, ahead, factors[k, 0], ratio, most, fade)
        c, d = _turned(up, out, factors[k, 1], ratio, most, fade)
        e, f = _turned(ahead, -up, factors[k, 2], ratio, most, fade)
        x, y, z = out + a + d, up + c - f, ahead + b + e
        end = min(out, crosses)
        room = min(out - end, near)
        over = end + room - x
        if over > 0.0:
            safe = max(room, 1e-9)
            x = end + room + safe * math.expm1(-over / safe)
        share = reaches_ * factors[k, 3]
        moved[k, 0] = x + share * (x - middle[0])
        moved[k, 1] = y + share * (y - middle[1])
        moved[k, 2] = z + share * (z - middle[2])


@compile_exact
def _turned(major, minor, dial, ratio, most, fade):  # type: ignore[no-untyped-def]
    if dial == 0.0:
        return 0.0, 0.0
    angle = math.atan2(ratio * minor, major)
    radius = math.hypot(major, ratio * minor)
    size, way = abs(angle), -1.0 if angle < 0.0 else 1.0
    room, far = (size, math.pi - size) if dial < 0.0 else (math.pi - size, size)
    turn = room * math.tanh(abs(dial) * most * -math.expm1(-((far / fade) ** 2)) / max(room, 1e-9))
    rest = way * (size - turn if dial < 0.0 else size + turn)
    return radius * math.cos(rest) - major, radius / ratio * math.sin(rest) - minor


@compile_exact
def clear_keys(places, seen, course, hand, allowed, keys, reach, rounds):  # type: ignore[no-untyped-def]
    """Move keys (K, 3) until hands are off the body, and within reach; see ``clearing.cleared``."""
    written, free, owners, weights = keys
    ways, moved = np.empty((course[0].shape[0], 3)), np.ones(places.shape[0], dtype=np.bool_)
    for _ in range(rounds):
        _press(places, seen, course, hand, moved, ways)
        if not _move(ways, allowed, course[0], weights, owners, free, places, moved):
            break
    for k in range(places.shape[0]):
        _hold(places[k], written[k], reach[0], reach[1])


@compile_exact
def free_room(places, seen, widths, room):  # type: ignore[no-untyped-def]
    """How far (K,) wrists at their keys are outside of the body; see ``clearing.room_at``."""
    lines, _, sags, _ = seen
    at, line = np.empty(3), np.empty(6)
    for k in range(places.shape[0]):
        room[k] = math.inf
        for d in range(3):
            at[d] = places[k, d] + sags[k, d]
        for v in range(4):
            for d in range(3):
                line[d], line[3 + d] = lines[k, v, 0, d], lines[k, v, 1, d]
            x, y, z, _ = _away(at, line, widths[v, 0], widths[v, 1])
            room[k] = min(room[k], math.sqrt(x * x + y * y + z * z) - widths[v, 0])


@compile_exact
def _at(places, sags, rows, curves, bow, at):  # type: ignore[no-untyped-def]
    """Where a hand on its way is."""
    for d in range(3):
        at[d] = 0.0
        for n in range(4):
            at[d] += curves[n] * (places[rows[n], d] + sags[rows[n], d])
    if bow != 0.0:
        _bow(places[rows[1]], places[rows[2]], bow, at)


@compile_exact
def press(places, seen, course, hand, ways):  # type: ignore[no-untyped-def]
    """How far (S, 3) hands on their way are to be moved out of the body; see ``clearing.pressed``."""
    _press(places, seen, course, hand, np.ones(places.shape[0], dtype=np.bool_), ways)


@compile_exact
def _press(places, seen, course, hand, moved, ways):  # type: ignore[no-untyped-def]
    """The same where keys have moved; elsewhere it is known already."""
    at_keys, between, sags, margins = seen
    rows, curves, shares, bows, swivels = course
    widths, feelers, curl, limb, flexions, towards, home, soft = hand
    frame = limb[3:]
    a = math.sqrt(limb[0, 0] ** 2 + limb[0, 1] ** 2 + limb[0, 2] ** 2)
    b = math.sqrt(limb[1, 0] ** 2 + limb[1, 1] ** 2 + limb[1, 2] ** 2)
    limits = reaches(a, b, flexions)
    around, at, point = np.empty((4, 6)), np.empty(3), np.empty(3)
    longest = 0.0
    for n in range(feelers.shape[0]):
        longest = max(longest, math.hypot(feelers[n, 0], feelers[n, 1]) + feelers[n, 2])
    for s in range(rows.shape[0]):
        i, j, u = rows[s, 1], rows[s, 2], shares[s]
        if not (moved[rows[s, 0]] or moved[i] or moved[j] or moved[rows[s, 3]]):
            continue
        lines = between if u > 0.0 else at_keys
        margin = (1.0 - u) * margins[i] + u * margins[j] if u > 0.0 else 0.0
        ways[s, 0], ways[s, 1], ways[s, 2] = 0.0, 0.0, 0.0
        _at(places, sags, rows[s], curves[s], bows[s], at)
        near = False
        for v in range(4):
            for d in range(3):
                around[v, d] = (1.0 - u) * lines[i, v, 0, d] + u * lines[j, v, 0, d]
                around[v, 3 + d] = (1.0 - u) * lines[i, v, 1, d] + u * lines[j, v, 1, d]
            x, y, z, _ = _away(at, around[v], widths[v, 0], widths[v, 1])
            # Ahead the axes are stretched: nothing is farther away than it seems.
            scale = max(widths[v, 0] / widths[v, 1], 1.0)
            if x * x + y * y + z * z < (widths[v, 0] + soft + scale * (longest + margin)) ** 2:
                near = True
        if not near:
            continue
        swivel = (1.0 - u) * swivels[i] + u * swivels[j]
        _, _, _, _, _, ex, ey, ez = solved(at, swivel, towards, home, a, b, frame, limits)
        fx, fy, fz = at[0] - ex, at[1] - ey, at[2] - ez
        size = max(math.sqrt(fx * fx + fy * fy + fz * fz), 1e-9)
        fx, fy, fz = fx / size, fy / size, fz / size
        along = curl[0] * fx + curl[1] * fy + curl[2] * fz
        cx, cy, cz = curl[0] - along * fx, curl[1] - along * fy, curl[2] - along * fz
        total = 0.0
        for v in range(4):
            for n in range(feelers.shape[0]):
                far, bent, wider = feelers[n, 0], feelers[n, 1], feelers[n, 2] + margin
                point[0] = at[0] + far * fx + bent * cx
                point[1] = at[1] + far * fy + bent * cy
                point[2] = at[2] + far * fz + bent * cz
                x, y, z = _out(point, around[v], widths[v, 0] + wider, widths[v, 1] + wider, soft)
                weight = x * x + y * y + z * z
                total += weight
                ways[s, 0] += weight * x
                ways[s, 1] += weight * y
                ways[s, 2] += weight * z
        for d in range(3):
            ways[s, d] /= max(total, 1e-30)


@compile_exact
def _bow(start, end, high, at):  # type: ignore[no-untyped-def]
    """Bow a stroke away from the shoulder, so high as a share of its length."""
    size, dot, far = 0.0, 0.0, 0.0
    for d in range(3):
        size += (end[d] - start[d]) ** 2
    size = max(math.sqrt(size), 1e-6)
    for d in range(3):
        dot += 0.5 * (start[d] + end[d]) * (end[d] - start[d]) / size
    for d in range(3):
        far += (0.5 * (start[d] + end[d]) - dot * (end[d] - start[d]) / size) ** 2
    high *= size / max(math.hypot(math.sqrt(far), 0.05 * size), 1e-9)
    for d in range(3):
        at[d] += high * (0.5 * (start[d] + end[d]) - dot * (end[d] - start[d]) / size)


@compile_exact
def _away(at, line, wide, deep):  # type: ignore[no-untyped-def]
    """From a volume's line to a point, in axes stretched ahead by so much that it is round; and by how much."""
    stretch = wide / deep
    bx, by, bz = line[3] - line[0], line[4] - line[1], (line[5] - line[2]) * stretch
    x, y, z = at[0] - line[0], at[1] - line[1], (at[2] - line[2]) * stretch
    along = min(max((x * bx + y * by + z * bz) / max(bx * bx + by * by + bz * bz, 1e-9), 0.0), 1.0)
    return x - along * bx, y - along * by, z - along * bz, stretch


@compile_exact
def _out(at, line, wide, deep, soft):  # type: ignore[no-untyped-def]
    """How far a point is moved out of a volume; see ``keeping_off.out_of``."""
    x, y, z, stretch = _away(at, line, wide, deep)
    far = math.sqrt(x * x + y * y + z * z)
    depth = wide - far
    if depth <= -soft:
        return 0.0, 0.0, 0.0
    push = depth if depth >= soft else (depth + soft) ** 2 / (4.0 * soft)
    b, c = line[4] - line[1], line[5] - line[2]
    size = max(math.hypot(b, c), 1e-9)
    deeper = 2.0 * max(depth, 0.0) / size
    p, q, r = x, y - deeper * c, z + deeper * b * stretch
    size = max(math.sqrt(p * p + q * q + r * r), 1e-9)
    p, q, r = p / size, q / size, r / size
    along = x * p + y * q + z * r
    step = math.sqrt(max(along * along + (far + push) ** 2 - far * far, 0.0)) - along
    return step * p, step * q, step * r / stretch


@compile_exact
def _move(ways, allowed, rows, weights, owners, free, places, moved):  # type: ignore[no-untyped-def]
    """Move keys (K, 3) as hands on their way need it, and say which; see ``clearing.cleared``. Gives whether any is."""
    count = places.shape[0]
    sums, totals = np.zeros((count, 3)), np.zeros(count)
    some = False
    for s in range(rows.shape[0]):
        x, y, z = ways[s, 0], ways[s, 1], ways[s, 2]
        size = math.sqrt(x * x + y * y + z * z)
        if size <= allowed[s]:
            continue
        some = True
        kept = (size - allowed[s]) / size
        x, y, z = kept * x, kept * y, kept * z
        square = x * x + y * y + z * z
        for e in range(2):
            share = weights[s, e]
            k = owners[rows[s, 1 + e]]
            totals[k] += square * share
            sums[k, 0] += square * share * share * x
            sums[k, 1] += square * share * share * y
            sums[k, 2] += square * share * share * z
    for k in range(count):
        own = owners[k]
        moved[k] = free[k] and totals[own] > 0.0
        if moved[k]:
            for d in range(3):
                places[k, d] += sums[own, d] / max(totals[own], 1e-30)
    return some


@compile_exact
def _hold(place, written, longest, soft):  # type: ignore[no-untyped-def]
    """Hold one key within an arm's reach; see ``arm_shape.held``."""
    far = math.sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2])
    was = math.sqrt(written[0] * written[0] + written[1] * written[1] + written[2] * written[2])
    start = min(max(longest - soft, was), longest - 1e-6)
    room = longest - start
    held = start - room * math.expm1(-(far - start) / room) if far > start else far
    if was >= longest:
        held = min(far, was)
    for d in range(3):
        place[d] *= held / max(far, 1e-12)
