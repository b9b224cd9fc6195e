// Joints of a recording that edits have moved: they come softly to what is left of their ranges.
#include "engine/recorded_limbs.hpp"

namespace kinesphere {

namespace {

constexpr double PI = 3.141592653589793;
constexpr double KNEE = 0.2, BEYOND = 0.05;  // radians before the end of a range where it begins to bind, and after it
constexpr double UNSURE[] = {0.05, 0.2};     // of how sure a twist is, over which it comes to count
constexpr double HINGED = 0.6;               // radians that an elbow is bent farther, in which it comes to its hinge
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
    double along;  // of the rotation's vector part, along the bone at rest

    double twist() const { return wrapped(2.0 * std::atan2(along, rotation.w)); }

    // Cosine of half the angle from the bone at rest: opposite to it a twist means nothing.
    double sure() const { return std::sqrt(square(rotation.w) + square(along)); }
};

// Whether an angle is well within a range, from its cosine and sine, of any length: that takes no angles.
struct Arc {
    double cosine, sine;  // of its middle
    double least;         // cosine of half of it

    explicit Arc(Range range)
        : cosine(std::cos(0.5 * (range.lowest + range.highest))),
          sine(std::sin(0.5 * (range.lowest + range.highest))),
          least(half_cosine(0.5 * (range.highest - range.lowest) - KNEE)) {}

    static double half_cosine(double half) { return half > 0.0 ? std::cos(kinesphere::least(half, PI)) : 2.0; }

    bool has(double x, double y) const { return x * cosine + y * sine > least * std::sqrt(x * x + y * y); }
};

struct Joint {
    const EasedJoint& own;
    Vec3 bone, neutral, forward, side;
    Arc flexions, twists;
    double lowest_side, highest_side, least_cone;  // sines of what is well within, and the cosine

    explicit Joint(const EasedJoint& joint)
        : own(joint),
          bone(read_vector(joint.axes.at(0))),
          neutral(read_vector(joint.axes.at(1))),
          forward(read_vector(joint.axes.at(2))),
          side(read_vector(joint.axes.at(3))),
          flexions(range(0)),
          twists(range(2)),
          lowest_side(std::sin(clamp(range(1).lowest + KNEE, -0.5 * PI, 0.5 * PI))),
          highest_side(std::sin(clamp(range(1).highest - KNEE, -0.5 * PI, 0.5 * PI))),
          least_cone(Arc::half_cosine(joint.cone - KNEE)) {}

    Index joint() const { return own.path(own.path.shape[0] - 1); }

    Turned turned(const double* rotations, Ints<1> rows) const {
        Quat q = read_quaternion(own.before.data);
        for (Index i = 0; i < rows.shape[0]; ++i) q = q * read_quaternion(rotations + 4 * rows(i));
        q = q * conjugate(read_quaternion(own.after.data));
        const double along = q.x * bone.x + q.y * bone.y + q.z * bone.z;
        return {q, rotate(q, bone), along};
    }

    Range range(Index i) const { return {own.ranges(i, 0), own.ranges(i, 1)}; }

    double flexion(Vec3 direction) const {
        const double middle = 0.5 * (own.ranges(0, 0) + own.ranges(0, 1));
        return middle + wrapped(std::atan2(dot(direction, forward), dot(direction, neutral)) - middle);
    }

    double aside(Vec3 direction) const { return std::asin(clamp(dot(direction, side), -1.0, 1.0)); }

    // Whether it is well within its ranges, whatever was recorded.
    bool is_free(const Turned& now) const {
        const double w = now.rotation.w, sine = dot(now.bone, side);
        if (!twists.has(square(w) - square(now.along), 2.0 * w * now.along)) return false;
        if (own.cone > 0.0) return dot(now.bone, neutral) >= least_cone;
        return flexions.has(dot(now.bone, neutral), dot(now.bone, forward)) && sine > lowest_side &&
               sine < highest_side;
    }

    bool is_hinge() const { return own.cone <= 0.0 && own.ranges(0, 1) > 0.5 * PI; }

    // How far a bone is bent from straight, and to which side of the way that its hinge has.
    void read_bend(Vec3 direction, double& bend, double& azimuth) const {
        const double ahead = dot(direction, forward), beside = dot(direction, side);
        bend = std::atan2(std::sqrt(square(ahead) + square(beside)), dot(direction, neutral));
        azimuth = std::atan2(beside, ahead);
    }

