"""Pipelined loops compute what the loop computes one iteration after the other, at the least interval there is."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from voltac.codegen.pipelining.bounds import recurrence_bound, resource_bound
from voltac.codegen.pipelining.copies import expand
from voltac.codegen.pipelining.loop import Edge, IssueResources, LoopGraph, LoopOperation, LoopValue, Occupied, Order, ReadValue
from voltac.codegen.pipelining.modulo import schedules
from voltac.codegen.pipelining.pipeline import Issue, PipelinedLoop, PipelineLimits, pipelined, write_out
from voltac.codegen.pipelining.rotation import rotate
from voltac.codegen.pipelining.straight import bundles

MACHINE = IssueResources({"main": 1, "aux": 1, "port": 2, "bank": 1})
WAYS: tuple[tuple[Occupied, ...], ...] = (
    ((("main", 0),),),
    ((("aux", 0),),),
    ((("main", 0),), (("aux", 0),)),
    ((("port", 0),),),
    ((("main", 0), ("bank", 0)),),
    ((("aux", 0), ("aux", 1)),),
    ((("port", 0), ("bank", 2)),),
)
MANY = {"word": 1000, "pair": 1000}
MODULUS = 2**31 - 1


def random_loop(rng: random.Random, most: int = 9, latencies: tuple[int, ...] = (1, 1, 1, 2, 4)) -> LoopGraph:
    count = rng.randint(1, most)
    values = [LoopValue(f"v{number}", rng.choice(("word", "pair"))) for number in range(count)]
    operations = []
    for number in range(count):
        reads = []
        for _ in range(rng.randint(0, 3)):
            source = rng.randrange(count)
            reads.append(ReadValue(values[source], rng.randint(0, 1) if source < number else rng.randint(1, 3)))
        defines = (values[number],)
        operations.append(LoopOperation(f"o{number}", rng.choice(WAYS), rng.choice(latencies), defines, tuple(reads)))
    orders = []
    for _ in range(rng.randint(0, 2)):
        before, after = rng.randrange(count), rng.randrange(count)
        distance = rng.randint(0, 2) if before < after else rng.randint(1, 2)
        orders.append(Order(operations[before], operations[after], rng.randint(0, 2), distance))
    return LoopGraph(tuple(operations), tuple(orders), frozenset(rng.sample(values, min(count, rng.randint(0, 2)))))


def start_of(value: LoopValue, distance: int) -> int:
    """What is read of the iterations before the first."""
    return hash((value.name, distance)) % MODULUS


def result(operation: LoopOperation, iteration: int, operands: list[int]) -> int:
    number = int(operation.name[1:]) * 1009 + iteration * 9176
    for at, operand in enumerate(operands):
        number = (number * 31 + operand * (2 * at + 3)) % MODULUS
    return number


def sequential(loop: LoopGraph, iterations: int) -> dict[tuple[str, int], int]:
    made: dict[tuple[str, int], int] = {}
    for iteration in range(iterations):
        for operation in loop.operations:
            operands = []
            for read in operation.reads:
                at = iteration - read.distance
                operands.append(made[read.value.name, at] if at >= 0 else start_of(read.value, -at))
            for value in operation.defines:
                made[value.name, iteration] = result(operation, iteration, operands)
    return made


class Execution:
    """Runs cycles of issues. A register is lost when its next writer issues, and has the new value when its latency is over."""

    def __init__(self, reads_before_writes: bool) -> None:
        self.reads_before_writes = reads_before_writes
        self.registers: dict[tuple[str, int], int | None] = {}
        self.landing: list[tuple[int, tuple[str, int], int]] = []
        self.made: dict[tuple[str, int], int] = {}
        self.time = 0
        self.issued: dict[tuple[LoopOperation, int], int] = {}
        self.taken: Counter[tuple[str, int]] = Counter()

    def run(self, cycles: list[list[Issue]], counted_from: int) -> None:
        for cycle in cycles:
            for time, register, number in list(self.landing):
                if time == self.time:
                    self.registers[register] = number
            self.landing = [landing for landing in self.landing if landing[0] > self.time]
            results = []
            if not self.reads_before_writes:
                self.lose(cycle)
            for issue in cycle:
                operation, iteration = issue.operation, issue.iteration + counted_from
                operands = []
                for read, at in zip(operation.reads, issue.reads, strict=True):
                    operand = self.registers[read.value.kind, at]
                    assert operand is not None, f"{operation} of iteration {iteration} reads a register that is written"
                    operands.append(operand)
                results.append((issue, iteration, result(operation, iteration, operands)))
            self.lose(cycle)
            for issue, iteration, number in results:
                operation = issue.operation
                assert (operation, iteration) not in self.issued
                self.issued[operation, iteration] = self.time
                for name, after in operation.ways[issue.way]:
                    self.taken[name, self.time + after] += 1
                for value, written in zip(operation.defines, issue.writes, strict=True):
                    self.landing.append((self.time + operation.latency, (value.kind, written), number))
                    self.made[value.name, iteration] = number
            self.time += 1

    def lose(self, cycle: list[Issue]) -> None:
        for issue in cycle:
            for value, register in zip(issue.operation.defines, issue.writes, strict=True):
                self.registers[value.kind, register] = None

    def check(self, loop: LoopGraph, iterations: int) -> None:
        assert self.made == sequential(loop, iterations)
        assert len(self.issued) == iterations * len(loop.operations)
        assert all(number <= MACHINE.units[name] for (name, _), number in self.taken.items())
        for order in loop.orders:
            for iteration in range(iterations - order.distance):
                first = self.issued[order.before, iteration]
                assert self.issued[order.after, iteration + order.distance] >= first + order.cycles


def initial_reads(loop: LoopGraph) -> set[tuple[LoopValue, int]]:
    return {
        (read.value, distance)
        for operation in loop.operations
        for read in operation.reads
        for distance in range(1, read.distance + 1)
    }


def execute(code: PipelinedLoop, passes: int, reads_before_writes: bool) -> None:
    loop = code.schedule.loop
    iterations = code.before + passes * code.unroll
    execution = Execution(reads_before_writes)
    for value, distance in initial_reads(loop):
        execution.registers[value.kind, code.registers.of(value, -distance)] = start_of(value, distance)
    execution.run(code.prologue, 0)
    for number in range(passes):
        execution.run(code.kernel, code.before + number * code.unroll)
    execution.run(code.epilogue, iterations)
    execution.check(loop, iterations)
    execution.run([[]] * 8, 0)
    if iterations:
        for value in loop.live_out:
            register = value.kind, code.registers.of(value, code.before - 1)
            assert execution.registers[register] == execution.made[value.name, iterations - 1]


def has_schedule(loop: LoopGraph) -> bool:
    """Whether an iteration can be executed at all: dependences within one have no circle."""
    try:
        recurrence_bound(loop)
    except ValueError:
        return False
    return True


def random_loops(seed: int, count: int, most: int = 9) -> list[LoopGraph]:
    rng = random.Random(seed)
    return list(itertools.islice(filter(has_schedule, (random_loop(rng, most) for _ in itertools.count())), count))


@pytest.mark.parametrize("reads_before_writes", [True, False])
def test_pipelined_random_loops_compute_what_the_loops_compute(reads_before_writes: bool) -> None:
    for loop in random_loops(11 + reads_before_writes, 150):
        code = pipelined(loop, PipelineLimits(MACHINE, MANY, reads_before_writes, 64))
        assert code is not None
        for passes in (0, 1, 2, 5):
            execute(code, passes, reads_before_writes)


@pytest.mark.parametrize("reads_before_writes", [True, False])
def test_random_loops_keep_within_few_registers(reads_before_writes: bool) -> None:
    found = 0
    for loop in random_loops(31, 60, 6):
        limits = {"word": 6, "pair": 6}
        code = pipelined(loop, PipelineLimits(MACHINE, limits, reads_before_writes, 8))
        if code is not None:
            found += 1
            assert all(number <= 6 for number in code.registers.used.values())
            assert all(register < 6 for cycle in code.kernel for issue in cycle for register in (*issue.writes, *issue.reads))
            execute(code, 3, reads_before_writes)
    assert found > 30


@pytest.mark.parametrize("reads_before_writes", [True, False])
def test_what_is_carried_shares_registers_where_they_are_few(reads_before_writes: bool) -> None:
    fewer = 0
    for loop in random_loops(41, 500):
        schedule = next(schedules(loop, MACHINE))
        limits = MANY
        while (registers := expand(schedule, limits, reads_before_writes, 6)) is not None:
            for passes in (0, 1, 3):
                execute(write_out(schedule, registers), passes, reads_before_writes)
            fewer += limits is not MANY
            limits = {kind: number - 1 for kind, number in registers.used.items()}
    assert fewer > 100, fewer


def test_rotating_registers_give_each_iteration_its_values() -> None:
    for loop in random_loops(5, 100):
        schedule = next(schedules(loop, MACHINE))
        names = rotate(schedule, MANY)
        assert names is not None
        iterations = 7
        size = {kind: number + 1 for kind, number in names.used.items()}
        execution = Execution(True)
        for value, distance in initial_reads(loop):
            # Names at pass 0 are the registers.
            execution.registers[value.kind, names.initially(value, distance) % size[value.kind]] = start_of(value, distance)
        for number in range(iterations + schedule.stages - 1):
            cycles: list[list[Issue]] = [[] for _ in range(schedule.interval)]
            for at, operation in enumerate(loop.operations):
                stage, cycle = divmod(schedule.times[at], schedule.interval)
                if 0 <= number - stage < iterations:  # the stage's predicate
                    # A name is one register further down in each pass.
                    writes = tuple((names.of(value, 0, stage) - number) % size[value.kind] for value in operation.defines)
                    reads = tuple(
                        (names.of(read.value, read.distance, stage) - number) % size[read.value.kind]
                        for read in operation.reads
                    )
                    cycles[cycle].append(Issue(operation, number - stage, schedule.ways[at], writes, reads))
            execution.run(cycles, 0)
        execution.check(loop, iterations)
        execution.run([[]] * 8, 0)
        for value in loop.live_out:
            last = names.of(value, 0, schedule.stages - 1) - (iterations + schedule.stages - 2)
            assert execution.registers[value.kind, last % size[value.kind]] == execution.made[value.name, iterations - 1]


def least_interval(loop: LoopGraph) -> int:
    """By trying all: rows for the operations, and whether stages exist that meet the dependences."""
    edges = loop.edges()
    count = len(loop.operations)
    for interval in itertools.count(1):
        for ways in itertools.product(*(operation.ways for operation in loop.operations)):
            for rows in itertools.product(range(interval), repeat=count):
                taken = Counter(
                    (name, (row + after) % interval) for row, way in zip(rows, ways, strict=True) for name, after in way
                )
                if all(number <= MACHINE.units[name] for (name, _), number in taken.items()) and _stages(edges, rows, interval):
                    return interval
    raise AssertionError


def _stages(edges: tuple[Edge, ...], rows: tuple[int, ...], interval: int) -> bool:
    stage = [0] * len(rows)
    for _ in range(len(rows) + 1):
        before = list(stage)
        for edge in edges:
            cycles = edge.cycles + rows[edge.before] - rows[edge.after]
            stage[edge.after] = max(stage[edge.after], stage[edge.before] + -(-cycles // interval) - edge.distance)
        if stage == before:
            return True
    return False


def test_the_interval_is_the_least_of_small_loops() -> None:
    least = 0
    loops = random_loops(3, 120, 4)
    for loop in loops:
        found = next(schedules(loop, MACHINE)).interval
        shortest = least_interval(loop)
        assert max(resource_bound(loop, MACHINE), recurrence_bound(loop)) <= shortest <= found
        least += found == shortest
    assert least >= 0.97 * len(loops), f"{least} of {len(loops)}"


def in_place(lead: int) -> LoopGraph:
    """``x[i] += s``: one instruction stores a word and loads the one ``lead`` words on, the other pipe adds."""
    loaded, added = LoopValue("loaded", "pair"), LoopValue("added", "pair")
    # Words of odd and even number have a bank each; with an even lead both accesses go to one, and that takes two cycles.
    way: Occupied = (("main", 0), ("main", 1)) if lead % 2 == 0 else (("main", 0),)
    exchange = LoopOperation("o0", (way,), 1, (loaded,), (ReadValue(added, lead),))
    add = LoopOperation("o1", ((("aux", 0),),), 1, (added,), (ReadValue(loaded),))
    return LoopGraph((exchange, add))


@pytest.mark.parametrize(("lead", "interval", "pairs"), [(1, 2, None), (2, 2, None), (3, 1, 4), (5, 1, None)])
def test_an_in_place_addition_takes_one_bundle_a_word_with_an_odd_lead_of_three(
    lead: int, interval: int, pairs: int | None
) -> None:
    code = pipelined(in_place(lead), PipelineLimits(MACHINE, {"pair": 4} if pairs else MANY, True, 8))
    assert code is not None
    assert code.schedule.interval == interval
    assert len(code.kernel) == code.unroll * interval
    if pairs:
        assert code.registers.used["pair"] <= pairs
    for passes in range(4):
        execute(code, passes, True)


@pytest.mark.parametrize("lead", range(2, 6))
def test_halves_of_an_instruction_issue_together_and_alone_only_at_the_ends(lead: int) -> None:
    loaded, added = LoopValue("loaded", "pair"), LoopValue("added", "pair")
    load = LoopOperation("o0", WAYS[0], 1, (loaded,))
    add = LoopOperation("o1", WAYS[1], 1, (added,), (ReadValue(loaded),))
    store = LoopOperation("o2", ((),), 1, (), (ReadValue(added),))
    loop = LoopGraph((load, add, store), (Order(load, store, 0, -lead), Order(store, load, 0, lead)))
    code = pipelined(loop, PipelineLimits(MACHINE, MANY, True, 8))
    assert code is not None
    assert code.schedule.interval == 1
    assert all({issue.operation.name for issue in cycle} == {"o0", "o1", "o2"} for cycle in code.kernel)
    assert [issue.operation.name for cycle in code.prologue for issue in cycle].count("o2") == 0
    assert [issue.operation.name for cycle in code.epilogue for issue in cycle].count("o0") == 0
    iterations = code.before + 4 * code.unroll
    execution = Execution(True)
    execution.run(code.prologue, 0)
    for number in range(4):
        execution.run(code.kernel, code.before + number * code.unroll)
    execution.run(code.epilogue, iterations)
    assert execution.made == sequential(loop, iterations)
    for iteration in range(lead, iterations):
        assert execution.issued[load, iteration] == execution.issued[store, iteration - lead]


def test_a_loop_that_registers_do_not_suffice_for_is_none() -> None:
    assert pipelined(in_place(3), PipelineLimits(MACHINE, {"pair": 1}, True, 8)) is None


def test_a_circle_within_an_iteration_is_an_error() -> None:
    one, two = LoopOperation("one", WAYS[0]), LoopOperation("two", WAYS[1])
    loop = LoopGraph((one, two), (Order(one, two, 1), Order(two, one, 1)))
    with pytest.raises(ValueError, match="wait for each other"):
        recurrence_bound(loop)


def test_values_read_before_any_iteration_makes_them_are_an_error() -> None:
    with pytest.raises(ValueError, match="no iteration has made"):
        LoopGraph((LoopOperation("o0", WAYS[0], reads=(ReadValue(LoopValue("v", "word")),)),)).edges()


def random_code(rng: random.Random, count: int) -> tuple[list[tuple[Occupied, ...]], list[Edge]]:
    ways = [rng.choice(WAYS) for _ in range(count)]
    edges = [
        Edge(before, after, rng.randint(0, 3), 0)
        for before in range(count)
        for after in range(before + 1, count)
        if rng.random() < 0.3
    ]
    return ways, edges


def test_bundles_keep_to_dependences_and_units() -> None:
    rng = random.Random(9)
    for _ in range(200):
        ways, edges = random_code(rng, rng.randint(1, 14))
        time: dict[int, int] = {}
        taken: Counter[tuple[str, int]] = Counter()
        for cycle, issued in enumerate(bundles(ways, edges, MACHINE)):
            for number, way in issued:
                assert number not in time
                time[number] = cycle
                taken.update((name, cycle + after) for name, after in ways[number][way])
        assert sorted(time) == list(range(len(ways)))
        assert all(time[edge.after] >= time[edge.before] + edge.cycles for edge in edges)
        assert all(number <= MACHINE.units[name] for (name, _), number in taken.items())


def test_two_pipes_are_filled_side_by_side() -> None:
    main, aux = WAYS[0], WAYS[1]
    # load 0, add 0, load 1, add 1, store 0, store 1: four bundles for the main pipe's four, the additions beside them.
    ways = [main, aux, main, aux, main, main]
    edges = [Edge(0, 1, 1, 0), Edge(1, 4, 1, 0), Edge(2, 3, 1, 0), Edge(3, 5, 1, 0)]
    assert len(bundles(ways, edges, MACHINE)) == 4


def test_a_register_is_written_in_the_bundle_of_its_last_reader() -> None:
    assert len(bundles([WAYS[0], WAYS[1]], [Edge(0, 1, 0, 0)], MACHINE)) == 1


def test_an_operation_for_which_there_are_no_units_is_an_error() -> None:
    with pytest.raises(ValueError, match="more units"):
        bundles([((("main", 0), ("main", 0)),)], [], MACHINE)
