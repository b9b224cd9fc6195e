// Arms and hands of one side that keep what they refer to: a place, a facing, what they hold upright, a target.
#include "engine/pose.hpp"
#include "maths/binding.hpp"
#include "maths/rotations.hpp"
#include "maths/two_bone.hpp"

namespace kinesphere {

namespace {

constexpr int ROUNDS = 6;         // of solving arm and wrist by turns
constexpr double PRECISE = 2e-4;  // radians between ray and target that are left
constexpr double DECIDED = 2.3;   // radians up to which a turn is made, and from which on it is not
constexpr double UNDECIDED = 3.0;
constexpr double TOLERATED = 0.02;    // radians that a wrist may miss before the arm helps it
constexpr double MOST_MISSED = 0.3;   // radians missed from which on the arm helps at once as far as it can
constexpr double FAR = 0.001;         // metres that an arm may miss before the clavicle helps it
constexpr double MOST_FAR = 0.05;     // metres missed from which on it helps as far as it can
constexpr int HELPS = 6;              // steps of help
constexpr double CLOSE = 2e-4;        // metres between a palm and its place
constexpr double WRIST_SHARE = 0.21;  // radians that a wrist alone turns to re-aim, about; the arm turns the rest

// What does not change of one side's arm and hand. All axes are the world's at rest.
struct ArmModel {
    Ints<1> joints;       // (7,) clavicle, upper arm, forearm, hand, and the index finger's three
    Floats<1> shoulder;   // (3,) offset of the upper arm from the clavicle's joint
    Floats<1> upper;      // (3,) offset of the elbow
    Floats<1> lower;      // (3,) offset of the wrist
    Floats<1> hinge;      // (3,) axis of the elbow
    double rest_flexion;  // of the elbow
    Floats<1> forearm;    // (3,) axis of the roll
    Floats<1> aside;      // (3,) axis of the wrist to the side
    Floats<1> bend;       // (3,) axis of the wrist inwards
    Floats<1> palm;       // (3,) the palm's middle from the wrist
    Floats<2> finger;     // (4, 3) offsets of the index finger's three joints and of its tip
    AngleRange flexions;  // of the elbow
    AngleRange rolls;     // of the forearm
    AngleRange bends;     // of the wrist inwards
    AngleRange asides;    // of the wrist to the side
};

// What the hands of N frames keep, and how far; all in the world.
struct KeptHands {
    Ints<1> frames;          // (N,) of the pose
    Floats<2> base;          // (N, 3) position of the clavicle's joint
    Floats<2> chest;         // (N, 4) rotation of what carries it
    Floats<2> clavicle;      // (N, 4) its rotation as written
    Floats<1> place_weight;  // (N,)
    Floats<2> place;         // (N, 3) where the palm's middle is to be
    Floats<1> face_weight;   // (N,)
    Floats<2> face;          // (N, 4) the hand's rotation
    Floats<1> level_weight;  // (N,)
    Floats<2> up;            // (N, 3) what is to be vertical, in the hand's axes
    Floats<1> aim_weight;    // (N,)
    Floats<2> target;        // (N, 3) that the index finger points at
    Floats<2> finger;        // (N, 12) local rotations of the index finger's three joints as written
    Floats<2> wrist;         // (N, 3) roll, bend and aside as written
    Floats<2> arm;           // (N, 4) the upper arm's rotation as written
    Floats<1> flexion;       // (N,) the elbow's angle as written
    Floats<2> elbow;         // (N, 3) about where the elbow of a hand with a place is, as written
    Floats<1> fixed;         // (N,) how far the wrist stays where it is, 0 to 1
};

struct Axes {
    Vec3 shoulder, upper, lower, hinge, forearm, aside, bend, palm;
};

// An arm: clavicle and upper arm in the world, and angles.
struct ArmAngles {
    Quat clavicle, upper;
    double flexion, roll, aside, bend;

