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
    Floats<3> planes;   // (T, 4, K) up, and the centre along it
    Floats<2> shifts;   // (K, 2) from a ring's centre back to where a left hand is pushed from: right and backward
    Floats<2> radii;    // (K, A) from there to the skin, by azimuth from left to forward
    Floats<2> slopes;   // (K, A) how fast radii grow with height
    Floats<1> longest;  // (K,) the greatest radius of each ring
    double steepest;    // at least √(1 + slope²) anywhere
    double widest;      // metres: no skin is farther from its ring's centre
};

// Arms of collision.py.
struct Arms {
    Floats<3> shoulders;  // (T, 2, 3)
    Floats<3> wrists;     // (T, 2, 3)
    Floats<3> hinges;     // (T, 2, 3)
    Floats<1> upper;      // (2,) bone lengths
    Floats<1> lower;      // (2,)
};

// ArmSizes of collision.py.
struct ArmSizes {
    Floats<1> hands;   // (2,) metres from the wrist to the farthest fingertip
    Floats<1> flesh;   // (2,) metres from the forearm's bone that stay outside
    Floats<1> lowers;  // (N,) points of the forearm that stay outside, as shares from the elbow
    double margin;     // metres between skin and skin
    double softness;   // metres over which pushing begins
};

// Where a point is relative to the surface.
struct Depth {
    double metres = -INFINITY;  // below the surface; negative outside
    Vec3 outward = {0.0, 0.0, 0.0};
};

}  // namespace

constexpr Index MOST_RINGS = 64;
constexpr double FAR = 1.5;      // times a distance: so far below zero no depth is nearer than the distance
constexpr double ENOUGH = 0.01;  // of the softness: a smaller step is none

// Write centres (T, K, 3), axes (T, K, 3, 3) and planes (T, 4, K) of rings as they are in a PosedSurface. Joints have
// world rotations (T, N, 4) and positions (T, N, 3), and carry rings by weights (K, N): their centres at `anchors (K,
// N, 3)` and their left, up and forward as rows of `frames (N, 3, 3)`, both in the joints' axes.
static void pose_rings(Floats<3> q, Floats<3> p, Floats<2> weights, Floats<3> anchors, Floats<3> frames,
                       FloatsOut<3> centres, FloatsOut<4> axes, FloatsOut<3> planes) {
    const Index joints = q.shape[1];
    Scratch<double, 3> turned(joints, 2, 3);  // left and up of each joint in the world
    for (Index t = 0; t < q.shape[0]; ++t) {
        for (Index n = 0; n < joints; ++n) {
            for (Index i = 0; i < 2; ++i)
                write_vector(turned.at(n, i), rotate(read_quaternion(q.at(t, n)), read_vector(frames.at(n, i))));
        }
        for (Index k = 0; k < weights.shape[0]; ++k) {
            Vec3 centre = {0.0, 0.0, 0.0}, left = centre, up = centre;
            for (Index n = 0; n < joints; ++n) {
                const double share = weights(k, n);
                if (share == 0.0) continue;
                const Vec3 anchor = rotate(read_quaternion(q.at(t, n)), read_vector(anchors.at(k, n)));
                centre = centre + share * (read_vector(p.at(t, n)) + anchor);
                left = left + share * read_vector(turned.at(n, 0));
                up = up + share * read_vector(turned.at(n, 1));
            }
            up = up / norm(up);
            left = left - dot(left, up) * up;
            left = left / norm(left);
            write_vector(centres.at(t, k), centre);
            write_vector(axes.at(t, k, 0), left);
            write_vector(axes.at(t, k, 1), up);
            write_vector(axes.at(t, k, 2), cross(left, up));
            planes(t, 0, k) = up.x;
            planes(t, 1, k) = up.y;
            planes(t, 2, k) = up.z;
            planes(t, 3, k) = dot(up, centre);
        }
    }
}

