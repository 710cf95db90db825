// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { memoryVerdict } from "../lib/memory/memory_verdict.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { checkMemory } from "./check_memory.ts";
import { createWorkbench } from "./load.ts";

function layout(tiles: string, buffer: string, memory: string, grid = "1x1", cores = ""): string {
  return `#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${grid}>, ` +
    `memref<${tiles}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${buffer}>>, <${memory}>${cores}>`;
}

function tensor(
  rows: number,
  columns: number,
  encoding = layout(`${rows / 32}x${columns / 32}`, "dram", "interleaved"),
) {
  return `tensor<${rows}x${columns}xbf16, ${encoding}>`;
}

const SQUARE = tensor(2048, 2048);

const SHARDED = tensor(
  2048,
  2048,
  layout(
    "8x8",
    "l1",
    "block_sharded",
    "8x8",
    ", core_ranges = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,7)>]>",
  ),
);

function check(source: string, tensorL1UsageCap = 0.95) {
  const limits = { tensorL1UsageCap };
  const workbench = createWorkbench(parseModule(source, "checked.mlir"), getDevice("n150"), limits);
  const { verdict } = checkMemory(workbench, tensorL1UsageCap);
  const timeline = simulateGraph(workbench.binding.graph, undefined, workbench, limits);
  assertEquals(timeline.verdict, verdict, "the simulation says the same");
  return { verdict, steps: timeline.functions[0]?.steps ?? [] };
}

function unary(name: string, type: string): string {
  return `func.func @main(%x: ${type}) -> ${type} {
  %0 = "ttnn.relu"(%x) : (${type}) -> ${type}
  %1 = "${name}"(%0) : (${type}) -> ${type} loc("asked")
  return %1 : ${type}
}
`;
}

Deno.test("an op that breaks a rule of the backend does not run, regardless of other faults", () => {
  const wide = SQUARE.replaceAll("bf16", "f32");
  const source = `func.func @main(%x: ${SQUARE}, %w: ${wide}) -> ${SQUARE} {
  %0 = "ttnn.relu"(%x) : (${SQUARE}) -> ${SQUARE}
  %1 = "ttnn.maximum"(%0, %w) : (${SQUARE}, ${wide}) -> ${SQUARE} loc("larger")
  %2 = "ttnn.moe_gpt"(%1) : (${SQUARE}) -> ${SQUARE}
  return %2 : ${SQUARE}
}
`;
  const { verdict, steps } = check(source);
  assertEquals(verdict.status, "does_not_run");
  assertEquals(verdict.uncheckedOps.map(({ rule }) => rule), ["op/no-rule"]);
  const [op] = verdict.refusedOps;
  assert(op !== undefined);
  assertEquals([op.function, op.op, op.name, op.location, op.rule], [
    "main",
    1,
    "ttnn.maximum",
    '"larger"',
    "eltwise/format",
  ]);
  assertStringIncludes(op.reason, "cannot mix bf16, f32");
  assertEquals(steps.map((step) => [step.refused?.rule, step.unchecked?.rule]), [
    [undefined, undefined],
    ["eltwise/format", undefined],
    [undefined, "op/no-rule"],
  ]);
});

Deno.test("an op whose result layout differs from the file's, or that computes wrong results, is unchecked", () => {
  const half = tensor(1024, 2048);
  const slice = (from: string) =>
    `func.func @main(%x: ${from}) -> ${half} {
  %0 = "ttnn.slice_static"(%x) <{begins = [0 : i32, 0 : i32], ends = [1024 : i32, 2048 : i32], ` +
    `step = [1 : i32, 1 : i32]}> : (${from}) -> ${half}
  return %0 : ${half}
}
`;
  assertEquals(check(slice(SQUARE)).verdict.status, "fits");
  const { status, uncheckedOps } = check(slice(SHARDED)).verdict;
  assertEquals([status, uncheckedOps.map(({ rule }) => rule)], ["unchecked", ["slice/sharded"]]);
});

