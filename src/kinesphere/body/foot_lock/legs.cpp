// Loops over both legs: measured from the input, and solved again between hips and ankles that moved.
#include "body/foot_lock/leg_paths.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// Sine of a knee's flexion below which its usual axis counts for more than its plane.
constexpr double STRAIGHT = 0.12;
// Sine of the flexion up to which a knee may be bent backward; beyond, its plane is another.
constexpr double BACKWARD = 0.5;
// Sine of a flexion backward about the usual axis that is none: rounding must not decide the sign of knees that only
// lean sideways, as files with few digits have them.
constexpr double SIDEWAYS = 1e-12;

// The legs of the input, left first, in metres.
struct LegPoses {
    FloatsOut<3> hip;      // (2, T, 3)
    FloatsOut<3> knee;     // (2, T, 3)
    FloatsOut<3> ankle;    // (2, T, 3)
    FloatsOut<3> normal;   // (2, T, 3) of the leg's plane, unit or zero, on the usual axis' side
    FloatsOut<3> axis;     // (2, T, 3) the normal, or where the leg is nearly straight the usual axis
    FloatsOut<3> forward;  // (2, T, 3) the direction in which a knee moves if bent more, a unit vector
    FloatsOut<2> flexion;  // (2, T) about the normal
    FloatsOut<2> upper;    // (2, T) length of the thigh
    FloatsOut<2> lower;    // (2, T) length of the shin
};

// Legs bent towards their ankles' targets before they swivel, in metres.
struct BentLegs {
    FloatsOut<3> hip;           // (2, T, 3)
    FloatsOut<3> hip_to_ankle;  // (2, T, 3) to the ankle's target
    FloatsOut<3> swing;         // (2, T, 4) rotation of the leg's plane
    FloatsOut<3> thigh;         // (2, T, 3) from hip to knee
    FloatsOut<3> shin;          // (2, T, 3) from knee to ankle
    FloatsOut<3> step;          // (2, T, 3) leg lengths that knees move
    FloatsOut<3> tangent;       // (2, T, 3) leg lengths that knees move a radian of swivel
};

// World rotations that take the input's bones to the solved ones.
struct LegRotations {
    FloatsOut<3> thigh;        // (2, T, 4) only in active frames
    FloatsOut<3> shin;         // (2, T, 4) only in active frames
    FloatsOut<2> ankle_error;  // (2, T) metres from the ankle to its target
    FloatsOut<3> ankle;        // (2, T, 3) positions
};

// The unit vector in a direction; a zero vector stays zero.
static Vec3 unit(Vec3 v) {
    const double length = norm(v);
    return (length > 0.0 ? 1.0 / length : 1.0) * v;
}

// Legs as the input has them

// Joints, bone lengths and flexions of leg i; normals unsigned, and as long as the flexion's sine.
//
// Returns the axis about which the knee bends when it bends much, in the thigh's frame, of any length.
static Vec3 measure_bones(Floats<3> q, Floats<3> p, const std::int64_t* joints, int i, const LegPoses& legs) {
    Vec3 usual = {0.0, 0.0, 0.0};
    for (Index t = 0; t < q.shape[0]; ++t) {
        const Vec3 hip = read_vector(p.at(t, joints[0])), knee = read_vector(p.at(t, joints[1]));
        const Vec3 ankle = read_vector(p.at(t, joints[2]));
        const double upper = norm(knee - hip), lower = norm(ankle - knee);
        const Vec3 thigh = unit(knee - hip), shin = unit(ankle - knee);
        const Vec3 normal = cross(thigh, shin);
        const double sine = norm(normal);
        write_vector(legs.hip.at(i, t), hip);
        write_vector(legs.knee.at(i, t), knee);
        write_vector(legs.ankle.at(i, t), ankle);
        write_vector(legs.normal.at(i, t), normal);
        legs.upper(i, t) = upper;
        legs.lower(i, t) = lower;
        legs.flexion(i, t) = std::atan2(sine, dot(thigh, shin));
        usual = usual + sine * sine * rotate(conjugate(read_quaternion(q.at(t, joints[0]))), normal);
    }
    return usual;
}

