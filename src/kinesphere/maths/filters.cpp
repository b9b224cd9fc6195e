// Filters of frames that follow each other without a break: Gaussian, velocities, running maximum, Hann window.
#include "maths/filters.hpp"

#include <algorithm>

#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// Frames of (T, C) where (T,) is above zero, smoothed; beyond both ends its point reflection goes on. Frames in the
// middle that follow each other are summed together, over all their columns.
static void gaussian(Floats<2> values, Floats<1> weights, Floats<1> where, FloatsOut<2> out) {
    const Index frames = values.shape[0], columns = values.shape[1], width = weights.shape[0], reach = width / 2;
    Index t = 0;
    while (t < frames) {
        if (!(where(t) > 0.0)) {
            ++t;
            continue;
        }
        if (reach <= t && t < frames - reach) {
            Index stop = t + 1;
            while (stop < frames - reach && where(stop) > 0.0) ++stop;
            std::fill(out.at(t), out.at(stop), 0.0);
            add_weighted_sums(values.at(t - reach), columns, weights.data, width, (stop - t) * columns, out.at(t));
            t = stop;
            continue;
        }
        double* row = out.at(t);
        std::fill(row, row + columns, 0.0);
        for (Index k = 0; k < width; ++k) {
            const double weight = weights(k);
            const Index frame = t + k - reach;
            if (0 <= frame && frame < frames) {
                const double* here = values.at(frame);
                for (Index c = 0; c < columns; ++c) row[c] += weight * here[c];
            } else {
                const Index end = frame < 0 ? 0 : frames - 1;
                const double *edge = values.at(end), *mirrored = values.at(2 * end - frame);
                for (Index c = 0; c < columns; ++c) row[c] += weight * (2.0 * edge[c] - mirrored[c]);
            }
        }
        ++t;
    }
}

// Values (T, C) smoothed along time by weights, an odd number of them. Reflected ones reach no farther than the other
// end.
WIDE static void smooth(Floats<2> values, Floats<1> weights, Index ends, FloatsOut<2> out) {
    const Index frames = values.shape[0], columns = values.shape[1], width = weights.shape[0], reach = width / 2;
    Scratch<double, 2> extended(frames + 2 * reach, columns);
    for (Index t = -reach; t < frames + reach; ++t) {
        const Index end = t < 0 ? 0 : frames - 1;
        const bool inside = 0 <= t && t < frames, mirrors = ends == REFLECT || ends == POINT;
        const Index beyond = ends == WRAP ? modulo(t, frames - 1) : mirrors ? 2 * end - t : end;
        const double *row = values.at(inside && ends != WRAP ? t : beyond), *edge = values.at(end);
        double* made = extended.at(t + reach);
        if (ends == POINT && !inside) {
            for (Index c = 0; c < columns; ++c) made[c] = 2.0 * edge[c] - row[c];
        } else {
            std::copy(row, row + columns, made);
        }
    }
    std::fill(out.data, out.data + out.size(), 0.0);
    add_weighted_sums(extended.data, columns, weights.data, width, frames * columns, out.data);
}

void smooth_signal(Floats<1> values, Floats<1> weights, Ends ends, FloatsOut<1> out) {
    const Index frames = values.shape[0];
    smooth({values.data, {frames, 1}}, weights, ends, {out.data, {frames, 1}});
}

namespace {

// Differences over `half` frames on both sides of a frame, of those that there are, divided by the seconds between.
struct TimeSpan {
    Index start, end;               // frames from which on both ends are interpolated
    double start_share, end_share;  // to the next ones
    double seconds;

    TimeSpan(Index t, double half, double rate, Index frames) {
        const double from = most(t - half, 0.0), to = least(t + half, frames - 1.0);
        start = most(least(static_cast<Index>(from), frames - 2), 0);
        end = most(least(static_cast<Index>(to), frames - 2), 0);
        start_share = from - start;
        end_share = to - end;
        seconds = (to - from) / rate;
    }

    // The velocity of column c; there are at least two frames.
    double velocity(Floats<2> values, Index c) const {
        const double *a = values.at(start) + c, *b = values.at(end) + c;
        const Index next = values.shape[1];
        return (b[0] + end_share * (b[next] - b[0]) - (a[0] + start_share * (a[next] - a[0]))) / seconds;
    }
};

}  // namespace

