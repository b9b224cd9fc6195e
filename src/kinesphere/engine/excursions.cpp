// Excursions of a hand from its path: detours, and goals passed without a stop.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

namespace {

constexpr Vec3 OUTWARD = {0.50, 0.25, 0.83};  // out, up and ahead of the shoulder: where there is room
constexpr double SECOND = 0.35;               // of a detour's bow: its second wave, across the first
constexpr double MOST_DETOUR = 0.15;          // metres
constexpr double UNHURRIED = 0.8;             // seconds: quicker strokes have less of a detour
constexpr double HANGING = 0.5;               // of a detour that a hand shows on its way to or from where it hangs
constexpr double PEAK = 1.9;                  // mean speeds of a stroke at its fastest, about
constexpr double WIDTH = 0.27;                // of the shorter of two strokes: σ around a goal that is passed
constexpr double WIDEST = 0.20;               // seconds of it
constexpr Vec3 DOWN = {0.0, -1.0, 0.0};       // the way that a hand loops where it turns back
constexpr double REACHED = 3.5;               // σ after which nothing is left of a passed goal

Vec3 reject(Vec3 v, Vec3 axis) { return v - dot(v, axis) * axis; }

}  // namespace

// Strokes from goal to goal.
struct StrokeGoals {
    Floats<2> ends;        // (S + 1, 3) where strokes begin and end, from the shoulder
    Floats<1> moments;     // (S + 1,) when, in seconds
    Bools<1> hangs;        // (S + 1,) whether the hand hangs there
    Floats<1> lengths;     // (S,) metres, 0 of a hold
    Floats<1> detour;      // (S,) how far a stroke's path leads aside, as a share of its chord
    Floats<1> pass_speed;  // (S,) speed at its goal as a share of its peak
    Index cycle;           // how many strokes a cycle of a loop has, the same in each; 0 of what is no loop
};

// Add detours to (T, 3): in each frame the stroke (T,) and how much of its path (T,) is done. `outward` is the sign of
// the arm's own side.
static void add_detours(Ints<1> stroke, Floats<1> path_share, const StrokeGoals& goals, double outward,
                        FloatsOut<2> out) {
    constexpr double pi = 3.14159265358979323846;
    const Vec3 room = {outward * OUTWARD.x, OUTWARD.y, OUTWARD.z};
    Index known = -1;
    double size = 0.0;
    Vec3 aside = {}, across = {};
    for (Index t = 0; t < stroke.shape[0]; ++t) {
        const Index own = stroke(t);
        if (own != known) {
            known = own;
            const Vec3 chord = read_vector(goals.ends.at(own + 1)) - read_vector(goals.ends.at(own));
            const double length = norm(chord);
            const Vec3 along = chord / most(length, 1e-9);
            aside = reject(room, along);
            aside = aside / most(norm(aside), 1e-6);
            const Index place = goals.cycle > 0 ? own % goals.cycle : own;
            across = (place % 2 ? -1.0 : 1.0) * cross(along, aside);
            // A quick detour would need more force than the stroke.
            const double quick = least((goals.moments(own + 1) - goals.moments(own)) / UNHURRIED, 1.0);
            size = goals.lengths(own) > 0.0 ? goals.detour(own) * quick * length : 0.0;
            if (goals.hangs(own) || goals.hangs(own + 1)) size *= HANGING;
            size = MOST_DETOUR * std::tanh(size / MOST_DETOUR);
        }
        if (size == 0.0) continue;
        const double share = clamp(path_share(t), 0.0, 1.0);
        const double bow = size * std::sin(pi * share), wave = SECOND * size * std::sin(2.0 * pi * share);
        const Vec3 added = bow * aside + wave * across;
        out(t, 0) += added.x, out(t, 1) += added.y, out(t, 2) += added.z;
    }
}

// Add to (T, 3), frames at a rate, what passing goals does: at its moment nothing but a velocity, which fades with σ.
static void add_passings(double rate, const StrokeGoals& goals, FloatsOut<2> out) {
    const Index last = out.shape[0] - 1;
    for (Index own = 0; own + 1 < goals.lengths.shape[0]; ++own) {
        if (!(goals.pass_speed(own) > 0.0)) continue;
        const Vec3 goal = read_vector(goals.ends.at(own + 1));
        const Vec3 before = goal - read_vector(goals.ends.at(own)), after = read_vector(goals.ends.at(own + 2)) - goal;
        const Vec3 coming = before / most(norm(before), 1e-9), going = after / most(norm(after), 1e-9);
        const Vec3 mean = 0.5 * (coming + going);
        Vec3 loop = reject(DOWN, coming);
        loop = loop / most(norm(loop), 1e-6);
        const Vec3 direction = mean + (1.0 - norm(mean)) * loop;
        const double moment = goals.moments(own + 1);
        const double came = moment - goals.moments(own), goes = goals.moments(own + 2) - moment;
        const double slower = least(norm(before) / came, norm(after) / goes);
        const double next = goals.pass_speed(own + 1) > 0.0 ? goals.pass_speed(own + 1) : goals.pass_speed(own);
        const Vec3 velocity = (PEAK * (0.5 * (goals.pass_speed(own) + next)) * slower) * direction;
        const double sigma = least(WIDTH * least(came, goes), WIDEST), far = REACHED * sigma;
        const Index from = most(static_cast<Index>(std::floor((moment - far) * rate)), Index{0});
        const Index to = least(static_cast<Index>(std::ceil((moment + far) * rate)), last);
        for (Index t = from; t <= to; ++t) {
            const double since = static_cast<double>(t) / rate - moment;
            if (!(std::abs(since) < far)) continue;
            const Vec3 added = (since * std::exp(-0.5 * square(since / sigma))) * velocity;
            out(t, 0) += added.x, out(t, 1) += added.y, out(t, 2) += added.z;
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::StrokeGoals, &kinesphere::StrokeGoals::ends, &kinesphere::StrokeGoals::moments,
       &kinesphere::StrokeGoals::hangs, &kinesphere::StrokeGoals::lengths, &kinesphere::StrokeGoals::detour,
       &kinesphere::StrokeGoals::pass_speed, &kinesphere::StrokeGoals::cycle);

namespace kinesphere {

KERNELS(excursions) { return {kernel<add_detours>("add_detours"), kernel<add_passings>("add_passings")}; }

}  // namespace kinesphere
