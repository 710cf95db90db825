// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { idOf } from "../../testing/ids.ts";
import { CONFIG_BITS, ConfigBitset } from "./config_bitset.ts";
import { renderSolverPhase } from "./decide_chains.ts";
import { type ChainEdge, PathSet } from "./path_set.ts";
import { type FirstOpInput, ShardSolver, type ShardSolverOracle } from "./shard_solver.ts";
import { pickOpShardConfigs } from "./solve_chain.ts";
import { linearEdges, longChain } from "./testing/long_chain.ts";
import { accumulatedCoreUsage, updateSolver } from "./update_solver.ts";
import fc from "fast-check";

/** Answers from tables: the compatible pairs per edge, and conversions per consumer config. */
function tableOracle(
  pairs: (edge: ChainEdge) => readonly (readonly [number, number])[],
  firstOp: FirstOpInput,
  reshards: (consumer: number, operand: number) => ReadonlyMap<number, readonly number[]> = () => new Map(),
): ShardSolverOracle {
  return {
    firstOpInput: () => firstOp,
    compatibleConfigs: (edge, producer) =>
      pairs(edge).filter(([from]) => from === producer).map(([, to]) => to),
    reshardLayouts: ({ consumer, operand }) =>
      new Map(
        [...reshards(consumer, operand)].map(([config, layouts]) => [config, layouts.map(idOf)]),
      ),
  };
}

function volumes(count: number, volume = 1): number[] {
  return Array.from({ length: count }, () => volume);
}

Deno.test("ShardSolver goes through the states of the deep dive's %4, %5 example", () => {
  // tt-mlir:shard-solver-document §5 and §9: ten configs each, solveForOptimalFirstOpInput, paths (0,2) and (0,5). The
  // document numbers the bits of %5 inconsistently (0b0010010000 for configs 2 and 5); the configs are what counts.
  const log: string[] = [];
  const solver = new ShardSolver(
    {
      ops: [{ name: "%4", gridVolumes: volumes(10) }, {
        name: "%5",
        gridVolumes: [1, 1, 8, 1, 1, 4, 1, 1, 1, 1],
      }],
      edges: linearEdges(2),
    },
    tableOracle(() => [[0, 2], [0, 5]], { kind: "input", operand: 0, layout: idOf(4), config: 0 }),
    (phase, state) => log.push(renderSolverPhase(phase, state)),
  );
  assertEquals(solver.resolve(), undefined);
  pickOpShardConfigs(solver);
  const solution = solver.finish();
  assertEquals(solution.selectedConfigs, [0, 2]);
  assertEquals(solution.memReconfigs, []);
  assertEquals(solution.firstOpInput, { operand: 0, layout: 4 });
  assertEquals(
    log.join("\n"),
    `After constructor
  operandOpEdges[%4] = []
  operandOpEdges[%5] = [Edge(%4, %5, 0)]
After preprocessFirstOp()
  bitset[%4] = 0b0000000001  config 0
  bitset[%5] = (not created yet)
After processing %4 in resolveStep()
  bitset[%4] = 0b0000000001  config 0
  bitset[%5] = (not created yet)
After processing %5 in resolveStep()
  bitset[%4] = 0b0000000001  config 0
  bitset[%5] = 0b0000100100  configs 2, 5
  pathSets[0] = Edge(%4, %5, 0) [Path(0, 2), Path(0, 5)]
After updateSolver() calls
  bitset[%4] = 0b0000000001  config 0
  bitset[%5] = 0b0000100100  configs 2, 5
  pathSets[0] = Edge(%4, %5, 0) [Path(0, 2), Path(0, 5)]
After set(%4, config0)
  bitset[%4] = 0b0000000001  config 0
  bitset[%5] = 0b0000100100  configs 2, 5
  pathSets[0] = Edge(%4, %5, 0) [Path(0, 2), Path(0, 5)]
After set(%5, config2)
  bitset[%4] = 0b0000000001  config 0
  bitset[%5] = 0b0000000100  config 2
  pathSets[0] = Edge(%4, %5, 0) [Path(0, 2)]
After finish()
  selectedOpConfig = {%4: config0, %5: config2}`,
  );
});