Deno.test("ops without a rule and collectives of unknown buffers are unchecked, others and host transfers are not", () => {
  assertEquals(check(unary("ttnn.exp", SQUARE)).verdict, memoryVerdict({}));
  const rules = (name: string) => check(unary(name, SQUARE)).verdict.uncheckedOps.map(({ rule }) => rule);
  assertEquals(rules("ttnn.moe_gpt"), ["op/no-rule"]);
  assertEquals(rules("ttnn.selective_reduce_combine"), ["op/no-rule"]);
  assertEquals(rules("ttnn.all_to_all"), ["op/collective"]);
  assertEquals(rules("ttnn.all_to_all_dispatch"), []);
  assertEquals(rules("ttnn.point_to_point"), []);
  assertEquals(rules("ttnn.all_gather"), []);
  assertEquals(rules("ttnn.to_device"), []);
});

Deno.test("an op with unknown programs is unchecked, for any result layouts", () => {
  const router = `%i, %w = "ttnn.topk_router_gpt"(%0, %0, %0) <{k = 8 : i32, num_experts = 128 : i32}> : ` +
    `(${SQUARE}, ${SQUARE}, ${SQUARE}) -> (${SHARDED}, ${SQUARE})`;
  const { verdict } = check(`func.func @main(%0: ${SQUARE}) -> ${SQUARE} {
  ${router}
  return %w : ${SQUARE}
}
`);
  assertEquals(verdict.uncheckedOps.map(({ name, rule, reason }) => [name, rule, reason]), [[
    "ttnn.topk_router_gpt",
    "op/no-rule",
    "the programs of ttnn.topk_router_gpt are not known, so neither are its buffers nor its time",
  ]]);
});

Deno.test("an op that runs another function is unchecked beside what is live, not for what it runs", () => {
  const trace =
    `%t = "ttnn.capture_or_execute_trace"(%0) <{capture_callee = @traced}> : (${SQUARE}) -> ${SQUARE}`;
  const { verdict } = check(`func.func private @traced(%0: ${SQUARE}) -> ${SQUARE} {
  %1 = "ttnn.relu"(%0) : (${SQUARE}) -> ${SQUARE}
  return %1 : ${SQUARE}
}
func.func @main(%0: ${SQUARE}) -> ${SQUARE} {
  ${trace}
  return %t : ${SQUARE}
}
`);
  assertEquals(verdict.uncheckedOps.map(({ name, reason }) => [name, reason]), [[
    "ttnn.capture_or_execute_trace",
    "the function that ttnn.capture_or_execute_trace runs is checked on its own, without the tensors that are live here",
  ]]);
});

Deno.test("an op that the op model refuses for memory does not fit, by the excess of its buffers", () => {
  const row = tensor(32, 524_288);
  const source = unary("ttnn.rms_norm", row);
  const cap = 0.3;
  const { l1Size, l1UnreservedBase } = chipDescription(getDevice("n150"));
  const budget = Math.floor(Math.fround(cap) * (l1Size - l1UnreservedBase));
  const { verdict, steps } = check(source, cap);
  const buffers = steps[1]?.l1.circularBufferBytes ?? 0;
  assert(buffers > budget, "buffers of a refused op are counted");
  assertEquals(
    verdict.misfits.map(({ op, name, memory, kind, shortBytes }) => [op, name, memory, kind, shortBytes]),
    [[1, "ttnn.rms_norm", "l1", "too_large", buffers - budget]],
  );
  assertEquals([verdict.status, verdict.uncheckedOps], ["does_not_fit", []]);
  assertEquals(check(source).verdict.status, "fits");
});

Deno.test("DRAM is full at the op whose result finds no room in any bank", () => {
  // 65,536 x 24,576 elements of two bytes in 12 banks: 256 MiB each; three of them and the argument fill 1 GiB.
  const big = tensor(65_536, 24_576);
  const returns = (count: number): string => {
    const values = Array.from({ length: count }, (_, index) => `%${index}`);
    const types = values.map(() => big).join(", ");
    const ops = values.map((value) => `  ${value} = "ttnn.relu"(%x) : (${big}) -> ${big}`).join("\n");
    return `func.func @main(%x: ${big}) -> (${types}) {\n${ops}\n  return ${
      values.join(", ")
    } : ${types}\n}\n`;
  };
  assertEquals(check(returns(2)).verdict.status, "fits");
  const { verdict } = check(returns(3));
  assertEquals(verdict.misfits.map(({ op, memory, kind }) => [op, memory, kind]), [[2, "dram", "no_space"]]);
  const { dramUnreservedBase, dramUnreservedEnd } = chipDescription(getDevice("n150"));
  assertEquals(verdict.misfits[0]?.shortBytes, 4 * 2 ** 28 - (dramUnreservedEnd - dramUnreservedBase));
});