    // Take so much of another wrist.
    void set_wrist(const ArmAngles& other, double share) {
        roll += share * (other.roll - roll);
        aside += share * (other.aside - aside);
        bend += share * (other.bend - bend);
    }
};

struct Ray {
    Vec3 origin, direction;
};

constexpr double PI = 3.14159265358979323846;

double wrap(double angle) { return std::abs(angle) <= PI ? angle : std::remainder(angle, 2.0 * PI); }

double angle_of(Quat q) { return 2.0 * std::atan2(std::sqrt(square(q.x) + square(q.y) + square(q.z)), std::abs(q.w)); }

double angle_between(Vec3 a, Vec3 b) { return std::atan2(norm(cross(a, b)), dot(a, b)); }

double angle_about(Quat q, Vec3 axis) {
    return wrap(2.0 * std::atan2(q.x * axis.x + q.y * axis.y + q.z * axis.z, q.w));
}

// The angle about a unit axis that takes one vector to another, or as near as it can.
double angle_about(Vec3 axis, Vec3 start, Vec3 end) {
    return std::atan2(dot(axis, cross(start, end)), dot(start, end) - dot(axis, start) * dot(axis, end));
}

// The part along a direction of a vector that turns about an axis: `along + size cos(angle - middle)`.
struct TurningPart {
    double along, size, middle;

    TurningPart(Vec3 axis, Vec3 vector, Vec3 direction) {
        const Vec3 fixed = dot(axis, vector) * axis;
        const double c = dot(direction, vector - fixed), s = dot(direction, cross(axis, vector));
        along = dot(direction, fixed), size = std::hypot(c, s), middle = std::atan2(s, c);
    }

    // The smallest angle at which it has this value, or is as near to it as it can be.
    double angle_at(double value) const {
        if (size < 1e-9) return 0.0;
        const double away = std::acos(clamp((value - along) / size, -1.0, 1.0));
        const double first = wrap(middle + away), second = wrap(middle - away);
        return std::abs(first) < std::abs(second) ? first : second;
    }
};

// A share of the smallest rotation from one direction to another.
Quat turn_towards(Vec3 start, Vec3 end, double share) {
    const Vec3 axis = cross(start, end);
    const double size = norm(axis);
    if (size < 1e-12) return {1.0, 0.0, 0.0, 0.0};
    return axis_angle_quaternion(axis / size, share * std::atan2(size, dot(start, end)));
}

Quat normalised(Quat q) {
    const double size = std::sqrt(square(q.w) + square(q.x) + square(q.y) + square(q.z));
    return {q.w / size, q.x / size, q.y / size, q.z / size};
}

// How much of a turn is made: all of a small one, less of one that might as well go the other way round.
double decided(double angle) {
    const double share = clamp((UNDECIDED - std::abs(angle)) / (UNDECIDED - DECIDED), 0.0, 1.0);
    return share * share * (3.0 - 2.0 * share);
}

Quat blend(Quat a, Quat b, double share) {
    if (a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0) b = -b;
    const Quat turn = b * conjugate(a);
    const double size = std::sqrt(square(turn.x) + square(turn.y) + square(turn.z));
    if (size < 1e-12) return a;
    const double angle = 2.0 * std::atan2(size, turn.w);
    return axis_angle_quaternion({turn.x / size, turn.y / size, turn.z / size}, share * angle) * a;
}

// One side's arm, with forward and inverse kinematics.
class Arm {
   public:
    explicit Arm(const ArmModel& model)
        : model_(model),
          axes_{read_vector(model.shoulder.data), read_vector(model.upper.data),   read_vector(model.lower.data),
                read_vector(model.hinge.data),    read_vector(model.forearm.data), read_vector(model.aside.data),
                read_vector(model.bend.data),     read_vector(model.palm.data)},
          upper_(norm(axes_.upper)),
          lower_(norm(axes_.lower)),
          across_forearm_(axes_.aside, axes_.bend, axes_.forearm),
          limits_(reach_limits(upper_, lower_, model.flexions.least, model.flexions.greatest)) {}

    // From the clavicle's joint.
    Vec3 shoulder(const ArmAngles& arm) const { return rotate(arm.clavicle, axes_.shoulder); }

