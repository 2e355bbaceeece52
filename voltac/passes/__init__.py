"""ir -> ir: the passes between the early and the late LLVM pipeline, and those behind it, as rows in order.

A pass is a module in the folder of its subject: ``gangs``, ``rows``, ``lanes``, ``members``, ``arithmetic``, ``masks``. What
serves several of them is in ``accesses``, ``loops`` and ``facts``.
"""

from __future__ import annotations

from voltac.ir.model import Module
from voltac.ir.read import read
from voltac.ir.verify import verify, verify_accesses
from voltac.ir.write import write
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.passes.accesses.access import AccessReport
from voltac.passes.accesses.cost_rows import has_halves, has_masked
from voltac.passes.arithmetic.bit_tests import place_bit_tests
from voltac.passes.arithmetic.bits_of_words import count_in_bytes
from voltac.passes.arithmetic.byte_divisions import divide_in_words
from voltac.passes.arithmetic.clamped_addends import bound_addends
from voltac.passes.arithmetic.constants_in_memory import keep_constants_in_memory
from voltac.passes.arithmetic.counted_bits import count_bits
from voltac.passes.arithmetic.equal_values import merge_equal_values
from voltac.passes.arithmetic.exponent_counts import count_by_exponents
from voltac.passes.arithmetic.floats_of_masks import select_floats
from voltac.passes.arithmetic.fused_products import choose_fused, fuse_products
from voltac.passes.arithmetic.half_functions import widen_half_functions
from voltac.passes.arithmetic.high_products import multiply_high
from voltac.passes.arithmetic.joined_bytes import join_bytes
from voltac.passes.arithmetic.masked_counts import add_under_masks
from voltac.passes.arithmetic.narrow_arithmetic import narrow_arithmetic
from voltac.passes.arithmetic.narrow_compares import compare_in_words
from voltac.passes.arithmetic.pairs_in_halves import pair_in_halves
from voltac.passes.arithmetic.products_of_halves import multiply_halves
from voltac.passes.arithmetic.shifted_products import shift_products
from voltac.passes.arithmetic.shifts_by_masks import select_shifted
from voltac.passes.arithmetic.short_divisions import subtract_for_remainders
from voltac.passes.arithmetic.signs_of_masks import take_truth_values
from voltac.passes.arithmetic.uniform_bounds import narrow_uniform_bounds
from voltac.passes.arithmetic.wide_conversions import convert_wide
from voltac.passes.gangs.aligned_stores import align_stores
from voltac.passes.gangs.carried_indices import carry_indices
from voltac.passes.gangs.clamped_indices import peel_clamped
from voltac.passes.gangs.compared_extremes import find_extremes
from voltac.passes.gangs.distance_versions import version_distances
from voltac.passes.gangs.divided_rests import divide_rests
from voltac.passes.gangs.gang_pairs import pair_gangs
from voltac.passes.gangs.gangs_in_flight import put_gangs_in_flight
from voltac.passes.gangs.overlapping_gangs import overlap_last_gangs
from voltac.passes.gangs.short_loops import align_short_loops
from voltac.passes.gangs.whole_copies import copy_whole
from voltac.passes.gangs.whole_stores import make_stores_whole
from voltac.passes.gangs.wide_gangs import widen_gangs
from voltac.passes.gangs.wrapping_indices import test_wrapping_indices
from voltac.passes.lanes.aligned_spills import align_spills, spills_unaligned
from voltac.passes.lanes.changed_lanes import change_lanes_in_turn
from voltac.passes.lanes.even_odd_lanes import compute_even_odd
from voltac.passes.lanes.exchange_lanes import exchange_lanes
from voltac.passes.lanes.filled_constants import fill_constants
from voltac.passes.lanes.known_lanes import access_known_lanes
from voltac.passes.lanes.lane_arrays import index_lane_arrays
from voltac.passes.lanes.lane_orders import order_lanes
from voltac.passes.lanes.lanes_in_scalars import keep_lanes_in_scalars
from voltac.passes.lanes.paired_shuffles import shuffle_pairs
from voltac.passes.lanes.rest_gathers import gather_rests
from voltac.passes.lanes.signed_indices import extend_by_sign
from voltac.passes.lanes.single_lanes import access_single_lanes
from voltac.passes.lanes.some_lanes import move_some_lanes
from voltac.passes.lanes.thawed_loads import thaw_loads
from voltac.passes.lanes.unsigned_indices import turn_unsigned_indices
from voltac.passes.lanes.values_by_register import compute_by_register
from voltac.passes.loops.alike_lanes import compute_once
from voltac.passes.masks.flatten_branches import flatten_branches
from voltac.passes.masks.frozen_conditions import freeze_compared
from voltac.passes.masks.joined_conditions import join_conditions
from voltac.passes.masks.merged_ranges import merge_ranges
from voltac.passes.masks.neutral_elements import select_operands
from voltac.passes.masks.signed_compares import compare_signed
from voltac.passes.masks.single_choices import choose_once
from voltac.passes.masks.unmasked_stores import keep_stores_unmasked
from voltac.passes.masks.wanted_lanes import choose_wanted
from voltac.passes.masks.wide_masks import keep_masks_wide
from voltac.passes.masks.zeros_behind_masks import clear_moved_lanes
from voltac.passes.members.copied_records import copy_records
from voltac.passes.members.joined_members import join_members
from voltac.passes.members.reduced_members import reduce_members
from voltac.passes.members.unrolled_members import unroll_members
from voltac.passes.resolve_accesses import resolve_accesses
from voltac.passes.rows.branching_walks import walk_branches
from voltac.passes.rows.jammed_rows import jam_rows
from voltac.passes.rows.jammed_stencils import jam_stencils
from voltac.passes.rows.row_blocks import load_row_blocks
from voltac.passes.rows.row_stores import store_row_blocks
from voltac.passes.rows.rows_in_turn import do_rows_in_turn
from voltac.passes.rows.walk_runs import walk_runs
from voltac.records import replace
from voltac.target_info.processors import processor_of


