// Legs of a recorded pose: feet brought to where they are wanted, heels that rise where ankles are spent.
#include "engine/recorded_limbs.hpp"
#include "engine/room.hpp"

namespace kinesphere {

constexpr double LEAST_ROOM = 0.05;    // radians of a joint that are always left
constexpr double MOST_RAISED = 1.0;    // radians of a heel
constexpr int RAISINGS = 24;           // times that a heel rises as far as its ankle is bent too much
constexpr double BENT_ENOUGH = 1e-4;   // radians
constexpr double KNEE_FOLLOWS = 0.04;  // leg lengths that a knee is moved ahead in which it comes to be over its foot
constexpr double OPPOSITE = 0.4;       // cosine from where on a foot says nothing of its knee any more: it points back
constexpr double TURN = 6.283185307179586;

namespace {

// LimitedHinge of recorded_feet.py: how far a joint is bent in the joint above it.
struct LimitedHinge {
    Floats<1> before, after;           // (4,) rest rotations in the world: of the joint above, of its own
    Floats<1> bone, neutral, forward;  // (3,) at rest: its direction, that of flexion 0, and the one that it flexes to
    double least, greatest;            // radians

    double flexion(Quat above, Quat own) const {
        const Quat turned =
            read_quaternion(before.data) * conjugate(above) * own * conjugate(read_quaternion(after.data));
        const Vec3 way = rotate(turned, read_vector(bone.data));
        return std::atan2(dot(way, read_vector(forward.data)), dot(way, read_vector(neutral.data)));
    }
};

// LimitedTwist of recorded_feet.py: how far a joint is turned about its bone in the joint above it.
struct LimitedTwist {
    Floats<1> before, after, bone;  // (4,), (4,), (3,) as above
    double least, greatest;         // radians

    double angle(Quat above, Quat own) const {
        const Quat turned =
            read_quaternion(before.data) * conjugate(above) * own * conjugate(read_quaternion(after.data));
        const double about = dot({turned.x, turned.y, turned.z}, read_vector(bone.data));
        return std::remainder(2.0 * std::atan2(about, turned.w), TURN);
    }
};

// Leg of recorded_feet.py.
struct Leg {
    Limb limb;
    Index toes;       // -1: none
    Floats<1> frame;  // (4,) from the foot's own axes to its anatomical ones
    LimitedTwist hip;
    LimitedHinge ankle, ball;
};

// LegPaths of recorded_feet.py: how a leg was recorded, and where its hip and its foot are wanted.
struct LegPaths {
    Floats<2> uppers, lowers, soles;      // (T, 3) from hip to knee, to ankle, to ball, recorded
    Floats<2> thighs, shins, feet, toes;  // (T, 4) recorded
    Floats<2> axes;                       // (T, 3) unit, about which the foot rolls over its ball
    Floats<2> pelvis;                     // (T, 4) recorded
    Floats<2> carried;                    // (T, 4) the pelvis as it is now
    Floats<2> hips, ankles, turned;       // (T, 3), (T, 3), (T, 4) wanted
};

// A leg in one frame, moved from how it was recorded to where it is wanted.
struct MovedLeg {
    const Leg& leg;
    Quat thigh, shin, foot, flat;
    Vec3 first, hip, ankle, sole, left;
    Bones bones;
    Quat bend, swing;

    MovedLeg(const Leg& own, const LegPaths& paths, Index t)
        : leg(own),
          thigh(read_quaternion(paths.thighs.at(t))),
          shin(read_quaternion(paths.shins.at(t))),
          foot(read_quaternion(paths.feet.at(t))),
          flat(read_quaternion(paths.turned.at(t))),
          first(read_vector(paths.uppers.at(t))),
          hip(read_vector(paths.hips.at(t))),
          ankle(read_vector(paths.ankles.at(t))),
          sole(rotate(flat * conjugate(foot), read_vector(paths.soles.at(t)))),
          left(read_vector(paths.axes.at(t))),
          bones(first, read_vector(paths.lowers.at(t)), rotate(thigh, read_vector(own.limb.hinge.data))),
          bend{1.0, 0.0, 0.0, 0.0},
          swing{1.0, 0.0, 0.0, 0.0} {}

    bool has_length() const { return bones.upper > 1e-9 && bones.lower > 1e-9; }

    Quat roll(double raised) const { return axis_angle_quaternion(left, raised); }

    // From the hip to the ankle of a foot that has rolled over its ball by so much.
    Vec3 way(double raised) const { return ankle + sole - rotate(roll(raised), sole) - hip; }

