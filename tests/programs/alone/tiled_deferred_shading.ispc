// claim: lights culled per tile with packed stores, shaded from quantised G-buffers, give what every light on every pixel gives
// where:
//   S = 16
//   lights = [((k * 7) % S + 0.5, (k * 11) % S + 0.5, 1.0 + (k % 5), 0.25 * (1 + k % 4), k % 3) for k in range(24)]
//   def shade(x, y):
//       total = [0.0, 0.0, 0.0]
//       z = 0.5 + ((x * 3 + y * 5) % 8) * 0.125
//       albedo = ((x * 16 + y) % 256, (y * 16) % 256, (x ^ y) % 256)
//       for lx, ly, radius, power, channel in lights:
//           d2 = (lx - x) ** 2 + (ly - y) ** 2 + z * z
//           if d2 < radius * radius:
//               total[channel] += power * (1 - d2 / (radius * radius)) * albedo[channel] / 255
//       return [int(min(max(v, 0), 1) * 255 + 0.5) for v in total]
//   pixels = [shade(x, y) for y in range(S) for x in range(S)]
//   def rgb(p): return p[0] + 256 * p[1] + 65536 * p[2]
// expect: [sum(abs(a) for a in p) for p in pixels]
// tolerance: 1.01
#define S 16
#define TILE 8
#define MAX_LIGHTS 24

typedef float<3> float3;

struct InputDataArrays {
    float *zBuffer;
    unsigned int16 *zHalf;
    unsigned int8 *albedo_x;
    unsigned int8 *albedo_y;
    unsigned int8 *albedo_z;
    float *lightPositionView_x;
    float *lightPositionView_y;
    float *lightAttenuationEnd;
    float *lightPower;
    int *lightChannel;
};

struct InputHeader {
    int width, height;
    int lights;
};

static inline uniform bool overlaps(uniform float d, uniform float r) { return d < r; }

static uniform int IntersectLightsWithTile(uniform int x0, uniform int x1, uniform int y0, uniform int y1,
                                           uniform int lights, uniform InputDataArrays &data, uniform int list[]) {
    uniform int count = 0;
    foreach (l = 0 ... lights) {
        float px = data.lightPositionView_x[l], py = data.lightPositionView_y[l];
        float r = data.lightAttenuationEnd[l];
        float cx = clamp(px, (float)x0, (float)x1), cy = clamp(py, (float)y0, (float)y1);
        float dx = px - cx, dy = py - cy;
        cif (dx * dx + dy * dy < r * r)
            count += packed_store_active(&list[count], l);
    }
    return count;
}

static unsigned int8 Float32ToUnorm8(float f) { return (unsigned int8)(int)(f * 255.f + .5f); }
static inline float Unorm8ToFloat32(unsigned int8 u) { return (float)u * (1.f / 255.f); }

static void ShadeTile(uniform int x0, uniform int x1, uniform int y0, uniform int y1, uniform InputHeader &header,
                      uniform InputDataArrays &data, uniform int list[], uniform int count, uniform unsigned int8 frame[]) {
    if (count == 0) {
        foreach (y = y0 ... y1, x = x0 ... x1) {
            frame[(y * header.width + x) * 3] = 0;
            frame[(y * header.width + x) * 3 + 1] = 0;
            frame[(y * header.width + x) * 3 + 2] = 0;
        }
        return;
    }
    for (uniform int y = y0; y < y1; ++y) {
        foreach (x = x0 ... x1) {
            uniform unsigned int8 * varying pixel = &frame[3 * (y * header.width + x)];
            float total[3] = { 0, 0, 0 };
            int at = y * header.width + x;
            float z = half_to_float(data.zHalf[at]);
            float3 albedo = { Unorm8ToFloat32(data.albedo_x[at]), Unorm8ToFloat32(data.albedo_y[at]), Unorm8ToFloat32(data.albedo_z[at]) };
            for (uniform int k = 0; k < count; ++k) {
                uniform int light = list[k];
                float dx = data.lightPositionView_x[light] - x;
                float dy = data.lightPositionView_y[light] - y;
                float d2 = dx * dx + dy * dy + z * z;
                uniform float end = data.lightAttenuationEnd[light];
                uniform float end2 = end * end;
                cif (d2 < end2) {
                    float factor = data.lightPower[light] * (1 - d2 / end2);
                    uniform int c = data.lightChannel[light];
                    total[c] += factor * albedo[c];
                }
            }
            for (uniform int c = 0; c < 3; ++c)
                pixel[c] = Float32ToUnorm8(clamp(total[c], 0.0f, 1.0f));
        }
    }
}

static task void RenderTile(uniform int tilesX, uniform InputHeader &header, uniform InputDataArrays &data,
                            uniform unsigned int8 frame[]) {
    uniform int tileX = taskIndex % tilesX, tileY = taskIndex / tilesX;
    uniform int x0 = tileX * TILE, y0 = tileY * TILE;
    uniform int list[MAX_LIGHTS];
    uniform int x1 = min(x0 + TILE, header.width), y1 = min(y0 + TILE, header.height);
    uniform int count = IntersectLightsWithTile(x0, x1, y0, y1, header.lights, data, list);
    ShadeTile(x0, x1, y0, y1, header, data, list, count, frame);
}

static uniform float depth[S * S];
static uniform uint16 depthHalf[S * S];
static uniform uint8 red[S * S], green[S * S], blue[S * S];
static uniform float lightX[MAX_LIGHTS], lightY[MAX_LIGHTS], lightEnd[MAX_LIGHTS], power[MAX_LIGHTS];
static uniform int channel[MAX_LIGHTS];
static uniform uint8 framebuffer[S * S * 3];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (y = 0 ... S, x = 0 ... S) {
        float z = 0.5 + ((x * 3 + y * 5) % 8) * 0.125;
        depth[y * S + x] = z;
        depthHalf[y * S + x] = (uint16)float_to_half(z);
        red[y * S + x] = (x * 16 + y) % 256;
        green[y * S + x] = (y * 16) % 256;
        blue[y * S + x] = (x ^ y) % 256;
    }
    foreach (l = 0 ... MAX_LIGHTS) {
        lightX[l] = (l * 7) % S + 0.5;
        lightY[l] = (l * 11) % S + 0.5;
        lightEnd[l] = 1.0 + l % 5;
        power[l] = 0.25 * (1 + l % 4);
        channel[l] = l % 3;
    }
    uniform InputDataArrays data;
    data.zBuffer = depth; data.zHalf = depthHalf;
    data.albedo_x = red; data.albedo_y = green; data.albedo_z = blue;
    data.lightPositionView_x = lightX; data.lightPositionView_y = lightY;
    data.lightAttenuationEnd = lightEnd; data.lightPower = power; data.lightChannel = &channel[0];
    uniform InputHeader header = { S, S, MAX_LIGHTS };
    launch[(S / TILE) * (S / TILE)] RenderTile(S / TILE, header, data, framebuffer);
    sync;
    foreach (p = 0 ... S * S)
        out[p] = (int)framebuffer[3 * p] + framebuffer[3 * p + 1] + framebuffer[3 * p + 2];
}