Deno.test("PathSet.update() filters paths as in the deep dive's example", () => {
  // tt-mlir:shard-solver-document §3. The surviving paths are the document's. Its bitsets are not: producer config 3
  // has no path from the start, so the first update already drops it, and (0,0), (0,1) leave 0b0001 as the document
  // ends.
  const bitsets = [ConfigBitset.of(0, 2, 3), ConfigBitset.of(0, 1, 2, 3)];
  const pathSet = new PathSet({ producer: 0, consumer: 1, operand: 0 }, [
    { producerId: 0, consumerId: 0 },
    { producerId: 0, consumerId: 1 },
    { producerId: 1, consumerId: 2 },
    { producerId: 2, consumerId: 3 },
  ]);
  const state = () => [
    pathSet.paths.map((path) => `${path.producerId},${path.consumerId}`).toSorted().join(" "),
    bitsets[0]?.toBinary(4),
    bitsets[1]?.toBinary(4),
  ];
  assertEquals(pathSet.update(bitsets), true);
  assertEquals(state(), ["0,0 0,1 2,3", "0b0101", "0b1011"]);
  assertEquals(pathSet.update(bitsets), false);
  bitsets[1]?.and(ConfigBitset.of(0, 1, 2));
  assertEquals(pathSet.update(bitsets), true);
  assertEquals(state(), ["0,0 0,1", "0b0001", "0b0011"]);
  assertEquals(pathSet.update(bitsets), false);
});

Deno.test("ShardSolver accumulates core usage 24, 22, 12 on upstream's fork and join", () => {
  // test/unittests/Optimizer/TestShardSolver.cpp in tt-mlir: equal config indices are compatible.
  const gridVolumes = [[4, 8, 4], [8, 4, 4], [4, 4, 1], [4, 4, 1], [2, 1, 1], [2, 1, 1]];
  const solver = new ShardSolver(
    {
      ops: gridVolumes.map((own, op) => ({ name: `Op${op}`, gridVolumes: own })),
      edges: [
        { producer: 0, consumer: 1, operand: 0 },
        { producer: 1, consumer: 2, operand: 0 },
        { producer: 1, consumer: 3, operand: 0 },
        { producer: 2, consumer: 4, operand: 0 },
        { producer: 3, consumer: 4, operand: 1 },
        { producer: 4, consumer: 5, operand: 0 },
      ],
    },
    tableOracle(() => [[0, 0], [1, 1], [2, 2]], { kind: "configs", configs: [0, 1, 2] }),
  );
  assertEquals(solver.resolve(), undefined);
  assertEquals([...solver.coreUsage()[0] ?? []], [24, 22, 12]);
  let total = 0;
  gridVolumes.forEach((own, op) => {
    const first = solver.liveConfigs(op)[0] ?? -1;
    solver.set(op, first);
    total += own[first] ?? 0;
  });
  assertEquals(total, 24);
  assertEquals(solver.finish().selectedConfigs, [0, 0, 0, 0, 0, 0]);
});

Deno.test("ShardSolver inserts a conversion when an edge has no pair, and keeps every producer config", () => {
  const solver = new ShardSolver(
    {
      ops: [{ name: "a", gridVolumes: [4, 2] }, { name: "b", gridVolumes: [4, 2, 1] }],
      edges: linearEdges(2),
    },
    tableOracle(
      () => [],
      { kind: "configs", configs: [0, 1] },
      (consumer) => new Map(consumer === 1 ? [[1, [70, 71]], [2, [72]]] : []),
    ),
  );
  assertEquals(solver.resolve(), undefined);
  assertEquals([solver.liveConfigs(0), solver.liveConfigs(1)], [[0, 1], [1, 2]]);
  pickOpShardConfigs(solver);
  const { selectedConfigs, memReconfigs } = solver.finish();
  assertEquals(selectedConfigs, [0, 1]);
  assertEquals(memReconfigs, [
    { consumer: 1, operand: 0, reshardLayouts: new Map([[1, [idOf(70), idOf(71)]], [2, [idOf(72)]]]) },
  ]);
});