    // Flexion of a knee whose leg reaches so far.
    double flexion(double far) const {
        const double a = bones.upper, b = bones.lower;
        return std::acos(clamp((far * far - a * a - b * b) / (2.0 * a * b), -1.0, 1.0));
    }

    // Bend the knee by an angle and turn the leg along a way.
    void solve(double flexed, Vec3 along) {
        const Vec3 lower = std::cos(flexed) * bones.along + std::sin(flexed) * cross(bones.axis, bones.along);
        bend = quaternion_between(bones.below, lower);
        swing = quaternion_between(first + bones.lower * lower, along);
    }

    // Turn the leg about the line to its ankle.
    void swivel(double angle) {
        const Vec3 along = rotate(swing, first + bones.lower * rotate(bend, bones.below));
        swing = axis_angle_quaternion(along / most(norm(along), 1e-9), angle) * swing;
    }

    // Swivel that brings a knee over its foot that bends farther than it was recorded: a straight leg hardly shows its
    // hinge.
    double over_foot(double flexed) const {
        const Vec3 line = first + bones.lower * rotate(bend, bones.below),
                   axis = rotate(swing, line / most(norm(line), 1e-9));
        const double a = bones.upper, b = bones.lower;
        const double was = a * b * std::sin(recorded_knee()) / most(norm(first + b * bones.below), 1e-9);
        const double added = a * b * std::sin(flexed) / most(norm(line), 1e-9) - was, slow = KNEE_FOLLOWS * (a + b);
        if (added <= 0.0) return 0.0;
        const Vec3 knee = rotate(swing, first), off = knee - dot(knee, axis) * axis, over = cross(axis, left);
        if (norm(off) < 1e-9 || norm(over) < 1e-9) return 0.0;
        const Vec3 now = off / norm(off), to = over / norm(over);
        const double share = smoothstep((dot(now, to) + OPPOSITE) / (2.0 * OPPOSITE)) * square(added) / (added + slow);
        const Vec3 wanted = (was + slow) * now + share * to;
        return std::atan2(dot(cross(now, wanted), axis), dot(now, wanted));
    }

    // Swivel where the pelvis has turned farther than the hip goes.
    double spare_hip(Quat pelvis, Quat carried) {
        const double was = leg.hip.angle(pelvis, thigh),
                     added = std::remainder(leg.hip.angle(carried, swing * thigh) - was, TURN);
        const double room = most(added > 0.0 ? leg.hip.greatest - was : was - leg.hip.least, LEAST_ROOM);
        const double surplus = std::abs(added) - within_room(std::abs(added), room);
        return added > 0.0 ? -surplus : surplus;
    }

    // How far the ankle of a foot, turned so in the world, is bent in the leg as it is solved.
    double bent_ankle(Quat turned) const { return leg.ankle.flexion(swing * bend * shin, turned); }

