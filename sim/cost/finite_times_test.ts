// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { signatureOf } from "../../testing/op_queries.ts";
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import { createOpModel } from "../../lib/opmodel/create_op_model.ts";
import { ANY_QUESTION, layoutIfAny } from "../../lib/opmodel/testing/any_question.ts";
import { chipDescription } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { createCostModel } from "./runtime.ts";

const device = getDevice("n150");

Deno.test("every accepted op has a finite time, also on tensors without elements", () => {
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: chipDescription(device), layouts });
  const cost = createCostModel({ device, layouts, opModel });
  let priced = 0;
  let empty = 0;
  fc.assert(
    fc.property(...ANY_QUESTION, (name, operands, results, hint, named) => {
      const op = signatureOf(name, operands.map(([type]) => type), results, named);
      const [first] = results;
      const wanted = hint === undefined || first === undefined
        ? undefined
        : layoutIfAny(opModel, first, hint);
      const inputs = operands.map(([type, memory]) => layoutIfAny(opModel, type, memory));
      const answer = opModel.queryOpConstraints(op, inputs, wanted, undefined);
      if (answer.status === "invalid") return;
      const { microseconds, dramBytes, nocBytes } = cost.getOpRuntime(
        op,
        inputs,
        answer.outputLayouts,
        undefined,
      );
      for (const figure of [microseconds, dramBytes, nocBytes]) {
        assert(
          figure >= 0 && figure < Infinity,
          `${name}: ${microseconds} us, ${dramBytes} B, ${nocBytes} B`,
        );
      }
      priced++;
      if ([...op.operands, ...results].some((tensor) => tensor?.shape.includes(0) === true)) empty++;
    }),
    { numRuns: 6000 },
  );
  assert(priced > 200 && empty > 30, `${priced} priced, ${empty} of them with empty tensors`);
});
