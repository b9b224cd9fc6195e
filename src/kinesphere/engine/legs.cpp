// Inverse kinematics of the legs of one side, from the hips to given feet.
#include "engine/pose.hpp"
#include "maths/binding.hpp"
#include "maths/two_bone.hpp"

namespace kinesphere {

constexpr double KNEE_OUT = 0.5;      // of the angle from the pelvis's heading to the foot's that a knee turns
constexpr int RAISINGS = 12;          // times that a heel rises as far as its ankle is bent too much, or its leg short
constexpr double BENT_ENOUGH = 1e-3;  // radians
constexpr double NEAR_ENOUGH = 1e-8;  // metres
constexpr double FULLY_BENT = 3.141592653589793;  // radians: nothing but the target's distance limits a knee

namespace {

// Feet of one side in every frame.
struct FootTargets {
    Floats<2> ball;     // (F, 3) of the sole, in the world
    Floats<1> heading;  // (F,) radians about the vertical
    Floats<1> pitch;    // (F,) about the ball, heel up above zero
    Floats<1> toes;     // (F,) bent up above zero
};

// What does not change of one leg.
struct FigureLeg {
    Ints<1> joints;  // (4,) upper leg, lower leg, foot, toes
    Floats<1> hip;   // (3,) offset of the upper leg
    Floats<1> ball;  // (3,) offset of the toes
    LimbRest limb;
};

}  // namespace

// Write local rotations (F, J, 4) of a leg's joints to its feet. And points (F, 3, 3): hip, knee, and the ankle that
// the foot asks for. Heels rise where ankles would bend more than by `most_bent` radians, and
// where a leg is too short: feet stay.
static void solve_leg(const FootTargets& feet, const FigureLeg& leg, double most_bent, Floats<3> translations,
                      FloatsOut<3> local, FloatsOut<3> points) {
    const Vec3 right = {1.0, 0.0, 0.0}, up = {0.0, 1.0, 0.0}, ahead = {0.0, 0.0, 1.0};
    const Vec3 hip_offset = read_vector(leg.hip.data), ball_offset = read_vector(leg.ball.data);
    const Vec3 hinge = read_vector(leg.limb.hinge.data);
    const Vec3 level = {ball_offset.x, 0.0, ball_offset.z}, flat = level / most(norm(level), 1e-9);
    const double a = norm(read_vector(leg.limb.upper.data)), b = norm(read_vector(leg.limb.lower.data));
    const ReachLimits limits = reach_limits(a, b, 0.0, FULLY_BENT);
    for (Index i = 0; i < points.shape[0]; ++i) {
        const Quat hips = read_quaternion(local.at(i, 0));
        const double heading = feet.heading(i);
        const Vec3 hip = read_vector(translations.at(i, 0)) + rotate(hips, hip_offset);
        const Vec3 front = rotate(hips, ahead);
        const double pelvis = std::atan2(front.x, front.z), out = std::remainder(heading - pelvis, 2.0 * FULLY_BENT);
        const double facing = pelvis + KNEE_OUT * out;
        const Vec3 knee_ahead = {std::sin(facing), 0.0, std::cos(facing)};
        Quat foot, knee, ankle_rotation;
        Vec3 ankle;
        SolvedLimb made;
        double raised = 0.0;
        const auto solve = [&]() {
            foot = axis_angle_quaternion(up, heading) * axis_angle_quaternion(right, feet.pitch(i) + raised);
            ankle = read_vector(feet.ball.at(i)) - rotate(foot, ball_offset);
            made = solve_limb(ankle - hip, 0.0, knee_ahead, -up, a, b, leg.limb.frame.data, limits);
            knee = axis_angle_quaternion(hinge, made.flexion - leg.limb.flexion);
            ankle_rotation = conjugate(made.rotation * knee) * foot;
            const Vec3 sole = rotate(ankle_rotation, flat);
            return std::atan2(sole.y, dot(sole, flat)) - most_bent;
        };
        double excess = solve();
        for (int round = 0; round < RAISINGS && excess > BENT_ENOUGH; ++round) {
            raised += excess;
            excess = solve();
        }
        const Vec3 asked = ankle;  // by which balance lowers the hips; what is left is for the heels
        for (int round = 0; round < RAISINGS && most_bent < FULLY_BENT; ++round) {
            const double missing = norm(ankle - hip) - limits.longest * (a + b);
            if (missing < NEAR_ENOUGH) break;
            raised += missing / most(norm(level), 1e-3);
            solve();
        }
        write_vector(points.at(i, 0), hip);
        write_vector(points.at(i, 1), hip + made.elbow);
        write_vector(points.at(i, 2), asked);
        write_quaternion(local.at(i, leg.joints(0)), conjugate(hips) * made.rotation);
        write_quaternion(local.at(i, leg.joints(1)), knee);
        write_quaternion(local.at(i, leg.joints(2)), ankle_rotation);
        write_quaternion(local.at(i, leg.joints(3)), axis_angle_quaternion(right, -feet.toes(i) - raised));
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::FootTargets, &kinesphere::FootTargets::ball, &kinesphere::FootTargets::heading,
       &kinesphere::FootTargets::pitch, &kinesphere::FootTargets::toes);
FIELDS(kinesphere::FigureLeg, &kinesphere::FigureLeg::joints, &kinesphere::FigureLeg::hip, &kinesphere::FigureLeg::ball,
       &kinesphere::FigureLeg::limb);

namespace kinesphere {

KERNELS(engine_legs) { return {kernel<solve_leg>("solve_leg")}; }

}  // namespace kinesphere
