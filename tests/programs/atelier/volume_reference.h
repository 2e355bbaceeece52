// The smoke, as plain C++ for one cell and one ray at a time.
#pragma once
#include "shared.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace reference {

struct PlainCell {
    float density;
    int16 speed[3];
    uint8 kind;
    double sum;
    int64 times;
};

struct Smoke {
    static const int side = 16;
    std::vector<PlainCell> cells;
    uint64 moved = 0;

    static int at(int x, int y, int z) { return (z * side + y) * side + x; }

    void step() {
        const std::vector<PlainCell> old = cells;
        for (int k = 0; k < side * side * side; k++) {
            const int place[3] = {k % side, k / side % side, k / side / side};
            int source[3];
            PlainCell &cell = cells[k];
            for (int axis = 0; axis < 3; axis++) {
                const int speed = cell.speed[axis];
                source[axis] = std::clamp(place[axis] - (speed > 64 ? 1 : speed < -64 ? -1 : 0), 0, side - 1);
            }
            const int from = at(source[0], source[1], source[2]);
            moved += from != k;
            cell.density = old[from].density;
            if (cell.kind == 0)
                continue;
            cell.sum += double(cell.density) * 0.125;
            cell.times += cell.kind;
            if ((cell.kind & 7) == 1) {
                cell.speed[0] = int16(std::min(cell.speed[0] + 1000, 32767));
            } else if ((cell.kind & 7) == 2 || (cell.kind & 7) == 3) {
                if ((cell.kind & 7) == 2)
                    cell.speed[1] = int16(std::max(cell.speed[1] - 20000, -32768));
                cell.speed[2] = int16(-cell.speed[2]);
                if (old[k].density <= cell.density)
                    cell.speed[2] = int16(cell.speed[2] / 2);
            } else if ((cell.kind & 7) == 6) {
                cell.kind = uint8(cell.kind - 5);
            } else
                cell.speed[cell.kind % 3] = int16(cell.speed[cell.kind % 3] ^ 0x55);
        }
    }

    std::map<int, int> kinds() const {
        std::map<int, int> found;
        for (const PlainCell &cell : cells)
            found[cell.kind]++;
        return found;
    }

    std::vector<int64> told() const {
        std::vector<int64> numbers = {INT64_MAX, -INT64_MAX, 0, int64(moved), 0};
        for (const PlainCell &cell : cells) {
            const int64 value = int64(cell.speed[0]) * cell.speed[1] - cell.times;
            numbers[0] = std::min(numbers[0], value);
            numbers[1] = std::max(numbers[1], value);
            numbers[2] += cell.density <= 0;
            numbers[4] |= value % 7 == 3;
        }
        return numbers;
    }

    static float along(float from, float to, float t) { return from + (to - from) * t; }

    float march(float px, float py, int width, int height, float tilt) const {
        float light = 1, seen = 0, p[3] = {(px + 0.5f) * (side - 1) / float(width), (py + 0.5f) * (side - 1) / float(height), 0};
        const float d[3] = {tilt, -tilt * 0.5f, 0.375f};
        for (int steps = 1; p[2] < side - 1 && p[0] >= 0 && p[1] >= 0 && p[0] < side - 1 && p[1] < side - 1; steps++) {
            const int c[3] = {int(p[0]), int(p[1]), int(p[2])};
            auto density = [&](int k) { return cells[at(c[0] + (k & 1), c[1] + (k >> 1 & 1), c[2] + (k >> 2))].density; };
            float half[2];
            for (int k = 0; k < 2; k++) {
                const float x = p[0] - float(c[0]), y = p[1] - float(c[1]);
                half[k] = along(along(density(4 * k), density(4 * k + 1), x), along(density(4 * k + 2), density(4 * k + 3), x), y);
            }
            const float here = along(half[0], half[1], p[2] - float(c[2]));
            for (int k = 0; k < 3; k++)
                p[k] += d[k];
            if (steps % 5 == 0 && here < 0.1f)
                continue;
            const float taken = light * std::min(here * 0.25f, 1.0f);
            seen += taken * (1 + 0.0625f * float(steps));
            light -= taken;
            if (light < 0.05f)
                break;
        }
        return seen;
    }

    std::vector<int> fullest(int count) const {
        std::vector<int> order(cells.size());
        for (size_t k = 0; k < order.size(); k++)
            order[k] = int(k);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return cells[a].density > cells[b].density; });
        order.resize(count);
        return order;
    }

    int pack(std::vector<uint16> &words, std::vector<uint8> &lost) const {
        int total = 0;
        for (size_t row = 0; row < cells.size() / 4; row++) {
            int q[4], missed = 0;
            for (int k = 0; k < 4; k++)
                q[k] = std::clamp(int(cells[4 * row + k].density * 100), 0, 127);
            int word = q[0] / 2, last = q[0] / 2 * 2;
            for (int k = 1; k < 4; k++) {
                const int by = std::clamp((q[k] - last) / 4, -4, 3);
                word |= (by & 7) << (3 + 3 * k);
                last += 4 * by;
                missed = std::max(missed, std::abs(q[k] - last));
            }
            words.push_back(uint16(word));
            lost.push_back(uint8((missed + 2) / 2));
            total += missed > 3 ? missed : 0;
        }
        return total;
    }
};

inline std::vector<uint32> carried(const std::vector<uint16> &words) {
    std::vector<uint32> out;
    uint32 last = 0x9e3779b9;
    for (uint16 word : words)
        out.push_back(last = word * 2654435761u + 1 + 31 * last);
    return out;
}

} // namespace reference
