// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { GraphFunction } from "../../graph/graph.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { describeLayout } from "../../layout/describe.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { assignmentMicroseconds } from "../../search/assignment.ts";
import type { Assignment } from "../../search/impls.ts";
import { forwardPass } from "./beam.ts";
import { type BeamScoreName, COMPARE_SCORES } from "../layout_score.ts";
import type { CandidateLimits } from "../../search/layout_catalog.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { propagate } from "./propagate.ts";
import type { ForkResolution } from "../propagation_observer.ts";
import { TOY_CHIP, ToyCostModel, ToyOpModel, type ToyRule } from "../testing/toy_models.ts";

// Toy models, because each of these cases needs ops that accept or produce one layout only, which no real op
// does; forward_pass_test.ts tests the same pass with the real models.
const SQUARE = { shape: [1024, 1024], dataType: "bf16" } as const;
const LIMITS: CandidateLimits = {
  maxLegalLayouts: 64,
  maxReshardCandidatesPerType: 4,
  enableL1ShardingLayouts: true,
  rowMajorEnabled: false,
};

/** A function with the models that decide it. */
function study(fn: GraphFunction, rules: Readonly<Record<string, ToyRule>> = {}, limits = LIMITS) {
  const opModel = new ToyOpModel(rules);
  const evaluator = new OpEvaluator(fn, opModel, new ToyCostModel(opModel.layouts), limits);
  const roles = opRoles(evaluator);
  const l1Budget = l1Region(TOY_CHIP, 0.95, 0).budget;
  const run = (
    score: BeamScoreName,
    beamWidth: number,
    fork?: (resolution: ForkResolution) => void,
  ): Assignment =>
    propagate(evaluator, roles, {
      score,
      beamWidth,
      maxInputCandidatesPerOperand: 64,
      l1Budget,
      ...(fork === undefined ? {} : { observer: { fork } }),
    });
  const spell = (assignment: Assignment): string[] =>
    assignment.map(({ outputs: [id] }) => id === undefined ? "-" : describeLayout(evaluator.layouts.get(id)));
  return { evaluator, roles, l1Budget, run, spell };
}

function heightSharded(cores: number): TtnnLayout {
  return makeLayout(
    { ...SQUARE, bufferType: "l1", memoryLayout: "height_sharded", grid: [cores, 1] },
    TOY_CHIP.workerGrid,
  );
}

/** Cores of an L1 sharded layout, 0 for all others. */
function cores(layout: TtnnLayout | undefined): number {
  return layout !== undefined && isSharded(layout) ? layout.gridShape.reduce((a, b) => a * b, 1) : 0;
}

// The motivating case of the proposal: the first op produces 16 shards without a reshard; the following ops
// keep the cores of their operand, so the matmuls also run on 16 cores unless one reshard is paid for.
function motivatingCase(): { fn: GraphFunction; rules: Readonly<Record<string, ToyRule>> } {
  const builder = new GraphBuilder();
  const x = builder.argument(SQUARE, { layout: heightSharded(16) });
  let value = builder.op("ttnn.toy_first", [x], SQUARE);
  for (let layer = 0; layer < 3; layer++) value = builder.op("ttnn.matmul", [value], SQUARE);
  builder.return(value);
  const keepsCores = (inputs: readonly (TtnnLayout | undefined)[], output: TtnnLayout): boolean =>
    cores(output) > 0 && cores(inputs[0]) === cores(output);
  return {
    fn: builder.build(),
    rules: { "ttnn.toy_first": { legal: keepsCores }, "ttnn.matmul": { legal: keepsCores } },
  };
}