    // The direction, bent as far, of a bone that is bent to the side of its hinge's way. Flexion and side angle have
    // their pole there: past it the bone would flip. What was recorded counts as long as it is bent no farther.
    Vec3 hinged(Vec3 recorded, Vec3 now) const {
        double bend, azimuth, was_bend, was_azimuth;
        read_bend(now, bend, azimuth);
        const double widest = azimuth > 0.0 ? own.ranges(1, 1) : -own.ranges(1, 0);
        const auto room = [&](double angle) {  // of the azimuth, at a bend
            if (angle < widest) return PI - 0.5 * PI * angle / widest;
            return angle > PI - widest ? 0.5 * PI : std::asin(std::sin(widest) / std::sin(angle));
        };
        if (std::abs(azimuth) <= room(bend) - KNEE) return now;
        read_bend(recorded, was_bend, was_azimuth);
        was_azimuth *= smoothstep(was_bend / KNEE);
        const double more = most(std::abs(was_azimuth) - room(was_bend), 0.0);
        const double end = room(bend) + more * (1.0 - smoothstep((bend - was_bend) / HINGED));
        const double allowed = eased(clamp(was_azimuth, -end, end), azimuth, {-end, end});
        return std::cos(bend) * neutral + std::sin(bend) * (std::cos(allowed) * forward + std::sin(allowed) * side);
    }

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
        const Vec3 bent = is_hinge() ? hinged(was.bone, now.bone) : now.bone;
        const double flexed = flexion(bent), beside = aside(bent);
        const auto within = [](double angle, Range own) {
            return angle > own.lowest + KNEE && angle < own.highest - KNEE;
        };
        if (within(flexed, range(0)) && within(beside, range(1))) return bent;
        const double was_flexed = flexion(was.bone);
        const double u = eased(was_flexed, was_flexed + (flexed - was_flexed), range(0));
        const double v = eased(aside(was.bone), beside, range(1));
        return std::cos(v) * (std::cos(u) * neutral + std::sin(u) * forward) + std::sin(v) * side;
    }

    double twist(const Turned& was, const Turned& now) const {
        const Range own_range = range(2);
        const double now_twist = now.twist(), was_twist = was.twist();
        if (now_twist > own_range.lowest + KNEE && now_twist < own_range.highest - KNEE) return now_twist;
        const double sure = smoothstep((least(now.sure(), was.sure()) - UNSURE[0]) / (UNSURE[1] - UNSURE[0]));
        const double added = wrapped(now_twist - was_twist);
        const double near = eased(was_twist, was_twist + added, own_range) - (was_twist + added);
        // A twist that was recorded beyond its range may be anywhere that is no farther beyond, either way round.
        const double spent = beyond(was_twist, own_range);
        const double far = least(most(spent, 0.0) - beyond(now_twist, own_range), 0.0);
        const double side = nearest_end(now_twist, own_range) == own_range.highest ? 1.0 : -1.0;
        const double is_spent = smoothstep(spent / KNEE);
        return now_twist + sure * (near + is_spent * (side * far - near));
    }

    // The end of a range that is nearer to an angle, either way round, and how far that is beyond it.
    static double nearest_end(double angle, Range range) {
        const bool high = std::abs(wrapped(angle - range.highest)) < std::abs(wrapped(angle - range.lowest));
        return high ? range.highest : range.lowest;
    }

    static double beyond(double angle, Range range) {
        const double far = std::abs(wrapped(angle - nearest_end(angle, range)));
        return angle > range.lowest && angle < range.highest ? -far : far;
    }

    // A rotation in the rest pose's axes as the joint's own, to be multiplied from the right.
    Quat own_rotation(const Turned& now, Quat wanted) const {
        const Quat after = read_quaternion(own.after.data);
        return conjugate(after) * (conjugate(now.rotation) * wanted) * after;
    }
};

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
        if (joint.is_free(now)) continue;
        const Turned was = joint.turned(recorded.at(t), limited.columns);
        const Vec3 direction = joint.direction(was, now);
        const double twist = joint.twist(was, now);
        const double untwisted = twist - now.twist();
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
            const Quat turn = joint.own_rotation(here, wanted);
            write_quaternion(at, read_quaternion(at) * (shares(t) < 1.0 ? part_of(turn, shares(t)) : turn));
        }
    }
}

// Write by which vectors (T, 3) a joint of T poses is turned from rotations (T, 4). Say whether it is in any.
static bool turns_from(Floats<2> from, Index joint, Floats<3> rotations, FloatsOut<2> out) {
    bool any = false;
    for (Index t = 0; t < out.shape[0]; ++t) {
        const Quat own = read_quaternion(from.at(t)), now = read_quaternion(rotations.at(t, joint));
        any = any || own.w != now.w || own.x != now.x || own.y != now.y || own.z != now.z;
        write_vector(out.at(t), quaternion_logarithm(conjugate(own) * now));
    }
    return any;
}

// Turn a joint of T poses, in place, from rotations (T, 4) by vectors (T, 3).
static void turn_by(Floats<2> from, Index joint, Floats<2> vectors, FloatsOut<3> rotations) {
    for (Index t = 0; t < rotations.shape[0]; ++t)
        write_quaternion(rotations.at(t, joint),
                         read_quaternion(from.at(t)) * exponential_quaternion(read_vector(vectors.at(t))));
}

}  // namespace kinesphere

FIELDS(kinesphere::EasedJoint, &kinesphere::EasedJoint::path, &kinesphere::EasedJoint::columns,
       &kinesphere::EasedJoint::before, &kinesphere::EasedJoint::after, &kinesphere::EasedJoint::axes,
       &kinesphere::EasedJoint::ranges, &kinesphere::EasedJoint::cone);

namespace kinesphere {

KERNELS(recorded_limits) {
    return {kernel<ease_joint>("ease_joint"), kernel<turns_from>("turns_from"), kernel<turn_by>("turn_by")};
}

}  // namespace kinesphere
