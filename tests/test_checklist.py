"""Every feature of the reference's checklist (its appendix A) has tests of ours, named here."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent
REFERENCE = TESTS.parent / "docs" / "language.md"

# number of the row -> tests, as `FILE:NAME` of a file below tests/ (`test_` and `.py` left out), or `run/FOLDER/NAME`.
ROWS: dict[int, str] = {
    # lexer and preprocessor
    1: "syntax/literals:integers run/types/integer_literals",
    2: "syntax/literals:integers run/types/suffixed_literals run/types/wide_literals",
    3: "syntax/literals:integers run/run_with_options:literals_are_as_small_as_the_elements_of_the_gang",
    4: "syntax/literals:a_number_before_dots_is_an_integer syntax/macros:a_range_expands_behind_a_number",
    5: "syntax/literals:floats run/types/float_literals_are_floats",
    6: "syntax/literals:floats",
    7: "syntax/literals:floats",
    8: "syntax/literals:a_float_without_a_point_is_a_warning syntax/literals:bad_numbers",
    9: "syntax/literals:strings_are_joined_and_their_escapes_replaced "
    "syntax/literals:an_unknown_escape_is_named run/print/strings",
    10: "run/preprocessor/line_continuation_and_comments syntax/directives:mistakes_are_errors_of_the_preprocessor "
    "syntax/expansion_against_compilers:the_corpus_expands_as_by_other_compilers",
    11: "syntax/tables:the_lexer_knows_every_spelling_of_the_grammar syntax_rules:a_wrong_text_is_one_error_at_its_place",
    12: "syntax/literals:digraphs_are_brackets run/preprocessor/digraphs",
    13: "syntax/tokens:operator_and_its_sign_are_one_name "
    "syntax/tokens:the_longest_operator_is_taken_and_a_blank_ends_the_name run/structs/operators",
    14: "syntax/tokens:delete_with_brackets_is_one_token_without_a_blank sema/conversion_rules:memory",
    15: "syntax/literals:old_spellings_warn_and_work run/control/deprecated_spellings",
    16: "syntax/literals:what_is_no_token_is_reported_at_its_place "
    "extreme_inputs:an_extreme_program_that_is_wrong_is_one_error",
    17: "syntax/directives:include_searches_beside_the_file_then_the_directories run/preprocessor/included_files",
    18: "syntax/macros:variadic_macros syntax/macros:va_opt "
    "syntax/expansion_against_compilers:random_macros_expand_as_by_other_compilers run/preprocessor/macros",
    19: "syntax/directives:conditions_have_the_values_of_c syntax/directives:a_mistake_is_one_message_at_its_place "
    "run/preprocessor/if_expressions",
    20: "syntax/preprocessed:date_and_time_are_strings syntax/preprocessed:a_token_from_a_macro_has_the_place_of_its_use",
    21: "syntax/directives:line_directives_and_markers_set_positions",
    22: "syntax/preprocessed:predefined_macros_describe_the_target run/preprocessor/predefined_macros run/types/limits_macros",
    23: "syntax/macros:assert_and_alloca_are_macros",
    24: "syntax/directives:an_error_looks_like_clangs "
    "syntax/preprocessed:the_text_of_every_program_compiles_again_with_the_same_lines "
    "cli/options:macros_can_be_listed_alone_or_in_place",
    25: "syntax/statements:unroll_pragmas_stand_before_loops run/preprocessor/pragmas",
    26: "syntax/directives:ignored_warnings_are_those_of_the_next_line",
    27: "syntax/directives:an_unknown_pragma_is_a_warning",
    # parser
    28: "syntax/names:types_are_seen_where_they_are_declared syntax/names:a_variable_hides_a_template_in_its_scope",
    29: "syntax/declarations:declarators run/pointers/pointer_to_pointer sema/function_rules:qualifiers",
    30: "syntax/expressions:type_names",
    31: "syntax/declarations:functions syntax/declarations:declarators",
    32: "syntax/statements:every_else_belongs_to_the_nearest_if run/control/else_belongs_to_the_nearest_if",
    33: "syntax/expressions:structure",
    34: "mistakes:a_mistake_in_a_function_is_one_message_and_the_rest_is_checked "
    "mistakes:three_mistakes_in_a_file_are_three_messages",
    35: "syntax/syntax_errors:expected_tokens_are_named_when_few syntax_rules:a_wrong_text_is_one_error_at_its_place",
    36: "syntax/declarations:exported_types lower/c_header:exported_types_appear_without_a_function",
    37: "syntax/declarations:functions interpreter/sources:c_functions_of_the_process_are_called_once_for_the_gang",
    # types
    38: "run/types/bool_in_memory",
    39: "run/types/integer_types_wrap_in_their_width run/types/uint32_and_uint64_wrap run/types/int64_arithmetic",
    40: "run/types/float16_rounds_each_operation",
    41: "run/types/float_arithmetic run/types/double_arithmetic",
    42: "run/types/size_t_and_pointer_sized_types",
    43: "run/types/global_variables sema/type_rules:rate_rules",
    44: "run/pointers/pointer_arithmetic_of_every_kind sema/type_rules:pointer_rules",
    45: "run/structs/members_of_fixed_rate",
    46: "run/types/typedefs sema/type_rules:rate_rules",
    47: "sema/type_rules:rate_rules",
    48: "run/types/const_objects_and_pointees sema/type_rules:const_rules",
    49: "run/pointers/uniform_pointer_walk run/pointers/pointer_steps_of_varying_data",
    50: "run/pointers/varying_pointer_gathers run/pointers/varying_pointer_scatters",
    51: "run/pointers/varying_pointer_to_varying_data",
    52: "run/pointers/pointer_arithmetic_of_every_kind run/pointers/pointer_difference_and_comparison",
    53: "run/pointers/null_pointers sema/type_rules:pointer_rules",
    54: "run/pointers/void_pointers_and_casts sema/type_rules:pointer_rules",
    55: "run/references/locals_globals_and_results run/references/parameters",
    56: "run/references/const_reference_takes_values",
    57: "sema/type_rules:reference_rules",
    58: "run/types/enums run/types/enumerators_behave_as_uint32 sema/type_rules:enum_rules",
    59: "run/vectors/arithmetic run/vectors/comparison_and_selection",
    60: "run/vectors/swizzles sema/type_rules:vector_rules",
    61: "run/types/sizes_of_types run/vectors/uniform_vectors_in_memory",
    62: "run/arrays/uniform_arrays run/arrays/mixed_indexing",
    63: "run/types/partial_initializers sema/type_rules:array_rules",
    64: "run/arrays/as_parameters run/templates/array_sizes_are_template_parameters",
    65: "run/arrays/varying_elements_with_varying_index",
    66: "run/structs/empty_and_anonymous run/structs/nested_arrays_of_structs",
    67: "run/structs/broadcast_of_a_uniform_struct",
    68: "run/structs/gathered_from_an_array run/structs/scattered_to_an_array",
    69: "sema/type_rules:pointer_rules",
    70: "run/structs/varying_structs_under_masks",
    71: "run/structs/layout_is_that_of_c lower/c_header:structs_have_the_same_layout_in_c",
    72: "run/structs/soa_arrays run/structs/soa_pointers_and_sizes sema/type_rules:soa_rules",
    73: "run/functions/uniform_function_pointers",
    74: "run/functions/varying_function_pointers run/functions/function_pointers_in_memory",
    75: "sema/type_rules:struct_rules",
    76: "run/types/sizes_of_types run/structs/soa_pointers_and_sizes",
    # conversions and overloads
    77: "run/types/promotion_order",
    78: "run/structs/broadcast_of_a_uniform_struct sema/conversion_rules:places",
    79: "sema/conversion_rules:places",
    80: "run/types/bool_from_and_to_numbers",
    81: "run/types/lanes_wrap_in_eight_bits run/types/lanes_wrap_in_sixteen_bits",
    82: "run/types/float_to_integer_truncates run/types/integer_to_float_rounds_to_nearest",
    83: "run/types/float16_conversions",
    84: "sema/type_rules:pointer_rules sema/type_rules:const_rules",
    85: "sema/type_rules:enum_rules run/types/enum_casts",
    86: "run/types/shift_has_the_type_of_its_left_operand",
    87: "run/types/compound_assignment_converts_first",
    88: "sema/conversion_rules:operands",
    89: "sema/conversion_rules:casts",
    90: "run/pointers/void_pointers_and_casts sema/type_rules:pointer_rules",
    91: "sema/overload_rules:chosen",
    92: "sema/overload_rules:chosen",
    93: "sema/overload_rules:choices",
    94: "sema/overload_rules:choices",
    95: "sema/overload_rules:candidates_are_listed_with_reasons",
    96: "run/functions/overloads_by_type_and_rate",
    97: "sema/overload_rules:declarations",
    98: "run/library/user_functions_replace_library_ones",
    # declarations
    99: "run/types/global_variables sema/declaration_rules:storage",
    100: "run/types/static_locals run/functions/static_state_by_lane",
    101: "run/types/global_initializers sema/declaration_rules:initial_values",
    102: "run/types/partial_initializers run/arrays/uniform_arrays",
    103: "run/types/lane_lists sema/declaration_rules:initial_values",
    104: "run/types/partial_initializers",
    105: "sema/declaration_rules:initial_values",
    106: "run/types/const_globals_fold",
    107: "sema/declaration_rules:scopes",
    108: "sema/declaration_rules:scopes",
    109: "sema/declaration_rules:attributes run/types/aligned_objects",
    110: "sema/declaration_rules:attributes syntax/declarations:attributes_and_declspecs",
    111: "sema/declaration_rules:attributes",
    # expressions
    112: "run/types/float_arithmetic run/types/int64_arithmetic run/types/bit_operators",
    113: "run/types/division_by_zero_in_inactive_lanes",
    114: "run/types/short_circuit_with_masks run/types/short_circuit_guards_memory",
    115: "run/types/conditional_operator run/types/conditional_sides_run_under_their_masks",
    116: "run/types/comma_and_assignment_chains",
    117: "run/types/comma_and_assignment_chains",
    118: "run/types/increment_and_decrement",
    119: "run/pointers/output_through_pointer_parameters run/pointers/address_of_local_passed_down",
    120: "run/arrays/mixed_indexing",
    121: "run/references/to_arrays_and_structs run/pointers/varying_pointers_to_struct_members",
    122: "run/pointers/new_and_delete_by_lanes",
    123: "run/pointers/uniform_new",
    124: "run/pointers/varying_new_with_lane_values run/pointers/uniform_new sema/conversion_rules:memory",
    125: "run/pointers/alloca_in_a_function",
    126: "run/run_with_options:intrinsics_are_called_on_request",
    127: "run/types/fused_or_separate_products lower/arithmetic_code:multiply_and_add_may_be_fused_unless_forbidden",
    128: "run/types/program_index_and_count run/types/active_mask_variable",
    # control flow
    129: "run/control/uniform_if_jumps",
    130: "run/control/if_else_restores_the_mask",
    131: "run/control/cif_computes_what_if_computes",
    132: "run/control/uniform_assignment_under_varying_if",
    133: "run/control/call_is_skipped_when_no_lane_is_active",
    134: "run/control/uniform_for_counts run/control/do_runs_its_body_at_least_once",
    135: "run/control/varying_for_runs_each_lane_its_own_count run/control/varying_while_collatz",
    136: "run/control/coherent_loops_compute_what_plain_ones_compute",
    137: "run/control/break_and_continue_in_a_while_loop",
    138: "run/control/uniform_loop_with_varying_break",
    139: "run/control/return_under_a_mask_merges_values",
    140: "run/control/uniform_return_under_varying_flow",
    141: "run/control/uniform_switch_falls_through",
    142: "run/control/varying_switch run/control/varying_switch_default_in_the_middle",
    143: "sema/statement_rules:switch sema/statement_rules:jumps",
    144: "run/control/foreach_covers_a_range_with_remainder run/control/foreach_over_every_remainder",
    145: "run/control/foreach_two_dimensions run/control/foreach_three_dimensions",
    146: "run/control/foreach_tiled_spans run/control/foreach_tiled_spans_in_three_dimensions",
    147: "run/control/foreach_turns_all_lanes_on",
    148: "sema/statement_rules:jumps",
    149: "run/control/continue_in_foreach",
    150: "run/control/foreach_active_goes_by_lanes run/control/foreach_active_with_continue",
    151: "run/control/foreach_unique_on_integers run/control/foreach_unique_on_other_types",
    152: "run/control/goto_with_state sema/statement_rules:jumps",
    153: "run/control/unmasked_block_turns_all_lanes_on",
    154: "run/control/unmasked_function_starts_all_on",
    155: "run/control/loop_for_ever_until_all_lanes_break",
    156: "run/control/lanes_converge_after_divergence",
    # functions
    157: "run/functions/mutual_recursion_with_prototypes run/functions/recursion_by_lanes",
    158: "run/functions/nested_calls_under_masks run/functions/masks_behind_many_parameters",
    159: "run/functions/default_arguments",
    160: "run/functions/inline_and_noinline",
    161: "run/structs/operators",
    162: "run/structs/step_and_assignment_operators",
    163: "run/structs/step_and_assignment_operators",
    164: "run/structs/operators_by_rate",
    165: "run/templates/type_parameters",
    166: "run/templates/non_type_parameters",
    167: "run/templates/deduction_by_rate sema/function_rules:templates",
    168: "run/templates/nested_instantiation run/templates/non_type_parameters",
    169: "run/templates/specialisation_and_overload sema/function_rules:templates",
    170: "sema/function_rules:templates",
    171: "run/templates/pointers_and_arrays run/templates/array_sizes_are_template_parameters",
    172: "sema/function_rules:qualifiers sema/declaration_rules:storage",
    # tasks
    173: "sema/function_rules:tasks python/tasks:tasks_work_on_parts_of_an_array",
    174: "python/tasks:every_launch_form_runs_each_task_once_with_its_indices "
    "syntax/expressions:launch_counts_are_in_one_order",
    175: "python/tasks:every_launch_form_runs_each_task_once_with_its_indices "
    "python/tasks:no_two_running_tasks_have_one_thread_index",
    176: "python/tasks:tasks_launch_tasks_and_wait_for_them",
    177: "runtime/task_pool:the_object_defines_the_three_functions_and_nothing_else cli/c_programs:programs_link_and_run",
    178: "sema/function_rules:tasks",
    179: "runtime/task_pool:threads_of_a_c_program_launch_at_once_and_after_fork",
    # interoperation
    180: "cli/c_programs:programs_link_and_run programs/several_files:a_program_of_several_files_and_c_calls_both_ways",
    181: "sema/function_rules:export",
    182: "lower/c_convention:structs_arrive_as_c_returns_them",
    183: "lower/c_convention:small_integers_and_bools",
    184: "lower/c_convention_by_c:values_arrive_as_sent "
    "programs/several_files:a_program_of_several_files_and_c_calls_both_ways",
    185: "interpreter/sources:c_functions_of_the_process_are_called_once_for_the_gang",
    186: "programs/several_files:a_program_of_several_files_and_c_calls_both_ways",
    187: "programs/several_files:a_program_of_several_files_and_c_calls_both_ways",
    188: "lower/c_header:prototypes_look_as_in_the_reference lower/c_header:the_banner_names_the_file",
    189: "lower/c_header:structs_have_the_same_layout_in_c lower/c_header:explicitly_aligned_structs_say_so",
    190: "lower/c_header:prototypes_look_as_in_the_reference lower/c_header:exported_types_appear_without_a_function",
    191: "lower/c_header:references_are_references_in_cpp_and_pointers_in_c",
    192: "sema/typed_tree:symbol_names",
    193: "cli/c_programs:a_build_for_several_targets_runs_the_best_one llvm/dispatch:the_best_version_this_cpu_runs_is_called",
    194: "lower/c_convention:denormals_are_flushed_on_request_and_the_state_comes_back",
    195: "cli/files_linked_together:files_call_each_other",
    # standard library
    196: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    197: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does "
    "stdlib/functions_across_lanes:every_type_and_mask",
    198: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    199: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    200: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    201: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    202: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    203: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    204: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    205: "stdlib/elementary_functions:errors_stay_below run/library/sine_and_cosine_together",
    206: "stdlib/elementary_functions:errors_stay_below "
    "stdlib/elementary_functions:special_values_of_two_arguments_are_those_of_c",
    207: "stdlib/elementary_functions:errors_stay_below stdlib/elementary_functions:special_values_are_those_of_c",
    208: "stdlib/elementary_functions:errors_stay_below "
    "stdlib/elementary_functions:special_values_of_two_arguments_are_those_of_c",
    209: "stdlib/elementary_functions:errors_stay_below stdlib/elementary_functions:special_values_are_those_of_c",
    210: "run/library/exponents_are_taken_apart",
    211: "stdlib/elementary_functions:half_precision_is_the_rounded_float_result stdlib/elementary_functions:errors_stay_below",
    212: "stdlib/math_libraries:fast_functions_err_by_four_units_at_most "
    "stdlib/math_libraries:system_functions_are_those_of_the_c_library "
    "stdlib/math_libraries:unknown_libraries_are_refused",
    213: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does",
    214: "stdlib/functions_across_lanes:every_type_and_mask",
    215: "stdlib/functions_across_lanes:every_type_and_mask",
    216: "stdlib/functions_across_lanes:every_type_and_mask",
    217: "stdlib/functions_across_lanes:every_type_and_mask "
    "stdlib/functions_across_lanes:reduce_equal_stores_the_value_all_lanes_have",
    218: "stdlib/functions_across_lanes:every_type_and_mask stdlib/functions_across_lanes:the_kept_vectors_of_the_reference",
    219: "stdlib/functions_of_memory:blocks_are_copied_moved_and_filled",
    220: "stdlib/functions_across_lanes:packed_accesses_touch_as_many_elements_as_lanes_are_on",
    221: "stdlib/functions_of_memory:streaming_accesses_ignore_the_mask "
    "stdlib/functions_of_memory:a_prefetch_is_an_instruction_of_its_level",
    222: "stdlib/functions_across_lanes:arrays_of_structures_and_back",
    223: "stdlib/atomics:lanes_take_their_turns_in_order",
    224: "stdlib/atomics:lanes_take_their_turns_in_order stdlib/atomics:global_atomics_of_threads_lose_nothing",
    225: "stdlib/atomics:lanes_take_their_turns_in_order stdlib/atomics:pointers_are_exchanged",
    226: "stdlib/functions_of_memory:prefetches_fences_and_hints_have_no_effect",
    227: "stdlib/functions_of_elements:every_overload_computes_what_numpy_does "
    "stdlib/half_arithmetic:every_result_is_rounded_once",
    228: "stdlib/functions_of_elements:srgb_codes_are_within_half_a_step "
    "stdlib/functions_of_elements:srgb_codes_back_to_linear_follow_the_table_of_the_reference",
    229: "stdlib/random_numbers:the_sequences_are_exact stdlib/random_numbers:the_formulas_give_the_vectors_of_the_reference",
    230: "stdlib/random_numbers:hardware_numbers_come_for_active_lanes_or_say_false",
    231: "stdlib/print:every_type_in_lane_order stdlib/print:the_vectors_of_the_reference",
    232: "stdlib/print:wrong_prints_are_refused_at_compile_time",
    233: "stdlib/print:a_failed_assertion_of_a_c_library_says_so_and_aborts",
    234: "stdlib/functions_of_memory:prefetches_fences_and_hints_have_no_effect",
    235: "stdlib/short_vectors:functions_work_element_by_element stdlib/short_vectors:clamp_and_select",
    236: "stdlib/matrix_tiles:products_of_bytes_are_those_of_numpy stdlib/matrix_tiles:each_function_is_its_instruction",
    # command line and diagnostics
    237: "cli/options:every_level_makes_an_object cli/c_programs:assembly_and_text_outputs_are_accepted_by_the_system",
    238: "cli/bad_command_line:the_support_matrix_lists_every_target",
    239: "cli/options:a_cpu_selects_the_target cli/bad_command_line:usage_errors_name_what_is_wrong",
    240: "cli/options:every_level_makes_an_object lower/debugger:variables_of_every_type_are_printed",
    241: "cli/options:arguments_come_from_files_and_the_environment cli/options:standard_input_and_standard_output",
    242: "cli/options:a_make_rule_is_printed cli/options:the_list_of_dependencies_is_sorted",
    243: "cli/options:options_of_a_build_for_ispc_are_accepted lower/arithmetic_code:fast_math_leaves_the_library_exact",
    244: "run/types/size_t_and_pointer_sized_types run/run_with_options:indices_are_as_wide_as_told",
    245: "cli/c_programs:an_object_links_into_a_shared_library_and_an_executable_of_either_kind"
    " llvm/optimize:function_sections_split_the_text_section",
    246: "sema/warnings:wrapping_signed_integers_do_not_overflow lower/arithmetic_code:wrap_signed_int_makes_no_claim",
    247: "cli/options:warnings_can_be_errors "
    "cli/options:warnings_can_be_silenced cli/options:the_number_of_errors_printed_is_limited",
    248: "cli/options:options_of_a_build_for_ispc_are_accepted",
    249: "cli/options:the_exit_code_counts_errors",
    250: "cli/bad_programs:errors_point_at_their_place cli/options:long_messages_are_wrapped_unless_told_not_to",
    251: "driver:accesses_that_stay_lane_by_lane_are_warned_of_at_their_place",
    252: "sema/conversion_rules:names",
    253: "driver:accesses_that_stay_lane_by_lane_are_warned_of_at_their_place sema/conversion_rules:operands",
    254: "driver:accesses_that_stay_lane_by_lane_are_warned_of_at_their_place",
    255: "sema/warnings:constants sema/declaration_rules:scopes",
    256: "sema/declaration_rules:attributes sema/function_rules:qualifiers",
}


def names_in(path: Path) -> Iterator[str]:
    """The tests of a file: functions, and tables made into tests by a call."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id


def is_there(reference: str) -> bool:
    if reference.startswith("run/") and ":" not in reference:
        return (TESTS / f"{reference}.ispc").exists()
    file, _, name = reference.partition(":")
    folder, _, stem = file.rpartition("/")
    path = TESTS / folder / f"test_{stem}.py"
    return path.exists() and f"test_{name}" in names_in(path)


def test_the_tests_of_a_row_are_there() -> None:
    missing = {row: [name for name in names.split() if not is_there(name)] for row, names in ROWS.items()}
    assert {row: names for row, names in missing.items() if names} == {}


def test_every_row_is_there() -> None:
    rows = {int(number) for number in re.findall(r"^- \[.\] (\d+) ", REFERENCE.read_text(), re.MULTILINE)}
    assert rows == set(ROWS)
