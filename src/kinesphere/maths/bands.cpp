// Loops over signals: octave bands. Columns `first` to `last` only, so that threads can share them, and not too many at
// a time, so that two levels of them stay in the cache.
#include <algorithm>

#include "maths/binding.hpp"

namespace kinesphere {

constexpr Index TOGETHER = 256;  // columns

namespace {

// Two levels (T, columns) of some columns of a signal: one, and the smoother one that is made of it.
struct Levels {
    Scratch<double, 2> one, other;
    Array<double, 2> level, smoother;

    Levels(Index frames, Index columns) : one(frames, columns), other(frames, columns), level(one), smoother(other) {}

    void swap() { std::swap(level, smoother); }
};

}  // namespace

// One frame of the level after this one. Smoothing is written as differences from the middle, so that a constant has
// bands of exactly zero.
static void smooth_frame(const Levels& levels, Index i, Index step, Index width) {
    const Array<double, 2>& level = levels.level;
    const Index end = level.shape[0] - 1;
    const double *before = level.at(most(i - step, Index{0})), *after = level.at(least(i + step, end));
    const double *far_before = level.at(most(i - 2 * step, Index{0})), *far_after = level.at(least(i + 2 * step, end));
    const double* here = level.at(i);
    double* smoother = levels.smoother.at(i);
    for (Index c = 0; c < width; ++c) {
        const double x = here[c];
        const double near = (x - before[c]) + (x - after[c]);
        const double far = (x - far_before[c]) + (x - far_after[c]);
        smoother[c] = x - (0.25 * near + 0.0625 * far);
    }
}

// Some columns of a signal (T, C), from `start` on, as the first level.
static void read_columns(Floats<2> signal, Index start, Index width, const Levels& levels) {
    for (Index i = 0; i < signal.shape[0]; ++i) std::copy_n(signal.at(i, start), width, levels.level.at(i));
}

// The level as columns of an array (T, C), from `start` on.
static void write_columns(const Levels& levels, Index start, Index width, FloatsOut<2> out) {
    for (Index i = 0; i < out.shape[0]; ++i) std::copy_n(levels.level.at(i), width, out.at(i, start));
}

// Bands (K, T, C) and the rest (T, C) of columns `first` to `last` of a signal (T, C).
WIDE static void split(Floats<2> signal, Index first, Index last, FloatsOut<3> bands, FloatsOut<2> rest) {
    const Index frames = signal.shape[0], together = most(least(TOGETHER, last - first), Index{1});
    Levels levels(frames, together);
    for (Index start = first; start < last; start += together) {
        const Index width = least(together, last - start);
        read_columns(signal, start, width, levels);
        for (Index k = 0; k < bands.shape[0]; ++k) {
            for (Index i = 0; i < frames; ++i) {
                smooth_frame(levels, i, Index{1} << k, width);
                const double *here = levels.level.at(i), *less = levels.smoother.at(i);
                double* band = bands.at(k, i, start);
                for (Index c = 0; c < width; ++c) band[c] = here[c] - less[c];
            }
            levels.swap();
        }
        write_columns(levels, start, width, rest);
    }
}

// A signal (T, C) plus `extra (K, C)` times each of its bands, in columns `first` to `last`.
WIDE static void mix(Floats<2> signal, Index first, Index last, Floats<2> extra, FloatsOut<2> mixture) {
    const Index frames = signal.shape[0], together = most(least(TOGETHER, last - first), Index{1});
    Levels levels(frames, together);
    for (Index start = first; start < last; start += together) {
        const Index width = least(together, last - start);
        read_columns(signal, start, width, levels);
        write_columns(levels, start, width, mixture);
        for (Index k = 0; k < extra.shape[0]; ++k) {
            const double* gain = extra.at(k, start);
            for (Index i = 0; i < frames; ++i) {
                smooth_frame(levels, i, Index{1} << k, width);
                const double *here = levels.level.at(i), *less = levels.smoother.at(i);
                double* out = mixture.at(i, start);
                for (Index c = 0; c < width; ++c) out[c] += gain[c] * (here[c] - less[c]);
            }
            levels.swap();
        }
    }
}

// Level G[count] (T, C) of columns `first` to `last` of a signal (T, C).
WIDE static void low_pass(Floats<2> signal, Index first, Index last, Index count, FloatsOut<2> out) {
    const Index frames = signal.shape[0], together = most(least(TOGETHER, last - first), Index{1});
    Levels levels(frames, together);
    for (Index start = first; start < last; start += together) {
        const Index width = least(together, last - start);
        read_columns(signal, start, width, levels);
        for (Index k = 0; k < count; ++k) {
            for (Index i = 0; i < frames; ++i) smooth_frame(levels, i, Index{1} << k, width);
            levels.swap();
        }
        write_columns(levels, start, width, out);
    }
}

KERNELS(bands) { return {kernel<split>("split"), kernel<mix>("mix"), kernel<low_pass>("low_pass")}; }

}  // namespace kinesphere
