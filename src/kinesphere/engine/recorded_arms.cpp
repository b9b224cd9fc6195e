// Arms of a recording that edits have moved: joints come softly to what is left of their ranges, hands keep out of the
// body.
#include "engine/capsules.hpp"
#include "engine/pose_view.hpp"
#include "maths/binding.hpp"

namespace kinesphere {

namespace {

constexpr double PI = 3.141592653589793;
constexpr double KNEE = 0.2, BEYOND = 0.05;  // radians before the end of a range where it begins to bind, and after it
constexpr double SAME = 1e-15;               // of the cosine of half an angle: joints that are turned less are not

// EasedJoint of recorded_limits.py.
struct EasedJoint {
    Ints<1> path;      // (P,) joints below the reference, down to this one
    Ints<1> columns;   // (P,) where these are among recorded rotations
    Floats<1> before;  // (4,) rest rotation of the reference in the world
    Floats<1> after;   // (4,) rest rotation of the joint in the world
    Floats<2> axes;    // (4, 3) bone, neutral, forward and side in the world at rest
    Floats<2> ranges;  // (3, 2) flexion, side and twist
    double cone;       // half angle about the neutral direction in place of flexion and side; 0: none
};

struct Range {
    double lowest, highest;
};

// An angle that was recorded, and what it has become, brought into a range that the recorded one widens.
double eased(double was, double now, Range range) {
    const auto end = [](double recorded, double added, double highest) {
        const double room = most(highest - recorded, 0.0), knee = least(room, KNEE), scale = knee + BEYOND;
        const double over = added - (room - knee);
        return over <= 0.0 ? added : room - knee + scale * std::tanh(over / scale);
    };
    const double added = now - was;
    return added > 0.0 ? was + end(was, added, range.highest) : was - end(-was, -added, -range.lowest);
}

double wrapped(double angle) { return angle - 2.0 * PI * std::floor((angle + PI) / (2.0 * PI)); }

// A joint's rotation from rest against its reference, in the rest pose's axes; and its parts.
struct Turned {
    Quat rotation;
    Vec3 bone;
    double twist;
};

struct Joint {
    const EasedJoint& own;
    Vec3 bone, neutral, forward, side;

    explicit Joint(const EasedJoint& joint)
        : own(joint),
          bone(read_vector(joint.axes.at(0))),
          neutral(read_vector(joint.axes.at(1))),
          forward(read_vector(joint.axes.at(2))),
          side(read_vector(joint.axes.at(3))) {}

    Index joint() const { return own.path(own.path.shape[0] - 1); }

    Turned turned(const double* rotations, Ints<1> rows) const {
        Quat q = read_quaternion(own.before.data);
        for (Index i = 0; i < rows.shape[0]; ++i) q = q * read_quaternion(rotations + 4 * rows(i));
        q = q * conjugate(read_quaternion(own.after.data));
        const double along = q.x * bone.x + q.y * bone.y + q.z * bone.z;
        return {q, rotate(q, bone), wrapped(2.0 * std::atan2(along, q.w))};
    }

    Range range(Index i) const { return {own.ranges(i, 0), own.ranges(i, 1)}; }

    double flexion(Vec3 direction) const {
        const double middle = 0.5 * (own.ranges(0, 0) + own.ranges(0, 1));
        return middle + wrapped(std::atan2(dot(direction, forward), dot(direction, neutral)) - middle);
    }

    double aside(Vec3 direction) const { return std::asin(clamp(dot(direction, side), -1.0, 1.0)); }

    // The direction that the bone may have.
    Vec3 direction(const Turned& was, const Turned& now) const {
        if (own.cone > 0.0) {
            const auto off = [&](const Turned& one) { return std::acos(clamp(dot(one.bone, neutral), -1.0, 1.0)); };
            const double angle = off(now);
            if (angle <= own.cone - KNEE) return now.bone;
            const double allowed = eased(least(off(was), angle), angle, {0.0, own.cone});
            const Vec3 axis = cross(neutral, now.bone);
            const double size = norm(axis);
            return size < 1e-9 ? now.bone : rotate(axis_angle_quaternion(axis / size, allowed), neutral);
        }
        const double flexed = flexion(now.bone), beside = aside(now.bone);
        const auto within = [](double angle, Range own) {
            return angle > own.lowest + KNEE && angle < own.highest - KNEE;
        };
        if (within(flexed, range(0)) && within(beside, range(1))) return now.bone;
        const double was_flexed = flexion(was.bone);
        const double u = eased(was_flexed, was_flexed + (flexed - was_flexed), range(0));
        const double v = eased(aside(was.bone), beside, range(1));
        return std::cos(v) * (std::cos(u) * neutral + std::sin(u) * forward) + std::sin(v) * side;
    }

