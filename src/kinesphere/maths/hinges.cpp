// Loops over the frames of one joint: its angles waveshaped, and a hinge stopped softly at its limits.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"
#include "maths/waveshaping.hpp"

namespace kinesphere {

constexpr double HALF_ROUND = 3.141592653589793;   // π
constexpr double WHOLE_ROUND = 6.283185307179586;  // 2 π
constexpr double SAME = 1e-12;                     // radians: angles that change by no more stay
constexpr double SMALL_STEP = 0.5;                 // radians that an edit takes a flexion across its cut
constexpr double HARDEST = 1e-9;                   // radians in which a hinge is slowed down at least

namespace {

// hinges.Hinge: a joint, what it is measured against and along, and how far it goes.
struct Hinge {
    Ints<1> path;
    Floats<1> before, after;
    Floats<2> axes, ranges;
    double cone;
};

// hinges.HingeLimit: a hinge and how far it bends.
struct HingeLimit {
    Ints<1> path;
    Floats<1> before, after;
    Floats<2> axes;
    double least, greatest, soft;
};

struct ShapedDirection {
    Vec3 direction;
    double change;  // the greatest of its angles
};

}  // namespace

// The rotation `first (4,)` and then those of `count` joints of a path in a frame `local (J, 4)`, multiplied.
static Quat chain_rotation(const double* local, Ints<1> path, Index count, Floats<1> first) {
    Quat q = read_quaternion(first.data);
    for (Index k = 0; k < count; ++k) q = q * read_quaternion(local + 4 * path(k));
    return q;
}

// A joint's rotation from rest in a frame `local (J, 4)`, seen from the joint that it is measured against.
template <class H>
static Quat rotation_from_rest(const double* local, const H& hinge) {
    return chain_rotation(local, hinge.path, hinge.path.shape[0], hinge.before) *
           conjugate(read_quaternion(hinge.after.data));
}

// Waveshaping of joint angles

// Write one joint's rotations (T, 4) from rest and its twists (T,), which don't jump by whole rounds.
static void read_hinge(Floats<3> local, const Hinge& hinge, FloatsOut<2> turned, FloatsOut<1> twist) {
    const Vec3 bone = read_vector(hinge.axes.at(0));
    for (Index t = 0; t < local.shape[0]; ++t) {
        const Quat q = rotation_from_rest(local.at(t), hinge);
        write_quaternion(turned.at(t), q);
        double angle = 2.0 * std::atan2(q.x * bone.x + q.y * bone.y + q.z * bone.z, q.w);
        if (t > 0) angle -= WHOLE_ROUND * std::nearbyint((angle - twist(t - 1)) / WHOLE_ROUND);
        twist(t) = angle;
    }
}

// An angle shaped between the ends of its range.
static double shape_within(double angle, const double* ends, Floats<2> shape, double amount) {
    return waveshape_value(angle, 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]), shape, amount);
}

// A bone's direction with flexion and side, or the angle in the cone, shaped.
static ShapedDirection shape_direction(Vec3 direction, const Hinge& hinge, Floats<2> shape, double amount) {
    const Vec3 neutral = read_vector(hinge.axes.at(1)), forward = read_vector(hinge.axes.at(2));
    const Vec3 side = read_vector(hinge.axes.at(3));
    if (hinge.cone > 0.0) {
        const Quat q = quaternion_between(neutral, direction);
        const Vec3 axis = {q.x, q.y, q.z};
        const double sine = norm(axis), size = 2.0 * std::atan2(sine, q.w);
        const double shaped = waveshape_value(size, 0.0, hinge.cone, shape, amount) -
                              waveshape_value(0.0, 0.0, hinge.cone, shape, amount);
        if (sine > 1e-12) {
            const Vec3 scaled = std::sin(0.5 * shaped) / sine * axis;
            direction = rotate({std::cos(0.5 * shaped), scaled.x, scaled.y, scaled.z}, neutral);
        }
        return {direction, std::abs(shaped - size)};
    }
    const double middle = 0.5 * (hinge.ranges(0, 0) + hinge.ranges(0, 1));
    double flexion = std::atan2(dot(direction, forward), dot(direction, neutral));
    flexion -= WHOLE_ROUND * std::floor((flexion - middle + HALF_ROUND) / WHOLE_ROUND);
    const double aside = std::asin(clamp(dot(direction, side), -1.0, 1.0));
    const double bent = shape_within(flexion, hinge.ranges.at(0), shape, amount);
    const double leaned = shape_within(aside, hinge.ranges.at(1), shape, amount);
    const double along = std::cos(leaned) * std::cos(bent), ahead = std::cos(leaned) * std::sin(bent);
    return {along * neutral + ahead * forward + std::sin(leaned) * side,
            most(std::abs(bent - flexion), std::abs(leaned - aside))};
}

// Replace a rotation vector by the vector of a quaternion that is nearest to it, whole rounds apart.
static void write_nearest_vector(Quat q, double smallest, double* vector) {
    if (q.w < 0.0) q = -q;
    Vec3 axis = {q.x, q.y, q.z};
    const double sine = norm(axis);
    double size = 2.0 * std::atan2(sine, q.w);
    if (size > smallest) {
        axis = axis / sine;
        size += WHOLE_ROUND * std::nearbyint((dot(read_vector(vector), axis) - size) / WHOLE_ROUND);
    }
    write_vector(vector, size * axis);
}

