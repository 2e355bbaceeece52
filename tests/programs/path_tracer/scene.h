// What the kernels share; C++ has it from the headers that the compiler writes.
#pragma once
#define MAX_LEAF 4
#define STACK_SIZE 64

enum MaterialKind { MATTE, MIRROR = 4, GLASS, EMITTER = 0x10 };
enum RenderFlags { WITH_SHADOWS = 1, WITH_FOG = 2, WITH_TEXTURE = 4 };

struct V3 { float x, y, z; };
struct Box { V3 lo, hi; };

struct Material {
    V3 albedo;
    V3 emission;
    float roughness;
    enum MaterialKind kind;
    int8 tag[3];
};

struct Triangle {
    int32 v[3];
    int32 material;
};

struct Sphere {
    V3 center;
    float radius;
    int32 material;
};

struct Node {
    Box bounds;
    int32 first;    // leaf: first primitive; inner: left child
    uint8 count;    // 0: inner
    uint8 axis;
    uint8 pad[2];
};

struct Camera {
    V3 eye, right, up, forward;
    float scale;
};
