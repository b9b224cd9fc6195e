// Studio lighting: depth maps, ambient occlusion, blurred shadows on the floor, and the shading of floor and surface.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"
#include "pictures/camera.hpp"
#include "pictures/paint.hpp"
#include "pictures/rasterise.hpp"

namespace kinesphere {

constexpr double BIAS = 0.015;         // body heights by which an occluder must be nearer to the light
constexpr double SAME_DEPTH = 0.0015;  // of samples of a pixel that share one light, relative
constexpr double SAME_NORMAL = 0.98;   // cosine of their normals

// A row of a box filter of three texels: the sum of three rows or columns, of which there are fewer at the edges.
static void add_three(const float* before, const float* here, const float* after, float* out, Index count) {
    for (Index i = 0; i < count; ++i) {
        const double total =
            static_cast<double>(before[i]) + static_cast<double>(here[i]) + static_cast<double>(after[i]);
        out[i] = static_cast<float>(total * (1.0 / 3.0));
    }
}

// Blur a square map in place by box filters of three texels, which come close to a Gaussian after a few `passes` along
// rows and columns.
static void blur(Array<float, 2> values, Index passes) {
    const Index side = values.shape[0];
    Scratch<float, 2> rows(side, side);
    Scratch<float, 1> none(side);
    for (Index pass = 0; pass < passes; ++pass) {
        for (Index row = 0; row < side; ++row) {
            const float* const from = values.at(row);
            float* const to = rows.at(row);
            if (side > 2) add_three(from, from + 1, from + 2, to + 1, side - 2);
            const float last[] = {side > 1 ? from[side - 2] : 0.0F, from[side - 1], 0.0F};
            const float first[] = {0.0F, from[0], side > 1 ? from[1] : 0.0F};
            add_three(first, first + 1, first + 2, to, 1);
            add_three(last, last + 1, last + 2, to + side - 1, 1);
        }
        for (Index row = 0; row < side; ++row) {
            add_three(row > 0 ? rows.at(row - 1) : none.data, rows.at(row),
                      row + 1 < side ? rows.at(row + 1) : none.data, values.at(row), side);
        }
    }
}

// Shadow maps of distant lights: for each texel the greatest height along the light's direction.
struct DepthMaps {
    Floats<2> directions;           // (L, 3) unit vectors to the lights
    Floats<2> x_axes, y_axes;       // (L, 3) of the maps, in the world
    Floats<2> origins;              // (L, 3) of the maps, in the world
    Floats<1> texels, biases;       // (L,) metres
    Array<const float, 3> heights;  // (L, N, N)
};

// Depth maps of a surface from several directions, without perspective, for a body of that height. Arrays are those of
// `DepthMaps`; origins, texels, biases and heights are written.
static void fill_depth_maps(Floats<2> points, Ints<2> triangles, double height, Floats<2> directions, Floats<2> x_axes,
                            Floats<2> y_axes, FloatsOut<2> origins, FloatsOut<1> texels, FloatsOut<1> biases,
                            Array<float, 3> heights) {
    const Index side = heights.shape[1], count = points.shape[0];
    const double size = static_cast<double>(side);
    Scratch<double, 2> placed(count, 3);
    for (Index light = 0; light < directions.shape[0] && triangles.shape[0] > 0; ++light) {
        const Vec3 across = read_vector(x_axes.at(light)), upwards = read_vector(y_axes.at(light));
        const Vec3 towards = read_vector(directions.at(light));
        double left = HUGE_VAL, right = -HUGE_VAL, low = HUGE_VAL, high = -HUGE_VAL;
        for (Index i = 0; i < count; ++i) {
            const Vec3 point = read_vector(points.at(i));
            const double x = dot(across, point), y = dot(upwards, point);
            left = least(left, x), right = most(right, x);
            low = least(low, y), high = most(high, y);
            write_vector(placed.at(i), {x, y, dot(towards, point)});
        }
        // A larger body gets coarser shadows on itself rather than none; whole texels keep them from swimming.
        const double texel = most(2.4 * height / size, most(right - left, high - low) / (0.98 * size));
        const double x = std::floor(0.5 * (left + right) / texel) * texel - 0.5 * size * texel;
        const double y = std::floor(0.5 * (low + high) / texel) * texel - 0.5 * size * texel;
        write_vector(origins.at(light), x * across + y * upwards);
        texels(light) = texel;
        biases(light) = most(BIAS * height, texel);
        for (Index i = 0; i < count; ++i) {
            double* const corner = placed.at(i);
            corner[0] = (corner[0] - x) / texel;
            corner[1] = (corner[1] - y) / texel;
        }
        for (Index t = 0; t < triangles.shape[0]; ++t) {
            const Index* triangle = triangles.at(t);
            fill_triangle(read_corner(placed.at(triangle[0])), read_corner(placed.at(triangle[1])),
                          read_corner(placed.at(triangle[2])), 0, heights.at(light), nullptr, side, side);
        }
    }
}

// Whether a light reaches a point of that height, weighted over the four texels around it.
static double bilinear_depth_test(double column, double row, double height, const float* heights, Index side) {
    const double last = static_cast<double>(side - 1);
    if (!(column >= 0.0 && row >= 0.0 && column < last && row < last)) return 1.0;
    const Index i = static_cast<Index>(row), j = static_cast<Index>(column);
    const double v = row - static_cast<double>(i), u = column - static_cast<double>(j);
    const float *const above = heights + i * side + j, *const below = above + side;
    const auto lit = [height](float occluder) { return static_cast<double>(occluder <= height); };
    const double upper = (1.0 - u) * lit(above[0]) + u * lit(above[1]);
    const double lower = (1.0 - u) * lit(below[0]) + u * lit(below[1]);
    return (1.0 - v) * upper + v * lower;
}

// Add to `total` and `arriving (V,)` the light of each direction without and with occlusion. Ambient occlusion is soft,
// so that once a vertex is enough.
static void gather_ambient(Floats<2> points, Floats<2> normals, const DepthMaps& maps, FloatsOut<1> total,
                           FloatsOut<1> arriving) {
    for (Index light = 0; light < maps.directions.shape[0]; ++light) {
        const Vec3 x_axis = read_vector(maps.x_axes.at(light)), y_axis = read_vector(maps.y_axes.at(light));
        const Vec3 axis = read_vector(maps.directions.at(light)), origin = read_vector(maps.origins.at(light));
        const double over = 1.0 / maps.texels(light), bias = maps.biases(light);
        const float* const heights = maps.heights.at(light);
        for (Index i = 0; i < points.shape[0]; ++i) {
            const Vec3 normal = read_vector(normals.at(i));
            const double facing = dot(normal, axis);
            if (facing <= 0.0) continue;
            const Vec3 p = read_vector(points.at(i)) + bias * normal - origin;
            const double column = dot(p, x_axis) * over, row = dot(p, y_axis) * over, height = dot(p, axis) + bias;
            total(i) += facing;
            if (std::isfinite(column + row + height)) {
                const double lit = bilinear_depth_test(column - 0.5, row - 0.5, height, heights, maps.heights.shape[1]);
                arriving(i) += facing * lit;
            }
        }
    }
}

// The floor

// The floor: its colours, linear, its grid, and how much of its light each lamp gives.
struct Floor {
    double height;
    Floats<1> target;                                   // (3,) around which it is drawn
    double radius;                                      // metres from the target to where it has faded into paper
    double step;                                        // metres between the lines of the grid
    double line_width;                                  // pixels
    Floats<1> paper, colour, line;                      // (3,)
    Floats<1> key_share, ambient_share, contact_share;  // (3,) of its light
};

// Maps over the floor: the share of each light that does not arrive. Corners are (x, z), texels in metres.
struct FloorShadows {
    Array<const float, 2> key;      // (N, N)
    Array<const float, 2> contact;  // (N, N) the share of ambient light hidden by what touches the floor
    Floats<1> key_corner;           // (2,) of `key` and `contact`
    double key_texel;
    Array<const float, 2> ambient;  // (M, M)
    Floats<1> ambient_corner;       // (2,)
    double ambient_texel;
};

// Lines of a grid across one axis of the floor.
struct Grid {
    double step, over_step;  // metres between lines, and 1 / metres
    double width, reach;     // pixels, of a line and from its middle to where it ends