def _use_sample_profile(module: Module, options: Options) -> None:
    from voltac.passes.sample_profile import use_sample_profile  # late: few compilations have a profile

    use_sample_profile(module, options)


def _check_divisors(module: Module, options: Options) -> None:
    from voltac.passes.arithmetic.check_divisors import check_divisors  # late: for checked builds and calls from Python

    check_divisors(module, options)


def _stream_stores(module: Module, options: Options) -> None:
    from voltac.passes.gangs.streamed_stores import stream_stores  # late: few compilations ask for it

    stream_stores(module, options)


def spread_sve_masks(text: str, options: Options) -> str:
    """``spread_masks_as_bytes``."""
    from voltac.passes.masks.spread_masks import spread_masks_as_bytes  # late: few compilations are for SVE

    return spread_masks_as_bytes(text, options)


def _resolves(options: Options) -> bool:
    return options.level > 0 and options.resolve_accesses


def _resolves_on_host(options: Options) -> bool:
    return _resolves(options) and not options.target.is_device


def _fuses(options: Options) -> bool:
    return optimizing(options) and options.target.has_fma and not options.target.is_device


def _has_avx2(options: Options) -> bool:
    """AVX2 and not AVX-512."""
    return options.target.isa.startswith("avx2")


def _has_halves(options: Options) -> bool:
    """Whether registers are shuffled half by half."""
    return options.level > 1 and _resolves_on_host(options) and has_halves(options.target)


def _resolves_in_full(options: Options) -> bool:
    return options.level > 1 and options.resolve_accesses


def _broadcasts_constants(options: Options) -> bool:
    target = options.target
    return options.level > 1 and target.is_x86 and target.has_fma and not target.has_avx512