    double twist(const Turned& was, const Turned& now) const {
        const Range own_range = range(2);
        if (now.twist > own_range.lowest + KNEE && now.twist < own_range.highest - KNEE) return now.twist;
        return eased(was.twist, was.twist + wrapped(now.twist - was.twist), own_range);
    }

    // A rotation in the rest pose's axes as the joint's own, to be multiplied from the right.
    Quat own_rotation(const Turned& now, Quat wanted) const {
        const Quat after = read_quaternion(own.after.data);
        return conjugate(after) * (conjugate(now.rotation) * wanted) * after;
    }
};

Quat part_of(Quat q, double share) {
    if (share >= 1.0) return q;
    const double sign = q.w < 0.0 ? -1.0 : 1.0, size = std::sqrt(square(q.x) + square(q.y) + square(q.z));
    if (size < 1e-12) return {1.0, 0.0, 0.0, 0.0};
    const double scale = share * sign * 2.0 * std::atan2(size, sign * q.w) / size;
    return exponential_quaternion(scale * Vec3{q.x, q.y, q.z});
}

bool is_same(const double* rotations, Ints<1> joints, const double* recorded, Ints<1> columns) {
    for (Index i = 0; i < joints.shape[0]; ++i) {
        const double *a = rotations + 4 * joints(i), *b = recorded + 4 * columns(i);
        if (std::abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]) < 1.0 - SAME) return false;
    }
    return true;
}

}  // namespace

// Turn a joint of T poses in place, by a share (T,) of what is needed, so that what was added to its recorded rotations
// (T, C, 4) comes softly to what is left of its ranges. Where `child` is another joint, that is turned back by as much
// as the twist was: only the direction of the bone moves what is below it.
static void ease_joint(const EasedJoint& limited, Index child, Floats<3> recorded, Floats<1> shares,
                       FloatsOut<3> rotations) {
    const Joint joint(limited);
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        double* pose = rotations.at(t);
        if (is_same(pose, limited.path, recorded.at(t), limited.columns)) continue;
        const Turned now = joint.turned(pose, limited.path);
        const Turned was = joint.turned(recorded.at(t), limited.columns);
        const Vec3 direction = joint.direction(was, now);
        const double twist = joint.twist(was, now);
        const double untwisted = twist - now.twist;
        double* at = pose + 4 * joint.joint();
        if (untwisted != 0.0) {  // about the bone, first: it does not change the direction
            const Quat wanted = now.rotation * axis_angle_quaternion(joint.bone, untwisted);
            const Quat turn = joint.own_rotation(now, wanted);
            write_quaternion(at, read_quaternion(at) * turn);
            if (child >= 0) {
                double* below = pose + 4 * child;
                write_quaternion(below, conjugate(turn) * read_quaternion(below));
            }
        }
        const Vec3 moved = direction - now.bone;
        if (shares(t) > 0.0 && dot(moved, moved) > 0.0) {
            const Turned here = joint.turned(pose, limited.path);
            const Quat wanted = quaternion_between(joint.bone, direction) * axis_angle_quaternion(joint.bone, twist);
            write_quaternion(at, read_quaternion(at) * part_of(joint.own_rotation(here, wanted), shares(t)));
        }
    }
}

// The joints of Limb of recorded_limbs.py.
struct PointedLimb {
    Ints<1> parents;
    Index upper, lower, end;
    Floats<1> hinge;
    double soft;
};

// Solids of recorded_clearance.py.
struct Solids {
    Floats<3> starts, ends;  // (S, T, 3) of their axes
    Floats<3> axes;          // (S, T, 4) their left, up and ahead
    Floats<2> radii;         // (S, 2) half widths aside and ahead
};