Deno.test("ShardSolver fails as a whole when one edge has neither a pair nor a conversion", () => {
  const solver = new ShardSolver(
    { ops: ["a", "b", "c"].map((name) => ({ name, gridVolumes: [1] })), edges: linearEdges(3) },
    tableOracle((edge) => edge.consumer === 1 ? [[0, 0]] : [], { kind: "configs", configs: [0] }),
  );
  const failure = solver.resolve();
  assertEquals(failure?.reason, "no_reshard");
  assertEquals([failure?.edge.consumer, failure?.edge.operand], [2, 0]);
});

Deno.test("ShardSolver converts the first op's operand when no config takes it as it comes", () => {
  const make = (firstOp: FirstOpInput, reshards: ReadonlyMap<number, readonly number[]>) =>
    new ShardSolver(
      { ops: [{ name: "a", gridVolumes: [2, 1] }], edges: [] },
      tableOracle(() => [], firstOp, () => reshards),
    );
  for (const firstOp of [{ kind: "configs", configs: [] }, { kind: "reshard" }] as const) {
    const solver = make(firstOp, new Map([[1, [9]]]));
    assertEquals(solver.resolve(), undefined);
    assertEquals(solver.liveConfigs(0), [1]);
    assertEquals(solver.memReconfigs.map(({ consumer, operand }) => [consumer, operand]), [[0, 0]]);
    assertEquals(make(firstOp, new Map()).resolve()?.reason, "no_reshard");
  }
  const overridden = make({ kind: "override" }, new Map());
  assertEquals(overridden.resolve(), undefined);
  assertEquals(overridden.liveConfigs(0), [0, 1]);
});

Deno.test("ShardSolver converts where the user asked for it, although pairs exist", () => {
  const solver = new ShardSolver(
    {
      ops: [{ name: "a", gridVolumes: [1] }, { name: "b", gridVolumes: [1, 1] }],
      edges: linearEdges(2),
      overrideEdges: [{ consumer: 1, operand: 0 }],
    },
    tableOracle(() => [[0, 0]], { kind: "configs", configs: [0] }, () => new Map([[1, [5]]])),
  );
  assertEquals(solver.resolve(), undefined);
  assertEquals(solver.liveConfigs(1), [1]);
});

Deno.test("pickOpShardConfigs() prefers other shardings than block on equal usage, and the wanted one for the last op", () => {
  const make = () => {
    const solver = new ShardSolver(
      {
        ops: [
          { name: "a", gridVolumes: [8, 8, 4], isBlockSharded: (config) => config === 0 },
          { name: "b", gridVolumes: [8, 4, 4] },
        ],
        edges: linearEdges(2),
      },
      tableOracle(
        () => [0, 1, 2].flatMap((from) => [0, 1, 2].map((to) => [from, to] as const)),
        { kind: "configs", configs: [0, 1, 2] },
      ),
    );
    solver.resolve();
    return solver;
  };
  const free = make();
  pickOpShardConfigs(free);
  assertEquals(free.finish().selectedConfigs, [1, 0]);
  const wanted = make();
  pickOpShardConfigs(wanted, (config) => config === 2 || config === 1);
  assertEquals(wanted.finish().selectedConfigs, [1, 1]);
});

Deno.test("ShardSolver.set() refuses dead configs and second choices", () => {
  const solver = new ShardSolver(
    { ops: [{ name: "a", gridVolumes: [1, 1] }], edges: [] },
    tableOracle(() => [], { kind: "configs", configs: [1] }),
  );
  solver.resolve();
  assertThrows(() => solver.finish(), RangeError, "a has no config");
  assertThrows(() => solver.set(0, 0), RangeError, "not possible");
  solver.set(0, 1);
  assertThrows(() => solver.set(0, 1), RangeError, "twice");
});

