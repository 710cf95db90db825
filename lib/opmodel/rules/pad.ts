// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readIntegers } from "../../dialect/attribute_values.ts";
import type { OpSignature } from "../op_model.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { sameExtents } from "../shapes.ts";
import { tileSize } from "../tensor.ts";
import { accept, isRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { circularBufferPage, missingOperand } from "./program.ts";
import { asView, sharesMemory } from "./shape_change.ts";

const SOURCE = "tt-metal:pad";

/** Rule of `pad`. */
export function padRule(): OpRule {
  return defineRule({
    costClass: "pad",
    strategy: { hints: "non_sharded", inputs: ["any"], exploresReshards: true },
    viewOf: (op) => padIsView(op, true) ? 0 : undefined,
    evaluate: evaluatePad,
  });
}

/** Whether a pad adds nothing but what the tiles hold anyway (tt-mlir:l1-spill-management). */
function padIsView(op: OpSignature, tiled: boolean): boolean {
  const from = op.operands[0]?.shape;
  const to = op.results[0]?.shape;
  const padding = readIntegers(op.attributes, "padding");
  if (from === undefined || to === undefined || padding === undefined) return false;
  if (padding.every((amount) => amount === 0) || sameExtents(from, to)) return true;
  if (!tiled || from.length !== to.length) return false;
  const rank = from.length;
  if (padding.some((amount, index) => index % 2 === 0 && amount !== 0)) return false;
  return from.every((extent, dim) => {
    const padded = to[dim] ?? 1;
    return dim < rank - 2 ? extent === padded : Math.ceil(extent / 32) === Math.ceil(padded / 32);
  });
}

function evaluatePad(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const tiled = input.layout.tile !== undefined;
  const padding = readIntegers(query.op.attributes, "padding") ?? [];
  if (padding.length % 2 !== 0 || padding.length > 2 * input.shape.length) {
    return refuse(
      "unsupported_config",
      "pad/rank",
      `${query.op.name}: ${padding.length} amounts for rank ${input.shape.length}`,
      SOURCE,
    );
  }
  const output = placeOutput(query, context, { whenNull: input.layout, page: tiled ? "tile" : "row_major" });
  if (isRefusal(output)) return output;
  if (padIsView(query.op, tiled) && sharesMemory(input, output)) return asView(output, context);
  if (isSharded(output.layout) && (tiled || output.layout.memoryLayout !== "height_sharded")) {
    return refuse(
      "unsupported_layout",
      "pad/sharded-output",
      `${query.op.name}: sharded output only for height-sharded rows`,
      SOURCE,
    );
  }
  return accept({
    outputs: [output],
    cbBytes: tiled ? 3 * tileSize(input.layout) : 3 * circularBufferPage(output),
  }, context);
}
