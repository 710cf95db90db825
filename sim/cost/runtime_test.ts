// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "../../lib/ir/attribute.ts";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { assertSpyCalls, spy } from "@std/testing/mock";
import { type LayoutId, LayoutTable } from "../../lib/layout/layout_table.ts";
import { type LayoutRequest, makeLayout } from "../../lib/layout/make_layout.ts";
import type { OpSignature } from "../../lib/ops/op_signature.ts";
import type { RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { OP_DEFINITIONS } from "../../lib/ops/op_book.ts";
import { launcherOf, opOfClass } from "../testing/models.ts";
import { createCostModel } from "./runtime.ts";

const GRID = { rows: 8, columns: 8 };
const TENSOR = { shape: [1, 1, 1024, 1024], dataType: "bf16" } as const;

function layoutOf(layouts: LayoutTable, request: Partial<LayoutRequest>): LayoutId {
  return layouts.intern(
    makeLayout({ ...TENSOR, bufferType: "dram", memoryLayout: "interleaved", ...request }, GRID, 12),
  );
}

function signature(name: string, operands: number): OpSignature {
  return {
    name,
    // What the ops of some classes cannot do without.
    attributes: new Map<string, Attribute>([
      ["dimension", { kind: "integer", value: -1n, type: "si32" }],
      ["dim", { kind: "integer", value: -1n, type: "si32" }],
      ["all_gather_dim", { kind: "integer", value: -1n, type: "si32" }],
      ...["begins", "ends", "step"].map((name, index): [string, Attribute] => [
        name,
        {
          kind: "denseArray",
          elementType: "i32",
          values: TENSOR.shape.map((extent) => [0, extent, 1][index] ?? 0),
        },
      ]),
      ["padding", { kind: "denseArray", elementType: "i32", values: TENSOR.shape.flatMap(() => [0, 0]) }],
      ["repeat_dims", { kind: "dialect", dialect: "ttnn", mnemonic: "shape", body: "1x1x1x1" }],
      ["in_channels", { kind: "integer", value: 1024n, type: "i32" }],
      ["out_channels", { kind: "integer", value: 1024n, type: "i32" }],
      ["batch_size", { kind: "integer", value: 1n, type: "i32" }],
      ["input_height", { kind: "integer", value: 1n, type: "i32" }],
      ["input_width", { kind: "integer", value: 1024n, type: "i32" }],
      ["kernel_size", { kind: "denseArray", elementType: "i32", values: [1, 1] }],
      ["stride", { kind: "denseArray", elementType: "i32", values: [1, 1] }],
      ["channels", { kind: "integer", value: 1n, type: "i32" }],
      ["permutation", { kind: "denseArray", elementType: "i64", values: [0, 1, 3, 2] }],
    ]),
    operands: Array.from({ length: operands }, () => TENSOR),
    operandSegmentSizes: undefined,
    results: [TENSOR],
  };
}

Deno.test("getOpRuntime() prices every cost class in every layout with finite times and a bound", () => {
  const layouts = new LayoutTable();
  const choices = [
    layoutOf(layouts, {}),
    layoutOf(layouts, { bufferType: "l1" }),
    layoutOf(layouts, { bufferType: "l1", memoryLayout: "height_sharded", grid: [32, 1] }),
    layoutOf(layouts, { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 32] }),
    layoutOf(layouts, { bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 8] }),
    layoutOf(layouts, { tile: null }),
    layoutOf(layouts, { bufferType: "system_memory", memoryLayout: undefined }),
    undefined,
  ];
  for (const costClass of new Set(OP_DEFINITIONS.map((op) => op.costClass))) {
    const device = getDevice("n150");
    const cost = createCostModel({ device, layouts, opModel: launcherOf(device, layouts) });
    const op = signature(opOfClass(costClass), 3);
    for (const input of choices) {
      for (const output of choices) {
        const estimate = cost.getOpRuntime(op, [input, input, input], [output], undefined);
        const parts = [
          estimate.microseconds,
          ...Object.values(estimate.terms),
          estimate.dramBytes,
          estimate.flops,
        ];
        assert(parts.every((part) => Number.isFinite(part) && part >= 0), `${costClass} ${parts}`);
        for (const term of Object.values(estimate.terms)) {
          assert(estimate.microseconds >= term, `${costClass}: a term exceeds the total`);
        }
        checkBound(estimate, device, costClass);
      }
    }
  }
});

/** tt-perf-report's words: `DRAM`, `FLOP` and `BOTH` say which peak of the chip is reached to 65 % at least. */
function checkBound(estimate: RuntimeEstimate, device: Device, where: string): void {
  const { bound, microseconds, terms, flops, dramBytes } = estimate;
  const kernel = microseconds - terms.launch;
  if (bound === "HOST" || kernel < 1e-6) return;
  const { rows, columns } = chipDescription(device).workerGrid;
  const cyclesOfTile = device.tensix.matmulTileLofi;
  const shares = {
    FLOP: flops / kernel / (rows * columns * 2 * 32 ** 3 / cyclesOfTile * device.clock.aiclk),
    DRAM: dramBytes / kernel / (device.dram.peakBandwidth * 1000),
  };
  for (const peak of ["FLOP", "DRAM"] as const) {
    if (Math.abs(shares[peak] - 0.65) < 1e-6) continue;
    assertEquals(
      bound === peak || bound === "BOTH",
      shares[peak] > 0.65,
      `${where}: ${bound} at ${shares[peak]}`,
    );
  }
}

Deno.test("getOpRuntime() gives the same answer to structurally equal signatures, and again once it is forgotten", () => {
  const layouts = new LayoutTable();
  const dram = layoutOf(layouts, {});
  const device = getDevice("p150-13x10");
  const launcher = launcherOf(device, layouts);
  const programs = spy((...question: Parameters<typeof launcher.programs>) => launcher.programs(...question));
  const cost = createCostModel({ device, layouts, opModel: { ...launcher, programs } });
  const first = cost.getOpRuntime(signature("ttnn.add", 2), [dram, dram], [dram], undefined);
  const second = cost.getOpRuntime(signature("ttnn.add", 2), [dram, dram], [dram], undefined);
  assertStrictEquals(first, second);
  assertSpyCalls(programs, 1);
  cost.forgetAnswers?.();
  assertEquals(cost.getOpRuntime(signature("ttnn.add", 2), [dram, dram], [dram], undefined), first);
  assertSpyCalls(programs, 2);
  const l1 = layoutOf(layouts, { bufferType: "l1" });
  assert(cost.getOpRuntime(signature("ttnn.add", 2), [l1, l1], [l1], undefined).dramBytes === 0);
});

Deno.test("getReshardRuntime() is free between equal layouts and charges DRAM bytes once each way", () => {
  const layouts = new LayoutTable();
  const device = getDevice("n150");
  const cost = createCostModel({ device, layouts, opModel: launcherOf(device, layouts) });
  const dram = layoutOf(layouts, {});
  const block = layoutOf(layouts, { bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 8] });
  assertEquals(cost.getReshardRuntime(TENSOR, block, block).microseconds, 0);
  assertEquals(cost.getReshardRuntime(TENSOR, dram, block).dramBytes, 1024 * 1024 * 2);
  assertEquals(cost.getReshardRuntime(TENSOR, block, dram).dramBytes, 1024 * 1024 * 2);
});
