"""The forms that code for IA-64 has as text, bundles and files (IA-64 3, 16)."""

from __future__ import annotations

from voltac.records import replace
from voltac.targets.ia64.assembly.addresses import put_address
from voltac.targets.ia64.assembly.text import bundle_lines
from voltac.targets.ia64.facts import TARGETS
from voltac.targets.ia64.instructions import SLOT_CODE

_CODE = replace(SLOT_CODE, put_address=put_address, bundle_lines=bundle_lines)
DEVICE_CODES = {target.name: replace(_CODE, name=target.name) for target in TARGETS}
"""By the target's name; but for that they are the same."""