// Shape one joint, in `local (T, J, 4)` and in its vectors (T, 3) from `about (4,)`; `shape` is a `shape_table`,
// `turned` and `twist` are those of `read_hinge`. Rotations by no more than `smallest` are left out.
static void shape_hinge(FloatsOut<3> local, FloatsOut<2> table, Floats<1> about, const Hinge& hinge, Floats<2> shape,
                        double amount, double smallest, Floats<2> turned, Floats<1> twist) {
    const Index own = hinge.path(hinge.path.shape[0] - 1);
    const Vec3 bone = read_vector(hinge.axes.at(0));
    const Quat after = read_quaternion(hinge.after.data), from_centre = conjugate(read_quaternion(about.data));
    for (Index t = 0; t < local.shape[0]; ++t) {
        const Quat now = read_quaternion(turned.at(t));
        const auto [direction, change] = shape_direction(rotate(now, bone), hinge, shape, amount);
        const double angle = twist(t), shaped = shape_within(angle, hinge.ranges.at(2), shape, amount);
        if (change < SAME && std::abs(shaped - angle) < SAME) continue;
        // The shaped rotation, then what it adds to the joint's own, in the joint's frame.
        const Vec3 twisted = std::sin(0.5 * shaped) * bone;
        const Quat wanted =
            quaternion_between(bone, direction) * Quat{std::cos(0.5 * shaped), twisted.x, twisted.y, twisted.z};
        const Quat added = conjugate(after) * (conjugate(now) * wanted) * after;
        if (norm({added.x, added.y, added.z}) <= smallest) continue;
        const Quat made = read_quaternion(local.at(t, own)) * added;
        write_quaternion(local.at(t, own), made);
        write_nearest_vector(from_centre * made, smallest, table.at(t));
    }
}

// Limits of hinges

// The limited flexion of a hinge that an edit takes from `was` to `now`: it slows down before its limits.
static double limit_flexion(double was, double now, const HingeLimit& hinge) {
    const bool up = now > was;
    const double room = most(up ? hinge.greatest - was : was - hinge.least, 0.0);
    const double soft = most(least(room, hinge.soft), HARDEST);
    const double past = std::abs(now - was) - (room - soft);
    if (past <= 0.0 || now == was) return now;
    const double bent = (room - soft) + soft * (1.0 - std::exp(-past / soft));
    return was + (up ? bent : -bent);
}

// The flexion of a hinge in a frame `local (J, 4)`, cut opposite to the middle of its range and not at π.
static double hinge_flexion(const double* local, const HingeLimit& hinge) {
    const Vec3 bone = rotate(rotation_from_rest(local, hinge), read_vector(hinge.axes.at(0)));
    const double angle = std::atan2(dot(bone, read_vector(hinge.axes.at(2))), dot(bone, read_vector(hinge.axes.at(1))));
    const double middle = 0.5 * (hinge.least + hinge.greatest);
    return angle - WHOLE_ROUND * std::floor((angle - middle + HALF_ROUND) / WHOLE_ROUND);
}

// Write the angles (T,) to add to a hinge's flexion in `local (T, J, 4)` so that it keeps its limits, see
// `limit_flexion`. A small step across the cut is a small step: an edit that does little is corrected by little.
static void hinge_correction(Floats<3> before, Floats<3> local, const HingeLimit& hinge, FloatsOut<1> corrections) {
    for (Index t = 0; t < local.shape[0]; ++t) {
        const double was = hinge_flexion(before.at(t), hinge), found = hinge_flexion(local.at(t), hinge);
        const double step = found - was, shorter = step - WHOLE_ROUND * std::nearbyint(step / WHOLE_ROUND);
        const double now = shorter != step && std::abs(shorter) < SMALL_STEP ? was + shorter : found;
        corrections(t) = limit_flexion(was, now, hinge) - now;
    }
}

// Bend a hinge of (T, J, 4) by angles (T,), in place; those of no more than `smallest` are left out.
static void bend_hinge(FloatsOut<3> local, const HingeLimit& hinge, Floats<1> by, double smallest) {
    const Vec3 axis = cross(read_vector(hinge.axes.at(1)), read_vector(hinge.axes.at(2)));
    const Index last = hinge.path.shape[0] - 1, own = hinge.path(last);
    for (Index t = 0; t < local.shape[0]; ++t) {
        if (std::abs(by(t)) <= smallest) continue;
        const Quat above = chain_rotation(local.at(t), hinge.path, last, hinge.before);
        const Quat bend = conjugate(above) * (axis_angle_quaternion(axis, by(t)) * above);
        write_quaternion(local.at(t, own), bend * read_quaternion(local.at(t, own)));
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::Hinge, &kinesphere::Hinge::path, &kinesphere::Hinge::before, &kinesphere::Hinge::after,
       &kinesphere::Hinge::axes, &kinesphere::Hinge::ranges, &kinesphere::Hinge::cone);
FIELDS(kinesphere::HingeLimit, &kinesphere::HingeLimit::path, &kinesphere::HingeLimit::before,
       &kinesphere::HingeLimit::after, &kinesphere::HingeLimit::axes, &kinesphere::HingeLimit::least,
       &kinesphere::HingeLimit::greatest, &kinesphere::HingeLimit::soft);

namespace kinesphere {

KERNELS(hinges) {
    return {
        kernel<read_hinge>("read_hinge"),       kernel<shape_hinge>("shape_hinge"),
        kernel<limit_flexion>("limit_flexion"), kernel<hinge_correction>("hinge_correction"),
        kernel<bend_hinge>("bend_hinge"),
    };
}

}  // namespace kinesphere
