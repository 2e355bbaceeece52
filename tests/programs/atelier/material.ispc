// What a surface does with light.
#include "material.ih"

#define DEFINE_FETCH(name, Type, channels, scale)                                                      \
    static float<4> name(const Texture *uniform self, int x, int y) {                                   \
        const uniform Type *uniform texels = (const uniform Type *uniform)self->data;                   \
        const int at = (y * self->size[0] + x) * channels;                                              \
        float<4> r = {0, 0, 0, 1};                                                                      \
        for (uniform int c = 0; c < channels; c++)                                                      \
            r[c] = texels[at + c] * scale;                                                              \
        if (channels == 1)                                                                              \
            r.g = r.b = r.r;                                                                            \
        return r;                                                                                       \
    }
DEFINE_FETCH(fetch_r8, uint8, 1, (1.0f / 255))
DEFINE_FETCH(fetch_rgb8, uint8, 3, (1.0f / 255))
DEFINE_FETCH(fetch_r16, uint16, 1, (1.0f / 65535))
DEFINE_FETCH(fetch_rgba32f, float, 4, 1)
#undef DEFINE_FETCH

template <typename T> static inline T wrapped(T x, uniform int size, uniform WrapMode mode) {
    switch (mode) {
    case WRAP_CLAMP:
        return clamp(x, (T)0, (T)(size - 1));
    case WRAP_MIRROR: {
        T m = x % (2 * size);
        m = m < 0 ? m + 2 * size : m;
        return m < size ? m : 2 * size - 1 - m;
    }
    case WRAP_REPEAT:
    default: {
        const T m = x % size;
        return m < 0 ? m + size : m;
    }
    }
}

static float<4> lookup(const Texture *uniform self, float u, float v) {
    const float x = u * self->size[0] - 0.5f, y = v * self->size[1] - 0.5f;
    const float fx = floor(x), fy = floor(y);
    int ix[2], iy[2];
    for (uniform int k = 0; k < 2; k++) {
        ix[k] = wrapped((int)fx + k, self->size[0], self->wrap[0]);
        iy[k] = wrapped((int)fy + k, self->size[1], self->wrap[1]);
    }
    const float<4> top = interpolated(self->fetch(self, ix[0], iy[0]), self->fetch(self, ix[1], iy[0]), (float<4>)(x - fx));
    const float<4> bottom = interpolated(self->fetch(self, ix[0], iy[1]), self->fetch(self, ix[1], iy[1]), (float<4>)(x - fx));
    return interpolated(top, bottom, (float<4>)(y - fy));
}

static inline bool is_light_square(const vec3f &p) {
    const int x = (int)floor(p.x * 2), y = (int)floor(p.y * 2), z = (int)floor(p.z * 2);
    return ((x ^ y ^ z) & 1) == 0;
}

void scatter(const Material *uniform self, const varying Ray &ray, varying Sampler &sampler, varying Scatter &result) {
    result.absorbed = false;
    result.emitted = vec3(0.0f);
    float<3> color = self->color;
    if (self->texture != NULL) {
        const float<4> texel = lookup(self->texture, ray.u, ray.v);
        color *= texel.xyz;
    }
    result.weight = vec3(color.x, color.y, color.z);
    switch (self->kind) {
    case MATERIAL_GLOW:
        result.emitted = result.weight;
        result.absorbed = true;
        result.dir = ray.normal;
        return;
    case MATERIAL_CHECKER:
        if (!is_light_square(ray.org + ray.dir * ray.far))
            result.weight *= 0.25f;
        // fall through
    case MATERIAL_MATTE:
        result.dir = on_hemisphere(sampler, ray.normal);
        break;
    case MATERIAL_MIRROR: {
        const float twice = 2 * dot(ray.dir, ray.normal);
        result.dir = ray.dir - ray.normal * twice;
        if (self->roughness > 0) {
            const vec3f other = on_hemisphere(sampler, ray.normal);
            result.dir = normalized(result.dir + other * (float)self->roughness);
            if (next(sampler) < 0.05f)
                result.absorbed = true;
        }
        break;
    }
    default:
        assert(false);
    }
}

static const uniform FetchFunction FETCHES[4] = {fetch_r8, fetch_rgb8, fetch_r16, fetch_rgba32f};

export void *uniform Texture_new(const uniform TextureDesc &desc) {
    Texture *uniform self = uniform new Texture;
    self->size[0] = desc.width;
    self->size[1] = desc.height;
    self->wrap[0] = desc.wrap[0];
    self->wrap[1] = desc.wrap[1];
    self->data = desc.data;
    self->fetch = NULL;
    if (desc.format == TEXEL_R8)
        self->fetch = FETCHES[0];
    else if (desc.format == TEXEL_RGB8)
        self->fetch = FETCHES[1];
    else if (desc.format == TEXEL_R16)
        self->fetch = FETCHES[2];
    else
        self->fetch = FETCHES[3];
    return self;
}

export void *uniform Material_new(uniform MaterialKind kind, const uniform Float3 *uniform color, uniform float roughness,
                                  void *uniform texture) {
    Material *uniform self = uniform new Material;
    self->kind = kind;
    self->color.x = color->x;
    self->color.y = color->y;
    self->color.z = color->z;
    self->roughness = roughness;
    self->texture = (Texture *uniform)texture;
    return self;
}

export void Object_delete(void *uniform self) { delete self; }