// Where an azimuth, in parts of a whole turn, lies between two of a ring's values.
struct Azimuth {
    Index a, b;
    double u;
    double value(const double* values) const { return (1.0 - u) * values[a] + u * values[b]; }
};

static Azimuth find_azimuth(double turns, Index count) {
    const double place = (turns - std::floor(turns)) * static_cast<double>(count);
    const Index whole = static_cast<Index>(place), a = whole < count ? whole : whole - count;
    return {a, a + 1 < count ? a + 1 : 0, place - std::floor(place)};
}

// The depth of a point between two rings, `below` and `above` metres over their planes. Points that are surely no
// deeper than `least_depth` have none.
template <bool OUTWARD>
static Depth depth_between(const PosedSurface& surface, Index t, Index k, Vec3 point, double side, double below,
                           double above, double least_depth) {
    const double spacing = most(below - above, 1e-6), u = below / spacing;
    const double* axes[2] = {surface.axes.at(t, k), surface.axes.at(t, k + 1)};
    double x = 0.0, z = 0.0;
    for (Index n = 0; n < 2; ++n) {
        const double share = n == 0 ? 1.0 - u : u;
        const Vec3 from = point - read_vector(surface.centres.at(t, k + n));
        x += share * (side * dot(read_vector(axes[n]), from) + surface.shifts(k + n, 0));
        z += share * (dot(read_vector(axes[n] + 6), from) + surface.shifts(k + n, 1));
    }
    const double far = most(std::sqrt(x * x + z * z), 1e-9);
    // Slopes make a depth less by a factor that is bounded.
    const double outside = far - most(surface.longest(k), surface.longest(k + 1));
    if (outside > 0.0 && -outside / surface.steepest < least_depth) return {};
    const Azimuth at = find_azimuth(std::atan2(z, x) / 6.283185307179586, surface.radii.shape[1]);
    const double low = at.value(surface.radii.at(k)), high = at.value(surface.radii.at(k + 1));
    const double lower = at.value(surface.slopes.at(k)), upper = at.value(surface.slopes.at(k + 1));
    const double slope = (1.0 - u) * lower + u * upper;
    const double steep = std::sqrt(1.0 + slope * slope);
    const double metres = ((1.0 - u) * low + u * high - far) / steep;
    if (!OUTWARD) return {metres, {0.0, 0.0, 0.0}};
    Vec3 left = {0.0, 0.0, 0.0}, up = left, forward = left;
    for (Index n = 0; n < 2; ++n) {
        const double share = n == 0 ? 1.0 - u : u;
        left = left + share * read_vector(axes[n]);
        up = up + share * read_vector(axes[n] + 3);
        forward = forward + share * read_vector(axes[n] + 6);
    }
    const Vec3 radial = (side * x / far) * left + (z / far) * forward;
    return {metres, (radial - slope * up) / steep};
}

// The greatest depth of a point over all heights at which it may be: where a spine bends, planes of rings cross. Depths
// of `least_depth` and less don't count.
template <bool OUTWARD = true>
static Depth depth_of(const PosedSurface& surface, Index t, Vec3 point, double side, double least_depth) {
    Depth deepest;
    const Index count = surface.centres.shape[1];
    const double *x = surface.planes.at(t, 0), *y = x + count, *z = y + count, *offset = z + count;
    double heights[MOST_RINGS];
    for (Index k = 0; k < count; ++k) heights[k] = x[k] * point.x + y[k] * point.y + z[k] * point.z - offset[k];
    for (Index k = 1; k < count; ++k) {
        if (!(heights[k - 1] >= 0.0 && heights[k] < 0.0)) continue;
        const Vec3 from = point - read_vector(surface.centres.at(t, k));
        if (dot(from, from) < 4.0 * square(surface.widest)) {
            const Depth here =
                depth_between<OUTWARD>(surface, t, k - 1, point, side, heights[k - 1], heights[k], least_depth);
            if (here.metres > deepest.metres) deepest = here;
        }
    }
    return deepest;
}

