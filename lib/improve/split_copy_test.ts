// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { idOf } from "../../testing/ids.ts";
import { present } from "../../testing/present.ts";
import { simulateL1Schedule } from "../memory/l1_timeline.ts";
import { type L1Region, l1Region } from "../memory/l1_schedule.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, ITSELF } from "../search/program.ts";
import { improve } from "./improve.ts";
import { splitCopy } from "./moves.ts";

const moves = [splitCopy];

const COLUMN: TensorShape = { shape: [2048, 64], dataType: "f32" };

/** Tiles in DRAM, read in height shards on two cores: few cores that fetch many tiles one by one. */
function readInShards() {
  const { evaluator, roles, sharded } = realStudy((builder) => {
    builder.return(builder.op("ttnn.relu", [builder.argument(COLUMN)], COLUMN));
  });
  const reader = idOf(0);
  const shards = sharded(COLUMN, "height_sharded", 2, 1);
  const impl = present(evaluator.query(reader, [shards], evaluator.declaredOutput(reader), undefined));
  const program = LayoutProgram.fromAssignment(evaluator, [{ inputs: [shards], reasons: ["test"], ...impl }]);
  return { evaluator, roles, program, region: l1Region(TEST_WORMHOLE, 0.95, 0) };
}

const failures = (program: LayoutProgram, region: L1Region): number =>
  simulateL1Schedule(program.l1Schedule(program.steps()), region).failures.length;

Deno.test("splitCopy makes a copy through the layout from which it takes the least time", () => {
  const { evaluator, roles, program, region } = readInShards();
  const before = program.microseconds();
  assertEquals(improve(program, "offered", { roles, region, moves }), 1);
  const { value, source, layout } = copyAt(program, 0);
  const intermediate = copyAt(program, source);
  assertEquals([intermediate.source, evaluator.layouts.get(intermediate.layout).bufferType], [ITSELF, "l1"]);
  assert(evaluator.facts(intermediate.layout).gridVolume > evaluator.facts(layout).gridVolume);
  const from = present(evaluator.declared[value]);
  const us = (a: typeof from, b: typeof from): number => evaluator.copyMicroseconds(value, a, b);
  const saved = us(from, layout) - us(from, intermediate.layout) - us(intermediate.layout, layout);
  assert(saved > 0);
  assertAlmostEquals(before - program.microseconds(), saved);
  assertEquals(failures(program, region), 0);
});

Deno.test("splitCopy changes nothing if the intermediate layout finds no room", () => {
  const { roles, program, region } = readInShards();
  const none: L1Region = { ...region, base: region.top, budget: 0 };
  const before = failures(program, none);
  // An intermediate layout in DRAM would find room, but takes longer.
  assertEquals(improve(program, "offered", { roles, region: none, moves }), 0);
  assertEquals(failures(program, none), before);
});
