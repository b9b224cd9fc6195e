// What strokes of hands ask of the whole body over time: weight that lands, what is carried, what swings on, what is
// looked at, and the ways of hands.
#include <algorithm>

#include "engine/batch.hpp"
#include "maths/easing.hpp"

namespace kinesphere {

namespace {

// Pulses, none negative, as one number: nearly their largest, without corners. It is a mean with the exponent 4.
struct Joined {
    double sum = 0.0;

    void add(double pulse) { sum += square(square(pulse)); }
    double value() const { return std::sqrt(std::sqrt(sum)); }
    double below_one() const { return std::sqrt(std::sqrt(sum / (1.0 + sum))); }
};

// Weight at one moment: how far it has landed, and how far it is drawn up before.
struct Pulse {
    double landed, drawn;
};

// Weight that lands with A strokes.
struct Pulses {
    Floats<1> low;      // (A,) seconds at which it has landed
    Floats<1> half;     // (A,) half of how long it falls
    Floats<1> sizes;    // (A,)
    Floats<1> recover;  // (A,) seconds in which it comes back

    Pulse at(Index a, double time) const {
        const double since = time - low(a);
        if (since <= -3.6 * half(a) || since >= recover(a)) return {0.0, 0.0};
        const double down = smootherstep(1.0 + 0.5 * since / half(a));
        const double drawn = smootherstep((since + 3.6 * half(a)) / (1.6 * half(a))) * (1.0 - down);
        return {sizes(a) * down * (1.0 - smootherstep(since / recover(a))), sizes(a) * drawn};
    }
};

}  // namespace

// Frames of times (T,), increasing, from the first not before `from` to before the first not before `to`.
struct Frames {
    Index first, end;

