// Denoising loops: see denoise.py for what they compute. They run over frames outside and over curves inside, so that
// several curves are worked at once.
#include <algorithm>
#include <vector>

#include "maths/array.hpp"
#include "maths/binding.hpp"
#include "maths/filters.hpp"

namespace kinesphere {

namespace {

constexpr int ITERATIONS = 4;
constexpr double MAX_VARIANCE = 1e9;  // the greatest q: nothing is smoothed
constexpr double CAUTION = 0.8;       // of the found q: a little stiffer than likeliest is nearer the truth
constexpr double MAX_SURGE = 30.0;    // times a curve's own mean, at most

// Thresholds and factors for curves in units of their noise, with time in frames.
struct DenoiseSettings {
    double start;           // q to start with
    double least;           // q of a curve at rest
    double axes;            // q for finding axes
    double slow;            // q for finding drifts
    double long_average;    // share that averages over a long window keep from frame to frame
    double short_average;   // the same, over a short window
    double drift;           // variance of slow movement from which on a curve moves
    double activity;        // mean square acceleration from which on it does
    double onset;           // the same over a long window
    double shared;          // variance from which on a curve may share an axis with others
    double movement_power;  // mean square acceleration over q^(5/4), of movement as supposed
    double noise_power;     // and of noise alone
    double max_change;      // the most that is taken out over a long window
};

}  // namespace

// Rotate the axes of some members, a row each, until a symmetric matrix is diagonal among them (Jacobi's method), in
// place.
static void diagonalise(FloatsOut<2> matrix, FloatsOut<2> axes, Ints<1> members) {
    const Index size = matrix.shape[0], count = members.shape[0];
    for (int round = 0; round < 30; ++round) {
        double beside = 0.0, total = 0.0;
        for (Index m = 0; m < count; ++m) {
            for (Index n = 0; n < count; ++n) {
                const double part = square(matrix(members(m), members(n)));
                total += part;
                beside += m != n ? part : 0.0;
            }
        }
        if (beside <= 1e-28 * total) return;
        for (Index m = 0; m < count; ++m) {
            for (Index n = m + 1; n < count; ++n) {
                const Index a = members(m), b = members(n);
                if (matrix(a, b) == 0.0) continue;
                const double slope = (matrix(b, b) - matrix(a, a)) / (2.0 * matrix(a, b));
                const double tangent = std::copysign(1.0, slope) / (std::abs(slope) + std::sqrt(slope * slope + 1.0));
                const double cosine = 1.0 / std::sqrt(tangent * tangent + 1.0), sine = tangent * cosine;
                const auto rotate = [&](double& x, double& y) {
                    const double was = x;
                    x = cosine * was - sine * y;
                    y = sine * was + cosine * y;
                };
                double *row = matrix.at(a), *other_row = matrix.at(b), *axis = axes.at(a), *other_axis = axes.at(b);
                for (Index c = 0; c < size; ++c) rotate(row[c], other_row[c]);
                for (Index c = 0; c < size; ++c) rotate(axis[c], other_axis[c]);
                for (Index c = 0; c < size; ++c) rotate(matrix(c, a), matrix(c, b));
            }
        }
    }
}

// Axes (C, C) along which a limb's smooth curves move, a row each: of each joint, then of the limb. A finger rotates
// about one axis of three, and all fingers together: along such axes all movement is in few curves, and noise is in
// all. Curves with a variance above `shared` may share an axis. The limb's are those from `first` on of smooth (T, D);
// `axes` are the identity.
static void movement_axes(Floats<2> smooth, Index first, double shared, FloatsOut<2> axes) {
    const Index frames = smooth.shape[0], size = axes.shape[0];
    Scratch<double, 2> covariance(size, size);
    Scratch<double, 1> means(size);
    double* const mean = means.data;
    for (Index t = 0; t < frames; ++t) {
        const double* here = smooth.at(t, first);
        for (Index c = 0; c < size; ++c) mean[c] += here[c] / frames;
    }
    constexpr Index few = 32;  // frames that stay in the cache
    Scratch<double, 2> centred(few, size), by_curve(size, few);
    for (Index from = 0; from < frames; from += few) {
        const Index count = least(few, frames - from);
        for (Index t = 0; t < count; ++t) {
            for (Index c = 0; c < size; ++c) centred(t, c) = by_curve(c, t) = smooth(from + t, first + c) - mean[c];
        }
        for (Index k = 0; k < size; ++k) {
            add_weighted_sums(centred.at(0, k), size, by_curve.at(k), count, size - k, covariance.at(k, k));
        }
    }
    for (Index k = 0; k < size; ++k) {
        for (Index c = k; c < size; ++c) covariance(c, k) = covariance(k, c) /= frames;
    }
    Scratch<Index, 1> members(size);
    for (Index joint = 0; joint < size / 3; ++joint) {
        for (Index m = 0; m < 3; ++m) members(m) = 3 * joint + m;
        diagonalise(covariance, axes, {members.data, {3}});
    }
    Index count = 0;
    for (Index c = 0; c < size; ++c) {
        if (covariance(c, c) > shared) members(count++) = c;
    }
    diagonalise(covariance, axes, {members.data, {count}});
}

// A limb's columns of a table (T, D), from `first` on, measured along its axes (C, C), or back from there. Without
// BLAS, whose threads wait for others on a busy machine.
static void project(Floats<2> table, Floats<2> axes, bool back, Index first, FloatsOut<2> made) {
    const Index size = axes.shape[0];
    Scratch<double, 2> weights(size, size);
    for (Index k = 0; k < size; ++k) {
        for (Index c = 0; c < size; ++c) weights(k, c) = back ? axes(k, c) : axes(c, k);
    }
    for (Index t = 0; t < table.shape[0]; ++t) {
        double* row = made.at(t, first);
        std::fill(row, row + size, 0.0);
        add_weighted_sums(weights.data, size, table.at(t, first), size, size, row);
    }
}

// Exponential averages of values (T, C) both ways, in place, over the weight of the frames there are. `forwards` is
// room for as many numbers, or more columns.
static void average(FloatsOut<2> values, double keep, FloatsOut<2> forwards) {
    const Index frames = values.shape[0], columns = values.shape[1];
    Scratch<double, 1> powers(frames + 1), sums(columns);
    powers(0) = 1.0;
    // What counts for nothing beside 1 is zero: numbers so small that processors are slow with them don't arise.
    for (Index t = 0; t < frames; ++t) powers(t + 1) = powers(t) > 1e-30 ? keep * powers(t) : 0.0;
    double* const past = sums.data;
    for (Index t = 0; t < frames; ++t) {
        const double* here = values.at(t);
        double* forward = forwards.at(t);
        for (Index c = 0; c < columns; ++c) forward[c] = past[c] = keep * past[c] + here[c];
    }
    std::fill(past, past + columns, 0.0);
    for (Index t = frames - 1; t >= 0; --t) {
        const double outside = powers(t + 1) + powers(frames - t);
        const double over = 1.0 / ((2.0 - outside) / (1.0 - keep) - 1.0);
        double* row = values.at(t);
        const double* forward = forwards.at(t);
        for (Index c = 0; c < columns; ++c) {
            const double here = row[c];
            past[c] = keep * past[c] + here;
            row[c] = (forward[c] + past[c] - here) * over;
        }
    }
}

// The smoothing spline of a table (T, C) for one stiffness 1/q, so that all curves share Cholesky's factors.
static void even_spline(Floats<2> table, double hard, FloatsOut<2> made) {
    const Index frames = table.shape[0], columns = table.shape[1], end = frames - 1;
    Scratch<double, 1> inverse(frames + 2), one(frames + 2), two(frames + 2);  // row t at t + 2
    double last = 0.0;
    for (Index t = 0; t < frames; ++t) {
        const double before = t >= 2 ? hard : 0.0, here = 1 <= t && t < end ? hard : 0.0;
        const double after = t < frames - 2 ? hard : 0.0;
        const double pivot = 1.0 + before + 4.0 * here + after - one(t + 1) * last - two(t) * before;
        last = -2.0 * (here + after) - last * two(t + 1);
        inverse(t + 2) = 1.0 / pivot;
        one(t + 2) = last / pivot;
        two(t + 2) = after / pivot;
    }
    for (Index c = 0; c < columns; ++c) {
        made(0, c) = table(0, c);
        made(1, c) = table(1, c) - one(2) * table(0, c);
    }
    for (Index t = 2; t < frames; ++t) {
        const double a = one(t + 1), b = two(t);
        const double *given = table.at(t), *back = made.at(t - 1), *further = made.at(t - 2);
        double* row = made.at(t);
        for (Index c = 0; c < columns; ++c) row[c] = given[c] - a * back[c] - b * further[c];
    }
    for (Index c = 0; c < columns; ++c) {
        made(end, c) *= inverse(end + 2);
        made(end - 1, c) = made(end - 1, c) * inverse(end + 1) - one(end + 1) * made(end, c);
    }
    for (Index t = frames - 3; t >= 0; --t) {
        const double scale = inverse(t + 2), a = one(t + 2), b = two(t + 2);
        const double *next = made.at(t + 1), *further = made.at(t + 2);
        double* row = made.at(t);
        for (Index c = 0; c < columns; ++c) row[c] = row[c] * scale - (a * next[c] + b * further[c]);
    }
}

// The smoothing spline of a table (T, C) for stiffnesses 1/q, (T + 2, C) with two zeros at both ends.
// `factors (3, T + 2, C)`, Cholesky's, have zeros in the first two rows.
static void spline(Floats<2> table, Floats<2> stiff, FloatsOut<3> factors, FloatsOut<2> made) {
    const Index frames = table.shape[0], columns = table.shape[1], end = frames - 1;
    const auto factor = [&](Index k) { return FloatsOut<2>{factors.at(k), {frames + 2, columns}}; };
    const FloatsOut<2> inverse = factor(0), one = factor(1), two = factor(2);  // row t at t + 2
    Scratch<double, 1> beside(columns);
    double* const last = beside.data;
    for (Index t = 0; t < frames; ++t) {
        const double *before = stiff.at(t), *here = stiff.at(t + 1), *after = stiff.at(t + 2);
        const double *one_back = one.at(t + 1), *two_back = two.at(t + 1), *two_further = two.at(t);
        double *inverse_here = inverse.at(t + 2), *one_here = one.at(t + 2), *two_here = two.at(t + 2);
        for (Index c = 0; c < columns; ++c) {
            const double pivot =
                1.0 + before[c] + 4.0 * here[c] + after[c] - one_back[c] * last[c] - two_further[c] * before[c];
            last[c] = -2.0 * (here[c] + after[c]) - last[c] * two_back[c];
            const double over = 1.0 / pivot;
            inverse_here[c] = over;
            one_here[c] = last[c] * over;
            two_here[c] = after[c] * over;
        }
    }
    for (Index c = 0; c < columns; ++c) {
        made(0, c) = table(0, c);
        made(1, c) = table(1, c) - one(2, c) * table(0, c);
    }
    for (Index t = 2; t < frames; ++t) {
        const double *given = table.at(t), *back = made.at(t - 1), *further = made.at(t - 2);
        const double *a = one.at(t + 1), *b = two.at(t);
        double* row = made.at(t);
        for (Index c = 0; c < columns; ++c) row[c] = given[c] - a[c] * back[c] - b[c] * further[c];
    }
    for (Index c = 0; c < columns; ++c) {
        made(end, c) *= inverse(end + 2, c);
        made(end - 1, c) = made(end - 1, c) * inverse(end + 1, c) - one(end + 1, c) * made(end, c);
    }
    for (Index t = frames - 3; t >= 0; --t) {
        const double *scale = inverse.at(t + 2), *a = one.at(t + 2), *b = two.at(t + 2);
        const double *next = made.at(t + 1), *further = made.at(t + 2);
        double* row = made.at(t);
        for (Index c = 0; c < columns; ++c) row[c] = row[c] * scale[c] - (a[c] * next[c] + b[c] * further[c]);
    }
}

// Smoothing splines of curves (T, C), their variances and they themselves found in alternation; `edges` are the limbs'
// ends.
static void adaptive_spline(Floats<2> table, Ints<1> edges, const DenoiseSettings& settings, FloatsOut<2> made) {
    const Index frames = table.shape[0], columns = table.shape[1], limbs = edges.shape[0] - 1;
    const double movement_power = settings.movement_power, noise_power = settings.noise_power;
    Scratch<double, 2> stiff(frames + 2, columns), energy(frames - 2, columns), together(frames - 2, limbs);
    Scratch<double, 3> factors(3, frames + 2, columns);
    Scratch<double, 2> forwards(frames - 2, most(columns, limbs));
    Scratch<double, 1> gains(columns);
    double* const surge = gains.data;
    std::fill(stiff.at(2), stiff.at(frames), 1.0 / settings.start);
    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
        spline(table, stiff, factors, made);
        for (Index t = 0; t < frames - 2; ++t) {
            const double *a = made.at(t), *b = made.at(t + 1), *c = made.at(t + 2), *hard = stiff.at(t + 2);
            double* found = energy.at(t);
            for (Index i = 0; i < columns; ++i) {
                const double bend = a[i] - 2.0 * b[i] + c[i];
                found[i] = bend * bend - noise_power / (hard[i] * std::sqrt(std::sqrt(hard[i])));
            }
            for (Index limb = 0; limb < limbs; ++limb) {
                double total = 0.0;
                for (Index i = edges(limb); i < edges(limb + 1); ++i) total += found[i];
                together(t, limb) = total;
            }
        }
        average(together, settings.short_average, forwards);
        average(energy, settings.long_average, forwards);
        for (Index t = 0; t < frames - 2; ++t) {
            const double* found = energy.at(t);
            for (Index limb = 0; limb < limbs; ++limb) {
                double total = 0.0;
                for (Index i = edges(limb); i < edges(limb + 1); ++i) total += most(found[i], 0.0);
                const double gain = least(most(together(t, limb), 0.0) / most(total, 1e-300), MAX_SURGE);
                std::fill(surge + edges(limb), surge + edges(limb + 1), gain / movement_power);
            }
            double* hard = stiff.at(t + 2);
            for (Index i = 0; i < columns; ++i) {
                const double moved = most(found[i], 0.0) * surge[i];
                const double q = CAUTION * std::sqrt(moved * std::sqrt(moved));
                hard[i] = 1.0 / least(most(q, settings.least), MAX_VARIANCE);
            }
        }
    }
    spline(table, stiff, factors, made);
}

