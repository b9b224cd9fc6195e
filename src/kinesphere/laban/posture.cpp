// Loops over hand keys: the pose of the body around each.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double LONGEST_LEG = 0.9995;  // of its length that a leg is at most

namespace {

// BodyModel of posture.py.
struct BodyModel {
    Floats<2> spine;         // (6, 2) up and ahead: four spine joints, neck, head
    Floats<1> spine_shares;  // (5,) of the trunk's bend that each spine joint takes, and of the nod that the neck takes
    double spine_counter;    // of the hips' lean that the spine takes back
    Floats<2> clavicle;      // (2, 3) the clavicle's joint from the upper chest, and the shoulder from there
    double clavicle_ahead;   // radians from the rest pose
    double clavicle_down;
    Floats<2> head_line;     // (2, 3) ends of the head's capsule from the head's joint
    double head_steady;      // of the trunk's bend that the head takes back
    Floats<2> trunk_shifts;  // (2, 3) of the ends of the trunk's capsule from hips and neck, in the chest's axes
    Floats<1> hip;           // (3,) the hip joint from the hips
    Floats<1> ankle;         // (3,) the standing ankle from the ground below the hips
    double thigh;            // lengths
    double shin;
    double splay;         // radians that knees point outwards
    double hips_height;   // of the standing figure
    Floats<1> masses;     // (3,) of trunk, head and arms, as shares of the body's
    double weight_shift;  // how far the centre of mass goes when the hips move by one
    Floats<1> wrist;      // (3,) the hanging wrist from the shoulder
    double hanging;       // of the chest's bend that a hanging arm does not follow
};

// BodyView of posture.py.
struct BodyView {
    FloatsOut<4> lines;  // (K, 4, 2, 3) capsule axes of trunk, head, own and other thigh, lower end first
    FloatsOut<2> sags;   // (K, 3) how far a hanging hand is from its position before an upright chest
};

// A row of BENDS of posture.py.
struct Bends {
    double forward, lean, hips_up, hips_ahead, nod, clavicle_up, clavicle_forward;
};

// A position or a bone in the sagittal plane.
struct Sagittal {
    double up, ahead;
};

// A trunk bent in the sagittal plane. Angles are forward; positions are relative to the hips.
struct TrunkPose {
    double chest;  // the upper chest's angle
    double face;   // the head's, relative to the chest
    Sagittal neck, head;
    Vec3 shoulder;  // out, up, ahead
    double weight;  // how far ahead its part of the centre of mass is
};

}  // namespace

static Bends read_bends(const double* row) { return {row[0], row[1], row[2], row[3], row[4], row[5], row[6]}; }
static Sagittal read_sagittal(const double* pair) { return {pair[0], pair[1]}; }

// From a joint, the next one along a bone that is rotated forward by `angle`.
static Sagittal go_along(Sagittal joint, Sagittal bone, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {joint.up + c * bone.up - s * bone.ahead, joint.ahead + s * bone.up + c * bone.ahead};
}

static TrunkPose bend_trunk(const Bends& bends, const BodyModel& body) {
    const double forward = bends.forward - body.spine_counter * bends.lean;
    double angle = bends.lean, chest_ahead = 0.0;
    Sagittal top = {0.0, 0.0};
    for (Index i = 0; i < 4; ++i) {
        top = go_along(top, read_sagittal(body.spine.at(i)), angle);
        angle += body.spine_shares(i) * forward;
        if (i == 2) chest_ahead = top.ahead;
    }
    const Sagittal neck = go_along(top, read_sagittal(body.spine.at(4)), angle);
    const double face = bends.nod - body.head_steady * (forward + bends.lean);
    const Sagittal head = go_along(neck, read_sagittal(body.spine.at(5)), angle + body.spine_shares(4) * face);
    const Quat clavicle = exponential_quaternion(
        {0.0, -(bends.clavicle_forward + body.clavicle_ahead), bends.clavicle_up - body.clavicle_down});
    const Vec3 bone = read_vector(body.clavicle.at(0)) + rotate(clavicle, read_vector(body.clavicle.at(1)));
    const Sagittal shoulder = go_along(top, {bone.y, bone.z}, angle);
    const double weight = body.masses(0) * chest_ahead + body.masses(1) * head.ahead + body.masses(2) * shoulder.ahead;
    return {angle, face, neck, head, {bone.x, shoulder.up, shoulder.ahead}, weight};
}

// The left shoulder of the upright figure in the world: out, up, ahead.
static Vec3 upright_shoulder(const BodyModel& body) {
    return bend_trunk({}, body).shoulder + Vec3{0.0, body.hips_height, 0.0};
}