// How far a point must move along the surface's normal to be outside: all of its depth, less where it is hardly below.
static double push_length(double depth, double softness) {
    if (depth > softness) return depth;
    return depth > -softness ? square(depth + softness) / (4.0 * softness) : 0.0;
}

// Write displacements (T, N, 3) that move points (T, N, 3) out of the surface, so that each is at least a margin (N,)
// outside; zero for points that are clear. A `side` is 1 for a left arm, -1 for a right one.
static void push_out(const PosedSurface& surface, Floats<3> points, double side, Floats<1> margins, double softness,
                     FloatsOut<3> displacements) {
    for (Index t = 0; t < points.shape[0]; ++t) {
        for (Index n = 0; n < points.shape[1]; ++n) {
            const Vec3 point = read_vector(points.at(t, n));
            const Depth found = depth_of(surface, t, point, side, -margins(n) - softness);
            write_vector(displacements.at(t, n), push_length(found.metres + margins(n), softness) * found.outward);
        }
    }
}

// Where the elbow is, for a wrist in reach.
static Vec3 place_elbow(Vec3 shoulder, Vec3 wrist, Vec3 hinge, double upper, double lower) {
    const double distance = norm(wrist - shoulder);
    const Vec3 axis = (wrist - shoulder) / most(distance, 1e-12);
    const double far = clamp(distance, most(std::abs(upper - lower), 1e-9), upper + lower);
    const double along = (square(upper) - square(lower) + square(far)) / (2.0 * far);
    const Vec3 outward = cross(axis, hinge);
    const double bow = std::sqrt(most(square(upper) - square(along), 0.0)) / most(norm(outward), 1e-12);
    return shoulder + along * axis + bow * outward;
}

// Add a point's push to a mean that is weighted by the third power of its own length.
static void add_push(Vec3 push, Vec3& sum, double& total) {
    const double size = norm(push), weight = size * size * size;
    sum = sum + weight * push;
    total += weight;
}

// How far one wrist moves in one round: the mean over the points of its hand and, for whole arms, of its forearm.
static Vec3 wrist_step(const PosedSurface& surface, const Arms& arms, const ArmSizes& sizes, Index t, Index h,
                       Vec3 wrist, const double* skin, Index count, bool whole) {
    const double side = h == 0 ? 1.0 : -1.0;
    Vec3 sum = {0.0, 0.0, 0.0};
    double total = 0.0;
    const double none = -sizes.margin - sizes.softness;  // no deeper, and a point of the hand is not pushed
    const double clear = -FAR * (sizes.hands(h) + sizes.margin + sizes.softness);
    if (depth_of<false>(surface, t, wrist, side, clear).metres > clear) {
        for (Index n = 0; n < count; ++n) {
            const Depth found = depth_of(surface, t, wrist + read_vector(skin + 3 * n), side, none);
            add_push(push_length(found.metres + sizes.margin, sizes.softness) * found.outward, sum, total);
        }
    }
    if (whole) {
        const Vec3 elbow = place_elbow(read_vector(arms.shoulders.at(t, h)), wrist, read_vector(arms.hinges.at(t, h)),
                                       arms.upper(h), arms.lower(h));
        for (Index n = 0; n < sizes.lowers.shape[0]; ++n) {
            const double share = sizes.lowers(n);
            const Depth found =
                depth_of(surface, t, elbow + share * (wrist - elbow), side, -sizes.flesh(h) - sizes.softness);
            const double push = push_length(found.metres + sizes.flesh(h), sizes.softness);
            add_push((push / (0.5 + 0.5 * share)) * found.outward, sum, total);
        }
    }
    return sum / most(total, 1e-30);
}

