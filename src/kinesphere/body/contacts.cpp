// Loops of foot contacts: when points are in contact, and at which anchors.
#include "maths/binding.hpp"
#include "maths/filters.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

namespace {

// Thresholds of the detector, in metres, seconds and frames.
struct ContactRule {
    double height, go_height;  // metres, to begin and to go on
    double speed, go_speed;    // metres a second, to begin and to go on
    double floor_rise;         // metres above the ground that the floor may be taken to be
    Index floor_window;        // frames to each side in which the lowest height is the floor
    double gap;                // seconds: shorter gaps are closed
    double gap_distance;       // metres that the point may move in them
    double shortest;           // seconds: shorter contacts are dropped
};

// Pairs of one foot's contacts that constrain each other, by their indices in a list.
struct ContactPairs {
    Ints<2> following;    // (F, 2) one closely after the other
    Floats<2> steps;      // (F, 3) from the one to the other
    Floats<1> stiffness;  // (F,) 1 if there is no time between them, 0 if there is just enough
    Ints<2> together;     // (G, 2) at one time
    Floats<1> distances;  // (G,) how far apart
};

}  // namespace

// When a point with heights above the floor and speeds (T,) begins and goes on to be in contact.
static void label_slow_and_low(Floats<1> above, Floats<1> speed, const ContactRule& rule, BoolsOut<1> label) {
    const Index frames = label.shape[0];
    Index first = -1;
    bool begun = false;
    for (Index t = 0; t <= frames; ++t) {
        if (t < frames && above(t) < rule.go_height && speed(t) < rule.go_speed) {
            first = first < 0 ? t : first;
            begun = begun || (above(t) < rule.height && speed(t) < rule.speed);
        } else if (first >= 0) {
            for (Index i = first; begun && i < t; ++i) label(i) = true;
            first = -1;
            begun = false;
        }
    }
}

// Label gaps between contacts of a point of (T, P, 3) that are short and in which it hardly moves.
static void close_gaps(Floats<3> paths, Index point, double rate, const ContactRule& rule, BoolsOut<1> label) {
    Index last = -1;  // the end of the contact before
    for (Index t = 0; t < label.shape[0]; ++t) {
        if (!label(t)) continue;
        if (0 <= last && last < t - 1 && (t - last) / rate < rule.gap + 1e-9) {
            const Vec3 left = read_vector(paths.at(last, point));
            double farthest = 0.0;
            for (Index i = last; i <= t; ++i) farthest = most(farthest, norm(read_vector(paths.at(i, point)) - left));
            for (Index i = last + 1; farthest < rule.gap_distance && i < t; ++i) label(i) = true;
        }
        last = t;
    }
}

// Drop short contacts. A contact of n frames lasts n frame times: so its length does not depend on the rate.
static void drop_short(double rate, double shortest, BoolsOut<1> label) {
    const Index frames = label.shape[0];
    Index first = -1;
    for (Index t = 0; t <= frames; ++t) {
        if (t < frames && label(t)) {
            first = first < 0 ? t : first;
        } else if (first >= 0) {
            for (Index i = first; (t - first) / rate < shortest - 1e-9 && i < t; ++i) label(i) = false;
            first = -1;
        }
    }
}

// When points are in contact (T, P): low-passed paths (T, P, 3), speeds (T, P), floors (P,).
static void label_contacts(Floats<3> paths, Floats<2> speeds, Floats<1> floors, double rate, const ContactRule& rule,
                           BoolsOut<2> labels) {
    const Index frames = labels.shape[0], points = labels.shape[1];
    Scratch<double, 1> above(frames), speed(frames), depth(frames), deepest(frames);
    Scratch<bool, 1> label(frames);
    for (Index i = 0; i < points; ++i) {
        for (Index t = 0; t < frames; ++t) {
            above(t) = paths(t, i, 1) - floors(i);
            depth(t) = -above(t);
            speed(t) = speeds(t, i);
            label(t) = false;
        }
        running_maximum(depth, rule.floor_window, deepest);
        for (Index t = 0; t < frames; ++t) above(t) -= least(-deepest(t), rule.floor_rise);
        label_slow_and_low(above, speed, rule, label);
        close_gaps(paths, i, rate, rule, label);
        drop_short(rate, rule.shortest, label);
        for (Index t = 0; t < frames; ++t) labels(t, i) = label(t);
    }
}

// Write point, first and last frame of every stretch of true labels (T, P), by point, to rows (N, 3) that have room for
// all there can be; how many there are is returned.
static Index find_runs(Bools<2> labels, IntsOut<2> rows) {
    const Index frames = labels.shape[0];
    Index count = 0;
    for (Index i = 0; i < labels.shape[1]; ++i) {
        Index first = -1;
        for (Index t = 0; t <= frames; ++t) {
            if (t < frames && labels(t, i)) {
                first = first < 0 ? t : first;
            } else if (first >= 0) {
                rows(count, 0) = i, rows(count, 1) = first, rows(count, 2) = t - 1;
                ++count;
                first = -1;
            }
        }
    }
    return count;
}

constexpr int MEDIAN_STEPS = 30;            // of Weiszfeld's
constexpr double MEDIAN_TOLERANCE = 1e-12;  // the last step is shorter than this share of the path's extent