// Means (C,) of a table (T, C).
static std::vector<double> column_means(Floats<2> table) {
    std::vector<double> means(static_cast<std::size_t>(table.shape[1]), 0.0);
    for (Index t = 0; t < table.shape[0]; ++t) {
        const double* row = table.at(t);
        for (std::size_t c = 0; c < means.size(); ++c) means[c] += row[c];
    }
    for (double& mean : means) mean /= table.shape[0];
    return means;
}

// The columns of curves (T, C) that show movement: slow, or fast, or for a moment.
static std::vector<Index> find_moving(Floats<2> table, const DenoiseSettings& settings) {
    const Index frames = table.shape[0], columns = table.shape[1];
    Scratch<double, 2> smooth(frames, columns), energy(frames - 2, columns);
    even_spline(table, 1.0 / settings.slow, smooth);
    const std::vector<double> middle = column_means(smooth);
    for (Index t = 0; t < frames; ++t) {
        double* row = smooth.at(t);
        for (Index c = 0; c < columns; ++c) row[c] = square(row[c] - middle[c]);
    }
    const std::vector<double> variance = column_means(smooth);
    even_spline(table, 1.0 / settings.start, smooth);
    for (Index t = 0; t < frames - 2; ++t) {
        const double *a = smooth.at(t), *b = smooth.at(t + 1), *c = smooth.at(t + 2);
        double* row = energy.at(t);
        for (Index i = 0; i < columns; ++i) row[i] = square(-2.0 * b[i] + a[i] + c[i]);
    }
    const std::vector<double> total = column_means(energy);
    average(energy, settings.long_average, smooth);
    std::vector<Index> moving;
    for (Index c = 0; c < columns; ++c) {
        double greatest = energy(0, c);
        for (Index t = 1; t < frames - 2; ++t) greatest = most(greatest, energy(t, c));
        const bool rests = variance[c] < settings.drift && total[c] < settings.activity && greatest < settings.onset;
        if (!rests) moving.push_back(c);
    }
    return moving;
}