// Write displacements (T, 2, 3) that move wrists so far that hands are outside, `whole` arms as well, in each frame by
// itself. `skins (T, 2, K, 3)` are points of hands from their wrists, `together (T,)` how much both move alike, and
// `reaches (T, 2)` how far from its shoulder a wrist may be.
static void move_wrists(const PosedSurface& surface, const Arms& arms, const ArmSizes& sizes, Floats<4> skins,
                        Floats<1> together, Floats<2> reaches, bool whole, Index rounds, FloatsOut<3> displacements) {
    for (Index t = 0; t < skins.shape[0]; ++t) {
        const Vec3 first[2] = {read_vector(arms.wrists.at(t, 0)), read_vector(arms.wrists.at(t, 1))};
        Vec3 wrists[2] = {first[0], first[1]};
        for (Index round = 0; round < rounds; ++round) {
            Vec3 steps[2];
            for (Index h = 0; h < 2; ++h) {
                steps[h] = wrist_step(surface, arms, sizes, t, h, wrists[h], skins.at(t, h), skins.shape[2], whole);
            }
            if (norm(steps[0]) <= ENOUGH * sizes.softness && norm(steps[1]) <= ENOUGH * sizes.softness) break;
            const Vec3 mean = 0.5 * (steps[0] + steps[1]);
            for (Index h = 0; h < 2; ++h) {
                const Vec3 shoulder = read_vector(arms.shoulders.at(t, h));
                const Vec3 moved = wrists[h] + steps[h] + together(t) * (mean - steps[h]) - shoulder;
                wrists[h] = shoulder + least(reaches(t, h) / most(norm(moved), 1e-12), 1.0) * moved;
            }
        }
        for (Index h = 0; h < 2; ++h) write_vector(displacements.at(t, h), wrists[h] - first[h]);
    }
}

// Write the sum over an arm's points of their squared depth (T, S), for elbows at each of S angles (T, S) about the
// axis. The rows of `arm (T, 5, 3)` are the shoulder, the elbow's foot on the axis, its offset from there, the same a
// quarter turn on, and the wrist. Points are shares (N,) of upper and lower bone.
static void swing_costs(const PosedSurface& surface, Ints<1> rows, Floats<3> arm, Floats<2> angles, double side,
                        Floats<1> uppers, Floats<1> lowers, double margin, FloatsOut<2> costs) {
    for (Index t = 0; t < arm.shape[0]; ++t) {
        const Vec3 shoulder = read_vector(arm.at(t, 0)), base = read_vector(arm.at(t, 1));
        const Vec3 outward = read_vector(arm.at(t, 2)), across = read_vector(arm.at(t, 3));
        const Vec3 wrist = read_vector(arm.at(t, 4));
        for (Index s = 0; s < angles.shape[1]; ++s) {
            const Vec3 elbow = base + std::cos(angles(t, s)) * outward + std::sin(angles(t, s)) * across;
            double cost = 0.0;
            for (Index n = 0; n < uppers.shape[0]; ++n) {
                const Vec3 point = shoulder + uppers(n) * (elbow - shoulder);
                cost += square(most(depth_of<false>(surface, rows(t), point, side, -margin).metres + margin, 0.0));
            }
            for (Index n = 0; n < lowers.shape[0]; ++n) {
                const Vec3 point = elbow + lowers(n) * (wrist - elbow);
                cost += square(most(depth_of<false>(surface, rows(t), point, side, -margin).metres + margin, 0.0));
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

FIELDS(PosedSurface, &PosedSurface::centres, &PosedSurface::axes, &PosedSurface::planes, &PosedSurface::shifts,
       &PosedSurface::radii, &PosedSurface::slopes, &PosedSurface::longest, &PosedSurface::steepest,
       &PosedSurface::widest);
FIELDS(Arms, &Arms::shoulders, &Arms::wrists, &Arms::hinges, &Arms::upper, &Arms::lower);
FIELDS(ArmSizes, &ArmSizes::hands, &ArmSizes::flesh, &ArmSizes::lowers, &ArmSizes::margin, &ArmSizes::softness);

KERNELS(trunk_surface) {
    return {
        kernel<pose_rings>("pose_rings"),   kernel<push_out>("push_out"),           kernel<move_wrists>("move_wrists"),
        kernel<swing_costs>("swing_costs"), kernel<cheapest_path>("cheapest_path"),
    };
}