// Geometric medians (N, 3) of paths (T, P, 3) during runs (N, 3): point, first and last frame. Weiszfeld's iteration
// (1937): the mean weighted by one over the distance from the last estimate. Distances have a loop of their own, which
// is vectorised; sums keep their order.
WIDE static void geometric_medians(Floats<3> paths, Ints<2> rows, FloatsOut<2> medians) {
    const Index frames = paths.shape[0];
    Scratch<double, 1> xs(frames), ys(frames), zs(frames), shares(frames);
    double *const x = xs.data, *const y = ys.data, *const z = zs.data, *const weights = shares.data;
    for (Index n = 0; n < rows.shape[0]; ++n) {
        const Index point = rows(n, 0), first = rows(n, 1), count = rows(n, 2) - first + 1;
        Vec3 median = {0.0, 0.0, 0.0};
        for (Index i = 0; i < count; ++i) {
            const Vec3 here = read_vector(paths.at(first + i, point));
            x[i] = here.x, y[i] = here.y, z[i] = here.z;
            median = median + here;
        }
        median = median / static_cast<double>(count);
        double extent = 0.0;
        for (Index i = 0; i < count; ++i) {
            extent = most(extent, square(x[i] - median.x) + square(y[i] - median.y) + square(z[i] - median.z));
        }
        extent = std::sqrt(extent);
        const double nearest = 1e-3 * extent + 1e-300;
        for (int step = 0; step < MEDIAN_STEPS; ++step) {
            const auto [u, v, w] = median;
            for (Index i = 0; i < count; ++i) {
                const double far = std::sqrt(square(x[i] - u) + square(y[i] - v) + square(z[i] - w));
                weights[i] = 1.0 / most(far, nearest);
            }
            double total = 0.0;
            Vec3 sum = {0.0, 0.0, 0.0};
            for (Index i = 0; i < count; ++i) {
                total += weights[i];
                sum = sum + weights[i] * Vec3{x[i], y[i], z[i]};
            }
            median = sum / total;
            const Vec3 moved = median - Vec3{u, v, w};
            if (std::abs(moved.x) + std::abs(moved.y) + std::abs(moved.z) < MEDIAN_TOLERANCE * extent) break;
        }
        write_vector(medians.at(n), median);
    }
}

constexpr int ANCHOR_ROUNDS = 60;  // rounds in which anchors are made to agree; most feet need under ten

// Move anchors (N, 3) until pairs agree, by projecting one pair after the other; long contacts move less.
static void settle_anchors(const ContactPairs& pairs, Floats<1> mobility, double tolerance, FloatsOut<2> anchors) {
    const auto push_apart = [&](Index i, Index j, double factor, Vec3 wanted) {
        const Vec3 push = factor / (mobility(i) + mobility(j)) * wanted;
        write_vector(anchors.at(i), read_vector(anchors.at(i)) - mobility(i) * push);
        write_vector(anchors.at(j), read_vector(anchors.at(j)) + mobility(j) * push);
    };
    Scratch<double, 1> before(anchors.size());
    for (int round = 0; round < ANCHOR_ROUNDS; ++round) {
        for (Index k = 0; k < anchors.size(); ++k) before(k) = anchors.data[k];
        for (Index n = 0; n < pairs.following.shape[0]; ++n) {
            const Index i = pairs.following(n, 0), j = pairs.following(n, 1);
            const Vec3 apart = read_vector(anchors.at(j)) - read_vector(anchors.at(i));
            push_apart(i, j, pairs.stiffness(n), read_vector(pairs.steps.at(n)) - apart);
        }
        for (Index n = 0; n < pairs.together.shape[0]; ++n) {
            const Index i = pairs.together(n, 0), j = pairs.together(n, 1);
            const Vec3 apart = read_vector(anchors.at(j)) - read_vector(anchors.at(i));
            push_apart(i, j, pairs.distances(n) / most(norm(apart), 1e-9) - 1.0, apart);
        }
        double farthest = 0.0;
        for (Index k = 0; k < anchors.size(); ++k) farthest = most(farthest, std::abs(anchors.data[k] - before(k)));
        if (farthest < tolerance) break;
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::ContactRule, &kinesphere::ContactRule::height, &kinesphere::ContactRule::go_height,
       &kinesphere::ContactRule::speed, &kinesphere::ContactRule::go_speed, &kinesphere::ContactRule::floor_rise,
       &kinesphere::ContactRule::floor_window, &kinesphere::ContactRule::gap, &kinesphere::ContactRule::gap_distance,
       &kinesphere::ContactRule::shortest);

FIELDS(kinesphere::ContactPairs, &kinesphere::ContactPairs::following, &kinesphere::ContactPairs::steps,
       &kinesphere::ContactPairs::stiffness, &kinesphere::ContactPairs::together, &kinesphere::ContactPairs::distances);

namespace kinesphere {

KERNELS(contacts) {
    return {
        kernel<label_contacts>("label_contacts"),
        kernel<find_runs>("find_runs"),
        kernel<geometric_medians>("geometric_medians"),
        kernel<settle_anchors>("settle_anchors"),
    };
}

}  // namespace kinesphere
