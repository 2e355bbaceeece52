// What the renderer's sources and its C++ host have in common.
#pragma once

#ifdef ISPC
#define SHARED_UNIFORM uniform
#define SHARED_ENUM(name) enum name
#else
#include <cstdint>
#define SHARED_UNIFORM
#define SHARED_ENUM(name) enum name : uint32_t
typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef int64_t int64;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef uint64_t uint64;
#endif

#define MAX_DEPTH 48
#define BITS_OF_CODE 30
#define FILM_CHANNELS 3
#define LEAF_SIZE 3

SHARED_ENUM(ShapeKind) { SHAPE_SPHERES, SHAPE_TRIANGLES, SHAPE_BOXES, SHAPE_KINDS };
SHARED_ENUM(TexelFormat) { TEXEL_R8 = 1, TEXEL_RGB8 = 3, TEXEL_R16 = 16, TEXEL_RGBA32F = 128 };
SHARED_ENUM(WrapMode) { WRAP_REPEAT, WRAP_CLAMP, WRAP_MIRROR };
SHARED_ENUM(MaterialKind) { MATERIAL_MATTE, MATERIAL_CHECKER = 5, MATERIAL_MIRROR = 10, MATERIAL_GLOW = 1000 };
SHARED_ENUM(RayFlags) { RAY_NONE = 0, RAY_SHADOW = 1, RAY_SPECULAR = 1 << 1, RAY_ESCAPED = 1 << 7 };

struct Float3 {
    float x, y, z;
};

struct TextureDesc {
    SHARED_UNIFORM int32 width, height;
    SHARED_UNIFORM TexelFormat format;
    SHARED_UNIFORM WrapMode wrap[2];
    const SHARED_UNIFORM uint8 *SHARED_UNIFORM data;
};

struct FrameStats {
    uint32 rays[4];
    uint64 boxes;
    int64 checksum;
    int32 deepest;
    float brightest;
};
