// Forearm roll, wrists and fingers of all arms of one side.
#include <array>
#include <limits>

#include "engine/batch.hpp"
#include "engine/pose.hpp"
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double SOFT = 0.2617993877991494;  // 15°, over which a wrist comes to its limits

namespace {

// One side's arms and hands in every frame.
struct HandMotion {
    Floats<2> upper;     // (F, 4) the shoulder's rotation in the chest's axes
    Floats<1> flexion;   // (F,) the elbow's angle
    Floats<1> roll;      // (F,) of the forearm
    Floats<2> velocity;  // (F, 3) of the wrist in the chest's axes, for a figure 1.70 m tall
    Floats<1> loose;     // (F,) how far the hand drags behind it
    Floats<1> bend;      // (F,) of the wrist, without drag
    Floats<1> range;     // (F,) what the wrist's range is multiplied by
    Floats<1> aside;     // (F,) of the wrist, without drag
    Floats<2> angles;    // (F, 22) of the fingers, without drag and breath
    Floats<1> breath;    // (F,) how full the lungs are
};

// What does not change of one side's arm and hand.
struct HandModel {
    Ints<1> joints;          // (4,) clavicle, upper arm, forearm, hand
    Floats<1> hinge;         // (3,) axis of the elbow
    Floats<1> forearm;       // (3,) axis of the roll
    Floats<1> aside;         // (3,) axis of the wrist to the side, also of fingers spread
    Floats<1> bend;          // (3,) axis of the wrist inwards
    Floats<1> along;         // (3,) the palm's directions: to the fingers, to the thumb, out of it
    Floats<1> across;        // (3,)
    Floats<1> out;           // (3,)
    double rest_flexion;     // of the elbow
    double thumb_sign;       // of the thumb's roll
    double late;             // frames by which the hand drags
    Floats<1> finger_lags;   // (3,) frames by which each phalanx drags behind the hand
    Ints<1> fingers;         // (15,) joints, three a finger, the thumb's last
    Ints<1> columns;         // (15,) of the joints' angles
    Floats<2> axes;          // (15, 3) of flexion
    Floats<1> rests;         // (15,) angles at rest
    Ints<1> spread_columns;  // (15,) of the angles between fingers, -1 where there is none
    Floats<1> spreads;       // (15,) these angles at rest
    Floats<2> bones;    // (6, 3) the thumb's three, the middle finger's first two, and a thumb's offset on that one
    double drag;        // radians that a hand drags at 1 m/s
    double most_drag;   // and the most
    double curl;        // of the drag that the fingers show
    double inhaled;     // radians that fingers bend with a full breath
    AngleRange bends;   // of the wrist inwards
    AngleRange asides;  // of the wrist to the side
    double thumb_turn;  // the largest rotation of a thumb's base by which it comes to rest on the fingers
};

using Fingers = std::array<Quat, 15>;

}  // namespace

// From a finger's first joint to the middle of its last bone; `rotations` are those of its `count` joints, `bones`
// (count, 3) theirs.
static Vec3 last_bone_middle(const Quat* rotations, Index count, const double* bones) {
    Quat turned = {1.0, 0.0, 0.0, 0.0};
    Vec3 end = {0.0, 0.0, 0.0};
    for (Index k = 0; k < count; ++k) {
        turned = turned * rotations[k];
        const double half = k == count - 1 ? 0.5 : 1.0;
        end = end + rotate(turned, half * read_vector(bones + 3 * k));
    }
    return end;
}

// Rotate the thumb's base so far towards the folded middle finger: first aside, then out of the palm.
static void rest_thumb_on_finger(double share, const HandModel& model, Fingers& fingers) {
    const Vec3 along = read_vector(model.along.data), across = read_vector(model.across.data);
    const Vec3 normal = read_vector(model.out.data);
    const Vec3 goal = last_bone_middle(&fingers[3], 2, model.bones.at(3)) + read_vector(model.bones.at(5));
    const Vec3 thumb = last_bone_middle(&fingers[12], 3, model.bones.data);
    const double a = dot(thumb, across), b = dot(thumb, along), high = dot(thumb, normal);
    const double far = std::hypot(a, b);
    double angle = std::atan2(dot(goal, across), dot(goal, along)) - std::atan2(a, b);
    angle = share * clamp(angle, -model.thumb_turn, model.thumb_turn);
    double up = dot(goal, normal) / std::hypot(high, far);
    up = std::asin(clamp(up, -1.0, 1.0)) - std::atan2(high, far);
    up = share * clamp(up, -model.thumb_turn, model.thumb_turn);
    const Quat aside = axis_angle_quaternion(read_vector(model.aside.data), angle);
    const Vec3 axis = cross(rotate(aside, (b / far) * along + (a / far) * across), normal);
    fingers[12] = axis_angle_quaternion(axis / norm(axis), up) * aside * fingers[12];
}

