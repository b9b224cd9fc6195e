// Loops over points of arms against the surface of trunk and head: see trunk_surface.py.
#include <algorithm>

#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

namespace {

// PosedSurface of trunk_surface.py: K rings from below to above in each of T frames.
struct PosedSurface {
    Floats<3> centres;  // (T, K, 3)
    Floats<4> axes;     // (T, K, 3, 3) left, up and forward as rows
    Floats<2> shifts;   // (K, 2) from a ring's centre back to where a left hand is pushed from: right and backward
    Floats<2> radii;    // (K, A) from there to the skin, by azimuth from left to forward
    double widest;      // metres: no skin is farther from its ring's centre
};

// Where a point is relative to the surface.
struct Depth {
    double metres = -INFINITY;  // below the surface; negative outside
    Vec3 outward = {0.0, 0.0, 0.0};
};

}  // namespace

constexpr double STEEPEST = 3.0;  // slope of the surface, as a radius by height

// The radius at an azimuth, in parts of a whole turn.
static double radius_at(const double* radii, Index count, double turns) {
    const double place = (turns - std::floor(turns)) * static_cast<double>(count);
    const Index a = static_cast<Index>(place) % count, b = (a + 1) % count;
    const double u = place - std::floor(place);
    return (1.0 - u) * radii[a] + u * radii[b];
}

// The depth of a point between two rings, `below` and `above` metres over their planes.
static Depth depth_between(const PosedSurface& surface, Index t, Index k, Vec3 point, double side, double below,
                           double above) {
    const double spacing = most(below - above, 1e-6), u = below / spacing;
    Vec3 left = {0.0, 0.0, 0.0}, up = left, forward = left;
    double x = 0.0, z = 0.0;
    for (Index n = 0; n < 2; ++n) {
        const double share = n == 0 ? 1.0 - u : u;
        const double* axes = surface.axes.at(t, k + n);
        const Vec3 from = point - read_vector(surface.centres.at(t, k + n));
        const Vec3 l = read_vector(axes), f = read_vector(axes + 6);
        x += share * (side * dot(l, from) + surface.shifts(k + n, 0));
        z += share * (dot(f, from) + surface.shifts(k + n, 1));
        left = left + share * l;
        up = up + share * read_vector(axes + 3);
        forward = forward + share * f;
    }
    const double far = most(std::hypot(x, z), 1e-9);
    const double turns = std::atan2(z, x) / 6.283185307179586;
    const double low = radius_at(surface.radii.at(k), surface.radii.shape[1], turns);
    const double high = radius_at(surface.radii.at(k + 1), surface.radii.shape[1], turns);
    const double slope = clamp((high - low) / spacing, -STEEPEST, STEEPEST);
    const double steep = std::sqrt(1.0 + slope * slope);
    const Vec3 radial = (side * x / far) * left + (z / far) * forward;
    return {((1.0 - u) * low + u * high - far) / steep, (radial - slope * up) / steep};
}

// The greatest depth of a point over all heights at which it may be: where a spine bends, planes of rings cross.
static Depth depth_of(const PosedSurface& surface, Index t, Vec3 point, double side) {
    Depth deepest;
    const Index count = surface.centres.shape[1];
    double below = 0.0;
    for (Index k = 0; k < count; ++k) {
        const Vec3 from = point - read_vector(surface.centres.at(t, k));
        const double above = dot(read_vector(surface.axes.at(t, k) + 3), from);
        if (k > 0 && below >= 0.0 && above < 0.0 && dot(from, from) < 4.0 * square(surface.widest)) {
            const Depth here = depth_between(surface, t, k - 1, point, side, below, above);
            if (here.metres > deepest.metres) deepest = here;
        }
        below = above;
    }
    return deepest;
}

