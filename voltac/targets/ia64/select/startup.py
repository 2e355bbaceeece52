"""What programs have besides their functions: where failures end (IA-64 16)."""

from __future__ import annotations

from voltac.lower.control_flow.failure_exits import DEVICE_FAIL
from voltac.targets.ia64.facts import FAILURE

FAILURES = f"""\
	.section .text.{DEVICE_FAIL},"ax"
	.align 32
{DEVICE_FAIL}:
abort:
{{ .mii
         break.m {FAILURE:#x}
         nop.i 0
         nop.i 0 ;; }}
"""
"""A program that finds something wrong comes here, with what in its parameters."""