// The thumb's three joints, 12 to 14 of the hand's: its base goes to its direction, and is rolled about it.
static void write_thumb(const double* angles, const HandModel& model, Fingers& fingers) {
    for (Index k = 13; k < 15; ++k) {
        fingers[k] = axis_angle_quaternion(read_vector(model.axes.at(k)), angles[model.columns(k)] - model.rests(k));
    }
    const double c = std::cos(angles[16]), s = std::sin(angles[16]), d = std::cos(angles[17]), e = std::sin(angles[17]);
    const Vec3 level = c * read_vector(model.along.data) + s * read_vector(model.across.data);
    const Vec3 direction = d * level + e * read_vector(model.out.data);
    fingers[12] = axis_angle_quaternion(direction, model.thumb_sign * angles[18]) *
                  quaternion_between(read_vector(model.bones.data), direction);
    if (angles[21] != 0.0) rest_thumb_on_finger(angles[21], model, fingers);
}

// Write the joints of all fingers. Hands mostly keep their shape: angles that are as in the frame before, in `known`,
// are not computed again. `drag (T, 2)` is the performance's.
static void write_fingers(Index first, Index count, bool loop, const HandMotion& hands, const HandModel& model,
                          Floats<2> drag, FloatsOut<3> local) {
    struct CosSin {
        double cosine, sine;
    };
    Fingers fingers = {};
    std::array<Quat, 12> spread = {};
    std::array<CosSin, 12> bent = {};
    std::array<double, 22> known;
    known.fill(std::numeric_limits<double>::quiet_NaN());
    const Vec3 side = read_vector(model.aside.data);
    const Delay lags[] = {Delay(model.finger_lags(0)), Delay(model.finger_lags(1)), Delay(model.finger_lags(2))};
    for (Index i = 0; i < count; ++i) {
        const double* angles = hands.angles.at(first + i);
        for (Index part = 0; part < 3; ++part) {
            const auto [a, b] = lags[part].frames(i, count, loop);
            const double dragged = lags[part].between(drag(a, 0), drag(b, 0));
            const double half = 0.5 * (model.curl * dragged + model.inhaled * hands.breath(first + i));
            const auto [c, sinc] = cos_and_sinc(half * half);
            const double s = sinc * half;
            for (Index k = part; k < 12; k += 3) {
                const Index column = model.columns(k);
                if (angles[column] != known[column]) {
                    known[column] = angles[column];
                    const double angle = 0.5 * (angles[column] - model.rests(k));
                    bent[k] = {std::cos(angle), std::sin(angle)};
                }
                const double w = bent[k].cosine * c - bent[k].sine * s, x = bent[k].sine * c + bent[k].cosine * s;
                const double* axis = model.axes.at(k);
                fingers[k] = {w, x * axis[0], x * axis[1], x * axis[2]};
            }
        }
        for (Index k = 0; k < 12; k += 3) {
            const Index column = model.spread_columns(k);
            if (angles[column] != known[column]) {
                known[column] = angles[column];
                spread[k] = axis_angle_quaternion(side, angles[column] - model.spreads(k));
            }
            fingers[k] = spread[k] * fingers[k];
        }
        bool changed = angles[21] != 0.0;  // a thumb that lies on folded fingers goes with them
        for (Index n = 16; n < 22; ++n) {
            changed = changed || angles[n] != known[n];
            known[n] = angles[n];
        }
        if (changed) write_thumb(angles, model, fingers);
        for (Index k = 0; k < 15; ++k) write_quaternion(local.at(first + i, model.fingers(k)), fingers[k]);
    }
}

// Write shoulders, elbows and wrists; `drag (T, 2)` is the performance's.
static void write_arms(Index first, Index count, const HandMotion& hands, const HandModel& model, Floats<2> drag,
                       FloatsOut<3> local) {
    const Vec3 hinge = read_vector(model.hinge.data), forearm = read_vector(model.forearm.data);
    const Vec3 inward = read_vector(model.bend.data), side = read_vector(model.aside.data);
    const Vec3 across = read_vector(model.across.data);
    const Index clavicle = model.joints(0), upper = model.joints(1), lower = model.joints(2), hand = model.joints(3);
    for (Index i = first; i < first + count; ++i) {
        const Quat shoulder = conjugate(read_quaternion(local.at(i, clavicle))) * read_quaternion(hands.upper.at(i));
        write_quaternion(local.at(i, upper), shoulder);
        const double roll = hands.roll(i);
        const Quat elbow = axis_angle_quaternion(hinge, hands.flexion(i) - model.rest_flexion);
        double bend = hands.bend(i) + drag(i - first, 0);
        const double least_bend = hands.range(i) * model.bends.least, most_bend = hands.range(i) * model.bends.greatest;
        const double over = most(bend - (most_bend - SOFT), 0.0), under = most(least_bend + SOFT - bend, 0.0);
        if (over > 0.0) bend = bend - over + SOFT * std::tanh(over / SOFT);
        if (under > 0.0) bend = bend + under - SOFT * std::tanh(under / SOFT);
        const double aside = clamp(hands.aside(i) + drag(i - first, 1), model.asides.least, model.asides.greatest);
        const Quat wrist = axis_angle_quaternion(side, aside) * axis_angle_quaternion(inward, bend);
        const SharedRoll rolls = share_roll(roll, wrist, forearm, across);
        write_quaternion(local.at(i, lower), elbow * axis_angle_quaternion(forearm, rolls.forearm));
        write_quaternion(local.at(i, hand), axis_angle_quaternion(forearm, rolls.wrist) * wrist);
    }
}

