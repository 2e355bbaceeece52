"""Which accesses of one instruction meet in a bank: the table of the reference (IPU 1.4)."""

import pytest

from voltac.targets.ipu.memory_map import MAPS


@pytest.mark.parametrize(
    ("generation", "p", "q", "meet"),
    [
        ("mk2", 0x80000, 0x80008, False),  # one element of region 1, an odd number of words apart
        ("mk2", 0x80000, 0x80010, True),  # an even one
        ("mk2", 0x80000, 0x80000, True),
        ("mk2", 0x80000, 0x88000, False),  # another element
        ("mk2", 0x4C000, 0x4FFF8, True),  # one element of region 0
        ("mk2", 0x4FFF8, 0x50000, False),  # across its end
        ("mk2", 0x7FFF8, 0x80000, False),  # one in each region
        ("mk1", 0x60000, 0x60018, False),
        ("mk1", 0x60000, 0x60020, True),
        ("mk1", 0x40000, 0x43FF8, True),
        ("mk1", 0x43FF8, 0x44000, False),
    ],
)
def test_two_addresses(generation: str, p: int, q: int, meet: bool) -> None:
    map = MAPS[generation]
    assert (map.bank(p) == map.bank(q)) == meet


@pytest.mark.parametrize(("generation", "bytes_of_region_0", "bytes_of_region_1"), [("mk1", 128, 128), ("mk2", 208, 416)])
def test_sizes_of_the_regions(generation: str, bytes_of_region_0: int, bytes_of_region_1: int) -> None:
    map = MAPS[generation]
    assert map.interleaved - map.start == bytes_of_region_0 * 1024
    assert map.end - map.interleaved == bytes_of_region_1 * 1024
    assert not map.is_interleaved(map.interleaved - 1)
    assert map.is_interleaved(map.interleaved)