// Give normals and flexion of leg i the sign of the usual axis, fixed in the thigh, and blend the two axes.
static void orient_leg(Floats<3> q, Index thigh, Vec3 usual, int i, const LegPoses& legs) {
    for (Index t = 0; t < q.shape[0]; ++t) {
        const Vec3 usual_now = rotate(read_quaternion(q.at(t, thigh)), usual);
        Vec3 normal = read_vector(legs.normal.at(i, t));
        const double sine = norm(normal);
        double sign = sine > 0.0 ? 1.0 / sine : 1.0;
        if (dot(normal, usual_now) < -SIDEWAYS && sine < BACKWARD) {
            sign = -sign;
            legs.flexion(i, t) = -legs.flexion(i, t);
        }
        const double share = std::exp(-square(sine / STRAIGHT));
        normal = sign * normal;
        const Vec3 blend = (1.0 - share) * normal + share * usual_now;
        const Vec3 forward = cross(read_vector(legs.ankle.at(i, t)) - read_vector(legs.hip.at(i, t)), blend);
        write_vector(legs.normal.at(i, t), normal);
        write_vector(legs.axis.at(i, t), unit(blend));
        write_vector(legs.forward.at(i, t), unit(forward));
    }
}

// Both legs of joints in the world, (T, K, 4) and (T, K, 3), of which `joints (2, 3)` are hips, knees and ankles.
//
// A knee that never bends has the axis of `rest_axes (2, 3)`, in its thigh's frame.
static void measure_legs(Floats<3> q, Floats<3> p, Ints<2> joints, Floats<2> rest_axes, const LegPoses& legs) {
    for (int i = 0; i < 2; ++i) {
        Vec3 usual = measure_bones(q, p, joints.at(i), i, legs);
        if (norm(usual) < 1e-6 * static_cast<double>(q.shape[0])) usual = read_vector(rest_axes.at(i));
        orient_leg(q, joints(i, 0), usual / norm(usual), i, legs);
    }
}

// Legs solved again

struct HalfAngle {
    double cosine, sine;
};

// Cosine and sine of half an angle, from multiples of those of the whole; of no angle if both are zero.
static HalfAngle half_angle(double cosine, double sine) {
    const double size = std::sqrt(cosine * cosine + sine * sine);
    if (!(size > 0.0)) return {1.0, 0.0};
    if (cosine > 0.0) {
        const double c = std::sqrt(0.5 * (1.0 + cosine / size));
        return {c, 0.5 * sine / (size * c)};
    }
    double s = std::sqrt(0.5 * (1.0 - cosine / size));
    s = sine >= 0.0 ? s : -s;
    return {0.5 * sine / (size * s), s};
}

