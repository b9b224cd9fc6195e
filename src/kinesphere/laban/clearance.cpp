// Loops over samples of hand paths: penetration of the body, and keys that move out of it.
#include "engine/capsules.hpp"
#include "maths/binding.hpp"
#include "maths/two_bone.hpp"

namespace kinesphere {

constexpr Index CAPSULES = 4;  // trunk, head, own and other thigh

namespace {

// BodyCapsules of clearance.py.
struct BodyCapsules {
    Floats<4> lines;          // (K, 4, 2, 3) capsule axes at the keys
    Floats<4> lines_between;  // (K, 4, 2, 3) the same for samples between keys
    Floats<2> sags;           // (K, 3) how far hanging hands are from their keys
    Floats<1> margins;        // (K,) metres that flourishes lead hands off their paths
};

// PathSamples of clearance.py.
struct PathSamples {
    Ints<2> rows;         // (S, 4) two keys before the sample and two after
    Floats<2> weights;    // (S, 4) of these four keys in the sample's position
    Floats<1> fractions;  // (S,) from 0 at the second key to 1 at the third
    Floats<1> bows;       // (S,) how far a stroke bends outwards there, as a fraction of its length
    Floats<1> swivels;    // (K,) of the keys
};

// MovableKeys of clearance.py.
struct MovableKeys {
    Floats<2> written;  // (K, 3) as the gesture has them
    Bools<1> free;      // (K,) whether a key may be moved
    Ints<1> owners;     // (K,) the key that each one moves with
    Floats<2> weights;  // (S, 2) how far the keys before and after move to move a sample between them by one
};

// HandSamples of clearance.py.
struct HandSamples {
    Floats<2> radii;   // (4, 2) of the capsules, aside and ahead
    Floats<2> points;  // (N, 3) metres along the forearm and towards the curled fingers; what is added to the radii
    Floats<1> curl;    // (3,) where fingers curl to
    double upper;      // bone lengths
    double lower;
    Floats<2> frame;      // (3, 3) upper bone, hinge and their normal at rest
    Floats<1> flexions;   // (2,) least and greatest of the elbow
    Floats<1> reference;  // (3,) what swivel is measured from
    Floats<1> home;       // (3,) the same where the arm points along the reference
    double soft;          // metres over which the push out of a capsule begins
};

// The ends of a capsule's axis, which goes upwards.
struct Line {
    Vec3 start, end;
};

}  // namespace

static Line read_line(const double* ends) { return {read_vector(ends), read_vector(ends + 3)}; }

static Vec3 between(Vec3 a, Vec3 b, double u) { return (1.0 - u) * a + u * b; }

// How far a point must move to be out of a capsule. The deeper a point is, the more it goes ahead instead of straight
// out: across the middle "out" would flip.
static Vec3 push_out(Vec3 point, const Line& line, double wide, double deep, double soft) {
    const double stretch = wide / deep;
    const Vec3 offset = capsule_offset(point, line.start, line.end, wide, deep);
    const double far = norm(offset);
    const double depth = wide - far;
    if (depth <= -soft) return {0.0, 0.0, 0.0};
    const double push = depth >= soft ? depth : square(depth + soft) / (4.0 * soft);
    const Vec3 bone = line.end - line.start;
    const double deeper = 2.0 * most(depth, 0.0) / most(std::hypot(bone.y, bone.z), 1e-9);
    Vec3 out = {offset.x, offset.y - deeper * bone.z, offset.z + deeper * bone.y * stretch};
    out = out / most(norm(out), 1e-9);
    const double along = dot(offset, out);
    const double step = std::sqrt(most(along * along + square(far + push) - far * far, 0.0)) - along;
    return {step * out.x, step * out.y, step * out.z / stretch};
}

// The push of one point (3,) out of a capsule about `line (2, 3)`.
static Vec3 push_point_out(Floats<1> point, Floats<2> line, double wide, double deep, double soft) {
    return push_out(read_vector(point.data), read_line(line.data), wide, deep, soft);
}

// Write signed distances (K,) of wrists at keys (K, 3) from the nearest capsule; negative inside.
static void body_distance(Floats<2> positions, const BodyCapsules& body, Floats<2> radii, FloatsOut<1> distances) {
    for (Index k = 0; k < positions.shape[0]; ++k) {
        const Vec3 wrist = read_vector(positions.at(k)) + read_vector(body.sags.at(k));
        double nearest = INFINITY;
        for (Index v = 0; v < CAPSULES; ++v) {
            const double wide = radii(v, 0), deep = radii(v, 1);
            const Line line = read_line(body.lines.at(k, v));
            nearest = least(nearest, capsule_distance(wrist, line.start, line.end, wide, deep));
        }
        distances(k) = nearest;
    }
}

// A sample's position: the weighted mean of four keys, bowed away from the shoulder. The bow is along the chord's
// midpoint, square to the chord, as high as `bow` times the chord.
static Vec3 sample_wrist(Floats<2> positions, Floats<2> sags, const Index* rows, const double* weights, double bow) {
    Vec3 wrist = {0.0, 0.0, 0.0};
    for (Index n = 0; n < 4; ++n) {
        wrist = wrist + weights[n] * (read_vector(positions.at(rows[n])) + read_vector(sags.at(rows[n])));
    }
    if (bow == 0.0) return wrist;
    const Vec3 start = read_vector(positions.at(rows[1])), end = read_vector(positions.at(rows[2]));
    const Vec3 middle = 0.5 * (start + end);
    const double chord = most(norm(end - start), 1e-6);
    const Vec3 along = (end - start) / chord;
    const Vec3 outward = middle - dot(middle, along) * along;
    return wrist + bow * (chord / most(std::hypot(norm(outward), 0.05 * chord), 1e-9)) * outward;
}

// Write capsule axes at fraction u between those at `first` and `second (4, 2, 3)`; whether a hand can touch any.
static bool capsules_near(Vec3 wrist, const double* first, const double* second, double u, const HandSamples& hand,
                          double size, Line* lines) {
    bool near = false;
    for (Index v = 0; v < CAPSULES; ++v) {
        const Line a = read_line(first + 6 * v), b = read_line(second + 6 * v);
        lines[v] = {between(a.start, b.start, u), between(a.end, b.end, u)};
        const double wide = hand.radii(v, 0), deep = hand.radii(v, 1);
        const Vec3 offset = capsule_offset(wrist, lines[v].start, lines[v].end, wide, deep);
        // In the stretched axes nothing is farther than it is.
        const double reach = wide + hand.soft + most(wide / deep, 1.0) * size;
        near = near || dot(offset, offset) < reach * reach;
    }
    return near;
}

// The push of a hand: the mean of those of its points out of all capsules, weighted by their squared lengths.
static Vec3 push_hand(Vec3 wrist, Vec3 elbow, const Line* lines, double margin, const HandSamples& hand) {
    const Vec3 forearm = (wrist - elbow) / most(norm(wrist - elbow), 1e-9);
    const Vec3 fingers = read_vector(hand.curl.data);
    const Vec3 curl = fingers - dot(fingers, forearm) * forearm;
    double total = 0.0;
    Vec3 sum = {0.0, 0.0, 0.0};
    for (Index v = 0; v < CAPSULES; ++v) {
        for (Index n = 0; n < hand.points.shape[0]; ++n) {
            const auto [far, aside, wider] = read_vector(hand.points.at(n));
            const double wide = hand.radii(v, 0) + (wider + margin), deep = hand.radii(v, 1) + (wider + margin);
            const Vec3 push = push_out(wrist + far * forearm + aside * curl, lines[v], wide, deep, hand.soft);
            const double weight = dot(push, push);
            total += weight;
            sum = sum + weight * push;
        }
    }
    return sum / most(total, 1e-30);
}

// Write `pushes (S, 3)` of samples one of whose keys has `moved (K,)`; others keep what they hold.
static void penetration(Floats<2> positions, const BodyCapsules& body, const PathSamples& samples,
                        const HandSamples& hand, Bools<1> moved, FloatsOut<2> pushes) {
    const ReachLimits limits = reach_limits(hand.upper, hand.lower, hand.flexions(0), hand.flexions(1));
    const Vec3 reference = read_vector(hand.reference.data), home = read_vector(hand.home.data);
    double size = 0.0;  // of the hand, from its wrist
    for (Index n = 0; n < hand.points.shape[0]; ++n) {
        size = most(size, std::hypot(hand.points(n, 0), hand.points(n, 1)) + hand.points(n, 2));
    }
    for (Index s = 0; s < samples.rows.shape[0]; ++s) {
        const Index* rows = samples.rows.at(s);
        if (!(moved(rows[0]) || moved(rows[1]) || moved(rows[2]) || moved(rows[3]))) continue;
        const Index i = rows[1], j = rows[2];
        const double u = samples.fractions(s);
        const double margin = u > 0.0 ? (1.0 - u) * body.margins(i) + u * body.margins(j) : 0.0;
        const Vec3 wrist = sample_wrist(positions, body.sags, rows, samples.weights.at(s), samples.bows(s));
        const Floats<4>& around = u > 0.0 ? body.lines_between : body.lines;
        Line lines[CAPSULES];
        Vec3 push = {0.0, 0.0, 0.0};
        if (capsules_near(wrist, around.at(i), around.at(j), u, hand, size + margin, lines)) {
            const double swivel = (1.0 - u) * samples.swivels(i) + u * samples.swivels(j);
            const SolvedLimb arm =
                solve_limb(wrist, swivel, reference, home, hand.upper, hand.lower, hand.frame.data, limits);
            push = push_hand(wrist, arm.elbow, lines, margin, hand);
        }
        write_vector(pushes.at(s), push);
    }
}

// Move keys (K, 3) by the mean of what their samples need, weighted by its square; whether any sample does. Writes to
// `moved (K,)` which keys have moved.
static bool move_keys(FloatsOut<2> positions, Floats<2> pushes, Floats<1> allowed, Ints<2> rows,
                      const MovableKeys& keys, BoolsOut<1> moved) {
    const Index count = positions.shape[0];
    Scratch<double, 2> sums(count, 3);
    Scratch<double, 1> totals(count);
    bool needed = false;
    for (Index s = 0; s < rows.shape[0]; ++s) {
        const Vec3 push = read_vector(pushes.at(s));
        const double size = norm(push);
        if (size <= allowed(s)) continue;
        needed = true;
        const Vec3 excess = (size - allowed(s)) / size * push;
        const double weight_of_sample = dot(excess, excess);
        for (Index e = 0; e < 2; ++e) {
            const double weight = keys.weights(s, e);
            const Index k = keys.owners(rows(s, 1 + e));
            totals(k) += weight_of_sample * weight;
            write_vector(sums.at(k), read_vector(sums.at(k)) + weight_of_sample * weight * weight * excess);
        }
    }
    for (Index k = 0; k < count; ++k) {
        const Index own = keys.owners(k);
        moved(k) = keys.free(k) && totals(own) > 0.0;
        if (!moved(k)) continue;
        write_vector(positions.at(k),
                     read_vector(positions.at(k)) + read_vector(sums.at(own)) / most(totals(own), 1e-30));
    }
    return needed;
}

// Move keys (K, 3) in place until no sample is deeper than `allowed (S,)`, or for `rounds` rounds.
static void resolve_collisions(FloatsOut<2> positions, const BodyCapsules& body, const PathSamples& samples,
                               const HandSamples& hand, const MovableKeys& keys, Floats<1> allowed, Index rounds) {
    Scratch<double, 2> pushes(samples.rows.shape[0], 3);
    Scratch<bool, 1> moved(positions.shape[0]);
    for (Index k = 0; k < positions.shape[0]; ++k) moved(k) = true;
    for (Index round = 0; round < rounds; ++round) {
        penetration(positions, body, samples, hand, moved, pushes);
        if (!move_keys(positions, pushes, allowed, samples.rows, keys, moved)) break;
    }
}

}  // namespace kinesphere

using namespace kinesphere;

FIELDS(BodyCapsules, &BodyCapsules::lines, &BodyCapsules::lines_between, &BodyCapsules::sags, &BodyCapsules::margins);
FIELDS(PathSamples, &PathSamples::rows, &PathSamples::weights, &PathSamples::fractions, &PathSamples::bows,
       &PathSamples::swivels);
FIELDS(MovableKeys, &MovableKeys::written, &MovableKeys::free, &MovableKeys::owners, &MovableKeys::weights);
FIELDS(HandSamples, &HandSamples::radii, &HandSamples::points, &HandSamples::curl, &HandSamples::upper,
       &HandSamples::lower, &HandSamples::frame, &HandSamples::flexions, &HandSamples::reference, &HandSamples::home,
       &HandSamples::soft);

KERNELS(clearance) {
    return {
        kernel<body_distance>("body_distance"),
        kernel<penetration>("penetration"),
        kernel<push_point_out>("push_out"),
        kernel<resolve_collisions>("resolve_collisions"),
    };
}
