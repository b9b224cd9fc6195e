// Last limits: of wrists' angular speed, and of hands' acceleration.
#include "engine/batch.hpp"

namespace kinesphere {

namespace {

constexpr int ROUNDS = 200;      // of bringing neighbours closer
constexpr double ENOUGH = 1e-3;  // of the limit that may be left

// The rotation vector of a unit quaternion, by less than half a turn.
Vec3 rotation_vector(Quat q) {
    const double sign = q.w < 0.0 ? -1.0 : 1.0, size = std::sqrt(square(q.x) + square(q.y) + square(q.z));
    const double scale = size < 1e-9 ? 2.0 : 2.0 * std::atan2(size, sign * q.w) / size;
    return sign * scale * Vec3{q.x, q.y, q.z};
}

// Two frames farther apart than `step` come closer, both as far, or the one that is not held.
bool bring_closer(Vec3& a, Vec3& b, bool a_held, bool b_held, double step) {
    const Vec3 gap = b - a;
    const double size = norm(gap);
    if (size <= (1.0 + ENOUGH) * step || (a_held && b_held)) return false;
    const Vec3 over = (1.0 - step / size) * gap;
    const double share = a_held ? 0.0 : b_held ? 1.0 : 0.5;
    a = a + share * over;
    b = b - (1.0 - share) * over;
    return true;
}

}  // namespace

// Rewrite a joint's local rotations (F, J, 4) that change by more than `step` radians from frame to frame, and those
// around them: the change begins earlier and ends later. Frames `held (F,)` stay. Rotation vectors change at least as
// much as rotations do, so that what is limited is limited.
static void limit_speed(const BatchRows& rows, Index joint, double step, Bools<1> held, FloatsOut<3> local) {
    const Scratch<Vec3, 1> vectors(rows.longest());
    const double least_cosine = std::cos(0.5 * step);
    for (Index s = 0; s < rows.counts.shape[0]; ++s) {
        const Index start = rows.starts(s), count = rows.counts(s);
        const auto quaternion = [&](Index i) { return read_quaternion(local.at(start + i, joint)); };
        bool fast = false;
        for (Index i = 1; i < count && !fast; ++i) {
            const Quat a = quaternion(i - 1), b = quaternion(i);
            fast = std::abs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z) < least_cosine;
        }
        if (!fast) continue;
        for (Index i = 0; i < count; ++i) vectors(i) = rotation_vector(quaternion(i));
        const bool loop = rows.loops(s);
        const Index pairs = count - 1, own = loop ? pairs : count;  // a loop's last frame is its first
        bool changed = true;
        for (int round = 0; round < ROUNDS && changed; ++round) {
            changed = false;
            for (const Index first : {0, 1}) {
                for (Index i = first; i < pairs; i += 2) {
                    const Index next = (i + 1) % own;
                    if (bring_closer(vectors(i), vectors(next), held(start + i), held(start + next), step)) {
                        changed = true;
                    }
                }
            }
        }
        for (Index i = 0; i < count; ++i) {
            const Vec3 made = vectors(i % own), gap = made - rotation_vector(quaternion(i));
            if (norm(gap) > 0.0) write_quaternion(local.at(start + i, joint), exponential_quaternion(made));
        }
    }
}

// Change positions (F, 3) whose steps change by more than `most_change` metres from frame to frame, and those around
// them: corners are cut, stops begin earlier. Frames `held (F,)` stay, and so do the first and the last.
static void limit_acceleration(const BatchRows& rows, double most_change, Bools<1> held, FloatsOut<2> positions) {
    for (Index s = 0; s < rows.counts.shape[0]; ++s) {
        const Index start = rows.starts(s), last = start + rows.counts(s) - 1;
        const auto free = [&](Index i) { return held(i) || i == start || i == last ? 0.0 : 1.0; };
        bool changed = true;
        for (int round = 0; round < ROUNDS && changed; ++round) {
            changed = false;
            for (const Index first : {1, 2, 3}) {
                for (Index i = start + first; i < last; i += 3) {
                    const Vec3 a = read_vector(positions.at(i - 1)), b = read_vector(positions.at(i));
                    const Vec3 c = read_vector(positions.at(i + 1)), change = a + c - 2.0 * b;
                    const double size = norm(change), u = free(i - 1), v = free(i), w = free(i + 1);
                    if (size <= (1.0 + ENOUGH) * most_change || u + v + w == 0.0) continue;
                    const Vec3 step = ((1.0 - most_change / size) / (u + 4.0 * v + w)) * change;
                    write_vector(positions.at(i - 1), a - u * step);
                    write_vector(positions.at(i), b + 2.0 * v * step);
                    write_vector(positions.at(i + 1), c - w * step);
                    changed = true;
                }
            }
        }
    }
}

KERNELS(quickness) { return {kernel<limit_speed>("limit_speed"), kernel<limit_acceleration>("limit_acceleration")}; }

}  // namespace kinesphere