PASSES = (
    Pass("use_sample_profile", "weighs branches by the counts of a profile",
         _use_sample_profile, lambda options: bool(options.sample_profile)),
    Pass("merge_equal_values", "the same formula of the same values is computed once", merge_equal_values, optimizing),
    Pass("choose_fused", "it is chosen which products are fused with additions", choose_fused, _fuses),
    Pass("test_wrapping_indices", "loops whose unsigned indices do not wrap around become a version of their own",
         test_wrapping_indices, _resolves_on_host),
    Pass("flatten_branches", "short branches that only skip work become straight code", flatten_branches, _resolves),
    Pass("choose_wanted", "selections of what is only stored where one of both is selected are that one",
         choose_wanted, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("count_bits", "loops that clear the lowest bit until none is left count the bits at once",
         count_bits, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("copy_whole", "loops that only copy become memcpy", copy_whole, _resolves_in_full),
    Pass("exchange_lanes", "accesses of exchange networks become those of consecutive elements",
         exchange_lanes, _resolves_on_host),
    Pass("version_distances", "loops whose indices are put together of bits have a version for each power of two",
         version_distances, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("unroll_members", "short loops that store members of structs one after the other become straight code",
         unroll_members, lambda options: options.level > 1 and options.loop_unrolling and _resolves_on_host(options)),
    Pass("walk_runs", "loops whose lanes walk runs of their own are done for one lane after the other, where that costs less",
         walk_runs, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("walk_branches", "loops with branches whose lanes go ways of their own are done for one lane after the other",
         walk_branches, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("peel_clamped", "loops whose indices are held within bounds do without them but at the edges",
         peel_clamped, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("compute_once", "what lanes compute of numbers that are the same in all of them is computed once",
         compute_once, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("subtract_for_remainders", "remainders of what is less than a few times the divisor become comparisons",
         subtract_for_remainders, lambda options: options.level > 1 and not options.target.is_device),
    Pass("bound_addends", "what all lanes share is no greater than counts, where a sum with bytes is held within bounds",
         bound_addends, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("narrow_arithmetic", "what bytes and 16-bit numbers are used for is computed in 16 bits",
         narrow_arithmetic, lambda options: options.level > 1 and not options.target.is_device),
    Pass("narrow_uniform_bounds", "bytes and 16-bit numbers are compared in their type with what all lanes share",
         narrow_uniform_bounds, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("jam_rows", "loops around a foreach that changes the same elements each time do four iterations at a time",
         jam_rows, lambda options: options.level > 1 and options.loop_unrolling and _resolves_on_host(options)),
    Pass("jam_stencils", "loops around a foreach whose rows load what neighbouring rows load do two rows at a time",
         jam_stencils, lambda options: options.level > 1 and options.loop_unrolling and _resolves_on_host(options)),
    Pass("do_rows_in_turn", "lanes that change rows of their own do one row after the other, with lanes along the row",
         do_rows_in_turn, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("find_extremes", "the least or greatest that comparisons choose is found by min and max",
         find_extremes, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("widen_gangs", "loops over small elements do several gangs at once", widen_gangs, _resolves_in_full),
    Pass("overlap_last_gangs", "what fills no gang is done by a whole one over the last elements, where masks cost",
         overlap_last_gangs,
         lambda options: options.level > 1 and not options.target.has_masked_small and _resolves_on_host(options)),
    Pass("store_row_blocks", "lanes that store to rows of their own store several elements of their row at a time",
         store_row_blocks, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("load_row_blocks", "lanes that go along rows of their own load several elements of their row at a time",
         load_row_blocks, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("divide_rests", "what fills no gang is done by smaller ones, where elements change in place and masks cost",
         divide_rests, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("align_stores", "long loops that store consecutive elements begin with a short gang: no store crosses lines",
         align_stores, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("choose_once", "selections by masks that exclude each other become one by each condition", choose_once, _resolves),
    Pass("join_members", "members of structs that are computed alike are so all at once, as they lie in memory",
         join_members, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("reduce_members", "sums, minima and maxima of all members of structs are found as these lie in memory",
         reduce_members, lambda options: options.level > 1 and _resolves_on_host(options) and options.target.is_x86),
    Pass("change_lanes_in_turn", "elements that lanes change at places of their own are changed one after the other",
         change_lanes_in_turn,
         lambda options: options.level > 1 and _resolves_on_host(options) and not options.target.has_scatter),
    Pass("copy_records", "three bytes that lanes copy from places of their own are copied one lane after the other",
         copy_records, lambda options: options.level > 1 and _resolves_on_host(options) and options.target.is_x86),
    Pass("access_single_lanes", "accesses of a gang of which one lane is on are that lane's, in scalars",
         access_single_lanes, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("resolve_accesses", "pseudo accesses become the cheapest that touch the same memory", resolve_accesses, required=True),
    Pass("compute_by_register", "values of several registers between shuffles of single ones are computed register by register",
         compute_by_register, _has_halves),
    Pass("order_lanes", "lanes between shuffles stand so that these stay within halves of registers",
         order_lanes, _has_halves),
    Pass("keep_lanes_in_scalars", "what is put together and taken apart lane by lane is computed in scalars",
         keep_lanes_in_scalars, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("compute_even_odd", "64-bit arithmetic between numbers of 32 bits is done on even and on odd lanes",
         compute_even_odd, lambda options: options.level > 1 and _resolves_on_host(options) and options.target.is_x86),
    Pass("place_bit_tests", "bits at places of the lanes' own are tested there, where lanes are not shifted each by its count",
         place_bit_tests, lambda options: options.level > 1 and _resolves_on_host(options) and options.target.is_x86),
    Pass("put_gangs_in_flight", "LLVM is asked to do several gangs of a sum at a time",
         put_gangs_in_flight, lambda options: options.level > 1 and options.loop_unrolling and not options.target.keeps_loops),
    Pass("stream_stores", "loops that store more than caches hold bypass them, where that is asked for",
         _stream_stores, lambda options: options.streaming_stores and options.level > 1),
    Pass("pair_gangs", "short loops that store do two gangs per iteration",
         pair_gangs, lambda options: options.level > 1 and options.loop_unrolling and _resolves_on_host(options)),
    Pass("make_stores_whole", "masked accesses in loops become plain ones while all lanes are on",
         make_stores_whole,
         lambda options: options.level > 1 and not options.target.has_masked_small and options.target.width > 1),
    Pass("check_divisors", "divisors that must not be zero are looked at where the function is left",
         _check_divisors, lambda options: options.catch_failures, required=True),
    Pass("gather_rests", "what a foreach in a loop has left is gathered by a load for each lane, where indices are in memory",
         gather_rests, lambda options: options.level > 1 and options.all_on_paths and _resolves_on_host(options)
         and options.target.is_x86),
    Pass("move_some_lanes", "masked accesses of bytes and 16-bit numbers become a few scalar ones",
         move_some_lanes, lambda options: not options.target.is_device and not has_masked(options.target, 1)),
    Pass("fuse_products", "products that are added become fused multiply-adds, where the language allows it",
         fuse_products, _fuses),
    Pass("select_operands", "what is summed up in loops where a condition holds is selected before the sum",
         select_operands,
         lambda options: options.level > 1 and _resolves_on_host(options) and not options.target.has_mask_registers),
)  # fmt: skip
"""In order; each rewrites the module. That which resolves accesses gives reports of them."""

AFTER_LLVM = (
    Pass("select_shifted", "shifts by 0 or 1 become selections where all lanes are shifted by one count",
         select_shifted, optimizing),
    Pass("select_floats", "truth values become floats by a selection of 1 and 0",
         lambda text, options: select_floats(text), optimizing),
    Pass("compare_in_words", "bytes that were cut from words are compared as these",
         lambda text, options: compare_in_words(text),
         lambda options: _resolves_on_host(options) and options.target.is_x86),
    Pass("keep_masks_wide", "masks stay whole lanes across blocks, and where they fill several registers",
         keep_masks_wide, optimizing),
    Pass("take_truth_values", "narrowed signs of the lanes of masks are the masks' truth values",
         lambda text, options: take_truth_values(text), optimizing),
    Pass("join_conditions", "conditions of lanes are joined by and and or, where masks are whole lanes",
         join_conditions, lambda options: _resolves_on_host(options) and not options.target.has_avx512),
    Pass("merge_ranges", "two tests of ranges that differ in a bit, of which either may hold, become one without it",
         lambda text, options: merge_ranges(text), lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("compare_signed", "lanes of one sign are compared as signed numbers, where others take more instructions",
         lambda text, options: compare_signed(text),
         lambda options: _resolves_on_host(options) and options.target.is_x86 and not options.target.has_mask_registers),
    Pass("freeze_compared", "numbers are frozen before they are compared, not conditions, where masks are whole lanes",
         freeze_compared, lambda options: _resolves_on_host(options) and options.target.is_x86),
    Pass("divide_in_words", "bytes are divided by constants as 16-bit numbers, which processors multiply",
         lambda text, options: divide_in_words(text),
         lambda options: options.level > 1 and options.target.is_x86 and _resolves_on_host(options)),
    Pass("multiply_high", "64-bit lanes are divided by constants, and multiplied to 128 bits, by products of 32-bit numbers",
         multiply_high, lambda options: options.level > 1 and options.target.is_x86 and _resolves_on_host(options)),
    Pass("convert_wide", "64-bit integers and double are converted into each other by sums with large numbers",
         lambda text, options: convert_wide(text) if _has_avx2(options) else convert_wide(text, ("fptoui",)),
         lambda options: options.level > 1 and (options.target.isa in ("sse4", "avx") or _has_avx2(options))
         and _resolves_on_host(options)),
    Pass("widen_half_functions", "roots and whole numbers of float16 are those of float, where processors compute with that",
         lambda text, options: widen_half_functions(text),
         lambda options: _resolves_on_host(options) and options.target.is_x86 and options.target.has_half_conversion
         and not options.target.has_native_half),
    Pass("count_in_bytes", "bits of 32-bit lanes are counted in bytes, which multiply-add sums up",
         lambda text, options: count_in_bytes(text),
         lambda options: options.level > 1 and _resolves_on_host(options) and _has_avx2(options)),
    Pass("count_by_exponents", "leading and trailing zeros of lanes are exponents of floats",
         lambda text, options: count_by_exponents(text),
         lambda options: _resolves_on_host(options) and options.target.is_x86 and not options.target.has_avx512),
    Pass("thaw_loads", "vectors of what was loaded are not frozen where LLVM no longer simplifies",
         lambda text, options: thaw_loads(text), lambda options: _resolves_on_host(options) and options.target.is_x86),
    Pass("join_bytes", "numbers that are put together of bytes by shifts are shuffled together", join_bytes,
         lambda options: options.level > 1 and options.target.is_x86 and _resolves_on_host(options)),
    Pass("multiply_halves", "products of lower and of upper halves of lanes that are added are one instruction",
         lambda text, options: multiply_halves(text, options.target),
         lambda options: options.level > 1 and options.target.is_x86 and _resolves_on_host(options)),
    Pass("shift_products", "of products of 16-bit numbers 16 bits in the middle are put together of halves", shift_products,
         lambda options: options.level > 1 and options.target.is_x86 and _resolves_on_host(options)),
    Pass("pair_in_halves", "even and odd elements of two registers are taken within halves, and added as two registers",
         pair_in_halves, lambda options: options.level > 1 and options.target.is_x86 and _resolves_on_host(options)),
    Pass("shuffle_pairs", "elements of two registers are put together within halves before they go from half to half",
         lambda text, options: shuffle_pairs(text),
         lambda options: _has_halves(options) and options.target.isa.startswith("avx2")),
    Pass("carry_indices", "indices of lanes that short loops compute with are carried from gang to gang",
         carry_indices, lambda options: options.level > 1 and _resolves_on_host(options)),
    Pass("extend_by_sign", "indices of gathers are extended by their sign, as the instructions do",
         lambda text, options: extend_by_sign(text), optimizing),
    Pass("index_lane_arrays", "gathers from arrays of each lane's own use 32-bit indices into those of all lanes",
         lambda text, options: index_lane_arrays(text),
         lambda options: options.level > 1 and options.target.is_x86 and options.target.has_gather
         and _resolves_on_host(options)),
    Pass("turn_unsigned_indices", "unsigned indices of gathers become signed ones from a base in the middle of what they reach",
         lambda text, options: turn_unsigned_indices(text),
         lambda options: options.level > 1 and options.target.is_x86 and options.target.has_gather
         and _resolves_on_host(options)),
    Pass("add_under_masks", "truth values are added under masks, where these are bits",
         lambda text, options: add_under_masks(text), lambda options: _resolves_on_host(options) and options.target.has_avx512),
    Pass("keep_stores_unmasked", "stores of all lanes stay that where masked ones are slow", keep_stores_unmasked, optimizing),
    Pass("access_known_lanes", "masked accesses of known lanes side by side become plain ones of these",
         lambda text, options: access_known_lanes(text, options.target), optimizing, required=True),
    Pass("clear_moved_lanes", "lanes of masks that move down are cleared behind, where LLVM would take others for them",
         clear_moved_lanes, optimizing, required=True),
    Pass("spread_masks_as_bytes", "lanes of masks that are spread are so as bytes, where predicates end LLVM",
         spread_sve_masks, lambda options: options.target.has_sve and optimizing(options), required=True),
    Pass("fill_constants", "lanes of constants that nobody takes have values, where LLVM would compute with 0",
         lambda text, options: fill_constants(text), optimizing, required=True),
    Pass("align_short_loops", "short loops that stay within a line of the instruction cache begin with one",
         lambda text, options: align_short_loops(text), lambda options: options.level > 1 and options.target.is_x86),
    Pass("keep_constants_in_memory", "constants of vectors are operands in memory, where they are more than registers",
         lambda text, options: keep_constants_in_memory(text),
         _broadcasts_constants),
    Pass("align_spills", "functions with more vectors than registers keep a frame pointer, which aligns what is spilled",
         lambda text, options: align_spills(text, options.target),
         lambda options: options.level > 1 and spills_unaligned(options.target)),
)  # fmt: skip
"""On the text that LLVM's simplification made: nothing simplifies it any more."""


def run(text: str, options: Options) -> str:
    """All passes over LLVM text that has been through the early pipeline."""
    return run_with_reports(text, options)[0]


def run_with_reports(text: str, options: Options, runs: PassRuns | None = None) -> tuple[str, list[AccessReport]]:
    """As :func:`run`, and what each access became and why."""
    if options.cpu:
        options = replace(options, target=replace(options.target, processor=processor_of(options.cpu)))
    module = read(text)
    records = None
    if "#dbg_" in text:
        from voltac.ir.debug_records import DebugRecords  # for -g only

        records = DebugRecords(module)
    reports: list[AccessReport] = []
    runs = runs or PassRuns()
    for row in runs.of(PASSES, options, lambda: write(module), lambda: verify(module, pseudo_operations=True)):
        reports.extend(row.run(module, options) or ())
    if records is not None:
        records.put_back()
    # All the rest is verified by LLVM when it reads what is written.
    verify_accesses(module)
    for function in module.functions:
        function.forget()
    return write(module), _last_of_each(reports)


def _last_of_each(reports: list[AccessReport]) -> list[AccessReport]:
    """Without those of gathers that a later pass has taken apart."""
    rests = {_place(one) for one in reports if one.kind == "rest"}
    return [one for one in reports if one.kind != "gather" or _place(one) not in rests] if rests else reports


def _place(report: AccessReport) -> tuple[object, ...]:
    return report.function, report.block, report.file, report.line, report.column, report.inlined
