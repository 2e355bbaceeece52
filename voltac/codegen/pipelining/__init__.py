"""Schedules for machines that issue several operations at a time: loops that overlap themselves, bundles of straight code."""
