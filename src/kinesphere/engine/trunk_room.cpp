// Turns of trunk and head that leave room for the recorded pose: they come softly to what is left of a joint's range.
#include "engine/pose_view.hpp"
#include "engine/room.hpp"
#include "maths/binding.hpp"

namespace kinesphere {

constexpr double LEAST_ROOM = 0.05;  // radians that are always left

namespace {

// TrunkRoom of trunk_room.py. R joints with a range, those that are farther out first; each may turn with others.
struct TrunkRoom {
    Ints<1> starts, paths;          // (R + 1,), (P,) joints from below the one above to this one
    Ints<1> turned_starts, turned;  // (R + 1,), (N,) rows of the joints that are turned among these
    Ints<1> passes_on;              // (R,) the one that takes over what is too much; -1: none
    Floats<2> before, after;        // (R, 4) rest rotations in the world: of the joint above, of its own
    Floats<3> ends;                 // (R, 3, 2) radians of flexion, side and twist
    Floats<2> axes;                 // (3, 3) the body's left, up and ahead at rest
};

double within(double added, double recorded, const double* ends) {
    return added >= 0.0 ? within_room(added, most(ends[1] - recorded, LEAST_ROOM))
                        : -within_room(-added, most(recorded - ends[0], LEAST_ROOM));
}

// A rotation vector in the joint's own body axes, as far as the joint, turned like this from rest, has room.
Vec3 limited(const TrunkRoom& room, Index r, Quat turned, Vec3 added) {
    const Vec3 left = read_vector(room.axes.at(0)), up = read_vector(room.axes.at(1)),
               ahead = read_vector(room.axes.at(2));
    const Vec3 bone = rotate(turned, up);
    const Vec3 own = added.x * left + added.y * up + added.z * ahead, by = rotate(turned, own);
    const double flexion = std::atan2(dot(bone, ahead), dot(bone, up)),
                 side = std::asin(clamp(dot(bone, left), -1.0, 1.0));
    const Vec3 half = {turned.x, turned.y, turned.z};
    const double twist = 2.0 * std::atan2(dot(half, up), turned.w), around = dot(by, bone);
    const Vec3 across = by - around * bone;
    const double bends = dot(across, left), tilts = dot(across, ahead), rest = dot(across, up);
    const double bent = within(bends, flexion, room.ends.at(r, 0)), tilted = -within(-tilts, side, room.ends.at(r, 1));
    const double wrapped = std::remainder(twist, 2.0 * 3.141592653589793);
    const double about = within(around, wrapped, room.ends.at(r, 2));
    const double share =
        least(std::abs(bends) > 1e-12 ? bent / bends : 1.0, std::abs(tilts) > 1e-12 ? tilted / tilts : 1.0);
    const Vec3 made = rotate(conjugate(turned), bent * left + tilted * ahead + share * rest * up + about * bone);
    return {dot(made, left), dot(made, up), dot(made, ahead)};
}

}  // namespace

// Limit rotation vectors (T, K, 3) of joints, in the body's axes as each joint has them, in poses (T, J, 4), in place.
static void limit_turns(const TrunkRoom& room, Floats<3> rotations, FloatsOut<3> vectors) {
    const Index count = room.passes_on.shape[0];
    for (Index t = 0; t < vectors.shape[0]; ++t)
        for (Index r = 0; r < count; ++r) {
            const Index first = room.turned_starts(r), end = room.turned_starts(r + 1);
            Vec3 added = {0.0, 0.0, 0.0};
            for (Index n = first; n < end; ++n) added = added + read_vector(vectors.at(t, room.turned(n)));
            if (dot(added, added) <= square(0.5 * LEAST_ROOM)) continue;  // for that there is always room
            Quat turned = read_quaternion(room.before.at(r));
            for (Index p = room.starts(r); p < room.starts(r + 1); ++p)
                turned = turned * read_quaternion(rotations.at(t, room.paths(p)));
            turned = turned * conjugate(read_quaternion(room.after.at(r)));
            const Vec3 surplus = added - limited(room, r, turned, added);
            const auto give = [&](Index to, Vec3 more) {
                const Index own = room.turned_starts(to), last = room.turned_starts(to + 1);
                for (Index n = own; n < last; ++n) {
                    double* at = vectors.at(t, room.turned(n));
                    write_vector(at, read_vector(at) + more / static_cast<double>(last - own));
                }
            };
            give(r, -surplus);
            if (room.passes_on(r) >= 0) give(room.passes_on(r), surplus);
        }
}

}  // namespace kinesphere

FIELDS(kinesphere::TrunkRoom, &kinesphere::TrunkRoom::starts, &kinesphere::TrunkRoom::paths,
       &kinesphere::TrunkRoom::turned_starts, &kinesphere::TrunkRoom::turned, &kinesphere::TrunkRoom::passes_on,
       &kinesphere::TrunkRoom::before, &kinesphere::TrunkRoom::after, &kinesphere::TrunkRoom::ends,
       &kinesphere::TrunkRoom::axes);

namespace kinesphere {

KERNELS(trunk_room) { return {kernel<limit_turns>("limit_turns")}; }

}  // namespace kinesphere