// Write how far hands would drag `(T, 2)` behind their wrists' velocity at once: bent and aside.
static void write_instant_drag(Index first, Index count, const HandMotion& hands, const HandModel& model,
                               FloatsOut<2> instant) {
    const Vec3 hinge = read_vector(model.hinge.data), forearm = read_vector(model.forearm.data);
    const Vec3 out = read_vector(model.out.data), across = read_vector(model.across.data);
    const double greatest = model.most_drag;
    for (Index i = 0; i < count; ++i) {
        const Index f = first + i;
        const Quat elbow = axis_angle_quaternion(hinge, hands.flexion(f) - model.rest_flexion);
        const Quat hand = read_quaternion(hands.upper.at(f)) * elbow * axis_angle_quaternion(forearm, hands.roll(f));
        const Vec3 velocity = rotate(conjugate(hand), read_vector(hands.velocity.at(f)));
        instant(i, 0) = greatest * std::tanh(-model.drag * dot(velocity, out) / greatest);
        instant(i, 1) = greatest * std::tanh(-model.drag * dot(velocity, across) / greatest);
    }
}

// Write local rotations (F, J, 4) of arms and hands.
static void solve_hands(const BatchRows& rows, const HandMotion& hands, const HandModel& model, FloatsOut<3> local) {
    const Index longest = rows.longest();
    const Delay late(model.late);
    const Scratch<double, 2> instant(longest, 2), drag(longest, 2);
    for (Index s = 0; s < rows.starts.shape[0]; ++s) {
        const Index first = rows.starts(s), count = rows.counts(s);
        const bool loop = rows.loops(s);
        write_instant_drag(first, count, hands, model, instant);
        for (Index i = 0; i < count; ++i) {
            const auto [a, b] = late.frames(i, count, loop);
            for (Index k = 0; k < 2; ++k) {
                drag(i, k) = hands.loose(first + i) * late.between(instant(a, k), instant(b, k));
            }
        }
        write_arms(first, count, hands, model, drag, local);
        write_fingers(first, count, loop, hands, model, drag, local);
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::HandMotion, &kinesphere::HandMotion::upper, &kinesphere::HandMotion::flexion,
       &kinesphere::HandMotion::roll, &kinesphere::HandMotion::velocity, &kinesphere::HandMotion::loose,
       &kinesphere::HandMotion::bend, &kinesphere::HandMotion::range, &kinesphere::HandMotion::aside,
       &kinesphere::HandMotion::angles, &kinesphere::HandMotion::breath);
FIELDS(kinesphere::HandModel, &kinesphere::HandModel::joints, &kinesphere::HandModel::hinge,
       &kinesphere::HandModel::forearm, &kinesphere::HandModel::aside, &kinesphere::HandModel::bend,
       &kinesphere::HandModel::along, &kinesphere::HandModel::across, &kinesphere::HandModel::out,
       &kinesphere::HandModel::rest_flexion, &kinesphere::HandModel::thumb_sign, &kinesphere::HandModel::late,
       &kinesphere::HandModel::finger_lags, &kinesphere::HandModel::fingers, &kinesphere::HandModel::columns,
       &kinesphere::HandModel::axes, &kinesphere::HandModel::rests, &kinesphere::HandModel::spread_columns,
       &kinesphere::HandModel::spreads, &kinesphere::HandModel::bones, &kinesphere::HandModel::drag,
       &kinesphere::HandModel::most_drag, &kinesphere::HandModel::curl, &kinesphere::HandModel::inhaled,
       &kinesphere::HandModel::bends, &kinesphere::HandModel::asides, &kinesphere::HandModel::thumb_turn);

namespace kinesphere {

KERNELS(engine_hands) { return {kernel<solve_hands>("solve_hands")}; }

}  // namespace kinesphere
