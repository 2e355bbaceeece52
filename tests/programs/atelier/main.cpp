// A scene of three kinds of shapes and five materials, rendered and finished by both; says what differs.
#include "archive_reference.h"
#include "film_reference.h"
#include "reference.h"
#include "sheet_main.h"
#include "volume_reference.h"

#include "film_ispc.h"
#include "geometry_ispc.h"
#include "material_ispc.h"
#include "render_ispc.h"
#include "tree_ispc.h"
#include "volume_ispc.h"

#include <cstdio>

static int progressed = 0, exposures = 0;
static bool differs = false;

namespace ispc {
extern "C" void host_progress(int32_t, float share) { progressed += share > 0 && share <= 1; }
extern "C" float host_exposure(int32_t bounce) {
    __atomic_fetch_add(&exposures, 1, __ATOMIC_RELAXED);
    return reference::exposure_of(bounce);
}
} // namespace ispc

static uint32 seed = 12345;
static float random_float(float low, float high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * float(seed >> 8) / 16777216.0f;
}
static Float3 random_point(float size) {
    const float x = random_float(-size, size), y = random_float(-size, size);
    return {x, y, random_float(-size, size)};
}

static void expect(bool holds, const char *what) {
    if (!holds)
        printf("%s differs\n", what);
    differs |= !holds;
}

template <typename T> static void expect_same(const T *found, const T *wanted, size_t count, const char *what) {
    for (size_t k = 0; k < count; k++)
        if (memcmp(&found[k], &wanted[k], sizeof(T))) {
            printf("%s differs at %zu of %zu\n", what, k, count);
            differs = true;
            return;
        }
}

static ispc::Float3 *as_ispc(Float3 *p) { return (ispc::Float3 *)p; }
static const ispc::Float3 *as_ispc(const Float3 *p) { return (const ispc::Float3 *)p; }

static void try_smoke() {
    const int count = 16 * 16 * 16, width = 21, height = 13;
    reference::Smoke smoke;
    for (int k = 0; k < count; k++) {
        reference::PlainCell cell = {};
        cell.density = std::max(0.0f, random_float(-0.3f, 1));
        for (int16 &speed : cell.speed)
            speed = int16(random_float(-32768, 32767) * (k % 3 == 0 ? 1.0f : 0.005f));
        cell.kind = k % 5 == 0 ? 0 : uint8(random_float(0, 20));
        cell.sum = k;
        cell.times = int64(k) << 33;
        smoke.cells.push_back(cell);
    }
    void *made = ispc::Smoke_new((const ispc::PlainCell *)smoke.cells.data());
    for (int k = 0; k < 4; k++) {
        smoke.step();
        ispc::step(made, k + 1);
    }
    std::vector<reference::PlainCell> found(count);
    memset((void *)found.data(), 0, count * sizeof(reference::PlainCell));
    ispc::Smoke_read(made, (ispc::PlainCell *)found.data());
    expect_same(found.data(), smoke.cells.data(), count, "the smoke");

    int kinds[256], cells[256];
    std::map<int, int> told;
    for (int k = ispc::count_kinds(made, kinds, cells); k-- > 0;)
        told[kinds[k]] += cells[k];
    expect(told == smoke.kinds(), "the kinds of cells");
    int64_t numbers[8];
    ispc::tell(made, numbers);
    expect(std::equal(numbers, numbers + 5, smoke.told().begin()), "what is told of the smoke");
    expect(numbers[5] == 104 && numbers[6] == 1 && numbers[7] == sizeof(reference::PlainCell), "what is known of the smoke");

    std::vector<float> image(width * height), wanted_image;
    ispc::march(made, image.data(), width, height, 0.11f);
    for (int k = 0; k < width * height; k++)
        wanted_image.push_back(smoke.march(float(k % width), float(k / width), width, height, 0.11f));
    expect_same(image.data(), wanted_image.data(), image.size(), "the picture of the smoke");

    int32_t fullest[37];
    float keys[37];
    ispc::fullest(made, fullest, keys, 37);
    expect_same(fullest, (const int32_t *)smoke.fullest(37).data(), 37, "the fullest cells");

    std::vector<uint16> words(count / 4), wanted_words;
    std::vector<uint8> lost(count / 4), wanted_lost;
    expect(ispc::pack(made, words.data(), lost.data()) == smoke.pack(wanted_words, wanted_lost), "what is lost in words");
    expect_same(words.data(), wanted_words.data(), words.size(), "the words");
    expect_same(lost.data(), wanted_lost.data(), lost.size(), "what each word lost");
    words.resize(1001);
    std::vector<uint32> carried(1001), wanted_carried = reference::carried(words);
    ispc::carry(words.data(), carried.data(), 1001);
    expect_same(carried.data(), wanted_carried.data(), 1001, "what is carried");
    ispc::Smoke_delete(made);
}