// The smallest rotation from one direction to another: `quaternion_between` in a third of the time, unless the rotation
// is large.
static Quat swing_between(Vec3 a, Vec3 b) {
    const double sizes = std::sqrt(dot(a, a) * dot(b, b));
    const double w = sizes + a.x * b.x + a.y * b.y + a.z * b.z;
    if (!(w > 0.1 * sizes)) return quaternion_between(a, b);
    const Vec3 axis = cross(a, b);
    const double scale = 1.0 / std::sqrt(w * w + axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    return {scale * w, scale * axis.x, scale * axis.y, scale * axis.z};
}

// Bend legs as the paths say, with hips moved, in their planes towards their ankles' targets.
//
// Returns false if a line from hip to ankle has no direction.
static bool bend_legs(const LegPoses& legs, const LegModel& model, const SolvedLegs& paths, double length,
                      const BentLegs& bent) {
    bool fine = true;
    for (Index t = 0; t < paths.rise.shape[0]; ++t) {
        const Quat roll = exponential_quaternion(paths.roll(t) * read_vector(model.roll_vector.at(t)));
        const Vec3 trunk = read_vector(model.trunk.at(t)), sway = paths.sway(t) * read_vector(model.left.at(t));
        for (int i = 0; i < 2; ++i) {
            const Vec3 start = read_vector(model.hip.at(i, t)), arm = start - trunk;
            Vec3 moved = start + rotate(roll, arm) - arm;
            moved.y += paths.rise(t);
            const Vec3 hip = length * (moved + sway), ankle = read_vector(legs.ankle.at(i, t));
            const Vec3 line = ankle + length * read_vector(model.shift.at(i, t)) - hip;
            // The leg's plane swings to the new line from hip to ankle.
            const Quat swing = swing_between(ankle - read_vector(legs.hip.at(i, t)), line);
            fine = fine && !std::isnan(swing.w);
            const double before = legs.flexion(i, t), flexion = paths.flexion(i, t);
            const Vec3 usual = read_vector(legs.axis.at(i, t));
            Vec3 axis = before * read_vector(legs.normal.at(i, t)) + (flexion - before) * usual;
            if (!(dot(axis, axis) > 1e-18)) axis = usual;
            const Vec3 along = (1.0 / norm(line)) * line;
            const Vec3 outward = unit(cross(along, rotate(swing, axis)));  // the direction in which the knee goes
            // Angles of the thigh and of the shin to the line from hip to ankle.
            const double upper = legs.upper(i, t), lower = legs.lower(i, t);
            const double bend = std::abs(flexion), cosine = std::cos(bend), sine = std::sin(bend);
            double c = upper + lower * cosine, s = lower * sine;
            const double reach = std::sqrt(c * c + s * s);
            c = reach > 0.0 ? c / reach : 1.0;
            s = reach > 0.0 ? s / reach : 0.0;
            const Vec3 thigh = upper * c * along + upper * s * outward;
            const Vec3 shin = lower * (cosine * c + sine * s) * along - lower * (sine * c - cosine * s) * outward;
            write_vector(bent.hip.at(i, t), hip);
            write_vector(bent.hip_to_ankle.at(i, t), line);
            write_quaternion(bent.swing.at(i, t), swing);
            write_vector(bent.thigh.at(i, t), thigh);
            write_vector(bent.shin.at(i, t), shin);
            write_vector(bent.step.at(i, t), (hip + thigh - read_vector(legs.knee.at(i, t))) / length);
            write_vector(bent.tangent.at(i, t), upper * s / length * cross(along, outward));
        }
    }
    return fine;
}

// The rotation that takes one bone to another, and the plane of its axis to that of the other.
static Quat rotate_bone(Vec3 bone, Vec3 axis, Vec3 new_bone, Vec3 new_axis) {
    const Quat swing = swing_between(bone, new_bone);
    const Vec3 along = unit(new_bone), carried = rotate(swing, axis);
    const Vec3 a = carried - dot(carried, along) * along, b = new_axis - dot(new_axis, along) * along;
    const auto [c, s] = half_angle(dot(a, b), dot(along, cross(a, b)));
    return Quat{c, s * along.x, s * along.y, s * along.z} * swing;
}

// Swivel legs by angles (2, T), and write rotations of their bones in active frames (T,), ankles and errors in all.
//
// Returns false if a bone has no direction.
static bool rotate_legs(const LegPoses& legs, const BentLegs& bent, Floats<2> swivel, Bools<1> active,
                        const LegRotations& found) {
    bool fine = true;
    for (int i = 0; i < 2; ++i) {
        for (Index t = 0; t < active.shape[0]; ++t) {
            const Vec3 line = read_vector(bent.hip_to_ankle.at(i, t));
            const double size = norm(line);
            const Quat turn = exponential_quaternion((size > 0.0 ? swivel(i, t) / size : 0.0) * line);
            const Vec3 thigh = rotate(turn, read_vector(bent.thigh.at(i, t)));
            const Vec3 shin = rotate(turn, read_vector(bent.shin.at(i, t)));
            write_vector(found.ankle.at(i, t), read_vector(bent.hip.at(i, t)) + thigh + shin);
            found.ankle_error(i, t) = norm(line - thigh - shin);
            if (!active(t)) continue;
            const Vec3 before = read_vector(legs.axis.at(i, t)), knee = read_vector(legs.knee.at(i, t));
            const Vec3 axis = rotate(turn * read_quaternion(bent.swing.at(i, t)), before);
            const Quat upper = rotate_bone(knee - read_vector(legs.hip.at(i, t)), before, thigh, axis);
            const Quat lower = rotate_bone(read_vector(legs.ankle.at(i, t)) - knee, before, shin, axis);
            fine = fine && !std::isnan(upper.w) && !std::isnan(lower.w);
            write_quaternion(found.thigh.at(i, t), upper);
            write_quaternion(found.shin.at(i, t), lower);
        }
    }
    return fine;
}

}  // namespace kinesphere

FIELDS(kinesphere::LegPoses, &kinesphere::LegPoses::hip, &kinesphere::LegPoses::knee, &kinesphere::LegPoses::ankle,
       &kinesphere::LegPoses::normal, &kinesphere::LegPoses::axis, &kinesphere::LegPoses::forward,
       &kinesphere::LegPoses::flexion, &kinesphere::LegPoses::upper, &kinesphere::LegPoses::lower);
FIELDS(kinesphere::BentLegs, &kinesphere::BentLegs::hip, &kinesphere::BentLegs::hip_to_ankle,
       &kinesphere::BentLegs::swing, &kinesphere::BentLegs::thigh, &kinesphere::BentLegs::shin,
       &kinesphere::BentLegs::step, &kinesphere::BentLegs::tangent);
FIELDS(kinesphere::LegRotations, &kinesphere::LegRotations::thigh, &kinesphere::LegRotations::shin,
       &kinesphere::LegRotations::ankle_error, &kinesphere::LegRotations::ankle);

namespace kinesphere {

KERNELS(foot_lock_legs) {
    return {
        kernel<measure_legs>("measure_legs"),
        kernel<bend_legs>("bend_legs"),
        kernel<rotate_legs>("rotate_legs"),
    };
}

}  // namespace kinesphere