Deno.test("greedy loses the motivating case, beam wins it by bottleneck and by runtime", () => {
  const { fn, rules } = motivatingCase();
  const { evaluator, run } = study(fn, rules);
  const coresOf = (assignment: Assignment): number[] =>
    assignment.slice(1).map(({ outputs: [id] }) =>
      cores(id === undefined ? undefined : evaluator.layouts.get(id))
    );
  const greedy = run("direct", 1);
  assertEquals(
    coresOf(greedy),
    [16, 16, 16],
    "an early choice without reshard drags the matmuls to 16 cores",
  );
  for (const score of ["bottleneck", "runtime"] as const) {
    const beam = run(score, 8);
    assertEquals(coresOf(beam), [64, 64, 64], score);
    const gained = assignmentMicroseconds(evaluator, greedy) - assignmentMicroseconds(evaluator, beam);
    // Three matmuls of 104,858 µs·cores each run on 64 cores instead of 16; the reshard costs about two µs.
    const matmuls = 3 * (104857.6 / 16 - 104857.6 / 64);
    assert(gained > 0.99 * matmuls && gained < 1.01 * matmuls, `${score} gains ${gained} µs`);
  }
});

Deno.test("a fork takes the candidate that satisfies its consumers most cheaply", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(SQUARE);
  const fork = builder.op("ttnn.toy_fork", [x], SQUARE);
  const a = builder.op("ttnn.toy_height", [fork], SQUARE);
  const b = builder.op("ttnn.toy_block", [fork], SQUARE);
  const c = builder.op("ttnn.toy_block", [fork], SQUARE, { location: "other" });
  const d = builder.op("ttnn.toy_join", [a, b, c], SQUARE);
  builder.return(d);
  const wants = (type: TtnnLayout["memoryLayout"]): ToyRule => ({
    legal: ([input], output) => input?.memoryLayout === type && output.memoryLayout === type,
  });
  const { evaluator, run, spell } = study(builder.build(), {
    "ttnn.toy_height": wants("height_sharded"),
    "ttnn.toy_block": wants("block_sharded"),
    "ttnn.toy_join": { legal: (_inputs, output) => output.bufferType === "dram" },
  });
  let resolution: ForkResolution | undefined;
  const assignment = run("bottleneck", 8, (found) => {
    if (found.producer === 0) resolution = found;
  });
  assert(
    spell(assignment)[0]?.startsWith("l1/block_sharded"),
    `two of three want blocks: ${spell(assignment)[0]}`,
  );
  assertEquals(resolution?.demands.length, 3);
  const least = Math.min(...resolution?.slotCosts ?? []);
  assertEquals(resolution?.slotCosts[resolution.chosenSlot], least, "no candidate needs fewer reshards");
  assert(Number.isFinite(assignmentMicroseconds(evaluator, assignment)), "every reshard is legal");
});

Deno.test("subtract(a, b) keeps b in L1 when a has to be in DRAM", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(SQUARE);
  const a = builder.op("ttnn.toy_dram_only", [x], SQUARE);
  const b = builder.op("ttnn.relu", [x], SQUARE);
  const c = builder.op("ttnn.subtract", [a, b], SQUARE);
  builder.return(c);
  const { evaluator, run } = study(builder.build(), {
    "ttnn.toy_dram_only": { legal: (_inputs, output) => output.bufferType === "dram" },
    "ttnn.subtract": { legal: ([first]) => first?.bufferType === "dram" },
  });
  for (const [score, width] of [["direct", 1], ["bottleneck", 8], ["runtime", 8]] as const) {
    const subtract = run(score, width)[2];
    const [first, second] = subtract?.inputs.map((id) =>
      id === undefined ? "" : evaluator.layouts.get(id).bufferType
    ) ??
      [];
    assertEquals([first, second], ["dram", "l1"], score);
  }
});

Deno.test("add(x, x) reads both operands from one candidate", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(SQUARE);
  const y = builder.op("ttnn.relu", [x], SQUARE);
  builder.return(builder.op("ttnn.add", [y, y], SQUARE));
  const { evaluator, roles, l1Budget } = study(builder.build());
  for (const score of ["direct", "bottleneck", "runtime"] as const) {
    const beams = forwardPass(evaluator, roles, {
      score,
      beamWidth: 8,
      maxInputCandidatesPerOperand: 64,
      maxCombinations: 256,
      l1Budget,
    });
    for (const candidate of beams[1] ?? []) assertEquals(candidate.slots[0], candidate.slots[1], score);
  }
});

