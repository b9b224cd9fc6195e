// The centre of mass of a figure, by forward kinematics.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

namespace {

// S segments of the body on K joints.
struct MassSegments {
    Ints<1> joints;     // (K,) that carry mass, and their ancestors
    Ints<1> parents;    // (K,) among them, or -1
    Ints<1> carriers;   // (S,) which of them carry segments
    Floats<2> offsets;  // (S, 3) the segments' centres
    Floats<1> masses;   // (S,) shares of the body's
};

struct Placement {
    Quat rotation;
    Vec3 position;
};

}  // namespace

// Write x and z (F, 2) of the centre of mass of local rotations (F, J, 4) and translations (F, J, 3).
static void horizontal_centre_of_mass(Floats<3> local, Floats<3> translations, const MassSegments& model,
                                      FloatsOut<2> out) {
    const Index joints = model.joints.shape[0], segments = model.carriers.shape[0];
    std::vector<Placement> world(static_cast<std::size_t>(joints));
    for (Index i = 0; i < local.shape[0]; ++i) {
        const double *rotations = local.at(i), *offsets = translations.at(i);
        for (Index k = 0; k < joints; ++k) {
            const Index joint = model.joints(k), parent = model.parents(k);
            Placement own = {read_quaternion(rotations + 4 * joint), read_vector(offsets + 3 * joint)};
            if (parent >= 0) {
                const Placement& from = world[parent];
                own = {from.rotation * own.rotation, from.position + rotate(from.rotation, own.position)};
            }
            world[k] = own;
        }
        double x = 0.0, z = 0.0;
        for (Index s = 0; s < segments; ++s) {
            const Placement& carrier = world[model.carriers(s)];
            const Vec3 centre = carrier.position + rotate(carrier.rotation, read_vector(model.offsets.at(s)));
            x += model.masses(s) * centre.x;
            z += model.masses(s) * centre.z;
        }
        out(i, 0) = x, out(i, 1) = z;
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::MassSegments, &kinesphere::MassSegments::joints, &kinesphere::MassSegments::parents,
       &kinesphere::MassSegments::carriers, &kinesphere::MassSegments::offsets, &kinesphere::MassSegments::masses);

namespace kinesphere {

KERNELS(generation) { return {kernel<horizontal_centre_of_mass>("horizontal_centre_of_mass")}; }

}  // namespace kinesphere
