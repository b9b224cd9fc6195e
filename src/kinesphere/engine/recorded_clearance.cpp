// Hands and forearms of a recording that edits have moved: they come no deeper into the body than they were.
#include "engine/capsules.hpp"
#include "maths/binding.hpp"

namespace kinesphere {

// Solids of recorded_clearance.py.
struct Solids {
    Floats<3> starts, ends;  // (S, T, 3) of their axes
    Floats<3> axes;          // (S, T, 4) their left, up and ahead
    Floats<2> radii;         // (S, 2) half widths aside and ahead
};

// ArmRows of recorded_clearance.py, each (T, 3).
struct ArmRows {
    Floats<2> shoulders, elbows, wrists;  // where they are
    Floats<2> was_elbows, was_wrists;     // where they were recorded
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

// Whether a point is surely farther than `far` from a capsule that is about as far from its axis as it is wide. Most
// points are, and this takes no rotation.
bool is_clear(const Solids& solids, Index s, Index t, Vec3 point, double far) {
    const Vec3 start = read_vector(solids.starts.at(s, t));
    const Vec3 bone = read_vector(solids.ends.at(s, t)) - start, offset = point - start;
    const double square_length = dot(bone, bone), along = dot(offset, bone);
    const double squared = along <= 0.0             ? dot(offset, offset)
                           : along >= square_length ? dot(offset - bone, offset - bone)
                                                    : dot(offset, offset) - square(along) / square_length;
    const double widest = far * most(solids.radii(s, 1) / solids.radii(s, 0), 1.0);
    return squared > square(1.0001 * widest);
}

// How far a point is to be moved to be no deeper in a solid than it was recorded, on the side where it was recorded.
Vec3 way_out(const Solids& was, const Solids& now, Index s, Index t, Vec3 recorded, Vec3 point, double soft) {
    const double wide = now.radii(s, 0);
    if (is_clear(now, s, t, point, wide + soft)) return {0.0, 0.0, 0.0};
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

// Displacement of a point that brings it out of all solids, one after the other.
Vec3 push_out(const Solids& was, const Solids& now, Index t, Vec3 recorded, Vec3 point, double soft) {
    Vec3 pushed = {0.0, 0.0, 0.0};
    for (Index s = 0; s < now.radii.shape[0]; ++s)
        pushed = pushed + way_out(was, now, s, t, recorded, point + pushed, soft * now.radii(s, 0));
    return pushed;
}

// One arm in one frame: shoulder, elbow and wrist, and where the latter two were recorded.
struct Arm {
    Vec3 shoulder, elbow, wrist, was_elbow, was_wrist;
};

struct Swung {
    Vec3 push;
    double angle;
};

// How points of a forearm, at shares (P,) from the elbow, come out of solids: the elbow swings out by at most `swing`,
// where it has a lever of its reach, and the wrist goes for the rest.
Swung swing_out(const Arm& arm, const Solids& was, const Solids& now, Index t, Floats<1> points, double soft,
                double swing, double lever) {
    Swung made = {{0.0, 0.0, 0.0}, 0.0};
    const Vec3 ray = arm.wrist - arm.shoulder;
    const double reach = most(norm(ray), 1e-9);
    for (Index k = 0; k < points.shape[0]; ++k) {
        const double share = points(k);
        const Vec3 place = arm.elbow + share * (arm.wrist - arm.elbow);
        const Vec3 recorded = arm.was_elbow + share * (arm.was_wrist - arm.was_elbow);
        const Vec3 by = push_out(was, now, t, recorded, place, soft);
        if (dot(by, by) == 0.0) continue;
        const Vec3 around = cross(ray, place - arm.shoulder) / reach;  // what a radian of swivel does
        const double turn = swing * std::tanh(dot(by, around) / (dot(around, around) + square(lever * reach)) / swing);
        if (std::abs(turn) > std::abs(made.angle)) made.angle = turn;
        const Vec3 left = (by - turn * around) / share;
        if (dot(left, left) > dot(made.push, made.push)) made.push = left;
    }
    return made;
}

}  // namespace

// Write solids from joints (8, T, 3): hips, head, upper arms, upper and lower legs, of which the chest, the head and
// the upper legs are turned so (4, T, 4), and have these frames (4, 4). The trunk ends `below` the shoulders, the head
// at `crown (3,)` of its own axes, and thighs at a share of the way to the knee.
static void body_solids(Floats<3> places, Floats<3> turned, Floats<2> frames, double below, Floats<1> crown,
                        double share, FloatsOut<3> starts, FloatsOut<3> ends, FloatsOut<3> axes) {
    for (Index t = 0; t < places.shape[1]; ++t) {
        const auto place = [&](Index joint) { return read_vector(places.at(joint, t)); };
        Quat own[4];
        for (Index s = 0; s < 4; ++s) {
            own[s] = read_quaternion(turned.at(s, t)) * read_quaternion(frames.at(s));
            write_quaternion(axes.at(s, t), own[s]);
        }
        write_vector(starts.at(0, t), place(0));
        write_vector(ends.at(0, t), 0.5 * (place(2) + place(3)) + rotate(own[0], {0.0, -below, 0.0}));
        write_vector(starts.at(1, t), place(1));
        write_vector(ends.at(1, t), place(1) + rotate(own[1], read_vector(crown.data)));
        for (Index leg = 0; leg < 2; ++leg) {
            const Vec3 hip = place(4 + leg);
            write_vector(starts.at(2 + leg, t), hip);
            write_vector(ends.at(2 + leg, t), hip + share * (place(6 + leg) - hip));
        }
    }
}

// Write displacements (T, 3) of wrists' targets (T, 3) that bring wrists, and palms (T, 3) away from them, out of
// solids, where both may be as deep as they were recorded (T, 3) among others. The push begins a share `soft` of a
// solid's half width outside. Say whether any is.
static bool clear_hand(const Solids& was, const Solids& now, Floats<2> wrists, Floats<2> palms, Floats<2> targets,
                       Floats<2> on, double soft, FloatsOut<2> out) {
    bool any = false;
    for (Index t = 0; t < out.shape[0]; ++t) {
        const Vec3 target = read_vector(targets.at(t));
        Vec3 push = push_out(was, now, t, read_vector(wrists.at(t)), target, soft);
        push = push + push_out(was, now, t, read_vector(palms.at(t)), target + read_vector(on.at(t)) + push, soft);
        write_vector(out.at(t), push);
        any = any || dot(push, push) > 0.0;
    }
    return any;
}

// Write displacements of wrists and swivels of elbows (T, 4) that bring forearms out of the body, and half way out of
// the other forearm, where they may be as deep as they were recorded. Points (P,) of a forearm are felt by either. Say
// whether any is.
static bool clear_forearm(const ArmRows& arm, const Solids& was, const Solids& now, Floats<1> points,
                          const Solids& other_was, const Solids& other_now, Floats<1> other_points, double soft,
                          double swing, double lever, FloatsOut<2> out) {
    bool any = false;
    for (Index t = 0; t < out.shape[0]; ++t) {
        const Arm own = {read_vector(arm.shoulders.at(t)), read_vector(arm.elbows.at(t)), read_vector(arm.wrists.at(t)),
                         read_vector(arm.was_elbows.at(t)), read_vector(arm.was_wrists.at(t))};
        const Swung body = swing_out(own, was, now, t, points, soft, swing, lever);
        const Swung other = swing_out(own, other_was, other_now, t, other_points, soft, swing, lever);
        const Vec3 push = body.push + 0.5 * other.push;
        write_vector(out.at(t), push);
        out(t, 3) = body.angle + 0.5 * other.angle;
        any = any || out(t, 3) != 0.0 || dot(push, push) > 0.0;
    }
    return any;
}

}  // namespace kinesphere

FIELDS(kinesphere::Solids, &kinesphere::Solids::starts, &kinesphere::Solids::ends, &kinesphere::Solids::axes,
       &kinesphere::Solids::radii);
FIELDS(kinesphere::ArmRows, &kinesphere::ArmRows::shoulders, &kinesphere::ArmRows::elbows, &kinesphere::ArmRows::wrists,
       &kinesphere::ArmRows::was_elbows, &kinesphere::ArmRows::was_wrists);

namespace kinesphere {

KERNELS(recorded_clearance) {
    return {kernel<body_solids>("body_solids"), kernel<clear_hand>("clear_hand"),
            kernel<clear_forearm>("clear_forearm")};
}

}  // namespace kinesphere