// Velocities of (T, C) over `half` frames on both sides, in frames where (T,) is true; others stay.
static void velocity(Floats<2> values, double half, double rate, Bools<1> where, FloatsOut<2> out) {
    const Index frames = values.shape[0], columns = values.shape[1];
    for (Index t = 0; t < frames; ++t) {
        if (!where(t)) continue;
        const TimeSpan span(t, half, rate, frames);
        for (Index c = 0; c < columns; ++c) out(t, c) = frames > 1 ? span.velocity(values, c) : 0.0;
    }
}

// Speeds (T, P) of points (T, 3 P) over `half` frames on both sides.
static void speed(Floats<2> values, double half, double rate, FloatsOut<2> out) {
    const Index frames = values.shape[0], points = out.shape[1];
    for (Index t = 0; t < frames; ++t) {
        const TimeSpan span(t, half, rate, frames);
        for (Index i = 0; i < points; ++i) {
            Vec3 moved = {0.0, 0.0, 0.0};
            if (frames > 1) {
                moved = {span.velocity(values, 3 * i), span.velocity(values, 3 * i + 1),
                         span.velocity(values, 3 * i + 2)};
            }
            out(t, i) = norm(moved);
        }
    }
}

void running_maximum(Floats<1> values, Index span, FloatsOut<1> out) {
    const Index last = values.shape[0] - 1;
    Scratch<Index, 1> queue(last + 1);  // frames that may still be the greatest, values falling
    Index head = 0, tail = 0, taken = 0;
    for (Index t = 0; t <= last; ++t) {
        for (; taken <= least(t + span, last); ++taken) {
            while (tail > head && values(queue(tail - 1)) <= values(taken)) --tail;
            queue(tail++) = taken;
        }
        while (queue(head) < t - span) ++head;
        out(t) = values(queue(head));
    }
}

void widen(Floats<1> values, Index reach, Index fade, FloatsOut<1> out) {
    constexpr double pi = 3.14159265358979323846;
    const Index frames = values.shape[0], width = 2 * fade + 1;
    if (frames == 0) return;
    Scratch<double, 1> weights(width), greatest(frames), held(frames + 2 * fade);
    double total = 0.0;
    for (Index k = 0; k < width; ++k) {
        weights(k) = 0.5 - 0.5 * std::cos(pi * (k + 1) / (fade + 1));
        total += weights(k);
    }
    running_maximum(values, reach, greatest);
    for (Index i = 0; i < frames + 2 * fade; ++i) held(i) = greatest(most(least(i - fade, frames - 1), 0));
    std::fill(out.data, out.data + frames, 0.0);
    add_weighted_sums(held.data, 1, weights.data, width, frames, out.data);
    for (Index t = 0; t < frames; ++t) out(t) /= total;
}

// Lengths (T,) of second differences of (T, 3); 0 at both ends and next to frames not performed.
static void second_differences(Floats<2> values, Bools<1> performed, FloatsOut<1> out) {
    const Index frames = out.shape[0];
    for (Index t = 0; t < frames; ++t) {
        out(t) = 0.0;
        if (0 < t && t < frames - 1 && performed(t - 1) && performed(t) && performed(t + 1)) {
            const Vec3 here = read_vector(values.at(t));
            out(t) = norm(read_vector(values.at(t - 1)) - 2.0 * here + read_vector(values.at(t + 1)));
        }
    }
}

// Values (T, C) averaged over `radius` frames to either side, of those that there are; twice.
static void moving_mean(Floats<2> values, Index radius, FloatsOut<2> out) {
    const Index frames = values.shape[0], columns = values.shape[1];
    Scratch<double, 2> sums(frames + 1, columns);
    Floats<2> given = values;
    for (int round = 0; round < 2; ++round) {
        for (Index t = 0; t < frames; ++t)
            for (Index c = 0; c < columns; ++c) sums.at(t + 1)[c] = sums.at(t)[c] + given.at(t)[c];
        for (Index t = 0; t < frames; ++t) {
            const Index first = most(t - radius, Index{0}), end = least(t + radius + 1, frames);
            const double *low = sums.at(first), *high = sums.at(end), count = static_cast<double>(end - first);
            double* row = out.at(t);
            for (Index c = 0; c < columns; ++c) row[c] = (high[c] - low[c]) / count;
        }
        given = out;
    }
}

KERNELS(filters) {
    return {
        kernel<gaussian>("gaussian"),
        kernel<smooth>("smooth"),
        kernel<velocity>("velocity"),
        kernel<speed>("speed"),
        kernel<widen>("widen"),
        kernel<running_maximum>("running_maximum"),
        kernel<second_differences>("second_differences"),
        kernel<moving_mean>("moving_mean"),
    };
}

}  // namespace kinesphere