Deno.test("a join counts the history of its operands once", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(SQUARE);
  const root = builder.op("ttnn.matmul", [x], SQUARE);
  const a = builder.op("ttnn.relu", [root], SQUARE);
  const b = builder.op("ttnn.exp", [root], SQUARE);
  builder.return(builder.op("ttnn.add", [a, b], SQUARE));
  const { evaluator, roles, l1Budget } = study(builder.build());
  const beams = forwardPass(evaluator, roles, {
    score: "runtime",
    beamWidth: 8,
    maxInputCandidatesPerOperand: 64,
    maxCombinations: 256,
    l1Budget,
  });
  const assignment = propagate(evaluator, roles, {
    score: "runtime",
    beamWidth: 8,
    maxInputCandidatesPerOperand: 64,
    l1Budget,
  });
  const best = beams[3]?.[0]?.score.pathMicroseconds ?? 0;
  const total = assignmentMicroseconds(evaluator, assignment);
  assert(Math.abs(best - total) < 1e-6, `the join's score ${best} is the price of the whole graph ${total}`);
});

Deno.test("concat of eight operands is decided within its combinations", () => {
  const builder = new GraphBuilder();
  const parts = Array.from({ length: 8 }, () => builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE));
  const tall = { shape: [8192, 1024], dataType: "bf16" } as const;
  builder.return(builder.op("ttnn.relu", [builder.op("ttnn.concat", parts, tall)], tall));
  const same = (inputs: readonly (TtnnLayout | undefined)[], output: TtnnLayout): boolean =>
    new Set(
      [...inputs, output].map((layout) =>
        layout === undefined ? "" : `${layout.memoryLayout} ${layout.gridShape.join("x")}`
      ),
    ).size === 1;
  const { evaluator, run, spell } = study(builder.build(), { "ttnn.concat": { legal: same } });
  const queries = evaluator.opModel.statistics.queries;
  const assignment = run("bottleneck", 8);
  assert(evaluator.opModel.statistics.queries - queries < 20_000);
  assert(spell(assignment)[8]?.startsWith("l1/"), "eight equal shards are concatenated in L1");
});

Deno.test("ops that the rule book cannot move keep the input's layouts, also those of their operands", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(SQUARE);
  const a = builder.op("ttnn.relu", [x], SQUARE);
  const b = builder.op("ttnn.toy_opaque", [a], SQUARE);
  builder.return(builder.op("ttnn.exp", [b], SQUARE));
  const fn = builder.build();
  const { evaluator, run } = study(fn, { "ttnn.toy_opaque": { movable: false } });
  const opaque = run("runtime", 8)[1];
  const declared = fn.values[b]?.layout;
  assert(declared !== undefined);
  assertEquals(opaque?.outputs[0], evaluator.layouts.intern(declared));
  assertEquals(opaque?.inputs[0], evaluator.layouts.intern(declared));
});

Deno.test("beams hold at most their width, best first, with back-pointers into their producers' beams", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(SQUARE);
  const a = builder.op("ttnn.add", [x, x], SQUARE);
  const b = builder.op("ttnn.relu", [a], SQUARE);
  const c = builder.op("ttnn.multiply", [a, x], SQUARE);
  builder.return(builder.op("ttnn.add", [b, c], SQUARE));
  const { evaluator, roles, l1Budget } = study(builder.build());
  for (const score of ["direct", "bottleneck", "runtime"] as const) {
    for (const beamWidth of [1, 4, 8]) {
      const beams = forwardPass(evaluator, roles, {
        score,
        beamWidth,
        maxInputCandidatesPerOperand: 64,
        maxCombinations: 256,
        l1Budget,
      });
      for (const beam of beams) {
        assert(beam.length >= 1 && beam.length <= beamWidth);
        beam.forEach((candidate, slot) => {
          const previous = beam[slot - 1];
          assert(previous === undefined || COMPARE_SCORES[score](previous.score, candidate.score) <= 0);
          candidate.producers.forEach((producer, operand) => {
            if (producer === undefined) return;
            assert((candidate.slots[operand] ?? -1) < (beams[producer]?.length ?? 0));
          });
        });
      }
    }
  }
});

