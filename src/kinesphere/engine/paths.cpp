// Stroke paths: fitting Kochanek–Bartels splines through keys, and sampling them by distance.
#include "maths/binding.hpp"

namespace kinesphere {

// Metres that a part of a segment is long at least: companions go on where the hand holds.
constexpr double LEAST = 1e-9;
constexpr double SAME = 1e-6;  // metres: keys nearer than this are one position

namespace {

// G cubic Hermite segments in S strokes: see StrokePaths in paths.py.
struct StrokePaths {
    Floats<2> first;        // (G, D + E) ends of each segment
    Floats<2> last;         // (G, D + E)
    FloatsOut<2> leaving;   // (G, D + E) tangents at these ends, per segment
    FloatsOut<2> arriving;  // (G, D + E)
    FloatsOut<1> reached;   // (G * parts + 1,) distance from the very first key, at every part of every segment
    FloatsOut<1> start;     // (S,) distance at which each stroke begins
    FloatsOut<1> length;    // (S,) length of each stroke
    FloatsOut<2> behind;    // (S, D + E) tangents at a stroke's start and end, per unit of distance
    FloatsOut<2> ahead;     // (S, D + E)
    Ints<1> final_segment;  // (S,) each stroke's last segment
};

// What the columns of a path are.
struct PathColumns {
    Index counted;  // columns that count for distance
    Ints<2> bows;   // (B, 2) stretches of columns that are bowed away from the origin
    Index along;    // companions from this column on go on past a stroke's ends; the others stay
};

// Height of a bow as a share of its chord: polynomial in the tension.
struct BowHeight {
    double constant, linear, quadratic;

    double at(double tension) const { return constant + linear * tension + quadratic * square(tension); }
};

// Weights of a cubic Hermite segment's ends and tangents, at its parameter from 0 to 1.
struct HermiteWeights {
    double first, last, leaving, arriving;

    explicit HermiteWeights(double u) {
        const double v = 1.0 - u;
        first = (1.0 + 2.0 * u) * v * v, last = u * u * (3.0 - 2.0 * u), leaving = u * v * v, arriving = -u * v * u;
    }
};

// Rows of one segment.
struct Segment {
    const double *first, *last, *leaving, *arriving;

    Segment(const StrokePaths& paths, Index g)
        : first(paths.first.at(g)),
          last(paths.last.at(g)),
          leaving(paths.leaving.at(g)),
          arriving(paths.arriving.at(g)) {}

