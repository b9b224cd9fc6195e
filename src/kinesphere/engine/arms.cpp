// Inverse kinematics of all arms of one side, blended from three spaces, with flourishes. Also computes how much room
// the body leaves for flourishes.
#include <limits>

#include "engine/capsules.hpp"
#include "engine/pose.hpp"
#include "maths/binding.hpp"
#include "maths/two_bone.hpp"

namespace kinesphere {

constexpr double OPEN_OUT = 0.8660254037844386, OPEN_AHEAD = 0.5;            // 30° ahead of sideways
constexpr double PI = 3.14159265358979323846, DECIDED = 1.2217304763960306;  // 70°
constexpr double AWAY_SOFT = 0.2617993877991494;                             // 15° beyond what is free, softly

namespace {

// A hand path can run through wrist positions (the default), joint angles or elbow positions. This holds the weights
// and paths of the last two, and the elbow's flourishes. Arms on wrist paths alone pass one row of `angles`,
// `starts` and `elbows`; it is not read, as their weights are 0.
struct ArmBlend {
    Floats<1> angle_weight;   // (F,) weight of the path through joint angles
    Floats<2> angles;         // (F, 4) that path; columns 0–2: rotation vector from `starts`; column 3: elbow flexion
    Floats<2> starts;         // (F, 4) the shoulder rotation at the start of the stroke
    Floats<1> elbow_weight;   // (F,) weight of the path through elbows
    Floats<2> elbows;         // (F, 3) that path
    Floats<1> bend;           // (F,) factor of the elbow flexion
    Floats<1> swivel_offset;  // (F,) added to the elbow's swivel: a rotation about the line from shoulder to wrist
};

// V capsules of the body around hands, in the world, plus shoulder position and chest rotation, to convert the lines to
// chest axes.
struct ArmObstacles {
    Floats<2> shoulder;  // (F, 3) position in the world
    Floats<2> chest;     // (F, 4) rotation in the world
    Floats<4> lines;     // (F, V, 2, 3) ends of the capsules' axes, in the world
    Floats<3> shifts;    // (V, 2, 3) added to these ends, in chest axes
    Floats<2> widths;    // (V, 2) half widths aside and ahead
};

// Solved arms, in the chest's axes.
struct ArmSolution {
    FloatsOut<2> upper;    // (F, 4) the shoulder's rotation
    FloatsOut<1> flexion;  // (F,) the elbow's angle
    FloatsOut<2> wrist;    // (F, 3) from the shoulder
    FloatsOut<1> room;     // (F,) 0–1: scale for flourishes; 0 at the body, 1 from `roomy` metres away
};

struct ArmRotations {
    Quat shoulder;
    double flexion;
};

}  // namespace

// Blend the wrist-space solution with the joint-angle and elbow-position ones, by their weights.
static ArmRotations blend_spaces(Index i, const ArmBlend& blend, const SolvedLimb& arm) {
    const double by_angles = blend.angle_weight(i), by_elbow = blend.elbow_weight(i);
    const double by_wrist = 1.0 - by_angles - by_elbow;
    const Quat q = arm.rotation;
    Quat sum = {by_wrist * q.w, by_wrist * q.x, by_wrist * q.y, by_wrist * q.z};
    const auto add = [&sum](double share, Quat p) {
        sum = {sum.w + share * p.w, sum.x + share * p.x, sum.y + share * p.y, sum.z + share * p.z};
    };
    double flexion = (1.0 - by_angles) * arm.flexion;
    if (by_angles != 0.0) {
        const double* angles = blend.angles.at(i);
        const Quat p = exponential_quaternion(read_vector(angles)) * read_quaternion(blend.starts.at(i));
        add(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0 ? -by_angles : by_angles, p);
        flexion += by_angles * angles[3];
    }
    if (by_elbow != 0.0) {
        // This is in the same hemisphere as q, so no sign flip is needed.
        add(by_elbow, quaternion_between(arm.elbow, read_vector(blend.elbows.at(i))) * q);
    }
    const double size = std::sqrt(sum.w * sum.w + sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
    return {{sum.w / size, sum.x / size, sum.y / size, sum.z / size}, flexion};
}

// Swing an elbow that would go far behind the body, or across it, about the line to the wrist, towards `open`, a
// direction from which upper arms go everywhere about as far: `free` radians, and a little more. The wrist stays.
static void limit_elbow(ArmRotations& arm, Vec3 upper, Vec3 wrist, Vec3 open, double free) {
    const Vec3 bone = rotate(arm.shoulder, upper / norm(upper));
    const double away = std::atan2(norm(cross(bone, open)), dot(bone, open)), over = away - free;
    const double distance = norm(wrist);
    if (over <= 0.0 || distance < 1e-9) return;
    const Vec3 axis = wrist / distance;
    const double along = dot(bone, axis), nearer = dot(open, axis);
    const double reach = std::sqrt(most((1.0 - along * along) * (1.0 - nearer * nearer), 0.0));
    if (reach < 1e-6) return;
    const double now = std::atan2(dot(axis, cross(open, bone)), dot(open, bone) - nearer * along);
    const double wanted = std::cos(free + AWAY_SOFT * std::tanh(over / AWAY_SOFT));
    const double most_angle = std::acos(clamp((wanted - along * nearer) / reach, -1.0, 1.0));
    // Opposite to `open` either side would do as well: there an elbow stays, or it would jump from one to the other.
    const double size = std::abs(now), undecided = clamp((size - DECIDED) / (PI - DECIDED), 0.0, 1.0);
    const double kept = undecided * undecided * (3.0 - 2.0 * undecided);
    const double turn = std::copysign(least(size, most_angle + kept * (size - most_angle)), now) - now;
    arm.shoulder = axis_angle_quaternion(axis, turn) * arm.shoulder;
}

// Signed distance of a wrist of frame `i` from the nearest capsule, in axes stretched ahead (see capsules.hpp);
// negative inside.
static double signed_body_distance(Vec3 wrist, Index i, const ArmObstacles& body) {
    const Vec3 shoulder = read_vector(body.shoulder.at(i));
    const Quat to_chest = conjugate(read_quaternion(body.chest.at(i)));
    const auto end_of = [&](Index v, Index k) {
        return rotate(to_chest, read_vector(body.lines.at(i, v, k)) - shoulder) + read_vector(body.shifts.at(v, k));
    };
    double nearest = std::numeric_limits<double>::infinity();
    for (Index v = 0; v < body.lines.shape[1]; ++v) {
        const double wide = body.widths(v, 0), deep = body.widths(v, 1);
        nearest = least(nearest, capsule_distance(wrist, end_of(v, 0), end_of(v, 1), wide, deep));
    }
    return nearest;
}

// Write arms that bring wrists to targets (F, 3) at swivels (F,), which are measured from `reference (3,)` and
// `home (3,)`. Upper arms stay within about `free` radians of the middle of what shoulders can do. `roomy` is the
// distance from the body at which a hand has room for all flourishes.
static void solve_arms(Floats<2> target, Floats<1> swivel, Floats<1> reference, Floats<1> home, const ArmBlend& blend,
                       const LimbRest& limb, const AngleRange& flexions, double free, const ArmObstacles& body,
                       double roomy, const ArmSolution& out) {
    const Vec3 towards = read_vector(reference.data), second = read_vector(home.data);
    const Vec3 upper = read_vector(limb.upper.data), lower = read_vector(limb.lower.data);
    const Vec3 hinge = read_vector(limb.hinge.data);
    const Vec3 open = {std::copysign(OPEN_OUT, upper.x), 0.0, OPEN_AHEAD};
    const double a = norm(upper), b = norm(lower);
    const ReachLimits limits = reach_limits(a, b, flexions.least, flexions.greatest);
    for (Index i = 0; i < target.shape[0]; ++i) {
        const SolvedLimb arm =
            solve_limb(read_vector(target.at(i)), swivel(i), towards, second, a, b, limb.frame.data, limits);
        ArmRotations made = {arm.rotation, arm.flexion};
        if (blend.angle_weight(i) != 0.0 || blend.elbow_weight(i) != 0.0) made = blend_spaces(i, blend, arm);
        made.flexion = clamp(made.flexion * blend.bend(i), flexions.least, flexions.greatest);
        const Quat elbow = axis_angle_quaternion(hinge, made.flexion - limb.flexion);
        const Vec3 wrist = rotate(made.shoulder, upper + rotate(elbow, lower));
        if (blend.swivel_offset(i) != 0.0) {
            // The axis is the wrist vector itself, so `wrist` stays valid.
            const double angle = blend.swivel_offset(i) / most(norm(wrist), 1e-12);
            made.shoulder = exponential_quaternion(angle * wrist) * made.shoulder;
        }
        limit_elbow(made, upper, wrist, open, free);
        write_quaternion(out.upper.at(i), made.shoulder);
        out.flexion(i) = made.flexion;
        write_vector(out.wrist.at(i), wrist);
        const double space = least(most(signed_body_distance(wrist, i, body), 0.0) / roomy, 1.0);
        out.room(i) = space * space * (3.0 - 2.0 * space);
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::ArmBlend, &kinesphere::ArmBlend::angle_weight, &kinesphere::ArmBlend::angles,
       &kinesphere::ArmBlend::starts, &kinesphere::ArmBlend::elbow_weight, &kinesphere::ArmBlend::elbows,
       &kinesphere::ArmBlend::bend, &kinesphere::ArmBlend::swivel_offset);
FIELDS(kinesphere::ArmObstacles, &kinesphere::ArmObstacles::shoulder, &kinesphere::ArmObstacles::chest,
       &kinesphere::ArmObstacles::lines, &kinesphere::ArmObstacles::shifts, &kinesphere::ArmObstacles::widths);
FIELDS(kinesphere::ArmSolution, &kinesphere::ArmSolution::upper, &kinesphere::ArmSolution::flexion,
       &kinesphere::ArmSolution::wrist, &kinesphere::ArmSolution::room);

namespace kinesphere {

KERNELS(arms) { return {kernel<solve_arms>("solve_arms")}; }

}  // namespace kinesphere
