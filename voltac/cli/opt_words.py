"""The words of ``--opt=`` → what each sets, or why it changes nothing."""

from __future__ import annotations

_OF_ISPC = "it is for the developers of ispc, whose optimisations have other names here (--list-passes, --disable-pass)"

# Word of --opt -> field of Options or of its target, and its value; a text where nothing changes: why.
OPT_WORDS: dict[str, tuple[str, object] | str] = {
    "disable-assertions": ("disable_assertions", True),
    "disable-fma": ("disable_fma", True),
    "disable-loop-unroll": ("loop_unrolling", False),
    "streaming-stores": ("streaming_stores", True),
    "fast-math": ("fast_math", "legacy"),
    "fast-math:legacy": ("fast_math", "legacy"),
    "fast-math:balanced": ("fast_math", "balanced"),
    "fast-math:aggressive": ("fast_math", "aggressive"),
    "reset-ftz-daz": ("reset_ftz_daz", True),
    "disable-gathers": ("has_gather", False),
    "disable-scatters": ("has_scatter", False),
    "disable-zmm": ("vector_bits", 256),
    "disable-all-on-optimizations": ("all_on_paths", False),
    "disable-gather-scatter-optimizations": ("resolve_accesses", False),
    "fast-masked-vload": "a masked load never reads lanes that are off",
    "force-aligned-memory": "accesses have the alignment that their types and addresses give them",
    "disable-apx": "no code is made with instructions or registers of APX",
    "disable-blended-masked-stores": _OF_ISPC,
    "disable-blending-removal": _OF_ISPC,
    "disable-coalescing": _OF_ISPC,
    "disable-coherent-control-flow": _OF_ISPC,
    "disable-gather-scatter-flattening": _OF_ISPC,
    "disable-handle-pseudo-memory-ops": _OF_ISPC,
    "disable-uniform-control-flow": _OF_ISPC,
    "disable-uniform-memory-optimizations": _OF_ISPC,
    "enable-ldst-vectorizer": _OF_ISPC,
    "enable-slp-vectorizer": _OF_ISPC,
}
