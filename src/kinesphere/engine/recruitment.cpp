// What strokes of hands ask of the whole body over time: weight that lands, what is carried, what swings on, what is
// looked at, and the ways of hands.
#include "engine/batch.hpp"

namespace kinesphere {

namespace {

double smoothstep(double share) {
    const double u = clamp(share, 0.0, 1.0);
    return u * u * (3.0 - 2.0 * u);
}

double smootherstep(double share) {
    const double u = clamp(share, 0.0, 1.0);
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

// Pulses, none negative, as one number: nearly their largest, without corners. It is a mean with the exponent 4.
struct Joined {
    double sum = 0.0;

    void add(double pulse) { sum += square(square(pulse)); }
    double value() const { return std::sqrt(std::sqrt(sum)); }
};

}  // namespace

// Weight that lands with A strokes in frames at times (T,), and what is drawn up before: (T,) each, from 0 to 1. A
// stroke of some size arrives; its weight begins to land `rise` seconds before, has landed `delay` seconds after, and
// takes `recover` seconds to come back.
static void land(Floats<1> time, Floats<1> arrivals, Floats<1> sizes, Floats<1> rise, Floats<1> recover, double delay,
                 FloatsOut<1> landed, FloatsOut<1> drawn) {
    for (Index t = 0; t < time.shape[0]; ++t) {
        Joined lands, draws;
        for (Index a = 0; a < arrivals.shape[0]; ++a) {
            const double since = time(t) - arrivals(a);
            if (since <= -2.0 * rise(a) || since >= delay + recover(a)) continue;
            const double down = smootherstep((since + rise(a)) / (rise(a) + delay));
            const double back = smootherstep((since - delay) / recover(a));
            const double drawn_up = smootherstep((since + 2.0 * rise(a)) / rise(a)) * (1.0 - down);
            lands.add(sizes(a) * down * (1.0 - back));
            draws.add(sizes(a) * drawn_up);
        }
        landed(t) = lands.value(), drawn(t) = draws.value();
    }
}

// How far A strokes carry the body (T,), from 0 to 1: most at their middles, not at all `half` seconds before and
// after.
static void carry(Floats<1> time, Floats<1> middles, Floats<1> half, Floats<1> sizes, FloatsOut<1> out) {
    for (Index t = 0; t < time.shape[0]; ++t) {
        Joined carried;
        for (Index a = 0; a < middles.shape[0]; ++a) {
            const double near = std::abs(time(t) - middles(a)) / half(a);
            if (near < 1.0) carried.add(sizes(a) * (1.0 - smootherstep(near)));
        }
        out(t) = carried.value();
    }
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

// Add a weight of what is looked at (T, 4): rows (S, 4), each from its moment (S,) on; the first from the start.
static void look(Floats<1> time, Floats<1> moments, Floats<2> rows, double weight, FloatsOut<2> out) {
    Index now = 0;
    for (Index t = 0; t < time.shape[0]; ++t) {
        while (now + 1 < moments.shape[0] && moments(now + 1) <= time(t)) ++now;
        for (int column = 0; column < 4; ++column) out(t, column) += weight * rows(now, column);
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

KERNELS(recruitment) {
    return {kernel<land>("land"), kernel<carry>("carry"), kernel<swing>("swing"), kernel<look>("look"),
            kernel<go_ways>("go_ways")};
}

}  // namespace kinesphere