Deno.test("ShardSolver ignores configs beyond the last bit", () => {
  const solver = new ShardSolver(
    { ops: [{ name: "a", gridVolumes: volumes(CONFIG_BITS + 8) }], edges: [] },
    tableOracle(() => [], { kind: "configs", configs: [3, CONFIG_BITS + 1] }),
  );
  assertEquals(solver.resolve(), undefined);
  assertEquals(solver.liveConfigs(0), [3]);
});

/** A random linear chain: configs per op, and the pairs of each edge. */
interface RandomChain {
  readonly first: readonly number[];
  readonly counts: readonly number[];
  readonly pairs: readonly (readonly (readonly [number, number])[])[];
}

const randomChain: fc.Arbitrary<RandomChain> = fc.array(fc.integer({ min: 1, max: 6 }), {
  minLength: 1,
  maxLength: 6,
}).chain((counts) =>
  fc.record({
    counts: fc.constant(counts),
    first: fc.uniqueArray(fc.nat((counts[0] ?? 1) - 1), { minLength: 1 }),
    pairs: fc.tuple(
      ...counts.slice(1).map((count, index) =>
        fc.uniqueArray(fc.tuple(fc.nat((counts[index] ?? 1) - 1), fc.nat(count - 1)), {
          selector: (pair) => pair.join(),
          maxLength: 18,
        })
      ),
    ),
  })
);

/** Per op: the configs that occur in an assignment satisfying every edge. */
function bruteForce({ first, counts, pairs }: RandomChain): number[][] {
  const alive = counts.map(() => new Set<number>());
  const extend = (assignment: readonly number[]): void => {
    const op = assignment.length;
    if (op === counts.length) {
      assignment.forEach((config, place) => alive[place]?.add(config));
      return;
    }
    for (let config = 0; config < (counts[op] ?? 0); config++) {
      const fits = op === 0
        ? first.includes(config)
        : pairs[op - 1]?.some(([from, to]) => from === assignment[op - 1] && to === config);
      if (fits) extend([...assignment, config]);
    }
  };
  extend([]);
  return alive.map((configs) => [...configs].toSorted((a, b) => a - b));
}

Deno.test("ShardSolver keeps exactly the configs of consistent assignments on random chains", () => {
  let solved = 0;
  fc.assert(
    fc.property(randomChain, (chain) => {
      const solver = new ShardSolver(
        {
          ops: chain.counts.map((count, op) => ({ name: `${op}`, gridVolumes: volumes(count) })),
          edges: linearEdges(chain.counts.length),
        },
        tableOracle((edge) => chain.pairs[edge.producer] ?? [], { kind: "configs", configs: chain.first }),
      );
      const failure = solver.resolve();
      const expected = bruteForce(chain);
      if (failure !== undefined) {
        assert(expected.every((configs) => configs.length === 0));
        return;
      }
      solved++;
      assertEquals(chain.counts.map((_, op) => solver.liveConfigs(op)), expected);
      pickOpShardConfigs(solver);
      const { selectedConfigs } = solver.finish();
      assert(chain.first.includes(selectedConfigs[0] ?? -1));
      chain.pairs.forEach((pairs, op) => {
        assert(pairs.some(([from, to]) => from === selectedConfigs[op] && to === selectedConfigs[op + 1]));
      });
    }),
    { numRuns: 2000, seed: 7 },
  );
  assert(solved > 500, `only ${solved} of the random chains have a solution`);
});