int main(int argc, char **) {
    const int width = 45, height = 27, samples = 2, bounces = 3, pixels = width * height;

    static uint8 texels[4][16 * 16 * 16];
    for (auto &each : texels)
        for (uint8 &byte : each)
            byte = uint8(random_float(0, 256));
    float *floats = (float *)texels[3];
    for (int k = 0; k < 16 * 16 * 4; k++)
        floats[k] = random_float(0.2f, 1);
    const reference::Texture textures[4] = {{9, 7, TEXEL_R8, {WRAP_REPEAT, WRAP_MIRROR}, texels[0]},
                                            {16, 5, TEXEL_RGB8, {WRAP_MIRROR, WRAP_CLAMP}, texels[1]},
                                            {6, 13, TEXEL_R16, {WRAP_CLAMP, WRAP_REPEAT}, texels[2]},
                                            {16, 16, TEXEL_RGBA32F, {WRAP_REPEAT, WRAP_REPEAT}, texels[3]}};
    const reference::Material materials[6] = {{MATERIAL_MATTE, {0.9f, 0.8f, 0.7f}, 0, &textures[1]},
                                              {MATERIAL_CHECKER, {0.7f, 0.9f, 0.9f}, 0, &textures[3]},
                                              {MATERIAL_MIRROR, {0.9f, 0.9f, 0.9f}, 0, nullptr},
                                              {MATERIAL_MIRROR, {0.8f, 0.9f, 0.6f}, 0.2f, &textures[2]},
                                              {MATERIAL_GLOW, {12, 9, 5}, 0, nullptr},
                                              {MATERIAL_MATTE, {0.8f, 0.9f, 0.7f}, 0, &textures[0]}};
    reference::Scene scene;
    scene.geometries.resize(6);
    for (int g = 0; g < 6; g++) {
        static const ShapeKind kinds[6] = {SHAPE_BOXES, SHAPE_SPHERES, SHAPE_SPHERES, SHAPE_TRIANGLES, SHAPE_SPHERES, SHAPE_BOXES};
        static const int counts[6] = {1, 40, 23, 35, 12, 14};
        reference::Geometry &geometry = scene.geometries[g];
        geometry.kind = kinds[g];
        geometry.material = &materials[g == 3 ? 3 : g];
        geometry.common_radius = 0.25f;
        for (int k = 0; k < counts[g]; k++) {
            const Float3 p = random_point(4);
            geometry.positions.push_back(g == 0 ? Float3{-9, -5, -9} : p);
            if (kinds[g] == SHAPE_BOXES)
                geometry.upper.push_back(g == 0 ? Float3{9, -4.5f, 9} : Float3{p.x + 0.5f, p.y + 0.7f, p.z + 0.3f});
            if (g == 1 || g == 4)
                geometry.radii.push_back(random_float(0.2f, 0.6f));
        }
        for (int k = 0; kinds[g] == SHAPE_TRIANGLES && k < 3 * 30; k++)
            geometry.corners.push_back(uint16(random_float(0, 35)));
    }
    scene.build();

    std::vector<void *> made_textures, made_materials, made;
    for (const auto &t : textures) {
        ispc::TextureDesc desc = {t.width, t.height, (ispc::TexelFormat)t.format, {(ispc::WrapMode)t.wrap[0], (ispc::WrapMode)t.wrap[1]}, t.data};
        made_textures.push_back(ispc::Texture_new(desc));
    }
    for (const auto &m : materials)
        made_materials.push_back(ispc::Material_new((ispc::MaterialKind)m.kind, as_ispc(&m.color), m.roughness,
                                                    m.texture ? made_textures[m.texture - textures] : nullptr));
    for (size_t g = 0; g < scene.geometries.size(); g++) {
        const reference::Geometry &from = scene.geometries[g];
        const Float3 *positions = from.positions.data();
        void *object = nullptr;
        if (from.kind == SHAPE_SPHERES)
            object = ispc::Spheres_new(int(g), from.count(), as_ispc(positions), from.radii.empty() ? nullptr : from.radii.data(), from.common_radius);
        else if (from.kind == SHAPE_TRIANGLES)
            object = ispc::Triangles_new(int(g), from.count(), as_ispc(positions), (const uint16 (*)[3])from.corners.data());
        else
            object = ispc::Boxes_new(int(g), from.count(), as_ispc(positions), as_ispc(from.upper.data()));
        ispc::Geometry_set_material(object, made_materials[from.material - materials]);
        made.push_back(object);
    }
    void *tree = ispc::Scene_new(made.data(), int(made.size()));

    int sizes[3];
    uint64 hash = 0xcbf29ce484222325ull;
    for (const auto &r : scene.references)
        hash = (hash ^ (r.code ^ uint64(r.primitive) << 32)) * 0x100000001b3ull;
    expect(ispc::Scene_hash(tree, sizes) == hash, "the order of references");
    expect(sizes[0] == int(scene.nodes.size()) && sizes[1] == int(scene.references.size()) && sizes[2] == scene.depth, "the tree");

    const Float3 camera[4] = {{0.3f, 1.1f, -9}, {-4.5f, 3.1f, -3}, {0.2f, 0.001f, 0.002f}, {0.003f, -0.2f, 0.001f}};
    const Float3 sky = {0.4f, 0.5f, 0.8f}, sun = {0.3f, 0.9f, -0.5f};
    void *film = ispc::Film_new(width, height);
    ispc::FrameStats stats;
    const int frame = ispc::render(tree, film, as_ispc(camera), samples, bounces, *as_ispc(&sky), *as_ispc(&sun), stats);
    reference::Renderer renderer{scene, bounces, reference::of(sky), reference::normalized(reference::of(sun))};
    std::vector<Float3> sums;
    renderer.render(sums, camera, width, height, samples);
    expect(frame == 1 && progressed == samples && exposures > 0, "what the host was told");
    expect_same((const FrameStats *)&stats, &renderer.stats, 1, "what was counted");
    reference::Image image(pixels), found(pixels);
    for (int k = 0; k < pixels; k++) {
        const float scale = 1.0f / samples;
        image[k] = {sums[k].x * scale, sums[k].y * scale, sums[k].z * scale};
    }
    ispc::Film_read(film, as_ispc(found.data()));
    expect_same(found.data(), image.data(), pixels, "the film");
    if (argc > 1)
        printf("%u %u %u %u rays, %llu boxes, depth %d, brightest %g\n", stats.rays[0], stats.rays[1], stats.rays[2], stats.rays[3],
               (unsigned long long)stats.boxes, stats.deepest, stats.brightest);

    int edges[5], wanted_edges[5];
    reference::Image calm = reference::without_fireflies(image, width, height, wanted_edges);
    ispc::remove_fireflies(as_ispc(image.data()), as_ispc(found.data()), width, height, edges);
    expect_same(found.data(), calm.data(), pixels, "the film without fireflies");
    expect_same(edges, wanted_edges, 5, "the edges");

    reference::Image even = reference::smooth(calm, width, height, 2, 0.3f);
    ispc::smooth(as_ispc(calm.data()), as_ispc(found.data()), width, height, 2, 0.3f);
    expect_same(found.data(), even.data(), pixels, "the smooth film");

    int64_t moments[2];
    int64 wanted_moments[2];
    std::vector<uint32> bins(64), wanted_bins = reference::histogram(even, 3.5f, wanted_moments);
    ispc::histogram(as_ispc(even.data()), pixels, 3.5f, bins.data(), moments);
    expect_same(bins.data(), wanted_bins.data(), 64, "the histogram");
    expect_same(moments, (const int64_t *)wanted_moments, 2, "the moments");

    std::vector<uint8> bytes(3 * pixels), other(3 * pixels);
    for (int bias : {100, -30, 0}) {
        bytes = reference::quantized(even, width, 4, bias);
        ispc::quantize(as_ispc(even.data()), other.data(), width, height, 4, int8(bias));
        expect_same(other.data(), bytes.data(), 3 * pixels, "the bytes");
    }
    for (uint8 &byte : other)
        byte = byte / 40 * 40;
    const std::vector<int> wanted_starts = reference::starts_of_runs(other);
    std::vector<int> starts(pixels), lengths(pixels);
    const int run_count = ispc::runs(other.data(), pixels, starts.data(), lengths.data());
    expect(run_count == int(wanted_starts.size()), "the number of runs");
    expect_same(starts.data(), wanted_starts.data(), wanted_starts.size(), "the starts of runs");
    lengths.resize(run_count);
    std::vector<int64_t> wide(run_count), wanted_wide = reference::sums_before<int64_t>(lengths);
    ispc::offsets_of_runs(lengths.data(), wide.data(), run_count);
    expect_same(wide.data(), wanted_wide.data(), run_count, "the sums of lengths");
    expect(std::equal(wide.begin(), wide.end(), starts.begin()), "the lengths of runs");
    std::vector<uint32> narrow(3 * pixels), wanted_narrow = reference::sums_before<uint32>(bytes);
    ispc::offsets_of_bytes(bytes.data(), narrow.data(), 3 * pixels);
    expect_same(narrow.data(), wanted_narrow.data(), 3 * pixels, "the sums of bytes");

    uint32 large;
    const std::vector<int16> wanted_blocks = reference::transformed(bytes, width, height, large);
    std::vector<int16> blocks(wanted_blocks.size());
    expect(ispc::transform(bytes.data(), blocks.data(), width, height) == large, "the number of large coefficients");
    expect_same(blocks.data(), wanted_blocks.data(), blocks.size(), "the coefficients");

    std::vector<int> order(pixels, -1);
    int gang;
    ispc::sort_blocks(as_ispc(even.data()), pixels, order.data(), &gang);
    for (int start = 0; start + gang <= pixels; start += gang) {
        std::vector<int> wanted(gang);
        for (int k = 0; k < gang; k++)
            wanted[k] = start + k;
        std::stable_sort(wanted.begin(), wanted.end(), [&](int a, int b) { return reference::luminance(even[a]) < reference::luminance(even[b]); });
        expect_same(&order[start], wanted.data(), gang, "the order of a block");
    }

    const std::vector<uint16> wanted_halves = reference::pyramid(even, width, height);
    std::vector<uint16> halves(wanted_halves.size() + 1);
    expect(ispc::pyramid(as_ispc(even.data()), (int16_t *)halves.data(), width, height) == int(wanted_halves.size()), "the pyramid's size");
    expect_same(halves.data(), wanted_halves.data(), wanted_halves.size(), "the pyramid");

    std::vector<int> labels(pixels), wanted_labels = reference::regions(bytes, width, height, 12);
    expect(ispc::regions(bytes.data(), labels.data(), width, height, 12) > 1, "the rounds");
    expect_same(labels.data(), wanted_labels.data(), pixels, "the regions");

    double points[50][2];
    ispc::halton(points, 50, 7);
    for (int k = 0; k < 50; k++)
        for (int d = 0; d < 2; d++) {
            const unsigned base = d == 0 ? 3 : 5;
            double scale = 1.0 / base, wanted = 0;
            for (unsigned number = k + 7; number; number /= base, scale *= 1.0 / base)
                wanted += number % base * scale;
            expect(points[k][d] == wanted, "a point of the sequence");
        }

    const std::string archive = reference::archive_differs(bytes, width, height), sheets = sheet_differs(random_float);
    expect(archive.empty(), archive.c_str());
    expect(sheets.empty(), sheets.c_str());

    fflush(stdout);
    ispc::describe(bytes.data(), 3 * pixels);
    uint64 told = 14695981039346656037ull;
    int odd = 0;
    for (uint8 byte : bytes) {
        told = (told ^ byte) * 1099511628211ull;
        odd += byte & 1;
    }
    printf("%d bytes, hash %llu, %d odd, first %d\n", 3 * pixels, (unsigned long long)told, odd, bytes[0]);

    ispc::Film_delete(film);
    ispc::Scene_delete(tree);
    for (void *object : made)
        ispc::Geometry_delete(object);
    for (void *object : made_materials)
        ispc::Object_delete(object);
    for (void *object : made_textures)
        ispc::Object_delete(object);
    try_smoke();
    if (!differs)
        puts("all right");
    return differs;
}
