// Offsets of one pose: joints turned a little, the hips moved, and the feet kept where they were.
#include "engine/pose_view.hpp"
#include "maths/binding.hpp"

namespace kinesphere {

constexpr double STRAIGHT = 0.004;   // of a leg's length that a nearly straight one is shorter than a straight one
constexpr double SINK_SOFT = 0.002;  // of a leg's length, over which hips begin to sink

namespace {

// OffsetModel of pose_offsets.py.
struct OffsetModel {
    Ints<1> parents;  // (J,)
    Ints<1> joints;   // (K,) that are turned
    Floats<2> axes;   // (K, 4) from the body's axes to those of a joint's parent
    Index hips;
    Floats<1> hips_rest;  // (4,) from the body's axes to the hips' own at rest
    Ints<2> legs;         // (L, 3) upper leg, lower leg, foot
    Ints<2> arms;         // (A, 2) clavicle, upper arm
};

}  // namespace

// A leg as it was before the hips moved.
struct Leg {
    const std::int64_t* joints;
    Placement foot;
    double thigh, shin;
    double stretch;  // from hip to ankle
};

static Leg read_leg(const PoseView& pose, const std::int64_t* joints) {
    const Vec3 hip = pose.world(joints[0]).position, knee = pose.world(joints[1]).position;
    const Placement foot = pose.world(joints[2]);
    return {joints, foot, norm(knee - hip), norm(foot.position - knee), norm(foot.position - hip)};
}

// The stretch of a leg that was `before` long and is asked to be `wanted` long. A bent leg is as long as asked; the
// straighter a leg, the less it changes: there a millimetre of stretch would be degrees of the knee, and a pop.
static double soften_stretch(double before, double wanted, double longest) {
    const double soft = STRAIGHT * longest, bent = longest - soft;
    const auto length = [&](double x) { return x <= bent ? x : longest - soft * std::exp((bent - x) / soft); };
    const double rest = most(longest - before, 1e-9 * longest);
    const double at = before <= bent ? before : bent - soft * std::log(rest / soft);
    return length(at + (wanted - before));
}

// Bring a foot back to where it was: the knee opens or closes, the leg turns about the hip, the foot keeps its
// rotation.
static void keep_foot(const PoseView& pose, const Leg& leg) {
    const double a = leg.thigh, b = leg.shin;
    if (a < 1e-9 || b < 1e-9) return;
    const Vec3 hip = pose.world(leg.joints[0]).position, knee = pose.world(leg.joints[1]).position;
    const Vec3 at = pose.world(leg.joints[2]).position, wanted = leg.foot.position - hip;
    const double far = most(soften_stretch(leg.stretch, norm(wanted), a + b), std::abs(a - b) + 1e-9);
    const auto knee_angle = [&](double length) {
        return std::acos(clamp((length * length - a * a - b * b) / (2.0 * a * b), -1.0, 1.0));
    };
    const Vec3 hinge = cross(knee - hip, at - knee);
    if (norm(hinge) > 1e-9 * a * b) {
        const double change = knee_angle(far) - knee_angle(leg.stretch);
        pose.turn(leg.joints[1], axis_angle_quaternion(hinge / norm(hinge), change));
    }
    pose.turn(leg.joints[0], quaternion_between(pose.world(leg.joints[2]).position - hip, wanted));
    pose.set(leg.joints[2], conjugate(pose.world_of_parent(leg.joints[2])) * leg.foot.rotation);
}

// Metres that hips sink because legs that are nearly straight would have to be longer; smooth, and zero for legs that
// are as long as before.
static double sink_of_hips(const PoseView& pose, const std::vector<Leg>& legs) {
    double total = 1.0, size = 0.0;
    for (const Leg& leg : legs) size = most(size, leg.thigh + leg.shin);
    const double soft = SINK_SOFT * size;
    if (soft <= 0.0) return 0.0;
    for (const Leg& leg : legs) {
        const double longest = leg.thigh + leg.shin;
        const double straight = std::exp((leg.stretch - longest) / (4.0 * STRAIGHT * longest));
        const double longer = norm(leg.foot.position - pose.world(leg.joints[0]).position) - leg.stretch;
        total += std::exp(least(straight * longer / soft, 500.0));
    }
    return soft * (std::log(total) - std::log(1.0 + static_cast<double>(legs.size())));
}

// Change a pose (J, 4), (J, 3) in place: joints turn by rotation vectors (K, 3), hips move by (3,), in the body's axes.
static void offset_pose(const OffsetModel& model, Floats<2> vectors, Floats<1> shift, FloatsOut<2> rotations,
                        FloatsOut<2> translations) {
    const PoseView pose = {model.parents, rotations.data, translations.data};
    std::vector<Leg> legs;
    for (Index i = 0; i < model.legs.shape[0]; ++i) legs.push_back(read_leg(pose, model.legs.at(i)));
    // Clavicles carry arms along without turning them: an arm keeps its rotation relative to the chest.
    std::vector<Quat> arms;
    for (Index i = 0; i < model.arms.shape[0]; ++i) {
        const Quat chest = pose.world_of_parent(model.arms(i, 0));
        arms.push_back(conjugate(chest) * pose.world(model.arms(i, 1)).rotation);
    }
    for (Index k = 0; k < model.joints.shape[0]; ++k) {
        const Index joint = model.joints(k);
        const Vec3 vector = rotate(read_quaternion(model.axes.at(k)), read_vector(vectors.at(k)));
        pose.set(joint, exponential_quaternion(vector) * pose.local(joint));
    }
    for (Index i = 0; i < model.arms.shape[0]; ++i) {
        const Index upper = model.arms(i, 1);
        const Quat world = pose.world_of_parent(model.arms(i, 0)) * arms[static_cast<std::size_t>(i)];
        pose.set(upper, conjugate(pose.world_of_parent(upper)) * world);
    }
    // Aside and ahead are those of the hips as they are turned now.
    const Vec3 ahead = rotate(pose.world(model.hips).rotation * read_quaternion(model.hips_rest.data), {0.0, 0.0, 1.0});
    const double heading = std::atan2(ahead.x, ahead.z);
    const Quat back = conjugate(pose.world_of_parent(model.hips));
    double* at = translations.at(model.hips);
    const auto move_hips = [&](Vec3 by) { write_vector(at, read_vector(at) + rotate(back, by)); };
    move_hips(rotate(axis_angle_quaternion({0.0, 1.0, 0.0}, heading), read_vector(shift.data)));
    move_hips({0.0, -sink_of_hips(pose, legs), 0.0});
    for (const Leg& leg : legs) keep_foot(pose, leg);
}

}  // namespace kinesphere

FIELDS(kinesphere::OffsetModel, &kinesphere::OffsetModel::parents, &kinesphere::OffsetModel::joints,
       &kinesphere::OffsetModel::axes, &kinesphere::OffsetModel::hips, &kinesphere::OffsetModel::hips_rest,
       &kinesphere::OffsetModel::legs, &kinesphere::OffsetModel::arms);

namespace kinesphere {

KERNELS(pose_offsets) { return {kernel<offset_pose>("offset_pose")}; }

}  // namespace kinesphere