// The knee from the hip, of a leg whose ankle is at `ankle` from it: two-bone IK by the law of cosines.
static Vec3 knee_from_hip(Vec3 ankle, double splay, const BodyModel& body) {
    const double far = norm(ankle), thigh = body.thigh, shin = body.shin;
    const Vec3 axis = ankle / far;
    const double length = least(far, LONGEST_LEG * (thigh + shin));
    const double cosine = (thigh * thigh + length * length - shin * shin) / (2.0 * thigh * length);
    const double sine = std::sqrt(1.0 - cosine * cosine);
    const Vec3 ahead = {std::sin(splay), 0.0, std::cos(splay)};
    const Vec3 bend = ahead - dot(ahead, axis) * axis;
    return thigh * (cosine * axis + sine * bend / norm(bend));
}

// Write the view (K, ...) of bodies bent by `bends (K, 7)` with feet (K, 2, 3) off their positions.
static void view_body(Floats<2> bends, Floats<3> feet, const BodyModel& body, const BodyView& view) {
    const double upright_weight = bend_trunk({}, body).weight;
    const Vec3 hip_joint = read_vector(body.hip.data), standing = read_vector(body.ankle.data);
    const Sagittal wrist = {body.wrist(1), body.wrist(2)};
    for (Index k = 0; k < bends.shape[0]; ++k) {
        const Bends own = read_bends(bends.at(k));
        const TrunkPose trunk = bend_trunk(own, body);
        const double c = std::cos(trunk.chest), s = std::sin(trunk.chest);
        // A point from the hips, as the chest sees it from the shoulder.
        const auto in_chest = [&](Vec3 point) -> Vec3 {
            const auto [out, up, ahead] = point - trunk.shoulder;
            return {out, c * up + s * ahead, c * ahead - s * up};
        };
        const Vec3 trunk_line[] = {{0.0, 0.0, 0.0}, {0.0, trunk.neck.up, trunk.neck.ahead}};
        for (Index i = 0; i < 2; ++i) {
            write_vector(view.lines.at(k, 0, i), in_chest(trunk_line[i]) + read_vector(body.trunk_shifts.at(i)));
            const Sagittal bone = {body.head_line(i, 1), body.head_line(i, 2)};
            const Sagittal end = go_along(trunk.head, bone, trunk.chest + trunk.face);
            write_vector(view.lines.at(k, 1, i), in_chest({0.0, end.up, end.ahead}));
        }
        const Sagittal hip = go_along({0.0, 0.0}, {hip_joint.y, hip_joint.z}, own.lean);
        // Hips go back as the weight comes forward.
        const double shift = own.hips_ahead + (upright_weight - trunk.weight) / body.weight_shift;
        for (Index i = 0; i < 2; ++i) {
            const double side = i == 0 ? 1.0 : -1.0;
            const Vec3 joint = {side * hip_joint.x, hip.up, hip.ahead};
            const Vec3 foot = Vec3{side * standing.x, standing.y, standing.z} + read_vector(feet.at(k, i));
            const Vec3 ankle = foot - Vec3{0.0, body.hips_height + own.hips_up, shift} - joint;
            write_vector(view.lines.at(k, 2 + i, 0), in_chest(joint + knee_from_hip(ankle, side * body.splay, body)));
            write_vector(view.lines.at(k, 2 + i, 1), in_chest(joint));
        }
        const Sagittal hanging = go_along({0.0, 0.0}, wrist, -body.hanging * trunk.chest);
        write_vector(view.sags.at(k), {0.0, hanging.up - wrist.up, hanging.ahead - wrist.ahead});
    }
}

}  // namespace kinesphere

using namespace kinesphere;

FIELDS(BodyModel, &BodyModel::spine, &BodyModel::spine_shares, &BodyModel::spine_counter, &BodyModel::clavicle,
       &BodyModel::clavicle_ahead, &BodyModel::clavicle_down, &BodyModel::head_line, &BodyModel::head_steady,
       &BodyModel::trunk_shifts, &BodyModel::hip, &BodyModel::ankle, &BodyModel::thigh, &BodyModel::shin,
       &BodyModel::splay, &BodyModel::hips_height, &BodyModel::masses, &BodyModel::weight_shift, &BodyModel::wrist,
       &BodyModel::hanging);
FIELDS(BodyView, &BodyView::lines, &BodyView::sags);

KERNELS(posture) { return {kernel<view_body>("view_body"), kernel<upright_shoulder>("upright_shoulder")}; }
