// SPDX-License-Identifier: Apache-2.0
import { assertStrictEquals } from "@std/assert";
import { assertSpyCalls, spy } from "@std/testing/mock";
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import { getDevice } from "../devices/device_registry.ts";
import { launcherOf } from "../testing/models.ts";
import { createCostModel } from "./runtime.ts";

const TENSOR = { shape: [1024, 1024], dataType: "bf16" } as const;
const MATMUL = {
  name: "ttnn.matmul",
  attributes: new Map(),
  operands: [TENSOR, TENSOR],
  operandSegmentSizes: undefined,
  results: [TENSOR],
} as const;

Deno.test("getOpRuntime() asks anew for another config of the same layouts", () => {
  const layouts = new LayoutTable();
  const dram = layouts.intern(
    makeLayout({ ...TENSOR, bufferType: "dram", memoryLayout: "interleaved" }, { rows: 8, columns: 8 }),
  );
  const device = getDevice("n150");
  const launcher = launcherOf(device, layouts);
  const programs = spy((...question: Parameters<typeof launcher.programs>) => launcher.programs(...question));
  const cost = createCostModel({ device, layouts, opModel: { ...launcher, programs } });
  const ask = (mathFidelity?: "lofi" | "hifi4") =>
    cost.getOpRuntime(
      MATMUL,
      [dram, dram],
      [dram],
      mathFidelity === undefined ? undefined : { kind: "matmul", computeConfig: { mathFidelity } },
    );
  const answers = [ask(), ask("lofi"), ask("hifi4"), ask("lofi"), ask()];
  assertSpyCalls(programs, 3);
  assertStrictEquals(answers[1], answers[3]);
  assertStrictEquals(answers[0], answers[4]);
});
