// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { COMPARE_SCORES, type LayoutScore } from "./layout_score.ts";

const DRAM: LayoutScore = {
  isL1: false,
  isSharded: false,
  inputDramBytes: 0,
  requiresReshard: false,
  coreCount: 1,
  outputL1Bytes: 0,
  shardedInputs: 0,
  cores: 64,
  pathMinCores: 64,
  pathReshards: 0,
  pathMicroseconds: 10,
};
const L1: LayoutScore = { ...DRAM, isL1: true, coreCount: 64, outputL1Bytes: 1024 };
const SHARDED: LayoutScore = { ...L1, isSharded: true };

/** Whether `a` ranks before `b`, and not the reverse. */
function ranksBefore(
  compare: (a: LayoutScore, b: LayoutScore) => number,
  a: LayoutScore,
  b: LayoutScore,
): boolean {
  return compare(a, b) < 0 && compare(b, a) > 0;
}

// tt-mlir:optimizer-tests, TestOpModelStrategy.cpp
Deno.test("local ranks L1 sharded, L1, DRAM; then cores, reshards, usage", () => {
  const local = COMPARE_SCORES.local;
  assert(ranksBefore(local, SHARDED, L1));
  assert(ranksBefore(local, L1, DRAM));
  assert(ranksBefore(local, SHARDED, { ...SHARDED, coreCount: 8 }));
  assert(ranksBefore(local, SHARDED, { ...SHARDED, requiresReshard: true }));
  assert(ranksBefore(local, SHARDED, { ...SHARDED, outputL1Bytes: 2048 }));
  assertEquals(local(SHARDED, { ...SHARDED }), 0);
});

// derived: worked example of tt-mlir:op-model-strategy
Deno.test("local takes fewer cores over a reshard, and a reshard over DRAM bytes", () => {
  const local = COMPARE_SCORES.local;
  const wide = { ...SHARDED, coreCount: 64, requiresReshard: true };
  const narrow = { ...SHARDED, coreCount: 32 };
  assert(ranksBefore(local, narrow, wide));
  assert(ranksBefore(local, wide, { ...narrow, inputDramBytes: 1 << 20 }));
});

Deno.test("bottleneck takes the widest path, then the fewest reshards, then the ladder", () => {
  const bottleneck = COMPARE_SCORES.bottleneck;
  const wide = { ...SHARDED, pathMinCores: 64, pathReshards: 3 };
  assert(ranksBefore(bottleneck, wide, { ...SHARDED, pathMinCores: 32 }));
  assert(ranksBefore(bottleneck, SHARDED, { ...SHARDED, pathReshards: 1 }));
  assert(ranksBefore(bottleneck, SHARDED, L1));
  assert(ranksBefore(bottleneck, L1, DRAM));
  const unbounded = { ...SHARDED, pathMinCores: Infinity };
  assertEquals(bottleneck(unbounded, { ...unbounded }), 0, "two unlimited paths tie");
});

Deno.test("runtime takes the least time, then the least L1", () => {
  const runtime = COMPARE_SCORES.runtime;
  assert(ranksBefore(runtime, { ...DRAM, pathMicroseconds: 9 }, SHARDED));
  assert(ranksBefore(runtime, DRAM, L1));
});

Deno.test("local takes less L1 over more sharded operands, runtime less time over less L1", () => {
  const fewer = { ...SHARDED, outputL1Bytes: 512, shardedInputs: 0 };
  const more = { ...SHARDED, outputL1Bytes: 1024, shardedInputs: 2 };
  assert(ranksBefore(COMPARE_SCORES.local, fewer, more));
  assert(ranksBefore(COMPARE_SCORES.local, { ...fewer, shardedInputs: 1 }, fewer));
  const fast = { ...SHARDED, pathMicroseconds: 9, outputL1Bytes: 4096 };
  const small = { ...SHARDED, pathMicroseconds: 10, outputL1Bytes: 1024 };
  assert(ranksBefore(COMPARE_SCORES.runtime, fast, small));
});
