// What unknowns cost by themselves, and the normal equations of each frame: see over_time.py.
#include "maths/array.hpp"
#include "maths/binding.hpp"

namespace kinesphere {

constexpr double EASE = 0.75;        // of its bound that an unknown goes with ease
constexpr double HARDENING = 250.0;  // what it costs more at its bound
constexpr double FIXED = 1e12;       // curvature of an unknown that stays

// Prior of over_time.py.
struct Prior {
    Floats<1> deviations;   // (N,)
    Floats<2> least, most;  // (T, N)
};

// Cost, slope and curvature of one unknown: squares, and more near its bounds.
struct Spring {
    double cost, slope, curvature;
};

static Spring spring(const Prior& prior, Index t, Index n, double x) {
    const double bound = most(std::abs(x < 0.0 ? prior.least(t, n) : prior.most(t, n)), 1e-9);
    const double past = most(std::abs(x) - EASE * bound, 0.0), room = (1.0 - EASE) * bound;
    const double own = 1.0 / square(prior.deviations(n)), hard = HARDENING / square(room);
    return {own * square(x) + hard * square(past), own * x + std::copysign(hard * past, x),
            own + (past > 0.0 ? hard : 0.0)};
}

// Whether an unknown is at a bound beyond which its slope would take it.
static bool stopped(const Prior& prior, Index t, Index n, double x, double slope) {
    return (x <= prior.least(t, n) && slope >= 0.0) || (x >= prior.most(t, n) && slope <= 0.0);
}

// The cost of all frames: squares of residuals (T, R) and what unknowns (T, N) cost.
static double cost(const Prior& prior, Floats<2> unknowns, Floats<2> residuals) {
    double sum = 0.0;
    for (Index t = 0; t < unknowns.shape[0]; ++t) {
        for (Index r = 0; r < residuals.shape[1]; ++r) sum += square(residuals(t, r));
        for (Index n = 0; n < unknowns.shape[1]; ++n) sum += spring(prior, t, n, unknowns(t, n)).cost;
    }
    return sum;
}

// Gradients (T, N) and curvatures (T, N, N) of these, damped; unknowns at their bounds stay.
static void normal_equations(const Prior& prior, Floats<2> unknowns, Floats<2> residuals, Floats<3> jacobian,
                             double damping, FloatsOut<2> gradient, FloatsOut<3> curvature) {
    const Index count = unknowns.shape[1];
    std::vector<char> stays(count);
    for (Index t = 0; t < unknowns.shape[0]; ++t) {
        double *slope = gradient.at(t), *block = curvature.at(t);
        std::fill(slope, slope + count, 0.0);
        std::fill(block, block + count * count, 0.0);
        for (Index r = 0; r < residuals.shape[1]; ++r) {
            const double* row = jacobian.at(t, r);
            for (Index n = 0; n < count; ++n) slope[n] += residuals(t, r) * row[n];
        }
        for (Index n = 0; n < count; ++n) {
            slope[n] += spring(prior, t, n, unknowns(t, n)).slope;
            stays[n] = stopped(prior, t, n, unknowns(t, n), slope[n]);
        }
        for (Index r = 0; r < residuals.shape[1]; ++r) {
            const double* row = jacobian.at(t, r);
            for (Index n = 0; n < count; ++n) {
                if (row[n] == 0.0) continue;
                for (Index m = 0; m < count; ++m) block[n * count + m] += row[n] * row[m];
            }
        }
        for (Index n = 0; n < count; ++n) {
            if (stays[n]) {
                for (Index m = 0; m < count; ++m) block[n * count + m] = block[m * count + n] = 0.0;
                slope[n] = 0.0;
            }
            block[n * count + n] +=
                stays[n] ? FIXED
                         : spring(prior, t, n, unknowns(t, n)).curvature + damping / square(prior.deviations(n));
        }
    }
}

// By how much unknowns (T, N) yield to a pull (T, N): one over the roots of their curvatures, 0 at their bounds.
static void freedom(const Prior& prior, Floats<2> unknowns, Floats<2> pull, FloatsOut<2> out) {
    for (Index t = 0; t < out.shape[0]; ++t)
        for (Index n = 0; n < out.shape[1]; ++n)
            out(t, n) = stopped(prior, t, n, unknowns(t, n), pull(t, n))
                            ? 0.0
                            : 1.0 / std::sqrt(spring(prior, t, n, unknowns(t, n)).curvature);
}

}  // namespace kinesphere

FIELDS(kinesphere::Prior, &kinesphere::Prior::deviations, &kinesphere::Prior::least, &kinesphere::Prior::most);

namespace kinesphere {

KERNELS(over_time) {
    return {kernel<cost>("cost"), kernel<normal_equations>("normal_equations"), kernel<freedom>("freedom")};
}

}  // namespace kinesphere