    // The recorded flexion, of a knee that is bent the right way round.
    double recorded_knee() const { return flexion(norm(first + bones.lower * bones.below)); }
};

}  // namespace

// Write by how much heels rise (T,) where ankles would bend farther than they go: feet roll over their balls.
static void raise_heels(const Leg& leg, const LegPaths& paths, FloatsOut<1> heels) {
    for (Index t = 0; t < heels.shape[0]; ++t) {
        heels(t) = 0.0;
        MovedLeg own(leg, paths, t);
        if (!own.has_length() || leg.toes < 0) continue;
        const Vec3 was = own.first + own.bones.lower * own.bones.below;
        const double recorded = leg.ankle.flexion(own.shin, own.foot), greatest = most(leg.ankle.greatest, recorded);
        own.solve(own.recorded_knee(), was);
        const double from = least(own.bent_ankle(own.foot), greatest);
        const auto bent = [&](double raised) {
            const Vec3 way = own.way(raised);
            own.solve(own.flexion(norm(way)), way);
            return own.bent_ankle(own.roll(raised) * own.flat);
        };
        const double asked = bent(0.0) - from;
        if (asked <= 0.0) continue;
        const double goal = from + within_room(asked, most(greatest - from, LEAST_ROOM));
        double raised = 0.0, excess = from + asked - goal;
        for (int round = 0; round < RAISINGS && std::abs(excess) > BENT_ENOUGH; ++round) {
            raised = clamp(raised + excess, 0.0, MOST_RAISED);
            excess = bent(raised) - goal;
        }
        heels(t) = raised;
    }
}

// Write how far knees are flexed (T, 2), as recorded and to reach feet whose heels are raised by (T,).
static void flex_knees(const Leg& leg, const LegPaths& paths, Floats<1> heels, FloatsOut<2> knees) {
    for (Index t = 0; t < heels.shape[0]; ++t) {
        const MovedLeg own(leg, paths, t);
        knees(t, 0) = own.has_length() ? own.recorded_knee() : 0.0;
        knees(t, 1) = own.has_length() ? own.flexion(norm(own.way(heels(t)))) : 0.0;
    }
}

// Write by how much legs with heels raised and knees flexed by (T,) turn about the lines to their ankles (T,).
static void swivel_knees(const Leg& leg, const LegPaths& paths, Floats<1> heels, Floats<1> knees,
                         FloatsOut<1> swivels) {
    for (Index t = 0; t < heels.shape[0]; ++t) {
        swivels(t) = 0.0;
        MovedLeg own(leg, paths, t);
        if (!own.has_length()) continue;
        own.solve(knees(t), own.way(heels(t)));
        swivels(t) = own.over_foot(knees(t));
        own.swivel(swivels(t));
        swivels(t) += own.spare_hip(read_quaternion(paths.pelvis.at(t)), read_quaternion(paths.carried.at(t)));
    }
}

// Write legs of T poses in place, where a flag (T,) says so, with heels raised and knees flexed by (T,). Thighs are
// turned from how they were recorded in the world: knees stay over their feet, however the pelvis is turned.
static void place_leg(const Leg& leg, const LegPaths& paths, Floats<1> heels, Floats<1> knees, Floats<1> swivels,
                      Bools<1> wanted, FloatsOut<3> rotations, FloatsOut<3> translations) {
    const Limb& limb = leg.limb;
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        if (!wanted(t)) continue;
        MovedLeg own(leg, paths, t);
        if (!own.has_length()) continue;
        own.solve(knees(t), own.way(heels(t)));
        own.swivel(swivels(t));
        const PoseView pose = {limb.parents, rotations.at(t), translations.at(t)};
        const Quat foot = own.roll(heels(t)) * own.flat;
        pose.set(limb.upper, conjugate(pose.world_of_parent(limb.upper)) * own.swing * own.thigh);
        pose.set(limb.lower, conjugate(pose.world_of_parent(limb.lower)) * own.swing * own.bend * own.shin);
        pose.set(limb.end, conjugate(pose.world_of_parent(limb.end)) * foot);
        if (leg.toes < 0) continue;
        // Toes stay on the ground; those that are bent all the way go up with the foot.
        const Quat stay = read_quaternion(paths.toes.at(t));
        const double room = most(leg.ball.greatest - leg.ball.flexion(own.flat, stay), LEAST_ROOM);
        const Quat with = own.roll(heels(t) - within_room(heels(t), room));
        pose.set(leg.toes, conjugate(pose.world_of_parent(leg.toes)) * with * stay);
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::LimitedHinge, &kinesphere::LimitedHinge::before, &kinesphere::LimitedHinge::after,
       &kinesphere::LimitedHinge::bone, &kinesphere::LimitedHinge::neutral, &kinesphere::LimitedHinge::forward,
       &kinesphere::LimitedHinge::least, &kinesphere::LimitedHinge::greatest);
FIELDS(kinesphere::LimitedTwist, &kinesphere::LimitedTwist::before, &kinesphere::LimitedTwist::after,
       &kinesphere::LimitedTwist::bone, &kinesphere::LimitedTwist::least, &kinesphere::LimitedTwist::greatest);
FIELDS(kinesphere::Leg, &kinesphere::Leg::limb, &kinesphere::Leg::toes, &kinesphere::Leg::frame, &kinesphere::Leg::hip,
       &kinesphere::Leg::ankle, &kinesphere::Leg::ball);
FIELDS(kinesphere::LegPaths, &kinesphere::LegPaths::uppers, &kinesphere::LegPaths::lowers, &kinesphere::LegPaths::soles,
       &kinesphere::LegPaths::thighs, &kinesphere::LegPaths::shins, &kinesphere::LegPaths::feet,
       &kinesphere::LegPaths::toes, &kinesphere::LegPaths::axes, &kinesphere::LegPaths::pelvis,
       &kinesphere::LegPaths::carried, &kinesphere::LegPaths::hips, &kinesphere::LegPaths::ankles,
       &kinesphere::LegPaths::turned);

namespace kinesphere {

KERNELS(recorded_legs) {
    return {kernel<raise_heels>("raise_heels"), kernel<flex_knees>("flex_knees"), kernel<swivel_knees>("swivel_knees"),
            kernel<place_leg>("place_leg")};
}

}  // namespace kinesphere