    Quat elbow(const ArmAngles& arm) const {
        return axis_angle_quaternion(axes_.hinge, arm.flexion - model_.rest_flexion);
    }
    Quat wrist(const ArmAngles& arm) const {
        return axis_angle_quaternion(axes_.aside, arm.aside) * axis_angle_quaternion(axes_.bend, arm.bend);
    }
    // The rotation from the bent elbow to the hand.
    Quat beyond_elbow(const ArmAngles& arm) const {
        return axis_angle_quaternion(axes_.forearm, arm.roll) * wrist(arm);
    }
    Quat hand(const ArmAngles& arm) const { return arm.upper * elbow(arm) * beyond_elbow(arm); }
    // From the shoulder. `bent` is the elbow's rotation.
    Vec3 wrist_position(const ArmAngles& arm, Quat bent) const {
        return rotate(arm.upper, axes_.upper + rotate(bent, axes_.lower));
    }
    Vec3 wrist_position(const ArmAngles& arm) const { return wrist_position(arm, elbow(arm)); }
    Vec3 palm() const { return axes_.palm; }
    // From the wrist.
    Vec3 palm_offset(const ArmAngles& arm, Quat bent) const {
        return rotate(arm.upper * bent * beyond_elbow(arm), axes_.palm);
    }

    ArmAngles read(Quat clavicle, Quat upper, Quat lower, Quat hand) const {
        ArmAngles arm = {};
        arm.clavicle = clavicle, arm.upper = clavicle * upper;
        const double twist = angle_about(lower, axes_.forearm);
        const Quat bent = lower * conjugate(axis_angle_quaternion(axes_.forearm, twist));
        arm.flexion = angle_about(bent, axes_.hinge) + model_.rest_flexion;
        set_hand(arm, conjugate(bent) * lower * hand, 0.0);
        return arm;
    }

    // Roll, aside and bend of a rotation from the bent elbow to the hand; the roll is less than half a turn from
    // `near`.
    void set_hand(ArmAngles& arm, Quat turned, double near) const {
        const Vec3 across = rotate(turned, axes_.bend);
        arm.aside = across_forearm_.angle_at(dot(axes_.forearm, across));
        const Quat aside = axis_angle_quaternion(axes_.aside, arm.aside);
        arm.roll = near + wrap(angle_about(axes_.forearm, rotate(aside, axes_.bend), across) - near);
        const Quat rolled = axis_angle_quaternion(axes_.forearm, arm.roll) * aside;
        arm.bend = angle_about(conjugate(rolled) * turned, axes_.bend);
    }

    // Keep the wrist's angles within what joints bear.
    void limit(ArmAngles& arm) const {
        arm.roll = clamp(arm.roll, model_.rolls.least, model_.rolls.greatest);
        arm.aside = clamp(arm.aside, model_.asides.least, model_.asides.greatest);
        arm.bend = clamp(arm.bend, model_.bends.least, model_.bends.greatest);
    }

    // Bring the wrist to a place from the shoulder, by the smallest rotation of the arm; gives the elbow's rotation.
    Quat reach(ArmAngles& arm, Vec3 target) const {
        const double whole = upper_ + lower_, u = upper_ / whole, v = lower_ / whole;
        const double d = clamp(norm(target) / whole, limits_.shortest, limits_.longest);
        const double above = most((1.0 - d) * (1.0 + d), 0.0), below = most((d - u + v) * (d + u - v), 0.0);
        arm.flexion = clamp(2.0 * std::atan2(std::sqrt(above), std::sqrt(below)), limits_.least, limits_.greatest);
        const Quat bent = elbow(arm);
        arm.upper = turn_towards(wrist_position(arm, bent), target, 1.0) * arm.upper;
        return bent;
    }

    // Swing the elbow about the line to the wrist, a share of the way to where it is nearest to a place.
    void swing_elbow(ArmAngles& arm, Vec3 place, double share) const {
        const Vec3 wrist = wrist_position(arm), axis = wrist / norm(wrist);
        const double angle = angle_about(axis, rotate(arm.upper, axes_.upper), place);
        arm.upper = axis_angle_quaternion(axis, share * decided(angle) * angle) * arm.upper;
    }

    // Local rotations of clavicle, upper arm, forearm and hand, on a chest with this rotation.
    void write(const ArmAngles& arm, Quat chest, double* rotations) const {
        const auto write = [&](Index joint, Quat q) { write_quaternion(rotations + 4 * model_.joints(joint), q); };
        const SharedRoll rolls = share_roll(arm.roll, wrist(arm), axes_.forearm, cross(axes_.aside, axes_.forearm));
        write(0, conjugate(chest) * arm.clavicle);
        write(1, conjugate(arm.clavicle) * arm.upper);
        write(2, elbow(arm) * axis_angle_quaternion(axes_.forearm, rolls.forearm));
        write(3, axis_angle_quaternion(axes_.forearm, rolls.wrist) * wrist(arm));
    }