    Grid(double step, double width) : step(step), over_step(1.0 / step), width(width), reach(0.5 * width + 0.5) {}

    // Metres from the nearest line to a position.
    double offset(double position) const { return position - round_whole(position * over_step) * step; }

    // How much of a pixel the nearest line covers; less where lines would run together. `footprint` is the pixel's size
    // on the floor, squared.
    double coverage(double offset, double footprint) const {
        if (offset * offset >= reach * reach * footprint) return 0.0;
        const double pixel = std::sqrt(footprint);
        const double cover = least(reach - std::abs(offset) / pixel, least(width, 1.0));
        return cover * clamp(1.5 - 4.0 * pixel * width * over_step, 0.0, 1.0);
    }
};

// The part of a square map of shadows where there are any.
struct ShadowMap {
    const float* values;
    Index side;
    double left = HUGE_VAL, right = -HUGE_VAL, top = HUGE_VAL, bottom = -HUGE_VAL;  // texels

    explicit ShadowMap(Array<const float, 2> map) : values(map.data), side(map.shape[0]) {
        Index first = side, last = -1;
        for (Index row = 0; row < side; ++row) {
            const float* const texels = map.at(row);
            Index start = 0, end = side;
            while (start < side && texels[start] == 0.0F) ++start;
            if (start == side) continue;
            while (texels[end - 1] == 0.0F) --end;
            first = least(first, start), last = most(last, end - 1);
            top = least(top, static_cast<double>(row)), bottom = static_cast<double>(row);
        }
        // Texels around the shadow take part in what is between them.
        left = most(static_cast<double>(first - 1), 0.0), right = static_cast<double>(least(last + 1, side - 1));
        top = most(top - 1.0, 0.0), bottom = least(bottom + 1.0, static_cast<double>(side - 1));
    }

