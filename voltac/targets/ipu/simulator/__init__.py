"""A tile that runs programs: its memory, its six workers and their supervisor (IPU 8)."""
