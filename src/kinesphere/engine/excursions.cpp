// Excursions of a hand from its path: detours, and goals passed without a stop.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// Add detours to (T, 3): in each frame the stroke (T,) and how much of its path (T,) is done; of each stroke the size
// (S,) of its bow, the way (S, 3) that it goes, and the way (S, 3) of a second wave of `second` times that size.
static void add_detours(Ints<1> stroke, Floats<1> path_share, Floats<1> size, Floats<2> aside, Floats<2> across,
                        double second, FloatsOut<2> out) {
    constexpr double pi = 3.14159265358979323846;
    for (Index t = 0; t < stroke.shape[0]; ++t) {
        const Index own = stroke(t);
        if (size(own) == 0.0) continue;
        const double share = least(most(path_share(t), 0.0), 1.0);
        const double bow = size(own) * std::sin(pi * share);
        const double wave = second * size(own) * std::sin(2.0 * pi * share);
        for (int axis = 0; axis < 3; ++axis) out(t, axis) += bow * aside(own, axis) + wave * across(own, axis);
    }
}

// Add to (T, 3), frames at a rate, what passing each of G goals does: at its moment (G,) in seconds nothing but a
// velocity (G, 3), which fades with σ (G,) and is over after `reached` of it.
static void add_passings(double rate, Floats<1> moments, Floats<1> sigma, Floats<2> velocity, double reached,
                         FloatsOut<2> out) {
    const Index last = out.shape[0] - 1;
    for (Index g = 0; g < moments.shape[0]; ++g) {
        const double far = reached * sigma(g);
        const Index from = most(static_cast<Index>(std::floor((moments(g) - far) * rate)), Index{0});
        const Index to = least(static_cast<Index>(std::ceil((moments(g) + far) * rate)), last);
        for (Index t = from; t <= to; ++t) {
            const double since = static_cast<double>(t) / rate - moments(g);
            if (!(std::abs(since) < far)) continue;
            const double near = since * std::exp(-0.5 * (since / sigma(g)) * (since / sigma(g)));
            for (int axis = 0; axis < 3; ++axis) out(t, axis) += near * velocity(g, axis);
        }
    }
}

KERNELS(excursions) { return {kernel<add_detours>("add_detours"), kernel<add_passings>("add_passings")}; }

}  // namespace kinesphere
