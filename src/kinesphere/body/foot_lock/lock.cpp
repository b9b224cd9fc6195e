// The loop of foot locking that writes a joint's rotations.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// Write the local rotations of one joint into `local (T, J, 4)`, in active frames (T,).
//
// `world (T, K, 4)` has the world rotations before, `row` and `parent` (or -1) are the joint and its parent in it; the
// changes (T, 4) are the world rotations that the parent and the joint itself make from there.
static void rotate_joint(Floats<3> world, Index row, Index parent, Floats<2> parent_change, Floats<2> own_change,
                         Bools<1> active, FloatsOut<3> local, Index joint) {
    for (Index t = 0; t < active.shape[0]; ++t) {
        if (!active(t)) continue;
        Quat above = read_quaternion(parent_change.at(t));
        if (parent >= 0) above = above * read_quaternion(world.at(t, parent));
        const Quat own = read_quaternion(own_change.at(t)) * read_quaternion(world.at(t, row));
        const Quat made = conjugate(above) * own, before = read_quaternion(local.at(t, joint));
        const double same = made.w * before.w + made.x * before.x + made.y * before.y + made.z * before.z;
        write_quaternion(local.at(t, joint), same < 0.0 ? -made : made);
    }
}

KERNELS(lock) { return {kernel<rotate_joint>("rotate_joint")}; }

}  // namespace kinesphere
