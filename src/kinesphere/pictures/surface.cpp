// Normals of a skinned surface.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// Unit `normals (V, 3)`: the area-weighted mean of the faces that meet in a vertex's group, of so many groups. Faces
// that are not finite don't count; without any, the normal is up.
static void vertex_normals(Floats<2> points, Ints<2> triangles, Ints<1> groups, Index group_count,
                           FloatsOut<2> normals) {
    Scratch<double, 2> sums(group_count, 3);
    for (Index t = 0; t < triangles.shape[0]; ++t) {
        const Index* triangle = triangles.at(t);
        const Vec3 a = read_vector(points.at(triangle[0]));
        const Vec3 face = cross(read_vector(points.at(triangle[1])) - a, read_vector(points.at(triangle[2])) - a);
        if (!std::isfinite(face.x + face.y + face.z)) continue;
        for (int k = 0; k < 3; ++k) {
            double* sum = sums.at(groups(triangle[k]));
            write_vector(sum, read_vector(sum) + face);
        }
    }
    for (Index i = 0; i < points.shape[0]; ++i) {
        const Vec3 sum = read_vector(sums.at(groups(i)));
        const double length = norm(sum);
        write_vector(normals.at(i), length > 1e-30 ? sum / length : Vec3{0.0, 1.0, 0.0});
    }
}

KERNELS(surface) { return {kernel<vertex_normals>("vertex_normals")}; }

}  // namespace kinesphere