Deno.test("updateSolver() reaches the same fixed point in any order of roots", () => {
  fc.assert(
    fc.property(randomChain, fc.infiniteStream(fc.nat()), (chain, random) => {
      const run = (order: readonly number[]) => {
        const pathSets = chain.pairs.map((pairs, op) =>
          new PathSet(
            { producer: op, consumer: op + 1, operand: 0 },
            pairs.map(([producerId, consumerId]) => ({ producerId, consumerId })),
          )
        );
        const graph = {
          operands: chain.counts.map((_, op) => pathSets.filter(({ edge }) => edge.consumer === op)),
          users: chain.counts.map((_, op) => pathSets.filter(({ edge }) => edge.producer === op)),
        };
        const bitsets = chain.counts.map((_, op) =>
          op === 0 ? ConfigBitset.of(...chain.first) : ConfigBitset.all()
        );
        for (const root of order) {
          if (updateSolver(graph, bitsets, root, false) !== undefined) return "no paths left";
        }
        return bitsets.map((bits, op) => bits.indices(chain.counts[op] ?? 0));
      };
      const order = chain.counts.map((_, op) => op);
      const shuffled = order.map((op) => ({ op, key: random.next().value ?? 0 }))
        .toSorted((a, b) => a.key - b.key).map(({ op }) => op);
      assertEquals(run(shuffled), run(order));
    }),
    { numRuns: 500, seed: 11 },
  );
});

Deno.test("ShardSolver solves a chain of 500 ops with 64 configs each", () => {
  const solver = longChain(500, 64);
  assertEquals(solver.resolve(), undefined);
  pickOpShardConfigs(solver);
  assertEquals(solver.finish().selectedConfigs.length, 500);
});

Deno.test("updateSolver() carries a change to the far end, backwards through a line and across a join", () => {
  const same = [0, 1].map((config) => ({ producerId: config, consumerId: config }));
  const graphOf = (edges: readonly (readonly [number, number])[]) => {
    const sets = edges.map(([producer, consumer]) => new PathSet({ producer, consumer, operand: 0 }, same));
    const of = (key: "producer" | "consumer") =>
      [0, 1, 2, 3].map((op) => sets.filter(({ edge }) => edge[key] === op));
    return { operands: of("consumer"), users: of("producer") };
  };
  const bitsAfter = (edges: readonly (readonly [number, number])[], root: number): string[] => {
    const bitsets = [0, 1, 2, 3].map(() => ConfigBitset.of(0, 1));
    bitsets[root]?.and(ConfigBitset.of(1));
    assertEquals(updateSolver(graphOf(edges), bitsets, root, true), undefined);
    return bitsets.map((bits) => bits.toBinary(2));
  };
  assertEquals(bitsAfter([[0, 1], [1, 2], [2, 3]], 3), ["0b10", "0b10", "0b10", "0b10"]);
  assertEquals(bitsAfter([[0, 1], [1, 2], [2, 3]], 0), ["0b10", "0b10", "0b10", "0b10"]);
  // 1 and 2 feed 3.
  assertEquals(bitsAfter([[0, 1], [1, 3], [2, 3]], 0), ["0b10", "0b10", "0b10", "0b10"]);
});

Deno.test("a bitset of all configs has all 512", () => {
  const all = ConfigBitset.all();
  assertEquals(all.indices(CONFIG_BITS).length, CONFIG_BITS);
  assertEquals([31, 32, 511].map((bit) => all.has(bit)), [true, true, true]);
});

Deno.test("updateSolver() names the edge that has no path left, next to the root or far from it", () => {
  const same = [0, 1].map((config) => ({ producerId: config, consumerId: config }));
  const sets = [0, 1].map((producer) => new PathSet({ producer, consumer: producer + 1, operand: 0 }, same));
  const [first, second] = sets;
  assert(first !== undefined && second !== undefined);
  const graph = { operands: [[], [first], [second]], users: [[first], [second], []] };
  for (const root of [0, 1, 2]) {
    const bitsets = [ConfigBitset.of(0), ConfigBitset.of(0, 1), ConfigBitset.of(1)];
    assert(updateSolver(graph, bitsets, root, true) !== undefined, `root ${root}`);
  }
});

