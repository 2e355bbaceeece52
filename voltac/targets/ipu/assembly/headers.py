"""Names that files of vertices take from headers of Poplar (IPU 4.5, 4.7): macros → their text."""

from __future__ import annotations

from voltac.targets.ipu.memory_map import ELEMENT, MAPS
from voltac.targets.ipu.registers import LOWER_CSRS, UPPER_CSRS

HEADERS = frozenset(
    (
        "AvailableVTypes.h", "StackSizeDefs.hpp", "TileConstants.hpp", "gc_tile_defines.h", "tilearch.h", "tileimplconsts.h",
        "tileimplconsts_tommy.h", "tileimplconsts.hpp",
    )
)  # fmt: skip
"""What of them is known here is defined in any case, so including them does nothing."""

_VERSIONS = {"mk1": 1, "mk2": 2}
"""``__IPU_ARCH_VERSION__``."""
_FIELDS = {
    # Register and field → lowest bit and mask of the value (IPU 1.3).
    "WSR__CTXTID_M1": (0, 7),
    "FP_STS__INV": (0, 1), "FP_STS__DIV0": (1, 1), "FP_STS__OFLO": (2, 1),
    "FP_CLR__INV": (0, 1), "FP_CLR__DIV0": (1, 1), "FP_CLR__OFLO": (2, 1), "FP_CLR__ZAACC": (3, 1),
    "FP_CTL__INV": (0, 1), "FP_CTL__DIV0": (1, 1), "FP_CTL__OFLO": (2, 1), "FP_CTL__RND": (16, 7), "FP_CTL__ESR": (19, 1),
    "FP_CTL__NANOO": (20, 1),
}  # fmt: skip
_SCALED_POINTERS = ("SHORT_SPAN", "SCALED_PTR32", "SCALED_PTR64", "SCALED_PTR128")
"""Forms of vectors that Mk1 has and Mk2, whose memory is larger than they reach, has not."""


def predefined_macros(generation: str) -> dict[str, str]:
    """Name → text; numbers follow from the reference, that of the zone of ``sync`` is chosen."""
    map = MAPS[generation]
    macros = {
        "__IPU__": "1",
        "__IPU_ARCH_VERSION__": str(_VERSIONS[generation]),
        "CTXT_WORKERS": "6",
        "CTXT_TOTAL": "7",
        "TMEM_REGION0_BASE_ADDR": hex(map.start),
        "TMEM_REGION1_BASE_ADDR": hex(map.interleaved),
        "TMEM_BYTE_MAX_ADDRESS_WIDTH": "21",
        "TMEM_ELEMSIZE": hex(ELEMENT),
        "TEXCH_SYNCZONE_LOCAL": "1",
        "FUNCTION_IS_WORKER": '"ax"',
    }
    for prefix, registers in (("CSR_W_", LOWER_CSRS), ("CSR_W_", UPPER_CSRS), ("CSR_S_", LOWER_CSRS)):
        macros |= {f"{prefix}{name}__INDEX": str(number) for name, number in registers.items()}
    for name, (shift, mask) in _FIELDS.items():
        macros |= {f"CSR_W_{name}__SHIFT": str(shift), f"CSR_W_{name}__MASK": hex(mask)}
    count_mask = hex(map.repeats)
    macros |= {"CSR_W_REPEAT_COUNT__VALUE__MASK": count_mask, "CSR_W_REPEAT_COUNT__VALUE__SHIFT": "0"}
    if generation == "mk1":
        macros |= {f"VECTOR_AVAIL_{form}": "1" for form in _SCALED_POINTERS}
    return macros