   private:
    const ArmModel& model_;
    const Axes axes_;
    const double upper_, lower_;        // lengths
    const TurningPart across_forearm_;  // of the bend's axis along the forearm, as the wrist goes aside
    const ReachLimits limits_;
};

// The index finger's ray from its knuckle, in the hand's axes, as it is written; its joints go a share of the way
// there.
Ray finger_ray(const ArmModel& model, const double* written, double share, double* rotations) {
    Quat turned = {1.0, 0.0, 0.0, 0.0};
    Vec3 tip = {0.0, 0.0, 0.0};
    for (Index k = 0; k < 3; ++k) {
        double* joint = rotations + 4 * model.joints(4 + k);
        const Quat wanted = normalised(read_quaternion(written + 4 * k));
        if (share != 0.0) write_quaternion(joint, blend(read_quaternion(joint), wanted, share));
        turned = turned * wanted;
        tip = tip + rotate(turned, read_vector(model.finger.at(k + 1)));
    }
    return {read_vector(model.finger.at(0)), tip / norm(tip)};
}

}  // namespace

// Turn the wrist of an arm so that the hand faces as it should, and what it holds is upright, as far as weights say.
// Gives by how much wrists cannot, in radians, where that is `asked`. `bent` is the elbow's rotation.
static double turn_hand(ArmAngles& arm, const Arm& limb, Quat bent, const ArmAngles& performed,
                        const ArmAngles& written, bool asked, const KeptHands& hands, Index i) {
    const Quat forearm = arm.upper * bent;
    arm.set_wrist(performed, 1.0);
    ArmAngles wanted = arm;
    double missed = 0.0;
    const double face = hands.face_weight(i), level = hands.level_weight(i);
    if (face != 0.0) {
        const Quat facing = conjugate(forearm) * read_quaternion(hands.face.at(i));
        limb.set_hand(wanted, facing, written.roll);
        limb.limit(wanted);
        if (asked) missed = face * angle_of(conjugate(facing) * limb.beyond_elbow(wanted));
        arm.set_wrist(wanted, face);
    }
    if (level != 0.0) {
        const Vec3 up = read_vector(hands.up.at(i)), vertical = rotate(conjugate(forearm), {0.0, 1.0, 0.0});
        wanted.set_wrist(written, 1.0);
        const Quat hand = limb.beyond_elbow(wanted);
        limb.set_hand(wanted, turn_towards(rotate(hand, up), vertical, 1.0) * hand, written.roll);
        limb.limit(wanted);
        if (asked) missed = most(missed, level * angle_between(rotate(limb.beyond_elbow(wanted), up), vertical));
        arm.set_wrist(wanted, level);
    }
    return missed;
}

// How far arm and clavicle go towards how they are written, to help a hand.
struct Help {
    double arm, clavicle;
};

// By how much a hand is not as it should be.
struct Missed {
    double angle, distance;
};

// Bring the palm's middle to its place, with the hand turned as it should be. What helps is the arm, as far as its
// place is free, and the elbow's swivel. In a `trial` it gives what is missed.
static Missed solve_place(ArmAngles& arm, const Arm& limb, const ArmAngles& written, Help help, bool trial,
                          const KeptHands& hands, Index i) {
    const double place = hands.place_weight(i), kept = most(place, hands.level_weight(i));
    const double free = help.arm * kept * (1.0 - hands.fixed(i));
    const ArmAngles performed = arm;
    arm.clavicle = blend(arm.clavicle, written.clavicle, help.clavicle * place);
    arm.upper = blend(arm.upper, written.upper, free * decided(angle_of(conjugate(arm.upper) * written.upper)));
    arm.flexion += free * (written.flexion - arm.flexion);
    const Vec3 shoulder = read_vector(hands.base.at(i)) + limb.shoulder(arm);
    const double swung = help.arm * place;
    if (swung != 0.0) limb.swing_elbow(arm, read_vector(hands.elbow.at(i)) - shoulder, swung);
    Quat bent = limb.elbow(arm);
    if (place == 0.0) return {turn_hand(arm, limb, bent, performed, written, trial, hands, i), 0.0};
    turn_hand(arm, limb, bent, performed, written, false, hands, i);  // or a place that begins to count would undo it
    Vec3 wrist = limb.wrist_position(arm, bent);
    const Vec3 palm = wrist + limb.palm_offset(arm, bent);
    const Vec3 goal = palm + place * (read_vector(hands.place.at(i)) - shoulder - palm);
    const auto reach = [&](Vec3 target) {
        bent = limb.reach(arm, target);
        wrist = limb.wrist_position(arm, bent);
    };
    if (hands.face_weight(i) != 0.0) {  // about there at once
        const Vec3 facing = rotate(read_quaternion(hands.face.at(i)), limb.palm());
        reach(wrist + place * (read_vector(hands.place.at(i)) - shoulder - facing - wrist));
    }
    Missed missed = {0.0, 0.0};
    for (int round = 0; round < ROUNDS; ++round) {
        turn_hand(arm, limb, bent, performed, written, false, hands, i);
        const Vec3 missing = goal - (wrist + limb.palm_offset(arm, bent));
        missed.distance = norm(missing);
        const bool close = missed.distance < CLOSE;
        if (trial && (close || round == ROUNDS - 1)) {
            ArmAngles turned = arm;
            missed.angle = turn_hand(turned, limb, bent, performed, written, true, hands, i);
        }
        if (close) break;
        reach(wrist + missing);
    }
    return missed;
}

// Keep a hand's place, its facing, and what it holds upright. Where the wrist cannot, the arm goes towards how it is
// written, and where the arm cannot, the clavicle does, as far as `help` says; in a `trial` as far as they need to, at
// least that far. Gives how far they went.
static Help keep_place(ArmAngles& arm, const Arm& limb, const ArmAngles& written, Help help, bool trial,
                       const KeptHands& hands, Index i) {
    if (hands.place_weight(i) == 0.0 && hands.level_weight(i) == 0.0) return {0.0, 0.0};
    const ArmAngles performed = arm;
    const auto solve = [&]() {
        arm = performed;
        return solve_place(arm, limb, written, help, trial, hands, i);
    };
    // Step by step, each as large as what is missed: so help is continuous in time, however little or much is missed.
    const auto add = [](double& share, double missed, double most_missed) {
        share += (1.0 - share) * clamp(missed / most_missed, 0.0, 1.0);
    };
    Missed missed = solve();
    for (int step = 0; trial && step < HELPS && missed.angle > TOLERATED; ++step) {
        add(help.arm, missed.angle - TOLERATED, MOST_MISSED);
        missed = solve();
    }
    for (int step = 0; trial && step < HELPS && missed.distance > FAR; ++step) {
        add(help.clavicle, missed.distance - FAR, MOST_FAR);
        missed = solve();
    }
    return help;
}

// Turn the wrist, and the arm where that is not enough, until the index finger's ray goes through the target.
static void keep_aim(ArmAngles& arm, const Arm& limb, const ArmAngles& written, Ray ray, const KeptHands& hands,
                     Index i) {
    if (hands.aim_weight(i) == 0.0) return;
    const Vec3 target = read_vector(hands.target.at(i)) - read_vector(hands.base.at(i)) - limb.shoulder(arm);
    ArmAngles aimed = arm;
    aimed.set_wrist(written, 1.0);
    for (int round = 0; round < ROUNDS; ++round) {
        const auto wanted = [&]() {
            const Vec3 to = target - limb.wrist_position(aimed) - rotate(limb.hand(aimed), ray.origin);
            return to / norm(to);
        };
        const Vec3 now = rotate(limb.hand(aimed), ray.direction), goal = wanted();
        const double off = angle_between(now, goal);
        if (off < PRECISE) break;
        const double own = round == 0 ? WRIST_SHARE * std::tanh(off / WRIST_SHARE) : 0.0;
        aimed.upper = turn_towards(now, goal, (1.0 - own / off) * (1.0 - hands.fixed(i))) * aimed.upper;
        const Quat hand = limb.hand(aimed);
        const Quat turned = turn_towards(rotate(hand, ray.direction), wanted(), 1.0) * hand;
        limb.set_hand(aimed, conjugate(aimed.upper * limb.elbow(aimed)) * turned, written.roll);
        limb.limit(aimed);
    }
    arm.upper = blend(arm.upper, aimed.upper, hands.aim_weight(i));
    arm.set_wrist(aimed, hands.aim_weight(i));
}

// Rewrite local rotations (F, J, 4) of clavicles, upper arms, forearms, hands and index fingers. `help (N, 2)` is how
// far arms and clavicles go towards how they are written. A `trial` writes how far they need to, and nothing else.
static void keep_hands(const KeptHands& hands, const ArmModel& model, bool trial, FloatsOut<2> help,
                       FloatsOut<3> local) {
    const Arm limb(model);
    for (Index i = 0; i < hands.frames.shape[0]; ++i) {
        double* rotations = local.at(hands.frames(i));
        const auto read = [&](Index joint) { return read_quaternion(rotations + 4 * model.joints(joint)); };
        const Quat chest = read_quaternion(hands.chest.at(i));
        ArmAngles arm = limb.read(chest * read(0), read(1), read(2), read(3));
        const ArmAngles written = {chest * read_quaternion(hands.clavicle.at(i)),
                                   read_quaternion(hands.arm.at(i)),
                                   hands.flexion(i),
                                   hands.wrist(i, 0),
                                   hands.wrist(i, 2),
                                   hands.wrist(i, 1)};
        const Help helped = keep_place(arm, limb, written, {help(i, 0), help(i, 1)}, trial, hands, i);
        if (trial) {
            help(i, 0) = helped.arm, help(i, 1) = helped.clavicle;
            continue;
        }
        const Ray ray =
            finger_ray(model, hands.finger.at(i), most(hands.aim_weight(i), hands.place_weight(i)), rotations);
        keep_aim(arm, limb, written, ray, hands, i);
        limb.write(arm, chest, rotations);
    }
}

// Write forearm roll, bend, aside and the elbow's flexion (N, 4), by the forearms' and hands' local rotations (N, 4).
static void wrist_angles(Floats<2> lower, Floats<2> hand, const ArmModel& model, FloatsOut<2> out) {
    const Arm limb(model);
    for (Index i = 0; i < lower.shape[0]; ++i) {
        const Quat none = {1.0, 0.0, 0.0, 0.0};
        const ArmAngles arm = limb.read(none, none, read_quaternion(lower.at(i)), read_quaternion(hand.at(i)));
        out(i, 0) = arm.roll, out(i, 1) = arm.bend, out(i, 2) = arm.aside, out(i, 3) = arm.flexion;
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::ArmModel, &kinesphere::ArmModel::joints, &kinesphere::ArmModel::shoulder,
       &kinesphere::ArmModel::upper, &kinesphere::ArmModel::lower, &kinesphere::ArmModel::hinge,
       &kinesphere::ArmModel::rest_flexion, &kinesphere::ArmModel::forearm, &kinesphere::ArmModel::aside,
       &kinesphere::ArmModel::bend, &kinesphere::ArmModel::palm, &kinesphere::ArmModel::finger,
       &kinesphere::ArmModel::flexions, &kinesphere::ArmModel::rolls, &kinesphere::ArmModel::bends,
       &kinesphere::ArmModel::asides);
FIELDS(kinesphere::KeptHands, &kinesphere::KeptHands::frames, &kinesphere::KeptHands::base,
       &kinesphere::KeptHands::chest, &kinesphere::KeptHands::clavicle, &kinesphere::KeptHands::place_weight,
       &kinesphere::KeptHands::place, &kinesphere::KeptHands::face_weight, &kinesphere::KeptHands::face,
       &kinesphere::KeptHands::level_weight, &kinesphere::KeptHands::up, &kinesphere::KeptHands::aim_weight,
       &kinesphere::KeptHands::target, &kinesphere::KeptHands::finger, &kinesphere::KeptHands::wrist,
       &kinesphere::KeptHands::arm, &kinesphere::KeptHands::flexion, &kinesphere::KeptHands::elbow,
       &kinesphere::KeptHands::fixed);

namespace kinesphere {

KERNELS(kept_hands) { return {kernel<keep_hands>("keep_hands"), kernel<wrist_angles>("wrist_angles")}; }

}  // namespace kinesphere
