// Frames: tiles of pixels as tasks, paths in each, and what was counted on the way.
#include "material.ih"

#define TILE_WIDTH 16
#define TILE_HEIGHT 4

struct Camera {
    uniform vec3f org, corner, du, dv;
};

struct Pixels {
    float color[FILM_CHANNELS];
    int32 samples;
};

struct Film {
    uniform int32 width, height;
    soa<8> Pixels *uniform pixels;
};

struct Frame {
    const Scene *uniform scene;
    Film *uniform film;
    uniform Camera camera;
    uniform int32 samples, bounces;
    uniform vec3f sky, sun;
    uniform FrameStats stats;
};

extern "C" void host_progress(uniform int32 tile, uniform float share);
extern "C" uniform float host_exposure(uniform int32 bounce);

static vec3f shaded(Frame *uniform frame, varying Ray &ray, varying Sampler &sampler, varying uint32 counts[4], varying uint32 &boxes) {
    vec3f light = vec3(0.0f), weight = vec3(1.0f);
    const Scene *uniform scene = frame->scene;
    for (uniform int bounce = 0; bounce <= frame->bounces; bounce++) {
        trace(scene, ray, boxes);
        counts[bounce & 3]++;
        if (ray.flags & RAY_ESCAPED) {
            const float up = 0.5f * (ray.dir.y + 1);
            light += weight * vec3(up * frame->sky.x, up * frame->sky.y, up * frame->sky.z);
            break;
        }
        Scatter s;
        Material *material = scene->geometries[ray.geometry]->material;
        foreach_unique (m in material)
            scatter(m, ray, sampler, s);
        light += weight * s.emitted;
        if (s.absorbed)
            return light;
        weight = weight * s.weight;

        const vec3f at = ray.org + ray.dir * ray.far;
        Ray next_ray;
        next_ray.org = at + ray.normal * 0.001f;
        next_ray.near = 0.001f;
        next_ray.far = 1e30f;
        next_ray.flags = RAY_SHADOW;
        next_ray.dir = frame->sun;
        const float slope = dot(ray.normal, next_ray.dir);
        if (slope > 0) {
            const float exposure = host_exposure(bounce);
            if (!occluded(scene, next_ray))
                light += weight * (slope * exposure);
        }
        next_ray.dir = s.dir;
        next_ray.flags = RAY_NONE;
        ray = next_ray;
        const float most = max(weight.x, max(weight.y, weight.z));
        cif (most < 0.05f)
            break;
    }
    return light;
}

task void render_tile(Frame *uniform frame, uniform int sample) {
    Film *uniform film = frame->film;
    const uniform int x0 = taskIndex0 * TILE_WIDTH;
    const uniform int x1 = min(x0 + TILE_WIDTH, film->width);
    const uniform int y0 = taskIndex1 * TILE_HEIGHT;
    const uniform int y1 = min(y0 + TILE_HEIGHT, film->height);
    uint32 counts[4] = {0, 0, 0, 0};
    uint32 boxes = 0;
    float brightest = 0;
    foreach_tiled (y = y0 ... y1, x = x0 ... x1) {
        const int pixel = y * film->width + x;
        Sampler sampler;
        begin(sampler, pixel, sample);
        Ray ray;
        const float dx = x + next(sampler), dy = y + next(sampler);
        ray.org = frame->camera.org;
        ray.dir = normalized(dx * frame->camera.du + dy * frame->camera.dv + frame->camera.corner - frame->camera.org);
        ray.near = 0;
        ray.far = 1e30f;
        ray.flags = RAY_NONE;
        vec3f color = shaded(frame, ray, sampler, counts, boxes);
        for (uniform int c = 0; c < FILM_CHANNELS; c++)
            film->pixels[pixel].color[c] += axis_of(color, c);
        film->pixels[pixel].samples++;
        brightest = max(brightest, max(color.x, max(color.y, color.z)));
    }
    for (uniform int k = 0; k < 4; k++) {
        uniform uint32 sum = reduce_add(counts[k]);
        if (sum)
            atomic_add_global(&frame->stats.rays[k], sum);
    }
    atomic_add_global(&frame->stats.boxes, (uniform uint64)reduce_add((uint64)boxes));
    atomic_max_global(&frame->stats.deepest, frame->scene->tree->depth);
    atomic_max_global(&frame->stats.brightest, reduce_max(brightest));
}

export void *uniform Film_new(uniform int width, uniform int height) {
    Film *uniform self = uniform new Film;
    self->width = width;
    self->height = height;
    self->pixels = uniform new soa<8> Pixels[(width * height + 7) / 8];
    foreach (i = 0 ... width * height) {
        self->pixels[i].samples = 0;
        for (uniform int c = 0; c < FILM_CHANNELS; c++)
            self->pixels[i].color[c] = 0;
    }
    return self;
}

export void Film_read(const void *uniform self, uniform Float3 colors[]) {
    const Film *uniform film = (const Film *uniform)self;
    foreach (i = 0 ... film->width * film->height) {
        const float scale = 1.0f / max(1, film->pixels[i].samples);
        colors[i].x = film->pixels[i].color[0] * scale;
        colors[i].y = film->pixels[i].color[1] * scale;
        colors[i].z = film->pixels[i].color[2] * scale;
    }
}

export void Film_delete(void *uniform self) {
    delete ((Film *uniform)self)->pixels;
    delete self;
}

static uniform int frames;

export uniform int render(void *uniform scene, void *uniform film, const uniform Float3 camera[4], uniform int samples,
                          uniform int bounces, const uniform Float3 &sky, const uniform Float3 &sun, uniform FrameStats &stats) {
    uniform Frame frame;
    frame.scene = (const Scene *uniform)scene;
    frame.film = (Film *uniform)film;
    frame.camera.org = to_vec3(camera[0]);
    frame.camera.corner = to_vec3(camera[1]);
    frame.camera.du = to_vec3(camera[2]);
    frame.camera.dv = to_vec3(camera[3]);
    frame.samples = samples;
    frame.bounces = bounces;
    frame.sky = to_vec3(sky);
    frame.sun = normalized(to_vec3(sun));
    memset(&frame.stats, 0, sizeof(uniform FrameStats));
    for (uniform int sample = 0; sample < samples; sample++) {
        launch[(frame.film->width + TILE_WIDTH - 1) / TILE_WIDTH, (frame.film->height + TILE_HEIGHT - 1) / TILE_HEIGHT]
            render_tile(&frame, sample);
        sync;
        host_progress(sample, (sample + 1.0f) / samples);
    }
    int64 sum = 0;
    foreach (i = 0 ... frame.film->width * frame.film->height)
        sum += (int64)(frame.film->pixels[i].color[1] * 4096) * (i + 1);
    frame.stats.checksum = reduce_add(sum);
    stats = frame.stats;
    return ++frames;
}

export void halton(uniform double points[][2], uniform int count, uniform int first) {
    foreach (i = first ... first + count) {
        for (uniform int d = 0; d < 2; d++) {
            points[i - first][d] = radical_inverse(i, d + 1);
            prefetch_l1(&points[0][0]);
        }
    }
}
