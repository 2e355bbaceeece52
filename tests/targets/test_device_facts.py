"""Facts of a device that contradict each other, or lack something, are refused with what is missing."""

import pytest

from voltac.records import replace
from voltac.target_info import DEVICES
from voltac.target_info.device_facts import DeviceFacts


def facts() -> DeviceFacts:
    found = DEVICES["naplespu"].device
    assert found is not None
    return found


def test_threads_need_the_functions_by_which_they_meet() -> None:
    with pytest.raises(ValueError, match="NaplesPU has threads, but its facts name no function for __barrier"):
        replace(facts(), functions=tuple(row for row in facts().functions if row[0] != "__barrier"))


def test_a_function_that_is_not_there_is_named() -> None:
    with pytest.raises(LookupError, match="the facts of NaplesPU name no function for __sleep"):
        facts().function("__sleep")
