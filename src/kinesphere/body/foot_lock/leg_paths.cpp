// Loops of leg paths: the first guess, how rough the input is, the equations of hips and knees, and swivels.
#include "body/foot_lock/leg_paths.hpp"

#include <algorithm>

#include "maths/rotations.hpp"

namespace kinesphere {

constexpr int UNKNOWNS = 5;  // a frame: hips up, left hip up and right one down, hips to the left, both knees
constexpr int WIDTH = 15;    // they are tied to themselves and to those of the next two frames
constexpr int ROUNDS = 4;    // of linearising

// What counts as one unit in the sum of squares: lengths in leg lengths, knees in radians, time in seconds.
constexpr double ANKLE_ERROR_ACCELERATION = 10.0;
constexpr double CORRECTIONS[UNKNOWNS] = {0.03, 0.004, 0.004, 0.3, 0.3};
// Accelerations of the unknowns; the sixth is the hips' own sideways motion, below the trunk.
constexpr double ACCELERATIONS[6] = {1.0, 0.5, 0.5, 15.0, 15.0, 0.5};
constexpr double OWN_SHARE = 0.5;            // share of the hips' own acceleration, added to these
constexpr double JOLT = 40.0;                // acceleration beyond which trunk and head together jolt
constexpr double SNAP = 120.0;               // acceleration beyond which a knee snaps
constexpr double SNAP_SHARE = 0.1;           // share of the snap that is added to a knee's acceleration
constexpr double STRAIGHTEST = 0.07;         // flexion below which no knee is made straighter
constexpr double TOO_STRAIGHT = 0.01;        // by how much it may be
constexpr double STRAIGHT_TOLERANCE = 1e-6;  // radians straighter that don't count: rounding must not decide
constexpr double MIN_FLEXION = 0.05;         // a straighter knee is taken to shorten its leg as if bent so much
constexpr double MAX_HIP_RISE = 0.08;        // leg lengths that the hips may move

// Swivels: one unit of a knee's sideways step (leg lengths), of the angle (radians), and of the knee's acceleration.
constexpr double SWIVEL_STEP = 0.02, SWIVEL_ANGLE = 0.3, SWIVEL_ACCELERATION = 1.0;
constexpr double SWIVEL_OWN_SHARE = 0.1;  // share of the knee's own acceleration, added to that
// Radians a second squared of a straight leg, whose thigh would rotate with any swivel.
constexpr double SWIVEL_ANGLE_ACCELERATION = 20.0;
// Leg lengths that a knee is off the line from hip to ankle, up to which the leg is straight.
constexpr double SWIVEL_STRAIGHT = 0.03;
// Acceleration, as SWIVEL_ACCELERATION, of a knee that jumps by itself; then its leg may swivel too.
constexpr double SWIVEL_ROUGH = 3.0;

// Weights of the squares that don't change from round to round.
struct Residuals {
    Floats<1> weight;        // (T,) how far hips and knees may move
    Floats<2> ankle;         // (T, 2) of ankle errors
    FloatsOut<2> stiffness;  // (T, 6) of the corrections' second differences
    FloatsOut<2> target;     // (T, 6) second differences that the corrections should have
};

// Symmetric banded equations; `bands(i, k)` ties unknown i to i + k. Rows beyond the last are there, and zero.
struct Equations {
    FloatsOut<2> bands;  // (N + 15, 15)
    FloatsOut<1> right;  // (N + 15,)
};

// Ankle errors as linear functions of the unknowns, from the first frame of a stretch on.
struct Linearisation {
    FloatsOut<3> rows;  // (S, 2, 5) derivatives; by the other leg's knee they are zero
    FloatsOut<2> goal;  // (S, 2) values for which the errors are zero
};

// The second difference of vectors (T, 3) at one of them that has neighbours.
static Vec3 second_difference(const double* v) {
    return read_vector(v - 3) - 2.0 * read_vector(v) + read_vector(v + 3);
}

// Whether a frame and both its neighbours were performed.
static bool has_neighbours(Bools<1> performed, Index t) {
    return 0 < t && t < performed.shape[0] - 1 && performed(t - 1) && performed(t) && performed(t + 1);
}

// The smaller of two numbers where they have one sign, else 0.
static double common_part(double a, double b) {
    if (a * b <= 0.0) return 0.0;
    const double size = least(std::abs(a), std::abs(b));
    return a > 0.0 ? size : -size;
}

// The distance from hip to ankle at a flexion: the law of cosines in half angles.
static double leg_reach(double flexion, double upper, double lower) {
    const double c = (upper + lower) * std::cos(0.5 * flexion), s = (upper - lower) * std::sin(0.5 * flexion);
    return std::sqrt(c * c + s * s);
}

// The first guess

// Write to `need (T,)`, zeros, how far hips must be lowered for legs in contact (2, T) to reach their ankles.
static void lower_hips(const LegModel& model, Bools<2> in_contact, FloatsOut<1> need) {
    for (Index t = 0; t < need.shape[0]; ++t) {
        for (int i = 0; i < 2; ++i) {
            if (!in_contact(i, t)) continue;
            const double bend = clamp(model.flexion(i, t), 0.0, STRAIGHTEST);
            const double longest = leg_reach(bend, model.upper(i, t), model.lower(i, t));
            const double lacking = norm(read_vector(model.hip_to_ankle.at(i, t))) - longest;
            need(t) = most(need(t), clamp(lacking, 0.0, MAX_HIP_RISE));
        }
    }
}

// How much more knees must be bent (T, 2) with hips lower by (T,).
static void bend_knees(const LegModel& model, Floats<1> low, FloatsOut<2> change) {
    for (Index t = 0; t < low.shape[0]; ++t) {
        for (int i = 0; i < 2; ++i) {
            const double a = model.upper(i, t), b = model.lower(i, t), before = model.flexion(i, t);
            Vec3 leg = read_vector(model.hip_to_ankle.at(i, t));
            leg.y += low(t);
            const double cosine = (dot(leg, leg) - a * a - b * b) / (2.0 * a * b);
            double flexion = std::acos(clamp(cosine, -1.0, 1.0));
            if (before < -MIN_FLEXION) flexion = -flexion;
            change(t, i) = clamp(flexion - before, -CORRECTIONS[3], CORRECTIONS[3]);
        }
    }
}

// How rough the input is

// The angular acceleration of a flexion beyond SNAP, as far as the knee jolts with it. `square` is the rate's square.
static double knee_snap(const LegModel& model, int i, Index t, double square) {
    const double* flexion = model.flexion.at(i, t);
    const double bend = square * (flexion[-1] - 2.0 * flexion[0] + flexion[1]);
    const double excess = bend - clamp(bend, -SNAP, SNAP);
    if (excess == 0.0) return 0.0;
    const double a = model.upper(i, t), b = model.lower(i, t), angle = *flexion;
    const double length = leg_reach(angle, a, b);
    // leg lengths that a knee comes forward a radian
    double advance = a * b * (std::cos(angle) + a * b * kinesphere::square(std::sin(angle) / length)) / length;
    advance = square / most(advance, 0.05);
    const Vec3 forward = read_vector(model.forward.at(i, t));
    const double own = dot(second_difference(model.knee.at(i, t)), forward) * advance;
    const double foot = dot(second_difference(model.shift.at(i, t)), forward) * advance * (a / (a + b));
    return common_part(excess, model.rigid(i) ? own + foot : common_part(own + foot, foot));
}

// Weights of the corrections' second differences, and values, zeros before, that these should have.
static void measure_stiffness(const LegModel& model, Bools<1> performed, double rate, const Residuals& residuals) {
    const auto& [weight, ankle, rough, target] = residuals;
    const Index frames = weight.shape[0];
    const double square = rate * rate;
    Scratch<double, 2> own(frames, 4);
    for (Index t = 0; t < frames; ++t) {
        for (int k = 0; k < 6; ++k) rough(t, k) = ACCELERATIONS[k];
        if (!has_neighbours(performed, t)) continue;
        const Vec3 aside = read_vector(model.left.at(t)), head = second_difference(model.head.at(t));
        const double left = square * second_difference(model.hip.at(0, t)).y;
        const double right = square * second_difference(model.hip.at(1, t)).y;
        const double rise = common_part(0.5 * (left + right), square * head.y);
        const double sway =
            common_part(square * dot(second_difference(model.trunk.at(t)), aside), square * dot(head, aside));
        own(t, 0) = std::abs(rise), own(t, 1) = std::abs(0.5 * (left - right)), own(t, 2) = std::abs(sway);
        own(t, 3) = std::abs(square * dot(second_difference(model.hips.at(t)), aside));
        if (weight(t) <= 0.0) continue;
        target(t, 0) = weight(t) * (clamp(rise, -JOLT, JOLT) - rise) / square;
        target(t, 2) = weight(t) * (clamp(sway, -JOLT, JOLT) - sway) / square;
        for (int i = 0; i < 2; ++i) {
            const double snap = weight(t) * knee_snap(model, i, t, square);
            target(t, 3 + i) = -snap / square;
            rough(t, 3 + i) += SNAP_SHARE * std::abs(snap);
        }
    }
    for (Index t = 0; t < frames; ++t) {
        const Index before = most(t - 1, Index(0)), after = least(t + 1, frames - 1);
        for (int k = 0; k < 4; ++k) {
            rough(t, k < 3 ? k : 5) += OWN_SHARE * most(own(t, k), most(own(before, k), own(after, k)));
        }
        for (int k = 0; k < 6; ++k) rough(t, k) = kinesphere::square(square / rough(t, k));
    }
}

// The equations

// Ankle errors around unknowns (T, 5).
static void linearise_ankles(const LegModel& model, Index first, Index last, Floats<2> x, const Linearisation& linear) {
    for (Index t = first; t <= last; ++t) {
        const double* now = x.at(t);
        const Vec3 axis = read_vector(model.roll_vector.at(t)), left = read_vector(model.left.at(t));
        const Vec3 trunk = read_vector(model.trunk.at(t));
        const Quat roll = exponential_quaternion(now[1] * axis);
        for (int i = 0; i < 2; ++i) {
            const Vec3 before = read_vector(model.hip.at(i, t)) - trunk, arm = rotate(roll, before);
            Vec3 moved = arm - before;
            moved.y += now[0];
            const Vec3 leg = read_vector(model.hip_to_ankle.at(i, t)) - (moved + now[2] * left);
            const double far = most(norm(leg), 1e-9);
            const double upper = model.upper(i, t), lower = model.lower(i, t),
                         flexion = model.flexion(i, t) + now[3 + i];
            const double cosine = std::cos(0.5 * flexion), sine = std::sin(0.5 * flexion);
            const double length = std::sqrt(square((upper + lower) * cosine) + square((upper - lower) * sine));
            // straighter knees count as bent a little
            const double bent = std::abs(flexion) > MIN_FLEXION ? 2.0 * sine * cosine : std::sin(MIN_FLEXION);
            double* row = linear.rows.at(t - first, i);
            row[0] = leg.y / far;
            row[1] = dot(leg, cross(axis, arm)) / far;  // by how the hip moves as the hips roll more
            row[2] = dot(leg, left) / far;
            row[3 + i] = -upper * lower * bent / length;
            row[4 - i] = 0.0;
            linear.goal(t - first, i) =
                far - length + row[0] * now[0] + row[1] * now[1] + row[2] * now[2] + row[3 + i] * now[3 + i];
        }
    }
}

// Add squares of ankle errors, with weights (T, 2), and of their second differences, all with one weight.
static void add_ankles(Index first, Index last, Floats<2> weights, const Linearisation& linear, double stiffness,
                       const Equations& equations) {
    const auto& [rows, goal] = linear;
    const Index count = last - first + 1;
    for (Index t = 0; t < count; ++t) {
        // How often this frame and the next two are the first, middle or last of a second difference, by its factors.
        const bool starts = t + 2 < count, middle = 0 < t && t + 1 < count, ends = t >= 2;
        const double here = (starts ? 1.0 : 0.0) + (middle ? 4.0 : 0.0) + (ends ? 1.0 : 0.0);
        const double one = (starts ? -2.0 : 0.0) + (middle ? -2.0 : 0.0);
        double target[2], own[2][UNKNOWNS];
        for (int i = 0; i < 2; ++i) {
            target[i] = weights(first + t, i) * goal(t, i);
            if (starts) target[i] += stiffness * (goal(t, i) - 2.0 * goal(t + 1, i) + goal(t + 2, i));
            if (middle) target[i] -= 2.0 * stiffness * (goal(t - 1, i) - 2.0 * goal(t, i) + goal(t + 1, i));
            if (ends) target[i] += stiffness * (goal(t - 2, i) - 2.0 * goal(t - 1, i) + goal(t, i));
            std::copy_n(rows.at(t, i), UNKNOWNS, own[i]);
        }
        for (int p = 0; p < UNKNOWNS; ++p) {
            equations.right(UNKNOWNS * t + p) += target[0] * own[0][p] + target[1] * own[1][p];
        }
        for (int later = 0; later < 3 && t + later < count; ++later) {
            const double factor = later == 1 ? stiffness * one : stiffness;
            const double left = later == 0 ? weights(first + t, 0) + stiffness * here : factor;
            const double right = later == 0 ? weights(first + t, 1) + stiffness * here : factor;
            double other[2][UNKNOWNS];
            for (int q = 0; q < UNKNOWNS; ++q) {
                other[0][q] = left * rows(t + later, 0, q);
                other[1][q] = right * rows(t + later, 1, q);
            }
            for (int p = 0; p < UNKNOWNS; ++p) {
                double* band = equations.bands.at(UNKNOWNS * t + p) + UNKNOWNS * later - p;
                for (int q = later == 0 ? p : 0; q < UNKNOWNS; ++q) {
                    band[q] += own[0][p] * other[0][q] + own[1][p] * other[1][q];
                }
            }
        }
    }
}

// Add squares of how far knees are too straight, where they are, at unknowns (T, 5).
static void add_straight_knees(Floats<2> flexions, Index first, Index last, Floats<2> x, const Equations& equations) {
    constexpr double weight = 1.0 / (TOO_STRAIGHT * TOO_STRAIGHT);
    for (Index t = first; t <= last; ++t) {
        for (int i = 0; i < 2; ++i) {
            const double flexion = flexions(i, t), floor = least(flexion, STRAIGHTEST);
            if (flexion + x(t, 3 + i) < floor - STRAIGHT_TOLERANCE) {
                const Index row = UNKNOWNS * (t - first) + 3 + i;
                equations.bands(row, 0) += weight;
                equations.right(row) += weight * (floor - flexion);
            }
        }
    }
}

// Add squares of corrections of hips and knees, and of their second differences.
//
// The sixth second difference is the sideways motion of the hips' joint: sway, and as far as roll takes it along.
static void add_corrections(const LegModel& model, Index first, Index last, const Residuals& residuals,
                            const Equations& equations) {
    const auto& [bands, right] = equations;
    Scratch<double, 1> by_roll(last - first + 1);  // how far it goes to the left if the hips roll by one
    for (Index t = first; t <= last; ++t) {
        const Vec3 arm = read_vector(model.hips.at(t)) - read_vector(model.trunk.at(t));
        by_roll(t - first) = dot(cross(read_vector(model.roll_vector.at(t)), arm), read_vector(model.left.at(t)));
        for (int k = 0; k < UNKNOWNS; ++k) {
            const double size = CORRECTIONS[k] * most(residuals.weight(t), 1e-3);
            bands(UNKNOWNS * (t - first) + k, 0) += 1.0 / (size * size);
        }
    }
    constexpr double signs[3] = {1.0, -2.0, 1.0};
    for (Index t = first + 1; t < last; ++t) {
        const Index start = t - first - 1;  // of the three frames
        const double *stiffness = residuals.stiffness.at(t), *target = residuals.target.at(t);
        for (int k = 0; k < UNKNOWNS; ++k) {
            for (int i = 0; i < 3; ++i) {
                const double part = stiffness[k] * signs[i];
                right(UNKNOWNS * (start + i) + k) += part * target[k];
                for (int j = i; j < 3; ++j) bands(UNKNOWNS * (start + i) + k, UNKNOWNS * (j - i)) += part * signs[j];
            }
        }
        // Roll and sway in three frames, and what they count.
        constexpr int place[6] = {1, 2, 6, 7, 11, 12};
        double factor[6];
        for (int i = 0; i < 3; ++i) factor[2 * i] = signs[i] * by_roll(start + i), factor[2 * i + 1] = signs[i];
        for (int i = 0; i < 6; ++i) {
            const double part = stiffness[5] * factor[i];
            const Index row = UNKNOWNS * start + place[i];
            right(row) += part * target[5];
            for (int j = i; j < 6; ++j) bands(row, place[j] - place[i]) += part * factor[j];
        }
    }
}

// Solve symmetric positive definite banded equations in place, by elimination of a block of five rows at a time.
//
// The row p of a block is tied to the rest of its block and to the next two blocks: `bands(5 t + p, 0 … 14 - p)`.
// LAPACK (scipy.linalg.solveh_banded) takes twice the time for so narrow a band.
static void solve_bands(const Equations& equations, Index blocks) {
    double head[5][5], tail[5][10], scaled[5][10], inverse[5];  // a block's rows, within it and beyond; pivots
    double later[10][10] = {};                                  // what they take off the next two blocks
    for (Index t = 0; t < blocks; ++t) {
        double *bands = equations.bands.at(5 * t), *right = equations.right.at(5 * t);
        for (int p = 0; p < 5; ++p) {
            const double* row = bands + (WIDTH - 1) * p;
            for (int k = p; k < 5; ++k) head[p][k] = row[k] - later[p][k];
            for (int k = 0; k < 5; ++k) tail[p][k] = row[k + 5] - later[p][k + 5];
            for (int k = 5; k < 10; ++k) tail[p][k] = row[k + 5];
        }
        for (int p = 0; p < 5; ++p) {
            inverse[p] = 1.0 / head[p][p];
            for (int j = p + 1; j < 5; ++j) {
                const double f = head[p][j] * inverse[p];
                right[j] -= f * right[p];
                for (int k = j; k < 5; ++k) head[j][k] -= f * head[p][k];
                for (int k = 0; k < 10; ++k) tail[j][k] -= f * tail[p][k];
            }
            for (int k = 0; k < 10; ++k) scaled[p][k] = tail[p][k] * inverse[p];
        }
        for (int k = 0; k < 10; ++k) {
            right[k + 5] -= scaled[0][k] * right[0] + scaled[1][k] * right[1] + scaled[2][k] * right[2] +
                            scaled[3][k] * right[3] + scaled[4][k] * right[4];
        }
        const auto taken = [&](int j, int k) {
            return scaled[0][j] * tail[0][k] + scaled[1][j] * tail[1][k] + scaled[2][j] * tail[2][k] +
                   scaled[3][j] * tail[3][k] + scaled[4][j] * tail[4][k];
        };
        for (int j = 0; j < 5; ++j) {
            for (int k = 0; k < 5; ++k) later[j][k] = later[j + 5][k + 5] + taken(j, k);
            for (int k = 5; k < 10; ++k) later[j][k] = taken(j, k);
        }
        for (int j = 5; j < 10; ++j) {
            for (int k = 5; k < 10; ++k) later[j][k] = taken(j, k);
        }
        for (int p = 0; p < 5; ++p) {
            double* row = bands + (WIDTH - 1) * p;
            row[p] = inverse[p];
            for (int k = p + 1; k < 5; ++k) row[k] = head[p][k];
            for (int k = 0; k < 10; ++k) row[k + 5] = tail[p][k];
        }
    }
    for (Index r = 5 * blocks - 1; r >= 0; --r) {
        const double* band = equations.bands.at(r);
        double* right = equations.right.at(r);
        double value = right[0];
        for (Index k = least(Index(WIDTH), 5 * blocks - r) - 1; k > 0; --k) value -= band[k] * right[k];
        right[0] = value * band[0];
    }
}

// Write the equations of one stretch around unknowns (T, 5).
static void form_equations(const LegModel& model, Index first, Index last, const Residuals& residuals, double rate,
                           Floats<2> x, const Equations& equations) {
    Scratch<double, 3> rows(last - first + 1, 2, UNKNOWNS);
    Scratch<double, 2> goal(last - first + 1, 2);
    const Linearisation linear = {rows, goal};
    std::fill_n(equations.bands.data, equations.bands.size(), 0.0);
    std::fill_n(equations.right.data, equations.right.size(), 0.0);
    add_corrections(model, first, last, residuals, equations);
    linearise_ankles(model, first, last, x, linear);
    add_ankles(first, last, residuals.ankle, linear, square(rate * rate / ANKLE_ERROR_ACCELERATION), equations);
    add_straight_knees(model.flexion, first, last, x, equations);
}

// Solve the unknowns (T, 5) of one stretch.
static void solve_stretch(const LegModel& model, Index first, Index last, const Residuals& residuals, double rate,
                          FloatsOut<2> x) {
    const Index blocks = last - first + 1, size = UNKNOWNS * blocks + WIDTH;
    Scratch<double, 2> bands(size, WIDTH);
    Scratch<double, 1> right(size);
    for (int round = 0; round < ROUNDS; ++round) {
        form_equations(model, first, last, residuals, rate, x, {bands, right});
        solve_bands({bands, right}, blocks);
        for (Index t = first; t <= last; ++t) {
            std::copy_n(right.at(UNKNOWNS * (t - first)), UNKNOWNS, x.at(t));
            x(t, 0) = clamp(x(t, 0), -MAX_HIP_RISE, MAX_HIP_RISE);
        }
    }
}

// Swivels

// Angles (T,) of least squares: small, without acceleration, and against that of the knee's step (T, 3).
//
// The knee (T, 3) as it was, its step and the tangents (T, 3) are in leg lengths; weights (T,) are how far it may move.
static void knee_swivels(Floats<2> knee, Floats<2> step, Floats<2> tangent, Floats<1> weights, Bools<1> performed,
                         double rate, FloatsOut<1> angles) {
    const Index frames = performed.shape[0], blocks = (frames + 4) / 5;
    const double square_rate = rate * rate;
    Scratch<double, 2> bands(5 * blocks + WIDTH, WIDTH);
    Scratch<double, 1> right(5 * blocks + WIDTH), own(frames), radius(frames);
    for (Index t = 0; t < frames; ++t) {
        radius(t) = norm(read_vector(tangent.at(t)));
        if (has_neighbours(performed, t)) own(t) = norm(second_difference(knee.at(t)));
    }
    for (Index t = 0; t < frames; ++t) {
        const double allowed = most(weights(t), 1e-3);
        const double still = square(radius(t) / SWIVEL_STEP) + 1.0 / (SWIVEL_ANGLE * SWIVEL_ANGLE);
        bands(t, 0) += still / (allowed * allowed);
        if (!has_neighbours(performed, t)) continue;
        const double jolt = square_rate * most(own(t), most(own(t - 1), own(t + 1)));
        const double rough = SWIVEL_ACCELERATION + SWIVEL_OWN_SHARE * jolt;
        const double weight = square(square_rate / rough);
        const double free = 1.0 + square(radius(t) / SWIVEL_STRAIGHT) + square(rough / SWIVEL_ROUGH);
        const double even = square(square_rate / (SWIVEL_ANGLE_ACCELERATION * free));
        const double along = dot(second_difference(step.at(t)), read_vector(tangent.at(t)));
        const double added = radius(t) > 0.0 ? along / radius(t) : 0.0;
        constexpr double signs[3] = {1.0, -2.0, 1.0};
        for (int i = 0; i < 3; ++i) {
            const double a = signs[i] * radius(t - 1 + i);
            right(t - 1 + i) -= weight * a * added;
            for (int j = i; j < 3; ++j) {
                const double b = signs[j] * radius(t - 1 + j);
                bands(t - 1 + i, j - i) += weight * a * b + signs[i] * signs[j] * even;
            }
        }
    }
    for (Index t = frames; t < 5 * blocks; ++t) bands(t, 0) = 1.0;
    solve_bands({bands, right}, blocks);
    for (Index t = 0; t < frames; ++t) angles(t) = weights(t) * right(t);
}

}  // namespace kinesphere

FIELDS(kinesphere::Residuals, &kinesphere::Residuals::weight, &kinesphere::Residuals::ankle,
       &kinesphere::Residuals::stiffness, &kinesphere::Residuals::target);
FIELDS(kinesphere::Equations, &kinesphere::Equations::bands, &kinesphere::Equations::right);
FIELDS(kinesphere::Linearisation, &kinesphere::Linearisation::rows, &kinesphere::Linearisation::goal);

namespace kinesphere {

KERNELS(leg_paths) {
    return {
        kernel<lower_hips>("lower_hips"),
        kernel<bend_knees>("bend_knees"),
        kernel<measure_stiffness>("measure_stiffness"),
        kernel<linearise_ankles>("linearise_ankles"),
        kernel<form_equations>("form_equations"),
        kernel<solve_bands>("solve_bands"),
        kernel<solve_stretch>("solve_stretch"),
        kernel<knee_swivels>("knee_swivels"),
    };
}

}  // namespace kinesphere
