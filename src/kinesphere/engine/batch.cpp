// Smoothing, delays and greatest values in time of the performances of a batch.
#include "engine/batch.hpp"

#include <algorithm>

namespace kinesphere {

namespace {

// A performance's own frame for one that may lie before its start or after its end.
Index inside(Index frame, Index count, bool loop) {
    return loop ? modulo(frame, most(count - 1, Index{1})) : least(most(frame, Index{0}), count - 1);
}

}  // namespace

// Values (F, C) through symmetric weights (R + 1,): the middle one first. Sums go from the middle outwards.
WIDE static void smooth(const BatchRows& rows, Floats<2> values, Floats<1> weights, FloatsOut<2> out) {
    const Index reach = weights.shape[0] - 1, columns = values.shape[1];
    Scratch<double, 1> padded((rows.longest() + 2 * reach) * columns);
    for (Index s = 0; s < rows.counts.shape[0]; ++s) {
        const Index count = rows.counts(s), inner = count * columns;
        const double* own = values.data + rows.starts(s) * columns;
        double* made = out.data + rows.starts(s) * columns;
        for (Index i = -reach; i < count + reach; ++i) {
            const double* from = own + inside(i, count, rows.loops(s)) * columns;
            std::copy(from, from + columns, padded.data + (i + reach) * columns);
        }
        const double* middle = padded.data + reach * columns;
        for (Index i = 0; i < inner; ++i) made[i] = weights(0) * middle[i];
        for (Index k = 1; k <= reach; ++k) {
            const double weight = weights(k);
            const double *before = middle - k * columns, *after = middle + k * columns;
            for (Index i = 0; i < inner; ++i) made[i] += weight * (before[i] + after[i]);
        }
    }
}

// Values (F, C) delayed by so many frames, linearly between frames.
static void delay(const BatchRows& rows, Floats<2> values, double frames, FloatsOut<2> out) {
    const Delay delay(frames);
    const Index columns = values.shape[1];
    for (Index s = 0; s < rows.counts.shape[0]; ++s) {
        const Index start = rows.starts(s);
        for (Index i = 0; i < rows.counts(s); ++i) {
            const auto [a, b] = delay.frames(i, rows.counts(s), rows.loops(s));
            const double *first = values.at(start + a), *second = values.at(start + b);
            double* made = out.at(start + i);
            for (Index k = 0; k < columns; ++k) made[k] = delay.between(first[k], second[k]);
        }
    }
}

// The greatest of values (F,) within `reach` frames of the same performance.
static void running_maximum(const BatchRows& rows, Floats<1> values, Index reach, FloatsOut<1> out) {
    Scratch<Index, 1> queue(rows.longest() + 2 * reach + 1);  // frames that may still be the greatest, values falling
    for (Index s = 0; s < rows.counts.shape[0]; ++s) {
        const Index count = rows.counts(s), start = rows.starts(s);
        const bool loop = rows.loops(s);
        const auto value = [&](Index i) { return values(start + inside(i, count, loop)); };
        Index head = 0, tail = 0, taken = -reach;
        for (Index t = 0; t < count; ++t) {
            for (; taken <= t + reach; ++taken) {
                while (tail > head && value(queue(tail - 1)) <= value(taken)) --tail;
                queue(tail++) = taken;
            }
            while (queue(head) < t - reach) ++head;
            out(start + t) = value(queue(head));
        }
    }
}

KERNELS(batch) {
    return {kernel<smooth>("smooth"), kernel<delay>("delay"), kernel<running_maximum>("running_maximum")};
}

}  // namespace kinesphere