    Frames(Floats<1> time, double from, double to) {
        const double* begin = time.data;
        const double* stop = begin + time.shape[0];
        first = static_cast<Index>(std::lower_bound(begin, stop, from) - begin);
        end = static_cast<Index>(std::lower_bound(begin, stop, to) - begin);
    }
};

// Weight that lands with the strokes of hands in frames at times (T,), and what is drawn up before: (T,) each, below 1,
// as a body has one weight.
static void land(Floats<1> time, const Pulses& pulses, FloatsOut<1> landed, FloatsOut<1> drawn) {
    std::vector<Joined> lands(static_cast<std::size_t>(time.shape[0])), draws(lands.size());
    for (Index a = 0; a < pulses.low.shape[0]; ++a) {
        const Frames frames(time, pulses.low(a) - 3.6 * pulses.half(a), pulses.low(a) + pulses.recover(a));
        for (Index t = frames.first; t < frames.end; ++t) {
            const Pulse pulse = pulses.at(a, time(t));
            lands[static_cast<std::size_t>(t)].add(pulse.landed), draws[static_cast<std::size_t>(t)].add(pulse.drawn);
        }
    }
    for (Index t = 0; t < time.shape[0]; ++t)
        landed(t) = lands[static_cast<std::size_t>(t)].below_one(),
        drawn(t) = draws[static_cast<std::size_t>(t)].below_one();
}

// Where accents of strokes bring a trunk (T, 3): along ways (A, 3) as weight lands, and back by `draw_back` of them
// before.
static void kick(Floats<1> time, const Pulses& pulses, double draw_back, Floats<2> ways, FloatsOut<2> out) {
    for (Index t = 0; t < time.shape[0]; ++t) write_vector(out.at(t), {0.0, 0.0, 0.0});
    for (Index a = 0; a < pulses.low.shape[0]; ++a) {
        const Frames frames(time, pulses.low(a) - 3.6 * pulses.half(a), pulses.low(a) + pulses.recover(a));
        for (Index t = frames.first; t < frames.end; ++t) {
            const Pulse pulse = pulses.at(a, time(t));
            const Vec3 by = (pulse.landed - draw_back * pulse.drawn) * read_vector(ways.at(a));
            write_vector(out.at(t), read_vector(out.at(t)) + by);
        }
    }
}

// How far A strokes carry the body (T,), from 0 to 1: most at their middles, not at all `half` seconds before and
// after.
static void carry(Floats<1> time, Floats<1> middles, Floats<1> half, Floats<1> sizes, FloatsOut<1> out) {
    std::vector<Joined> carried(static_cast<std::size_t>(time.shape[0]));
    for (Index a = 0; a < middles.shape[0]; ++a) {
        const Frames frames(time, middles(a) - half(a), middles(a) + half(a));
        for (Index t = frames.first; t < frames.end; ++t) {
            const double near = std::abs(time(t) - middles(a)) / half(a);
            if (near < 1.0) carried[static_cast<std::size_t>(t)].add(sizes(a) * (1.0 - smootherstep(near)));
        }
    }
    for (Index t = 0; t < time.shape[0]; ++t) out(t) = carried[static_cast<std::size_t>(t)].value();
}

// Add to (T,), frames at a rate, waves that begin at A moments with sizes (A,): so many `cycles` a second, which come
// within `comes` seconds and die away by a factor of e in `fades` seconds.
static void swing(double rate, Floats<1> moments, Floats<1> sizes, double cycles, double fades, double comes,
                  FloatsOut<1> out) {
    constexpr double nothing = 1e-16;  // of a wave that is left
    const double pace = 2.0 * 3.14159265358979323846 * cycles;
    const double shrinks = std::exp(-1.0 / (rate * fades));
    const double c = shrinks * std::cos(pace / rate), s = shrinks * std::sin(pace / rate);
    for (Index a = 0; a < moments.shape[0]; ++a) {
        const Index first = most(static_cast<Index>(std::floor(moments(a) * rate)) + 1, Index{0});
        const double start = static_cast<double>(first) / rate - moments(a);
        const double left = std::exp(-start / fades);
        double x = left * std::cos(pace * start), y = left * std::sin(pace * start);
        for (Index t = first; t < out.shape[0] && x * x + y * y > nothing * nothing; ++t) {
            const double late = static_cast<double>(t) / rate - moments(a);
            out(t) += sizes(a) * y * smoothstep(late / comes);
            const double turned = c * x - s * y;
            y = s * x + c * y, x = turned;
        }
    }
}

// Add a weight of what is looked at (T, 3), left, down, and whether there is anything: goals (S, 6), each from its
// moment (S,) on; the first from the start. Goals that go with the chest are where they will be when the hand arrives,
// by how far the chest is turned and bent (2, T).
static void look(Floats<1> time, double rate, Floats<1> moments, Floats<2> goals, Floats<2> facing, double weight,
                 FloatsOut<2> out) {
    const Index count = time.shape[0];
    Index now = 0;
    for (Index t = 0; t < count; ++t) {
        while (now + 1 < moments.shape[0] && moments(now + 1) <= time(t)) ++now;
        const double* goal = goals.at(now);
        const double scale = rate / most(goal[2], 1e-6), there = goal[4] * scale, gone = goal[5] * scale;
        const double at = most(least(static_cast<double>(t), most(gone, there)), there);
        const Index frame = static_cast<Index>(clamp(std::nearbyint(at), 0.0, static_cast<double>(count - 1)));
        const double left = goal[0] + goal[3] * facing(0, frame);
        const double down = goal[1] + goal[3] * facing(1, frame) * std::cos(left);
        out(t, 0) += weight * left, out(t, 1) += weight * down, out(t, 2) += weight * goal[2];
    }
}

// Write where hands are (T, 3), by the stroke (T,) and how much of its path (T,) is done `ahead` frames later, between
// goals (S + 1, 3). They may go somewhat farther back, and beyond.
static void go_ways(Ints<1> stroke, Floats<1> path_share, Floats<2> goals, Index ahead, bool loop, FloatsOut<2> out) {
    const Index count = stroke.shape[0];
    for (Index t = 0; t < count; ++t) {
        const Index later =
            loop ? modulo(t + ahead, most(count - 1, Index{1})) : least(most(t + ahead, Index{0}), count - 1);
        const double* start = goals.at(stroke(later));
        const double share = clamp(path_share(later), -0.35, 1.25);
        for (int axis = 0; axis < 3; ++axis) out(t, axis) = start[axis] + share * (start[axis + 3] - start[axis]);
    }
}

// Of goals (S, 6), how far they are looked at in their third column, give to those that are looked at less what the
// next one has, and then what the one before has, as far as somebody looks (S,).
static void look_elsewhere(Floats<1> looks, FloatsOut<2> goals) {
    const Index last = goals.shape[0] - 1;
    const auto take = [&](Index k, Index from) {
        const double share = looks(k) * (1.0 - goals(k, 2));
        for (Index column = 0; column < goals.shape[1]; ++column) goals(k, column) += share * goals(from, column);
    };
    for (Index k = last - 1; k > 0; --k) take(k, k + 1);
    for (Index k = 1; k <= last; ++k) take(k, k - 1);
}

// Lower factors (A,) of accents at moments (A,), in order, of strokes of one or both arms (A,), by how soon others
// come. The more forceful of two, by logarithms (A,), keeps its weight. Accents count whose gaps in seconds are below
// `full`, and a stroke that prepares another is within `prepares` of it.
static void unhurry(Floats<1> moments, Floats<1> forces, Ints<1> arms, double full, double prepares,
                    FloatsOut<1> factors) {
    const Index count = moments.shape[0];
    for (Index k = 1; k < count; ++k) {  // those that are k places apart, until all of them are far enough apart
        double closest = moments(k) - moments(0);
        for (Index i = k; i < count; ++i) closest = least(closest, moments(i) - moments(i - k));
        if (closest >= most(full, prepares)) break;
        for (Index i = k; i < count; ++i) {
            const double gap = moments(i) - moments(i - k);
            const double near = arms(i) == arms(i - k) ? least(1.0, square(gap / full)) : 1.0;
            const double before = most(near - least(1.0, square(gap / prepares)), 0.0);
            const auto lower = [&](Index own, double more) {
                const double factor = near + (1.0 - near) * smoothstep(more) - before * smoothstep(-more);
                factors(own) = least(factors(own), factor);
            };
            lower(i, forces(i) - forces(i - k));
            lower(i - k, forces(i - k) - forces(i));
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::Pulses, &kinesphere::Pulses::low, &kinesphere::Pulses::half, &kinesphere::Pulses::sizes,
       &kinesphere::Pulses::recover);

namespace kinesphere {

KERNELS(recruitment) {
    return {kernel<land>("land"),
            kernel<kick>("kick"),
            kernel<carry>("carry"),
            kernel<swing>("swing"),
            kernel<look>("look"),
            kernel<go_ways>("go_ways"),
            kernel<look_elsewhere>("look_elsewhere"),
            kernel<unhurry>("unhurry")};
}

}  // namespace kinesphere
