// Packed bytes, unpacked and judged: each step has to be the longest, codes as short as they can be.
#pragma once
#include "archive_ispc.h"
#include "shared.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <queue>
#include <string>
#include <vector>

namespace reference {

inline uint32 check_sum(const std::vector<uint8> &bytes) {
    uint32 sum = ~0u;
    for (uint8 byte : bytes)
        for (int k = 0; k < 8; k++)
            sum = sum >> 1 ^ (((sum ^ byte >> k) & 1) ? 0xedb88320u : 0);
    return ~sum;
}

inline std::string as_text(const std::vector<uint8> &bytes) {
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    unsigned held = 0, count = 0;
    for (uint8 byte : bytes) {
        held = held << 8 | byte;
        for (count += 8; count >= 6; count -= 6)
            text += letters[held >> (count - 6) & 63];
    }
    if (count > 0)
        text += letters[held << (6 - count) & 63];
    text.resize((bytes.size() + 2) / 3 * 4, '=');
    return text;
}

inline std::vector<uint8> residuals(const std::vector<uint8> &bytes, int width, int height) {
    std::vector<uint8> out(bytes.size());
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int rest[3];
            for (int k = 0; k < 3; k++) {
                auto at = [&](int px, int py) { return px < 0 || py < 0 ? 0 : bytes[3 * (py * width + px) + k]; };
                const int left = at(x - 1, y), up = at(x, y - 1), corner = at(x - 1, y - 1), plane = left + up - corner;
                const int candidates[3] = {left, up, corner};
                rest[k] = at(x, y) - *std::min_element(candidates, candidates + 3, [&](int a, int b) { return abs(plane - a) < abs(plane - b); });
            }
            for (int k = 0; k < 3; k++)
                out[3 * (y * width + x) + k] = uint8(k == 1 ? rest[1] : rest[k] - rest[1]);
        }
    return out;
}

// What is wrong with a packed block, or nothing.
inline std::string wrong_in_block(const uint8 *packed, const uint8 *block, int size) {
    int place = 0;
    auto take = [&](int count) {
        unsigned value = 0;
        for (int k = 0; k < count; k++, place++)
            value |= (packed[place / 8] >> place % 8 & 1u) << k;
        return value;
    };
    std::vector<std::pair<unsigned, int>> symbols;
    for (int k = 0; k < 24; k++)
        if (const unsigned length = take(4))
            symbols.push_back({length, k});
    std::sort(symbols.begin(), symbols.end());
    std::map<std::string, int> codes;
    unsigned code = 0, before = symbols.empty() ? 0 : symbols[0].first;
    for (auto [length, symbol] : symbols) {
        code <<= length - before;
        before = length;
        std::string digits;
        for (unsigned k = length; k-- > 0;)
            digits += char('0' + (code >> k & 1));
        codes[digits] = symbol;
        code++;
    }
    int bits_of_symbols = 0;
    std::map<int, int> counts;
    auto symbol = [&] {
        std::string digits;
        while (!codes.count(digits) && digits.size() < 16)
            digits += char('0' + take(1));
        bits_of_symbols += int(digits.size());
        counts[codes[digits]]++;
        return codes[digits];
    };
    for (int at = 0; at < size;) {
        int longest = 1, distance = 0;
        for (int from = at - 1; from >= 0; from--) {
            int length = 0;
            while (length < 10 && at + length < size && block[from + length] == block[at + length])
                length++;
            if (length >= 3 && length > longest) {
                longest = length;
                distance = at - from;
            }
        }
        const int first = symbol();
        if (first < 16) {
            if (longest != 1 || (first << 4 | symbol()) != block[at])
                return "a byte";
        } else if (first - 16 + 3 != longest || int(take(8)) != distance) {
            return "a match";
        }
        at += longest;
    }
    std::priority_queue<int, std::vector<int>, std::greater<int>> weights;
    for (auto [_, count] : counts)
        weights.push(count);
    int least = weights.size() == 1 ? weights.top() : 0;
    while (weights.size() > 1) {
        int sum = weights.top();
        weights.pop();
        sum += weights.top();
        weights.pop();
        weights.push(sum);
        least += sum;
    }
    return least == bits_of_symbols ? "" : "the length of codes";
}

inline std::string archive_differs(const std::vector<uint8> &bytes, int width, int height) {
    std::string differs;
    const std::vector<uint8> rest = residuals(bytes, width, height);
    std::vector<uint8> found(bytes.size());
    ispc::residuals(bytes.data(), found.data(), width, height);
    if (found != rest)
        differs += "what is not foretold differs\n";
    for (size_t size : {rest.size(), size_t(1), size_t(255), size_t(256), size_t(1000)}) {
        // Every second size of bytes that are not foretold, the others of few values.
        std::vector<uint8> given(rest.begin(), rest.begin() + size);
        if (size % 2 == 0)
            for (uint8 &byte : given)
                byte = byte % 3 * 40;
        const int count = int(given.size()), blocks = (count + 255) / 256;
        std::vector<uint8> packed(blocks * 512), unpacked(count);
        std::vector<int> starts(blocks);
        packed.resize(ispc::pack_bytes(given.data(), count, packed.data(), starts.data()));
        packed.resize(packed.size() + 8);
        for (int b = 0; b < blocks; b++) {
            const std::string wrong = wrong_in_block(&packed[starts[b]], &given[b * 256], std::min(256, count - b * 256));
            if (!wrong.empty())
                differs += wrong + " differs in block " + std::to_string(b) + "\n";
        }
        if (!ispc::unpack_bytes(packed.data(), starts.data(), unpacked.data(), count) || unpacked != given)
            differs += "the unpacked bytes differ\n";
        if (ispc::check_sum(given.data(), count) != check_sum(given))
            differs += "the sum differs\n";
        std::string text((count + 2) / 3 * 4, ' ');
        if (ispc::as_text(given.data(), count, (int8 *)&text[0]) != int(text.size()) || text != as_text(given))
            differs += "the text differs\n";
    }
    return differs;
}

} // namespace reference
