// The searches of dynamic time warping: see dtw.py for costs, steps and windows.
//
// Of costs one row is kept, column j at j + 1, and infinity before the first column of the window. Sums over degrees of
// freedom run along a row of nodes, the second signal having its time last: so they fill vectors whatever their number
// is, without changing the order of any sum.
//
// A step is 0 where both signals go on (a match), 1 where only the first does, 2 where only the second does. Each node
// has one byte of directions: two bits for each step that may leave it say by which step the best path had come.
#include <limits>

#include "maths/array.hpp"
#include "maths/binding.hpp"

namespace kinesphere {

namespace {

using Directions = Array<std::uint8_t, 1>;

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// The nodes (i, low[i] … high[i]) of a grid, kept row after row: node (i, j) at starts[i] + j.
struct Window {
    Ints<1> low, high, starts;
    Index nodes;
};

struct Step {
    double cost;
    Index which;
};

// The least of three and which it is; of equals the first. Nothing branches: here the next step is hard to foresee.
inline Step least_of(double match, double first, double second) {
    const double either = least(match, first);
    const Index by_second = second < either, by_first = first < match;
    return {least(either, second), 2 * by_second | (by_first & ~by_second)};
}

constexpr Index BLOCK = 32;  // nodes of a row whose sums are made together

// Sums over degrees of freedom at nodes of a row.
struct ShapeSums {
    double stretch[BLOCK], same[BLOCK], twice[BLOCK], half[BLOCK];  // Σ |l − l'|, Σ |θ − θ'|, Σ |2θ − θ'|, Σ |θ/2 − θ'|
};

// Sums at so many nodes from column `first` on, of lengths and angles (D,) and (D, M).
WIDE ShapeSums shape_sums(const double* length, const double* angle, Floats<2> other_lengths, Floats<2> other_angles,
                          Index first, Index count) {
    ShapeSums sums = {};
    for (Index d = 0; d < other_lengths.shape[0]; ++d) {
        const double here = length[d], x = angle[d], x_twice = 2.0 * x, x_half = 0.5 * x;
        const double *there = other_lengths.at(d, first), *other = other_angles.at(d, first);
        for (Index j = 0; j < count; ++j) {
            const double y = other[j];
            sums.stretch[j] += std::abs(here - there[j]);
            sums.same[j] += std::abs(x - y);
            sums.twice[j] += std::abs(x_twice - y);
            sums.half[j] += std::abs(x_half - y);
        }
    }
    return sums;
}

}  // namespace

// The least work of lengths and angles (N, D) and (D, M), to the end of `costs (M + 1,)`, zero and then infinite to
// start with. The step by which its path comes to the last node is returned.
static Index warp_shape(Floats<2> lengths, Floats<2> angles, Floats<2> other_lengths, Floats<2> other_angles,
                        const Window& window, Directions directions, FloatsOut<1> costs) {
    const Index rows = lengths.shape[0], numbers = lengths.shape[1], columns = other_lengths.shape[1];
    Scratch<double, 1> other_length(columns), other_angle(columns);
    for (Index d = 0; d < numbers; ++d) {
        const double *there = other_lengths.at(d), *other = other_angles.at(d);
        for (Index j = 0; j < columns; ++j) {
            other_length(j) += there[j];
            other_angle(j) += std::abs(other[j]);
        }
    }
    const FloatsOut<1> leave_match = costs;
    Scratch<double, 1> leave_first(columns + 1);
    for (Index j = 0; j <= columns; ++j) leave_first(j) = INFINITE;
    Step end = {INFINITE, 0};
    for (Index i = 0; i < rows; ++i) {
        const Index first = window.low(i), past = window.high(i) + 1;
        double length = 0.0, angle = 0.0;
        for (Index d = 0; d < numbers; ++d) {
            length += lengths(i, d);
            angle += std::abs(angles(i, d));
        }
        double left = leave_match(first), leave_second = INFINITE;
        leave_match(first) = leave_first(first) = INFINITE;
        std::uint8_t* row = directions.data + window.starts(i);
        for (Index from = first; from < past; from += BLOCK) {
            const Index count = least(past - from, BLOCK);
            const ShapeSums sums = shape_sums(lengths.at(i), angles.at(i), other_lengths, other_angles, from, count);
            for (Index k = 0; k < count; ++k) {
                const Index j = from + k;
                const double same = sums.same[k], half_same = 0.5 * same;
                const double half_second = 0.5 * sums.twice[k], half_first = sums.half[k];
                const double match = left + sums.stretch[k];
                const double remove = leave_first(j + 1) + length;
                const double insert = leave_second + other_length(j);
                left = leave_match(j + 1);
                const Step a = least_of(match + same, remove + half_second, insert + half_first);
                const Step b = least_of(match + half_second, remove + angle, insert + half_same);
                const Step c = least_of(match + half_first, remove + half_same, insert + other_angle(j));
                leave_match(j + 1) = a.cost;
                leave_first(j + 1) = b.cost;
                leave_second = c.cost;
                row[j] = static_cast<std::uint8_t>(a.which | b.which << 2 | c.which << 4);
                if (j == past - 1) end = least_of(match, remove, insert);
            }
        }
    }
    costs(columns) = end.cost;
    return end.which;
}

// Distances of a frame (D,) from `count` others, whose numbers d are `columns` after those d - 1.
WIDE static void distances_to(const double* frame, const double* others, Index numbers, Index columns, Index count,
                              double* distances) {
    for (Index from = 0; from < count; from += BLOCK) {
        const Index some = least(count - from, BLOCK);
        double sums[BLOCK] = {};
        for (Index d = 0; d < numbers; ++d) {
            const double x = frame[d];
            const double* other = others + from + d * columns;
            for (Index j = 0; j < some; ++j) sums[j] += (x - other[j]) * (x - other[j]);
        }
        for (Index j = 0; j < some; ++j) distances[from + j] = std::sqrt(sums[j]);
    }
}

// One row of nodes from column `first` on, of which `distances` and `directions` are; the step to the last is returned.
static Index pose_row(const double* distances, Index width, double penalty, Index first, std::uint8_t* directions,
                      FloatsOut<1> costs) {
    double left = costs(first), before = INFINITE;
    costs(first) = INFINITE;
    double* row = costs.at(first + 1);
    Index state = 0;
    for (Index j = 0; j < width; ++j) {
        const double above = row[j];
        // Branches, unlike least_of's arithmetic, don't have to wait for the node before.
        double cost = left;
        state = 0;
        if (above + penalty < cost) cost = above + penalty, state = 1;
        if (before + penalty < cost) cost = before + penalty, state = 2;
        before = cost + distances[j];
        row[j] = before;
        left = above;
        directions[j] = static_cast<std::uint8_t>(state * 0b010101);
    }
    return state;
}

// The least sum of distances of (N, D) and (D, M), to the end of `costs (M + 1,)`, as above.
static Index warp_pose(Floats<2> frames, Floats<2> others, double penalty, const Window& window, Directions directions,
                       FloatsOut<1> costs) {
    const Index numbers = frames.shape[1], columns = others.shape[1];
    Scratch<double, 1> distances(columns);
    Index state = 0;
    for (Index i = 0; i < frames.shape[0]; ++i) {
        const Index first = window.low(i), width = window.high(i) - first + 1;
        distances_to(frames.at(i), others.at(0, first), numbers, columns, width, distances.data);
        state = pose_row(distances.data, width, penalty, first, directions.at(window.starts(i) + first), costs);
    }
    return state;
}

// The same over some rows of given distances (R, C), whose first column is `base`; `costs` are carried on.
static Index warp_distances(Floats<2> distances, Index base, double penalty, const Window& window,
                            Directions directions, FloatsOut<1> costs) {
    Index state = 0;
    for (Index i = 0; i < distances.shape[0]; ++i) {
        const Index first = window.low(i), width = window.high(i) - first + 1;
        state = pose_row(distances.at(i, first - base), width, penalty, first, directions.at(window.starts(i) + first),
                         costs);
    }
    return state;
}

// Write the path that comes to the last node by this step to the end of `path (N + M - 1, 2)`; where it begins there is
// returned.
static Index trace_warp(Array<const std::uint8_t, 1> directions, const Window& window, Index state, IntsOut<2> path) {
    Index i = window.low.shape[0] - 1, j = window.high(i), at = i + j;
    path(at, 0) = i, path(at, 1) = j;
    while (i > 0 || j > 0) {
        if (i == 0)
            state = 2;
        else if (j == 0)
            state = 1;
        if (state != 2) --i;
        if (state != 1) --j;
        state = (directions(window.starts(i) + j) >> (2 * state)) & 3;
        --at;
        path(at, 0) = i, path(at, 1) = j;
    }
    return at;
}

}  // namespace kinesphere

FIELDS(kinesphere::Window, &kinesphere::Window::low, &kinesphere::Window::high, &kinesphere::Window::starts,
       &kinesphere::Window::nodes);

namespace kinesphere {

KERNELS(dtw) {
    return {
        kernel<warp_shape>("warp_shape"),
        kernel<warp_pose>("warp_pose"),
        kernel<warp_distances>("warp_distances"),
        kernel<trace_warp>("trace_warp"),
    };
}

}  // namespace kinesphere
