// Weighted sums, and filters along time that loops of other files need.
#pragma once

#include "maths/array.hpp"

namespace kinesphere {

// Add Σ weights[k] values[i + k stride], over `width` weights, to `count` sums out[i]. Eight are summed at a time,
// which fills vectors and keeps every sum's order.
inline void add_weighted_sums(const double* values, Index stride, const double* weights, Index width, Index count,
                              double* out) {
    constexpr Index block = 8;
    Index i = 0;
    for (; i + block <= count; i += block) {
        double sums[block];
        for (Index j = 0; j < block; ++j) sums[j] = out[i + j];
        for (Index k = 0; k < width; ++k) {
            const double* row = values + i + k * stride;
            for (Index j = 0; j < block; ++j) sums[j] += weights[k] * row[j];
        }
        for (Index j = 0; j < block; ++j) out[i + j] = sums[j];
    }
    for (; i < count; ++i) {
        double sum = out[i];
        for (Index k = 0; k < width; ++k) sum += weights[k] * values[i + k * stride];
        out[i] = sum;
    }
}

// The greatest of values (T,) within `span` frames.
void running_maximum(Floats<1> values, Index span, FloatsOut<1> out);

// The greatest of values (T,) within `reach` frames, then through a Hann window that ends `fade + 1` frames away; both
// ends' values are held.
void widen(Floats<1> values, Index reach, Index fade, FloatsOut<1> out);

// How values go on beyond both ends: GaussianEnds of filters.py.
enum Ends : Index { HOLD, REFLECT, POINT, WRAP };

// Values (T,) smoothed along time by weights, an odd number of them.
void smooth_signal(Floats<1> values, Floats<1> weights, Ends ends, FloatsOut<1> out);

}  // namespace kinesphere