namespace {

// A point seen from a capsule's axis, in the capsule's axes stretched ahead until it is round.
Vec3 seen(const Solids& solids, Index s, Index t, Vec3 point) {
    const Quat back = conjugate(read_quaternion(solids.axes.at(s, t)));
    const Vec3 start = read_vector(solids.starts.at(s, t));
    return capsule_offset(rotate(back, point - start), {0.0, 0.0, 0.0},
                          rotate(back, read_vector(solids.ends.at(s, t)) - start), solids.radii(s, 0),
                          solids.radii(s, 1));
}

// How far a point is to be moved to be no deeper in a solid than it was recorded, on the side where it was recorded.
Vec3 way_out(const Solids& was, const Solids& now, Index s, Index t, Vec3 recorded, Vec3 point, double soft) {
    const double wide = now.radii(s, 0);
    const Vec3 off = seen(now, s, t, point);
    const double far = norm(off);
    if (far >= wide + soft) return {0.0, 0.0, 0.0};
    const Vec3 before = seen(was, s, t, recorded);
    const double was_far = norm(before), free = least(was_far, wide + soft);
    if (far >= free) return {0.0, 0.0, 0.0};
    // Out along the mean of where it was and where it is; it stops softly at the distance at which it may be.
    const Vec3 way = (was_far > 1e-9 ? before / was_far : Vec3{0.0, 0.0, 1.0}) + off / wide;
    const double length = norm(way);
    if (length < 1e-9) return {0.0, 0.0, 0.0};
    const Vec3 out = way / length;
    const double room = most(least(soft, free - (wide - soft)), 1e-6), over = free - far;
    const double wanted = free - least(over, room * (1.0 - std::exp(-over / room)));
    const double along = dot(off, out), rest = dot(off, off) - square(wanted);
    if (rest >= 0.0) return {0.0, 0.0, 0.0};
    Vec3 by = (std::sqrt(square(along) - rest) - along) * out;
    by.z *= now.radii(s, 1) / wide;
    return rotate(read_quaternion(now.axes.at(s, t)), by);
}

}  // namespace

// Add to displacements (T, 3) of points (T, 3) what brings them out of solids, where they may be as deep as they were
// recorded (T, 3) among others. The push begins a share `soft` of a solid's half width outside. Say whether any is.
static bool keep_out(const Solids& was, const Solids& now, Floats<2> recorded, Floats<2> points, double soft,
                     FloatsOut<2> pushes) {
    bool any = false;
    for (Index t = 0; t < points.shape[0]; ++t)
        for (Index s = 0; s < now.radii.shape[0]; ++s) {
            const Vec3 pushed = read_vector(pushes.at(t)), point = read_vector(points.at(t)) + pushed;
            const Vec3 by =
                way_out(was, now, s, t, read_vector(recorded.at(t)), point, soft * now.radii(s, 0));
            if (dot(by, by) == 0.0) continue;
            write_vector(pushes.at(t), pushed + by);
            any = true;
        }
    return any;
}

// Turn limbs of T poses about their upper joints, in place, where a flag (T,) says so, until their ends are in the
// direction of targets (T, 3) in the world.
static void point_limb(const PointedLimb& limb, Floats<2> targets, Bools<1> wanted, FloatsOut<3> rotations,
                       FloatsOut<3> translations) {
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        if (!wanted(t)) continue;
        const PoseView pose = {limb.parents, rotations.at(t), translations.at(t)};
        const Vec3 upper = pose.world(limb.upper).position;
        const Vec3 ray = pose.world(limb.end).position - upper, way = read_vector(targets.at(t)) - upper;
        if (norm(ray) > 1e-9 && norm(way) > 1e-9) pose.turn(limb.upper, quaternion_between(ray, way));
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::Solids, &kinesphere::Solids::starts, &kinesphere::Solids::ends, &kinesphere::Solids::axes,
       &kinesphere::Solids::radii);
FIELDS(kinesphere::PointedLimb, &kinesphere::PointedLimb::parents, &kinesphere::PointedLimb::upper,
       &kinesphere::PointedLimb::lower, &kinesphere::PointedLimb::end, &kinesphere::PointedLimb::hinge,
       &kinesphere::PointedLimb::soft);
FIELDS(kinesphere::EasedJoint, &kinesphere::EasedJoint::path, &kinesphere::EasedJoint::columns,
       &kinesphere::EasedJoint::before, &kinesphere::EasedJoint::after, &kinesphere::EasedJoint::axes,
       &kinesphere::EasedJoint::ranges, &kinesphere::EasedJoint::cone);

namespace kinesphere {

KERNELS(recorded_arms) { return {kernel<ease_joint>("ease_joint"), kernel<keep_out>("keep_out"), kernel<point_limb>("point_limb")}; }

}  // namespace kinesphere