    // The map between texels; 0 outside of it.
    double sample(double column, double row) const {
        if (!(column >= left && row >= top && column < right && row < bottom)) return 0.0;
        const Index i = static_cast<Index>(row), j = static_cast<Index>(column);
        const double v = row - static_cast<double>(i), u = column - static_cast<double>(j);
        const float *const above = values + i * side + j, *const below = above + side;
        const double upper = (1.0 - u) * above[0] + u * above[1], lower = (1.0 - u) * below[0] + u * below[1];
        return (1.0 - v) * upper + v * lower;
    }
};

// Draw the floor into `out (H, W, 3)`: lines that stay fine, shadows, fading into paper far from the target.
static void shade_floor(const Projection& view, const Floor& floor, const FloorShadows& shadows, Array<float, 3> out) {
    const Vec3 across = read_vector(view.axes.at(0)), up = read_vector(view.axes.at(1));
    const Vec3 back = read_vector(view.axes.at(2)), eye = read_vector(view.eye.data);
    const double target_x = floor.target(0), target_z = floor.target(2), drop = floor.height - eye.y;
    const double slope = 1.0 / view.focal, nearer = 1.0 / (floor.radius * floor.radius), middle = view.x;
    const Grid grid(floor.step, floor.line_width);
    const ShadowMap key_map(shadows.key), contact_map(shadows.contact), ambient_map(shadows.ambient);
    const double key_x = shadows.key_corner(0), key_z = shadows.key_corner(1), over_key = 1.0 / shadows.key_texel;
    const double ambient_x = shadows.ambient_corner(0), ambient_z = shadows.ambient_corner(1);
    const double over_ambient = 1.0 / shadows.ambient_texel;
    double paper[3], bare[3], lines[3], key_share[3], ambient_share[3], contact_share[3];
    for (int k = 0; k < 3; ++k) {
        paper[k] = floor.paper(k), bare[k] = floor.colour(k) - paper[k], lines[k] = floor.line(k) - paper[k];
        key_share[k] = floor.key_share(k), ambient_share[k] = floor.ambient_share(k);
        contact_share[k] = floor.contact_share(k);
    }
    // A few pixels at a time: first where they see the floor, in a loop without branches, then what is there.
    constexpr Index SPAN = 64;
    double xs[SPAN], zs[SPAN], fars[SPAN], offsets_x[SPAN], offsets_z[SPAN], footprints_x[SPAN], footprints_z[SPAN];
    const Index wide = out.shape[1];
    for (Index row = 0; row < out.shape[0]; ++row) {
        const Vec3 rise = (view.y - static_cast<double>(row) - 0.5) * slope * up;
        for (Index start = 0; start < wide; start += SPAN) {
            const Index count = least(SPAN, wide - start);
            for (Index i = 0; i < count; ++i) {
                const double run = (static_cast<double>(static_cast<std::int32_t>(start + i)) + 0.5 - middle) * slope;
                const Vec3 ray = run * across + rise - back;
                const double over = ray.y < -1e-6 ? 1.0 / ray.y : 0.0, along = drop * over;
                const double x = eye.x + along * ray.x, z = eye.z + along * ray.z;
                const double far = (square(x - target_x) + square(z - target_z)) * nearer;
                // How far the position moves from this pixel to the next one right and the next one down.
                const double pixel = along * slope, tilt_x = ray.x * over, tilt_z = ray.z * over;
                const double right_x = pixel * (across.x - tilt_x * across.y), down_x = pixel * (up.x - tilt_x * up.y);
                const double right_z = pixel * (across.z - tilt_z * across.y), down_z = pixel * (up.z - tilt_z * up.y);
                xs[i] = x, zs[i] = z, fars[i] = along > 0.0 ? far : 1.0;
                offsets_x[i] = grid.offset(x), offsets_z[i] = grid.offset(z);
                footprints_x[i] = most(right_x * right_x + down_x * down_x, 1e-18);
                footprints_z[i] = most(right_z * right_z + down_z * down_z, 1e-18);
            }
            float* tone = out.at(row, start);
            for (Index i = 0; i < count; ++i, tone += 3) {
                if (!(fars[i] < 1.0)) {
                    for (int k = 0; k < 3; ++k) tone[k] = static_cast<float>(paper[k]);
                    continue;
                }
                const double fade = (1.0 - fars[i]) * (1.0 - fars[i]);
                const double line =
                    most(grid.coverage(offsets_x[i], footprints_x[i]), grid.coverage(offsets_z[i], footprints_z[i]));
                double lit[3];
                for (int k = 0; k < 3; ++k) lit[k] = paper[k] + fade * (bare[k] + line * lines[k]);
                const double column = (xs[i] - key_x) * over_key - 0.5, texel_row = (zs[i] - key_z) * over_key - 0.5;
                const double key = key_map.sample(column, texel_row), contact = contact_map.sample(column, texel_row);
                const double ambient = ambient_map.sample((xs[i] - ambient_x) * over_ambient - 0.5,
                                                          (zs[i] - ambient_z) * over_ambient - 0.5);
                if (key != 0.0 || contact != 0.0 || ambient != 0.0) {
                    const double deep = least(1.5 * fade, 1.0);
                    // One after the other: subtracted together they would leave less than nothing, and of blue last.
                    for (int k = 0; k < 3; ++k) {
                        lit[k] *= (1.0 - deep * key_share[k] * key) * (1.0 - deep * ambient_share[k] * ambient);
                        lit[k] *= 1.0 - deep * contact_share[k] * contact;
                    }
                }
                for (int k = 0; k < 3; ++k) tone[k] = static_cast<float>(lit[k]);
            }
        }
    }
}

// The surface

// A posed surface.
struct LitMesh {
    Floats<2> points;         // (V, 3) in the world
    Floats<2> camera_points;  // (V, 3) right, up and depth in the camera's frame
    Floats<2> normals;        // (V, 3)
    Floats<2> colours;        // (V, 3) linear
    Floats<1> ambient;        // (V,) the share of ambient light that reaches a vertex
    Ints<2> triangles;        // (F, 3)
};

// Lamps and what shades them.
struct Lighting {
    Floats<2> lamps;   // (4, 3) linear colours: key, ambient, bounce, rim
    DepthMaps key;     // of the key light
    double softness;   // metres over which its shadows soften
    double floor;      // height of the floor, which darkens what is near it and faces down
    double darkening;  // metres above the floor over which it does
};

// Whether two samples of different triangles have one light: one depth and normal.
static bool shares_light(Index sample, Index other, const ZBuffer& buffer, const LitMesh& mesh) {
    const float near_by = buffer.inverse_depth.data[sample];
    if (!(std::abs(buffer.inverse_depth.data[other] - near_by) < SAME_DEPTH * near_by)) return false;
    const Index here = mesh.triangles(buffer.ids.data[sample], 0), there = mesh.triangles(buffer.ids.data[other], 0);
    return dot(read_vector(mesh.normals.at(here)), read_vector(mesh.normals.at(there))) > SAME_NORMAL;
}

// Whether two triangles have one colour at their first corners.
static bool shares_colour(std::int32_t t, std::int32_t s, const LitMesh& mesh) {
    const double *const a = mesh.colours.at(mesh.triangles(t, 0)), *const b = mesh.colours.at(mesh.triangles(s, 0));
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// The key light's map, and how far its shadows are filtered.
struct KeyLight {
    Vec3 direction, x_axis, y_axis, origin;
    double over_texel, bias, reach;  // reach in texels
    const float* heights;            // (side, side)
    Index side;

    explicit KeyLight(const Lighting& lighting)
        : direction(read_vector(lighting.key.directions.data)),
          x_axis(read_vector(lighting.key.x_axes.data)),
          y_axis(read_vector(lighting.key.y_axes.data)),
          origin(read_vector(lighting.key.origins.data)),
          over_texel(1.0 / lighting.key.texels(0)),
          bias(lighting.key.biases(0)),
          reach(clamp(lighting.softness * over_texel, 1.5, 5.0)),
          heights(lighting.key.heights.data),
          side(lighting.key.heights.shape[1]) {}
};

// The share of the key light that arrives: percentage-closer filtering with tent weights. The point is first moved out
// of the surface, and only what is nearer to the light by more than the bias counts, so that a surface does not shade
// itself.
static double filter_shadow(Vec3 point, Vec3 normal, const KeyLight& light) {
    const double reach = light.reach;
    const Vec3 p = point + light.bias * normal - light.origin;
    const double column = dot(p, light.x_axis) * light.over_texel - 0.5;
    const double row = dot(p, light.y_axis) * light.over_texel - 0.5;
    const double height = dot(p, light.direction) + light.bias, last = static_cast<double>(light.side - 1) - reach;
    if (!(column >= reach && row >= reach && column < last && row < last)) return 1.0;
    const Index left = ceil_index(column - reach), right = floor_index(column + reach);
    const Index top = ceil_index(row - reach), bottom = floor_index(row + reach);
    double weights[12], across = 0.0, down = 0.0, lit = 0.0;
    const Index wide = right - left + 1;
    for (Index j = 0; j < wide; ++j) {
        weights[j] = reach - std::abs(static_cast<double>(left + j) - column);
        across += weights[j];
    }
    for (Index i = top; i <= bottom; ++i) {
        const float* const heights = light.heights + i * light.side + left;
        double lit_across = 0.0;
        for (Index j = 0; j < wide; ++j) lit_across += heights[j] <= height ? weights[j] : 0.0;
        const double weight = reach - std::abs(static_cast<double>(i) - row);
        down += weight;
        lit += weight * lit_across;
    }
    const double total = down * across;
    return total > 0.0 ? lit / total : 1.0;
}

// Highlights run softly into white, as on film.
static double tone_map(double light) {
    return light < 0.6 ? light : 0.6 + 0.4 * (1.0 - std::exp((light - 0.6) * (-1.0 / 0.4)));
}

// What arrives at a sample: light that the surface's own colour reflects, and light that it does not colour.
struct Light {
    Vec3 coloured, specular, rim;

    // The light that a surface of that colour sends to the eye.
    Vec3 of(Vec3 colour) const {
        return {tone_map(colour.x * coloured.x + specular.x + rim.x),
                tone_map(colour.y * coloured.y + specular.y + rim.y),
                tone_map(colour.z * coloured.z + specular.z + rim.z)};
    }
};

// Values (V, 3) of a triangle's corners, weighted.
static Vec3 weigh_corners(const double* values, const Index* triangle, const Meeting& at) {
    return at.u * read_vector(values + 3 * triangle[0]) + at.v * read_vector(values + 3 * triangle[1]) +
           at.w * read_vector(values + 3 * triangle[2]);
}

// Where the camera's ray (dx, dy, 1) meets one of a mesh's triangles.
static Meeting meet_mesh(Vec3 ray, const Index* triangle, const LitMesh& mesh) {
    return meet_triangle(ray, read_vector(mesh.camera_points.at(triangle[0])),
                         read_vector(mesh.camera_points.at(triangle[1])),
                         read_vector(mesh.camera_points.at(triangle[2])));
}

// The light where a ray meets a triangle of three vertices.
//
// Lambert's cosine for the key light, wrapped a little round the edge as a wide lamp does; Blinn–Phong highlights; a
// hemisphere of ambient and bounced light; a Fresnel-like rim.
static Light light_sample(const Meeting& at, const Index* triangle, const LitMesh& mesh, Vec3 eye,
                          const Lighting& lighting, const KeyLight& key) {
    const Vec3 point = weigh_corners(mesh.points.data, triangle, at);
    Vec3 normal = weigh_corners(mesh.normals.data, triangle, at);
    const double length = most(norm(normal), 1e-12);
    normal = 1.0 / (at.inside ? -length : length) * normal;
    const Vec3 to_eye = eye - point, view = 1.0 / most(norm(to_eye), 1e-12) * to_eye;
    const double facing = dot(normal, key.direction);
    const double lit = facing > -0.1 ? filter_shadow(point, normal, key) : 0.0;
    const double diffuse = most((facing + 0.1) * (1.0 / 1.1), 0.0) * lit;
    const Vec3 half = view + key.direction;
    double specular = square(most(dot(normal, half) / most(norm(half), 1e-12), 0.0));
    specular = specular * specular * specular;
    specular = specular * specular * specular * specular * 0.10 * lit;
    const double grazing = 1.0 - clamp(dot(normal, view), 0.0, 1.0);
    const double up = 0.5 + 0.5 * normal.y, rim = grazing * grazing * grazing * up;
    // What lies low and faces down is lit by little but its own shadow.
    double open = 1.0 - 0.65 * (1.0 - up) * std::exp(-most(point.y - lighting.floor, 0.0) / lighting.darkening);
    // Some light always arrives.
    const double *const ambient = mesh.ambient.data, u = at.u, v = at.v, w = at.w;
    open *= 0.25 + 0.75 * (u * ambient[triangle[0]] + v * ambient[triangle[1]] + w * ambient[triangle[2]]);
    const double* const lamps = lighting.lamps.data;
    const auto coloured = [&](int k) {
        return lamps[k] * diffuse + (lamps[3 + k] * up + lamps[6 + k] * (1.0 - up)) * open;
    };
    return {{coloured(0), coloured(1), coloured(2)},
            {lamps[0] * specular, lamps[1] * specular, lamps[2] * specular},
            {lamps[9] * rim, lamps[10] * rim, lamps[11] * rim}};
}

static void write_light(float* to, Vec3 light) {
    to[0] = static_cast<float>(light.x), to[1] = static_cast<float>(light.y), to[2] = static_cast<float>(light.z);
}

// Call `shade(sample, ray, alike)` for every sample of a z-buffer that shows a triangle, with the ray from the eye
// through it. `alike` is the first sample of the same pixel before this one, in rows, for which `same(sample, other)`
// holds; below 0 for none.
template <class Same, class Shade>
static void visit_samples(const ZBuffer& buffer, const Projection& view, Index supersampling, const Same& same,
                          const Shade& shade) {
    const std::int32_t* const ids = buffer.ids.data;
    const Index high = buffer.ids.shape[0], wide = buffer.ids.shape[1];
    const auto find_alike = [&](Index row, Index column, Index top, Index left) -> Index {
        for (Index i = top; i <= row; ++i) {
            const Index end = i == row ? column : left + supersampling;
            for (Index other = i * wide + left; other < i * wide + end; ++other) {
                if (ids[other] >= 0 && same(row * wide + column, other)) return other;
            }
        }
        return -1;
    };
    for (Index row = 0; row < high; ++row) {
        const Index top = row - row % supersampling;
        const double dy = (view.y - static_cast<double>(row) - 0.5) / view.focal;
        for (Index left = 0; left < wide; left += supersampling) {
            for (Index column = left; column < least(left + supersampling, wide); ++column) {
                if (ids[row * wide + column] < 0) continue;
                const double dx = (static_cast<double>(column) + 0.5 - view.x) / view.focal;
                shade(row * wide + column, Vec3{dx, dy, 1.0}, find_alike(row, column, top, left));
            }
        }
    }
}

// Shade every sample of a z-buffer that shows a triangle of a mesh, into `out (H, W, 3)`.
//
// Samples of a pixel share one light where they show one triangle, or two of the same colour, depth and normal: small
// triangles would else cost a light each.
static void shade_surface(const ZBuffer& buffer, const LitMesh& mesh, const Projection& view, const Lighting& lighting,
                          Index supersampling, Array<float, 3> out) {
    const KeyLight key(lighting);
    const Vec3 eye = read_vector(view.eye.data);
    const std::int32_t* const ids = buffer.ids.data;
    const auto same = [&](Index sample, Index other) {
        const std::int32_t t = ids[sample], s = ids[other];
        return s == t || (shares_colour(t, s, mesh) && shares_light(sample, other, buffer, mesh));
    };
    visit_samples(buffer, view, supersampling, same, [&](Index sample, Vec3 ray, Index alike) {
        float* const to = out.data + 3 * sample;
        if (alike >= 0) {
            const float* const from = out.data + 3 * alike;
            to[0] = from[0], to[1] = from[1], to[2] = from[2];
            return;
        }
        const Index* const triangle = mesh.triangles.at(ids[sample]);
        const Meeting at = meet_mesh(ray, triangle, mesh);
        const Vec3 colour = weigh_corners(mesh.colours.data, triangle, at);
        write_light(to, light_sample(at, triangle, mesh, eye, lighting, key).of(colour));
    });
}

// The same for a mesh with paint. Samples of a pixel share their colour where they show one triangle, and their light
// where two have the same depth and normal.
static void shade_painted(const ZBuffer& buffer, const LitMesh& mesh, const Paint& paint, const Projection& view,
                          const Lighting& lighting, Index supersampling, Array<float, 3> out) {
    const KeyLight key(lighting);
    const Vec3 eye = read_vector(view.eye.data);
    const std::int32_t* const ids = buffer.ids.data;
    const Index wide = buffer.ids.shape[1];
    std::vector<Light> lights(static_cast<std::size_t>(wide * supersampling));  // of this row of pixels
    const auto place = [&](Index sample) { return static_cast<std::size_t>(sample % (wide * supersampling)); };
    const auto is_unlit = [&](Index sample) { return (paint.materials(paint.numbers(ids[sample]), 5) & UNLIT) != 0; };
    const auto same = [&](Index sample, Index other) {
        if (ids[sample] == ids[other]) return true;
        return !is_unlit(sample) && !is_unlit(other) && shares_light(sample, other, buffer, mesh);
    };
    visit_samples(buffer, view, supersampling, same, [&](Index sample, Vec3 ray, Index alike) {
        float* const to = out.data + 3 * sample;
        const std::int32_t t = ids[sample], number = paint.numbers(t);
        if (alike >= 0) lights[place(sample)] = lights[place(alike)];
        if (alike >= 0 && ids[alike] == t) {
            const float* const from = out.data + 3 * alike;
            to[0] = from[0], to[1] = from[1], to[2] = from[2];
            return;
        }
        const Index* const triangle = mesh.triangles.at(t);
        const Meeting at = meet_mesh(ray, triangle, mesh);
        const double detail = texture_detail(paint, number, triangle, mesh.camera_points, view, supersampling);
        const Vec3 colour = sample_paint(paint, number, triangle, at, detail).colour;
        if (is_unlit(sample)) {
            write_light(to, colour);
            return;
        }
        if (alike < 0) lights[place(sample)] = light_sample(at, triangle, mesh, eye, lighting, key);
        write_light(to, lights[place(sample)].of(colour));
    });
}

}  // namespace kinesphere

FIELDS(kinesphere::DepthMaps, &kinesphere::DepthMaps::directions, &kinesphere::DepthMaps::x_axes,
       &kinesphere::DepthMaps::y_axes, &kinesphere::DepthMaps::origins, &kinesphere::DepthMaps::texels,
       &kinesphere::DepthMaps::biases, &kinesphere::DepthMaps::heights);
FIELDS(kinesphere::Floor, &kinesphere::Floor::height, &kinesphere::Floor::target, &kinesphere::Floor::radius,
       &kinesphere::Floor::step, &kinesphere::Floor::line_width, &kinesphere::Floor::paper, &kinesphere::Floor::colour,
       &kinesphere::Floor::line, &kinesphere::Floor::key_share, &kinesphere::Floor::ambient_share,
       &kinesphere::Floor::contact_share);
FIELDS(kinesphere::FloorShadows, &kinesphere::FloorShadows::key, &kinesphere::FloorShadows::contact,
       &kinesphere::FloorShadows::key_corner, &kinesphere::FloorShadows::key_texel, &kinesphere::FloorShadows::ambient,
       &kinesphere::FloorShadows::ambient_corner, &kinesphere::FloorShadows::ambient_texel);
FIELDS(kinesphere::LitMesh, &kinesphere::LitMesh::points, &kinesphere::LitMesh::camera_points,
       &kinesphere::LitMesh::normals, &kinesphere::LitMesh::colours, &kinesphere::LitMesh::ambient,
       &kinesphere::LitMesh::triangles);
FIELDS(kinesphere::Lighting, &kinesphere::Lighting::lamps, &kinesphere::Lighting::key, &kinesphere::Lighting::softness,
       &kinesphere::Lighting::floor, &kinesphere::Lighting::darkening);

namespace kinesphere {

KERNELS(light) {
    return {
        kernel<blur>("blur"),
        kernel<fill_depth_maps>("fill_depth_maps"),
        kernel<gather_ambient>("gather_ambient"),
        kernel<shade_floor>("shade_floor"),
        kernel<shade_surface>("shade_surface"),
        kernel<shade_painted>("shade_painted"),
    };
}

}  // namespace kinesphere