// Curves (T, C) along the axes of their movement, without noise.
static void denoise_axes(Floats<2> table, Ints<1> edges, const DenoiseSettings& settings, FloatsOut<2> made) {
    const Index frames = table.shape[0];
    const std::vector<Index> moving = find_moving(table, settings);
    const Index count = static_cast<Index>(moving.size());
    if (count < table.shape[1]) even_spline(table, 1.0 / settings.least, made);
    if (count == 0) return;
    Scratch<double, 2> some(frames, count), smooth(frames, count);
    Scratch<Index, 1> ends(edges.shape[0]);
    for (Index t = 0; t < frames; ++t) {
        for (Index i = 0; i < count; ++i) some(t, i) = table(t, moving[i]);
    }
    for (Index limb = 0; limb < edges.shape[0]; ++limb) {
        ends(limb) = std::lower_bound(moving.begin(), moving.end(), edges(limb)) - moving.begin();
    }
    adaptive_spline(some, ends, settings, smooth);
    for (Index t = 0; t < frames; ++t) {
        for (Index i = 0; i < count; ++i) made(t, moving[i]) = smooth(t, i);
    }
}

// Take noise out of some columns of `made (T, D)`, a table as it was: limbs that end at `edges`, counted in `columns`.
// `units (C,)` is each one's noise, of which the share `amount` is taken out.
static void denoise_limbs(Floats<2> table, Ints<1> columns, Ints<1> edges, Floats<1> units, double amount,
                          const DenoiseSettings& settings, FloatsOut<2> made) {
    const Index frames = table.shape[0], count = columns.shape[0], limbs = edges.shape[0] - 1;
    Scratch<double, 2> curves(frames, count), along(frames, count), smooth(frames, count);
    for (Index t = 0; t < frames; ++t) {
        for (Index c = 0; c < count; ++c) curves(t, c) = table(t, columns(c)) / units(c);
    }
    std::vector<double> means(static_cast<std::size_t>(count), 0.0);
    for (Index t = 0; t < frames; ++t) {
        for (Index c = 0; c < count; ++c) means[c] += curves(t, c) / frames;
    }
    for (Index t = 0; t < frames; ++t) {
        for (Index c = 0; c < count; ++c) curves(t, c) -= means[c];
    }
    even_spline(curves, 1.0 / settings.axes, smooth);
    std::vector<std::vector<double>> axes;
    const auto axes_of = [&](Index limb) {
        const Index size = edges(limb + 1) - edges(limb);
        return FloatsOut<2>{axes[limb].data(), {size, size}};
    };
    for (Index limb = 0; limb < limbs; ++limb) {
        const Index size = edges(limb + 1) - edges(limb);
        axes.emplace_back(static_cast<std::size_t>(size * size), 0.0);
        for (Index c = 0; c < size; ++c) axes_of(limb)(c, c) = 1.0;
        movement_axes(smooth, edges(limb), settings.shared, axes_of(limb));
        project(curves, axes_of(limb), false, edges(limb), along);
    }
    Scratch<double, 2> moved(frames, count);
    denoise_axes(along, edges, settings, moved);
    for (Index limb = 0; limb < limbs; ++limb) project(moved, axes_of(limb), true, edges(limb), smooth);
    for (Index i = 0; i < curves.size(); ++i) {
        smooth.data[i] -= curves.data[i];
        along.data[i] = square(smooth.data[i]);
    }
    average(along, settings.long_average, moved);
    for (Index t = 0; t < frames; ++t) {
        for (Index c = 0; c < count; ++c) {
            const double limited = settings.max_change / most(std::sqrt(along(t, c)), settings.max_change);
            made(t, columns(c)) += amount * units(c) * (smooth(t, c) * limited);
        }
    }
}

}  // namespace kinesphere

#define MEMBER(NAME) &kinesphere::DenoiseSettings::NAME
FIELDS(kinesphere::DenoiseSettings, MEMBER(start), MEMBER(least), MEMBER(axes), MEMBER(slow), MEMBER(long_average),
       MEMBER(short_average), MEMBER(drift), MEMBER(activity), MEMBER(onset), MEMBER(shared), MEMBER(movement_power),
       MEMBER(noise_power), MEMBER(max_change));
#undef MEMBER

namespace kinesphere {

KERNELS(denoise) {
    return {
        kernel<denoise_limbs>("denoise_limbs"), kernel<movement_axes>("movement_axes"),
        kernel<diagonalise>("diagonalise"),     kernel<average>("average"),
        kernel<even_spline>("even_spline"),     kernel<spline>("spline"),
    };
}

}  // namespace kinesphere
