// Analytic two-bone inverse kinematics of one limb: see two_bone.py for what swivel, reference and home mean.
#pragma once

#include "maths/rotations.hpp"

namespace kinesphere {

struct ReachLimits {
    double least, greatest;    // flexion, in radians
    double longest, shortest;  // the reaches that these allow, in limb lengths
};

inline ReachLimits reach_limits(double upper, double lower, double least, double greatest) {
    const double uneven = (upper - lower) / (upper + lower);
    return {least, greatest, std::hypot(std::cos(0.5 * least), uneven * std::sin(0.5 * least)),
            std::hypot(std::cos(0.5 * greatest), uneven * std::sin(0.5 * greatest))};
}

struct Rejection {
    Vec3 direction;  // zero where there is none
    double length;
};

// Unit direction and length of the part of a vector that is square to a unit axis.
inline Rejection reject_axis(Vec3 v, Vec3 axis) {
    v = v - dot(v, axis) * axis;
    const double size = norm(v);
    if (size <= 1e-12) return {{0.0, 0.0, 0.0}, 0.0};
    v = v / size;
    v = v - dot(v, axis) * axis;  // a short rest is mostly rounding: clean its direction once more
    return {v / norm(v), size};
}

struct SwivelZero {
    Vec3 outward;     // the elbow's direction from the axis at swivel zero
    Vec3 axis;        // from the shoulder to the target
    double distance;  // of the target
};

inline SwivelZero swivel_zero(Vec3 target, Vec3 towards, Vec3 home, double least_distance) {
    constexpr double cone = 0.2;  // sine of the angle to the reference below which home takes part
    towards = towards / norm(towards);
    home = reject_axis(home, towards).direction;
    const double far = norm(target);
    const Vec3 axis = far > least_distance ? target / far : home;
    // Across the axis, towards the reference, which is tilted where the two are nearly parallel.
    const double along = dot(towards, axis);
    const double sine = std::sqrt(most(1.0 - along * along, 0.0));
    const double ahead = along < 0.0 ? -1.0 : 1.0;
    double tilt = most(1.0 - square(sine / cone), 0.0);
    tilt = cone * tilt * tilt * ahead;
    Rejection zero = reject_axis(towards - tilt * home, axis);
    if (zero.length <= 1e-9) zero = reject_axis(-ahead * home, axis);
    return {zero.direction, axis, far};
}

// The rotation that takes the rows of `frame (3, 3)` to three orthonormal vectors.
inline Quat frame_quaternion(Vec3 a, Vec3 b, Vec3 c, const double* frame) {
    const double *r = frame, *s = frame + 3, *t = frame + 6;
    double m[3][3];
    for (int k = 0; k < 3; ++k) {
        m[0][k] = a.x * r[k] + b.x * s[k] + c.x * t[k];
        m[1][k] = a.y * r[k] + b.y * s[k] + c.y * t[k];
        m[2][k] = a.z * r[k] + b.z * s[k] + c.z * t[k];
    }
    const double trace = m[0][0] + m[1][1] + m[2][2];
    Quat q;
    if (trace > m[0][0] && trace > m[1][1] && trace > m[2][2]) {
        q = {1.0 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    } else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2]) {
        q = {m[2][1] - m[1][2], 1.0 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0]};
    } else if (m[1][1] >= m[2][2]) {
        q = {m[0][2] - m[2][0], m[0][1] + m[1][0], 1.0 + m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1]};
    } else {
        q = {m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1.0 + m[2][2] - m[0][0] - m[1][1]};
    }
    const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {q.w / size, q.x / size, q.y / size, q.z / size};
}

struct SolvedLimb {
    Quat rotation;  // of the upper bone, from rest
    double flexion;
    Vec3 elbow;
};

// One limb from the origin to a target; `frame (3, 3)` has the upper bone, the hinge and their normal at rest as rows.
inline SolvedLimb solve_limb(Vec3 target, double swivel, Vec3 towards, Vec3 home, double upper, double lower,
                             const double* frame, const ReachLimits& limits) {
    const double whole = upper + lower;
    const SwivelZero zero = swivel_zero(target, towards, home, 1e-9 * whole);
    const double u = upper / whole, v = lower / whole;
    const double d = most(least(zero.distance / whole, limits.longest), limits.shortest);
    const double above = most((1.0 - d) * (1.0 + d), 0.0), below = most((d - u + v) * (d + u - v), 0.0);
    const double flexion = clamp(2.0 * std::atan2(std::sqrt(above), std::sqrt(below)), limits.least, limits.greatest);
    Vec3 outward = zero.outward;
    if (swivel != 0.0) outward = std::cos(swivel) * outward + std::sin(swivel) * cross(zero.axis, outward);
    // The upper bone leans away from the axis so that the lower one ends on it.
    double c = upper + lower * std::cos(flexion), s = lower * std::sin(flexion);
    const double size = std::sqrt(c * c + s * s);
    c = size > 0.0 ? c / size : 1.0;
    s = size > 0.0 ? s / size : 0.0;
    const Vec3 bone = c * zero.axis + s * outward;
    // The hinge now is outward × axis; the rotation takes the rest frame to bone, hinge and their normal.
    const Vec3 hinge = cross(outward, zero.axis);
    return {frame_quaternion(bone, hinge, cross(bone, hinge), frame), flexion, upper * bone};
}

}  // namespace kinesphere