Deno.test("accumulated core usage of a user is truncated to an integer", () => {
  // tt-mlir:shard-solver: 0 → 1, and 1 and 2 → 3. Op 1 gets half of 3: 1 + 1.5; op 0 gets 2 of that.
  const path = [{ producerId: 0, consumerId: 0 }];
  const edges = [[0, 1], [1, 3], [2, 3]] as const;
  const sets = edges.map(([producer, consumer]) => new PathSet({ producer, consumer, operand: 0 }, path));
  const of = (key: "producer" | "consumer") =>
    [0, 1, 2, 3].map((op) => sets.filter(({ edge }) => edge[key] === op));
  const usage = accumulatedCoreUsage([[1], [1], [1], [3]], {
    operands: of("consumer"),
    users: of("producer"),
  });
  assertEquals(usage.map((own) => [...own]), [[3], [2.5], [2.5], [3]]);
});

Deno.test("pickOpShardConfigs() takes the first of equals, and of wanted ones the most used, then the first", () => {
  const pick = (gridVolumes: readonly number[], preferred?: (config: number) => boolean): number => {
    const configs = gridVolumes.map((_, config) => config);
    const solver = new ShardSolver(
      { ops: [{ name: "only", gridVolumes, isBlockSharded: () => false }], edges: [] },
      tableOracle(() => [], { kind: "configs", configs }),
    );
    assertEquals(solver.resolve(), undefined);
    pickOpShardConfigs(solver, preferred);
    return solver.finish().selectedConfigs[0] ?? -1;
  };
  assertEquals(pick([4, 8, 8, 8]), 1);
  assertEquals(pick([64, 4, 8, 8], (config) => config > 0), 2);
});

Deno.test("ShardSolver converts two operands of one op, each to its own layouts", () => {
  const edges = [{ producer: 0, consumer: 2, operand: 0 }, { producer: 1, consumer: 2, operand: 1 }];
  const solver = new ShardSolver(
    { ops: [0, 1, 2].map((op) => ({ name: `%${op}`, gridVolumes: [1] })), edges },
    tableOracle(
      () => [],
      { kind: "configs", configs: [0] },
      (_consumer, operand) => new Map([[0, [operand === 0 ? 5 : 7]]]),
    ),
  );
  assertEquals(solver.resolve(), undefined);
  assertEquals(
    solver.memReconfigs.map((
      entry,
    ) => [entry.operand, [...entry.reshardLayouts.values()].flat().map(Number)]),
    [[0, [5]], [1, [7]]],
  );
});

Deno.test("ShardSolver has no more configs of a consumer than bits, nor converts to others", () => {
  const solver = (paired: boolean) =>
    new ShardSolver(
      {
        ops: [{ name: "a", gridVolumes: [1] }, { name: "b", gridVolumes: volumes(CONFIG_BITS + 8) }],
        edges: linearEdges(2),
      },
      tableOracle(
        () => paired ? [[0, 2], [0, CONFIG_BITS + 1]] : [],
        { kind: "configs", configs: [0] },
        () => new Map([[1, [5]], [CONFIG_BITS + 1, [5]]]),
      ),
    );
  for (const [paired, config] of [[true, 2], [false, 1]] as const) {
    const solved = solver(paired);
    assertEquals(solved.resolve(), undefined);
    assertEquals(solved.liveConfigs(1), [config]);
    assertEquals(solved.bitsetText(1).length, 2 + CONFIG_BITS);
  }
});

Deno.test("ShardSolver converts operand 0 of two ops, each to its own layouts", () => {
  const solver = new ShardSolver(
    { ops: [0, 1, 2].map((op) => ({ name: `%${op}`, gridVolumes: [1] })), edges: linearEdges(3) },
    tableOracle(() => [], { kind: "configs", configs: [0] }, (consumer) => new Map([[0, [consumer]]])),
  );
  assertEquals(solver.resolve(), undefined);
  assertEquals(
    solver.memReconfigs.map((
      entry,
    ) => [entry.consumer, [...entry.reshardLayouts.values()].flat().map(Number)]),
    [[1, [1]], [2, [2]]],
  );
});
