// Hands and forearms of a recording that edits have moved: they come no deeper into the body than they were.
#include "engine/capsules.hpp"
#include "engine/recorded_limbs.hpp"

namespace kinesphere {

// Solids of recorded_clearance.py.
struct Solids {
    Floats<3> starts, ends;  // (S, T, 3) of their axes
    Floats<3> axes;          // (S, T, 4) their left, up and ahead
    Floats<2> radii;         // (S, 2) half widths aside and ahead
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

// How far a point is to be moved to be no deeper in a solid than it was recorded, on the side where it was recorded.
Vec3 way_out(const Solids& was, const Solids& now, Index s, Index t, Vec3 recorded, Vec3 point, double soft) {
    const double wide = now.radii(s, 0);
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

}  // namespace

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

// Write displacements of wrists and swivels of elbows (T, 4) that bring points of forearms out of solids, where they
// may be as deep as they were recorded among others, with elbows and wrists (T, 3) there. Points are shares (P,) of the
// way from the elbow. The elbow swings by at most `swing`, where it has a lever of its reach; the wrist goes for the
// rest. Say whether any is.
static bool clear_forearm(const Limb& limb, const Solids& was, const Solids& now, Floats<2> elbows, Floats<2> wrists,
                          Floats<1> points, double soft, double swing, double lever, FloatsOut<3> rotations,
                          FloatsOut<3> translations, FloatsOut<2> out) {
    bool any = false;
    for (Index t = 0; t < out.shape[0]; ++t) {
        const PoseView pose = {limb.parents, rotations.at(t), translations.at(t)};
        const Placement upper = pose.world(limb.upper), lower = pose.world_below(limb.upper, upper, limb.lower);
        const Vec3 shoulder = upper.position, elbow = lower.position;
        const Vec3 wrist = pose.world_below(limb.lower, lower, limb.end).position, ray = wrist - shoulder;
        const double reach = most(norm(ray), 1e-9);
        const Vec3 was_elbow = read_vector(elbows.at(t)), was_wrist = read_vector(wrists.at(t));
        Vec3 push = {0.0, 0.0, 0.0};
        double angle = 0.0;
        for (Index k = 0; k < points.shape[0]; ++k) {
            const double share = points(k);
            const Vec3 place = elbow + share * (wrist - elbow);
            const Vec3 by = push_out(was, now, t, was_elbow + share * (was_wrist - was_elbow), place, soft);
            if (dot(by, by) == 0.0) continue;
            const Vec3 arm = cross(ray, place - shoulder) / reach;  // what a radian of swivel does
            const double turn = swing * std::tanh(dot(by, arm) / (dot(arm, arm) + square(lever * reach)) / swing);
            if (std::abs(turn) > std::abs(angle)) angle = turn;
            const Vec3 left = (by - turn * arm) / share;
            if (dot(left, left) > dot(push, push)) push = left;
            any = true;
        }
        write_vector(out.at(t), push);
        out(t, 3) = angle;
    }
    return any;
}

}  // namespace kinesphere

FIELDS(kinesphere::Solids, &kinesphere::Solids::starts, &kinesphere::Solids::ends, &kinesphere::Solids::axes,
       &kinesphere::Solids::radii);

namespace kinesphere {

KERNELS(recorded_clearance) { return {kernel<clear_hand>("clear_hand"), kernel<clear_forearm>("clear_forearm")}; }

}  // namespace kinesphere