Deno.test("ops of equal structure are explored separately if their results must reach different layouts", () => {
  const builder = new GraphBuilder();
  const free = builder.op("ttnn.toy_same", [builder.argument(SQUARE)], SQUARE, { location: "free" });
  const bound = builder.op("ttnn.toy_same", [builder.argument(SQUARE)], SQUARE, { location: "bound" });
  const last = builder.op("ttnn.toy_any", [free], SQUARE);
  builder.return(last, builder.op("ttnn.toy_kept", [bound], SQUARE));
  const { evaluator, roles, l1Budget } = study(builder.build(), {
    "ttnn.toy_same": { primary: "all" },
    "ttnn.toy_any": { primary: "all" },
    "ttnn.toy_kept": { movable: false },
    // No copy leads from width shards to DRAM, where the op that is kept reads its operand.
    "ttnn.to_memory_config": {
      legal: ([from], to) => from?.memoryLayout !== "width_sharded" || to.bufferType !== "dram",
    },
  });
  const beams = forwardPass(evaluator, roles, {
    score: "bottleneck",
    beamWidth: 64,
    maxInputCandidatesPerOperand: 64,
    maxCombinations: 256,
    l1Budget,
  });
  const isWide = (op: number) =>
    (beams[op] ?? []).some(({ impl: { outputs: [id] } }) =>
      id !== undefined && evaluator.layouts.get(id).memoryLayout === "width_sharded"
    );
  assertEquals([isWide(0), isWide(1)], [true, false]);
});

Deno.test("a slow slot's layout is copied from a fast slot by time, and taken as it is by cores", () => {
  const builder = new GraphBuilder();
  const product = builder.op("ttnn.matmul", [builder.argument(SQUARE)], SQUARE);
  builder.return(builder.op("ttnn.toy_keeps", [product], SQUARE));
  const rules: Readonly<Record<string, ToyRule>> = {
    "ttnn.matmul": { primary: "all" },
    "ttnn.toy_keeps": {
      legal: ([from], to) =>
        from?.memoryLayout === to.memoryLayout && from?.gridShape.join() === to.gridShape.join(),
    },
  };
  const fn = builder.build();
  // By time every grid can be made by a copy.
  for (const [score, maxReshardCandidatesPerType] of [["bottleneck", 4], ["runtime", 64]] as const) {
    const { evaluator, roles, l1Budget } = study(fn, rules, { ...LIMITS, maxReshardCandidatesPerType });
    const [producer = [], consumer = []] = forwardPass(evaluator, roles, {
      score,
      beamWidth: 64,
      maxInputCandidatesPerOperand: 64,
      maxCombinations: 256,
      l1Budget,
    });
    const best = Math.min(...producer.map((slot) => slot.score.pathMicroseconds));
    let slow = 0;
    for (const { inputs: [layout], slots: [slot = -1], reshards: [isReshard] } of consumer) {
      const had = producer.findIndex(({ impl }) => impl.outputs[0] === layout);
      // A product on few cores takes hundreds of µs longer than on all of them and a copy.
      if (had < 0 || (producer[had]?.score.pathMicroseconds ?? 0) < best + 100) continue;
      slow++;
      const paid = producer[slot]?.score.pathMicroseconds ?? Infinity;
      if (score === "bottleneck") assertEquals([slot, isReshard], [had, false]);
      else assert(isReshard === true && paid < best + 10, `slot ${slot} takes ${paid - best} µs more`);
    }
    assert(slow > 0, score);
  }
});