// Write displacements (T, N, 3) that move points (T, N, 3) out of the surface in frames `rows (T,)`, so that each is
// at least a margin (N,) outside; zero for points that are clear. A `side` is 1 for a left arm, -1 for a right one.
static void push_out(const PosedSurface& surface, Ints<1> rows, Floats<3> points, double side, Floats<1> margins,
                     double softness, FloatsOut<3> displacements) {
    for (Index t = 0; t < points.shape[0]; ++t) {
        for (Index n = 0; n < points.shape[1]; ++n) {
            const Depth found = depth_of(surface, rows(t), read_vector(points.at(t, n)), side);
            const double depth = found.metres + margins(n);
            double change = 0.0;
            if (depth > softness) {
                change = depth;
            } else if (depth > -softness) {
                change = square(depth + softness) / (4.0 * softness);
            }
            write_vector(displacements.at(t, n), change * found.outward);
        }
    }
}

// Write the sum over an arm's points of their squared depth (T, S), for elbows at each of S angles (T, S) about the
// axis. The elbow is at `base + bow (cos outward + sin across)`; its points are shares (N,) of upper and lower bone.
static void swing_costs(const PosedSurface& surface, Ints<1> rows, Floats<3> arm, Floats<2> angles, double side,
                        Floats<1> uppers, Floats<1> lowers, double margin, FloatsOut<2> costs) {
    for (Index t = 0; t < arm.shape[0]; ++t) {
        const double* frame = arm.at(t);
        const Vec3 shoulder = read_vector(frame), base = read_vector(frame + 3), outward = read_vector(frame + 6);
        const Vec3 across = read_vector(frame + 9), wrist = read_vector(frame + 12);
        for (Index s = 0; s < angles.shape[1]; ++s) {
            const Vec3 elbow = base + std::cos(angles(t, s)) * outward + std::sin(angles(t, s)) * across;
            double cost = 0.0;
            for (Index n = 0; n < uppers.shape[0]; ++n) {
                const Vec3 point = shoulder + uppers(n) * (elbow - shoulder);
                cost += square(most(depth_of(surface, rows(t), point, side).metres + margin, 0.0));
            }
            for (Index n = 0; n < lowers.shape[0]; ++n) {
                const Vec3 point = elbow + lowers(n) * (wrist - elbow);
                cost += square(most(depth_of(surface, rows(t), point, side).metres + margin, 0.0));
            }
            costs(t, s) = cost;
        }
    }
}

// Write the path (T,) through `angles (T, S)` with the least sum of costs (T, S) and of `stiffness` times its squared
// steps: dynamic programming.
static void cheapest_path(Floats<2> costs, Floats<2> angles, double stiffness, FloatsOut<1> path) {
    const Index frames = costs.shape[0], count = costs.shape[1];
    if (frames == 0) return;
    Scratch<double, 2> totals(2, count);
    Scratch<std::int64_t, 2> origins(frames, count);
    std::copy(costs.at(0), costs.at(1), totals.at(0));
    for (Index t = 1; t < frames; ++t) {
        const double* before = totals.at((t + 1) % 2);
        double* now = totals.at(t % 2);
        for (Index s = 0; s < count; ++s) {
            double best = INFINITY;
            for (Index r = 0; r < count; ++r) {
                const double total = before[r] + stiffness * square(angles(t, s) - angles(t - 1, r));
                if (total < best) {
                    best = total;
                    origins(t, s) = r;
                }
            }
            now[s] = best + costs(t, s);
        }
    }
    const double* last = totals.at((frames - 1) % 2);
    Index s = std::min_element(last, last + count) - last;
    for (Index t = frames - 1; t >= 0; --t) {
        path(t) = angles(t, s);
        s = origins(t, s);
    }
}

}  // namespace kinesphere

using namespace kinesphere;

FIELDS(PosedSurface, &PosedSurface::centres, &PosedSurface::axes, &PosedSurface::shifts, &PosedSurface::radii,
       &PosedSurface::widest);

KERNELS(trunk_surface) {
    return {
        kernel<push_out>("push_out"),
        kernel<swing_costs>("swing_costs"),
        kernel<cheapest_path>("cheapest_path"),
    };
}
