// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { RuntimeEstimate } from "../../cost/cost_model.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../../opmodel/create_op_model.ts";
import { layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import { chipDescription } from "../../../sim/devices/device.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { createCostModel } from "../../../sim/cost/runtime.ts";

/** What is priced, without how sure it is: the backend's choice is less so. */
function timesOf({ programs, relativeError: _, ownError: _own, ...times }: RuntimeEstimate): unknown {
  return {
    ...times,
    programs: programs.map((program) =>
      program.kind === "matmul" ? { ...program, byBackend: undefined } : program
    ),
  };
}

Deno.test("a matmul costs the same with the program config that the op model derives and with none", () => {
  const shapes = [
    [[2048, 2048], [2048, 2048]],
    [[1792, 1792], [1792, 1792]],
    [[32, 4096], [4096, 11008]],
    [[4096, 64], [64, 32]],
    [[8, 197, 768], [768, 3072]],
    [[12, 384, 64], [12, 64, 384]],
    [[1, 256, 64], [16, 64, 256]],
  ] as const;
  const placements = [
    ["dram", "dram", "dram"],
    ["l1", "dram", "l1"],
    ["dram", "l1", "dram"],
    ["hs 56x1", "dram", "dram"],
    ["ws 1x56", "dram", "dram"],
    ["bs 8x7", "dram", "l1"],
  ] as const;
  const device = getDevice("n150");
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: chipDescription(device), layouts });
  const cost = createCostModel({ device, layouts, opModel });
  const kinds = new Set<string>();
  // Without it, a program config changes the fidelity.
  const own = { kind: "matmul", computeConfig: { mathFidelity: "hifi2", packerL1Acc: true } } as const;
  for (const [left, right] of shapes) {
    for (const [placeA, placeB, placeOut] of placements) {
      const a = tensorOf(left);
      const b = tensorOf(right);
      const batch = left.length < right.length || left[0] === 1 ? right.slice(0, -2) : left.slice(0, -2);
      const out = tensorOf([...batch, left.at(-2) ?? 1, right.at(-1) ?? 1]);
      const op = signatureOf("ttnn.matmul", [a, b], [out]);
      const inputs = [layoutOf(opModel, a, placeA), layoutOf(opModel, b, placeB)];
      const outputs = [layoutOf(opModel, out, placeOut)];
      const answer = opModel.queryOpConstraints(op, inputs, outputs[0], own);
      if (answer.status === "invalid") continue;
      const derived = answer.config?.kind === "matmul" ? answer.config.programConfig?.kind : undefined;
      kinds.add(derived ?? "no reuse");
      const given = cost.getOpRuntime(op, inputs, outputs, answer.config);
      const without = cost.getOpRuntime(op, inputs, outputs, own);
      assertEquals(
        timesOf(given),
        timesOf(without),
        `${left} x ${right} in ${placeA}, ${placeB}, ${placeOut}`,
      );
      assert(given.flops > 0);
    }
  }
  assert(kinds.size >= 3, `programs that were derived: ${[...kinds].join(", ")}`);
});