    double at(const HermiteWeights& weights, Index column) const {
        return weights.first * first[column] + weights.last * last[column] +
               (weights.leaving * leaving[column] + weights.arriving * arriving[column]);
    }
};

}  // namespace

// Write (F, D + E) positions on paths at shares (F,) of strokes' lengths.
static void sample_paths(Ints<1> stroke, Floats<1> share, const StrokePaths& paths, Index parts, FloatsOut<2> out) {
    const double* reached = paths.reached.data;
    const Index end = paths.reached.shape[0] - 1;
    const double scale = static_cast<double>(parts);
    Index low = 0;
    for (Index i = 0; i < stroke.shape[0]; ++i) {
        const Index s = stroke(i);
        const double inside = clamp(share(i), 0.0, 1.0), length = paths.length(s);
        const double beyond = (share(i) - inside) * length, distance = paths.start(s) + inside * length;
        // The last part that begins no farther: mostly that of the frame before, or one near it.
        while (low + 1 < end && reached[low + 1] <= distance) ++low;
        while (low > 0 && reached[low] > distance) --low;
        double part = static_cast<double>(end);
        if (distance < reached[end]) {
            part = static_cast<double>(low) + most(distance - reached[low], 0.0) / (reached[low + 1] - reached[low]);
        }
        // A goal belongs to the stroke that ends there as well.
        const Index segment = least(static_cast<Index>(part / scale), paths.final_segment(s));
        const HermiteWeights weights(part / scale - static_cast<double>(segment));
        const Segment own(paths, segment);
        const double* tangent = beyond < 0.0 ? paths.behind.at(s) : paths.ahead.at(s);
        double* position = out.at(i);
        for (Index k = 0; k < out.shape[1]; ++k) position[k] = own.at(weights, k);
        if (beyond != 0.0) {
            for (Index k = 0; k < out.shape[1]; ++k) position[k] += beyond * tangent[k];
        }
    }
}

// A tangent (D + E,) per unit of distance; companions before column `along` stay.
static void write_end_tangent(const double* tangent, const PathColumns& layout, double length, Index columns,
                              double* out) {
    double pace = 0.0;
    for (Index k = 0; k < layout.counted; ++k) pace += square(tangent[k]);
    pace = std::sqrt(pace);
    for (Index k = 0; k < columns; ++k) {
        out[k] = 0.0;
        if (k >= layout.along)
            out[k] = tangent[k] / most(pace, length);
        else if (k < layout.counted)
            out[k] = tangent[k] / most(pace, 1e-12);
    }
}

// Add a bow of so much of its chord's length to some columns of a segment's tangents: four times its height, away from
// the origin.
static void add_bow(const StrokePaths& paths, Index g, Index low, Index high, double height) {
    const double *first = paths.first.at(g), *last = paths.last.at(g);
    double size = 0.0, along = 0.0;
    for (Index k = low; k < high; ++k) {
        size += square(last[k] - first[k]);
        along += 0.5 * (first[k] + last[k]) * (last[k] - first[k]);
    }
    size = std::sqrt(size);
    const double chord = most(size, SAME);
    along /= chord * chord;
    const auto outward = [&](Index k) { return 0.5 * (first[k] + last[k]) - along * (last[k] - first[k]); };
    double far = 0.0;
    for (Index k = low; k < high; ++k) far += square(outward(k));
    far = std::sqrt(far);
    const double share = far / std::hypot(far, 0.05 * chord);  // a chord through the origin has no side: the bow fades
    const double scale = 4.0 * height * size * share / most(far, SAME);
    for (Index k = low; k < high; ++k) {
        paths.leaving(g, k) += scale * outward(k);
        paths.arriving(g, k) -= scale * outward(k);
    }
}

// Write tangents, distances and end tangents of paths whose segments' ends are given. Hands rest at `stops (G + 1,)`;
// `tension (S,)` is each stroke's, and `tightest` the greatest at vias.
static void fit_paths(Bools<1> stops, Floats<1> tension, double tightest, const BowHeight& bow,
                      const PathColumns& layout, Index parts, const StrokePaths& paths) {
    const Index segments = paths.first.shape[0], columns = paths.first.shape[1];
    const auto step_of = [&](Index g, Index k) { return paths.last(g, k) - paths.first(g, k); };
    const Scratch<double, 1> span(segments), at(layout.counted);
    for (Index g = 0; g < segments; ++g) {
        double distance = 0.0;
        for (Index k = 0; k < layout.counted; ++k) distance += square(step_of(g, k));
        span(g) = std::sqrt(most(std::sqrt(distance), SAME));
    }
    Index stroke = -1, begun = 0;
    double* reached = paths.reached.data;
    reached[0] = 0.0;
    for (Index g = 0; g < segments; ++g, reached += parts) {
        const bool starts = stops(g), ends = stops(g + 1);
        if (starts) {
            ++stroke;
            begun = g;
            paths.start(stroke) = reached[0];
        }
        const double slack = 1.0 - least(tension(stroke), tightest);
        for (Index k = 0; k < columns; ++k) {
            const double step = step_of(g, k);
            double out = step, into = step;
            if (!starts) {
                const double ratio = span(g) / span(g - 1);
                out = slack * (ratio * step_of(g - 1, k) + step / ratio) / (span(g - 1) + span(g)) * span(g);
            }
            if (!ends) {
                const double ratio = span(g + 1) / span(g);
                into = slack * (ratio * step + step_of(g + 1, k) / ratio) / (span(g) + span(g + 1)) * span(g);
            }
            if (starts && !ends) out = 1.5 * step - 0.5 * into;
            if (ends && !starts) into = 1.5 * step - 0.5 * out;
            paths.leaving(g, k) = out, paths.arriving(g, k) = into;
        }
        if (starts && ends) {
            for (Index b = 0; b < layout.bows.shape[0]; ++b) {
                add_bow(paths, g, layout.bows(b, 0), layout.bows(b, 1), bow.at(tension(stroke)));
            }
        }
        const Segment own(paths, g);
        for (Index k = 0; k < layout.counted; ++k) at(k) = own.first[k];
        for (Index part = 0; part < parts; ++part) {
            const HermiteWeights weights(static_cast<double>(part + 1) / static_cast<double>(parts));
            double distance = 0.0;
            for (Index k = 0; k < layout.counted; ++k) {
                const double next = own.at(weights, k);
                distance += square(next - at(k));
                at(k) = next;
            }
            reached[part + 1] = reached[part] + most(std::sqrt(distance), LEAST);
        }
        if (ends) {
            const double length = reached[parts] - paths.start(stroke);
            paths.length(stroke) = length;
            write_end_tangent(paths.leaving.at(begun), layout, length, columns, paths.behind.at(stroke));
            write_end_tangent(paths.arriving.at(g), layout, length, columns, paths.ahead.at(stroke));
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::StrokePaths, &kinesphere::StrokePaths::first, &kinesphere::StrokePaths::last,
       &kinesphere::StrokePaths::leaving, &kinesphere::StrokePaths::arriving, &kinesphere::StrokePaths::reached,
       &kinesphere::StrokePaths::start, &kinesphere::StrokePaths::length, &kinesphere::StrokePaths::behind,
       &kinesphere::StrokePaths::ahead, &kinesphere::StrokePaths::final_segment);
FIELDS(kinesphere::PathColumns, &kinesphere::PathColumns::counted, &kinesphere::PathColumns::bows,
       &kinesphere::PathColumns::along);
FIELDS(kinesphere::BowHeight, &kinesphere::BowHeight::constant, &kinesphere::BowHeight::linear,
       &kinesphere::BowHeight::quadratic);

namespace kinesphere {

KERNELS(paths) { return {kernel<sample_paths>("sample_paths"), kernel<fit_paths>("fit_paths")}; }

}  // namespace kinesphere
