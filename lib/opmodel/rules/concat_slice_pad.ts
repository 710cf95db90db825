// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readInteger, readIntegers } from "../attribute_values.ts";
import type { OpConstraints, OpSignature } from "../op_model.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { tileCounts, tileSize } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse } from "../verdict.ts";
import { circularBufferPage, missingOperand, programCores, sameShardGrid, tilizeBytes } from "./program.ts";
import { sameExtents } from "../shapes.ts";
import { asView, sharesMemory } from "./shape_change.ts";

const CONCAT = "specs 03 §B4 concat";
const SLICE = "specs 03 §B4 slice";
const PAD = "specs 03 §B4 pad";

/** Rule of `concat`: all operands alike; sharded operands want a sharded output of the same kind and grid. */
export function concatRule(): OpRule {
  return defineRule({
    costClass: "concat",
    maxOperands: Number.POSITIVE_INFINITY,
    strategy: { hints: "concat", inputs: ["any"], exploresReshards: true },
    evaluate: evaluateConcat,
  });
}

function evaluateConcat(query: ConstraintQuery, context: RuleContext): OpConstraints {
  const inputs = query.operands.filter((operand) => operand !== undefined);
  const first = inputs[0];
  if (first === undefined) return missingOperand(query.op, 0);
  const rank = first.shape.length;
  const dim = readInteger(query.op.attributes, "dim") ?? 0;
  const axis = dim < 0 ? dim + rank : dim;
  const say = (rule: string, message: string) =>
    refuse("unsupported_layout", `concat/${rule}`, `${query.op.name}: ${message}`, CONCAT);
  if (axis < 0 || axis >= rank) return say("dimension", `dimension ${dim} of ${rank}`);
  for (const [index, input] of inputs.entries()) {
    if ((input.layout.tile === undefined) !== (first.layout.tile === undefined)) {
      return say("page", "tiles and rows are mixed");
    }
    if (input.layout.dataType !== first.layout.dataType) {
      return say("format", `${describeTensor(index, input)} has another format`);
    }
    if (input.layout.memoryLayout !== first.layout.memoryLayout) {
      return say("mixed", `${describeTensor(index, input)} has another memory layout`);
    }
    if (isSharded(first.layout) && !sameShardGrid(input.layout, first.layout)) {
      return say("grid", `${describeTensor(index, input)} has another shard grid`);
    }
    const fits = input.shape.length === rank &&
      input.shape.every((extent, at) => at === axis || extent === first.shape[at]);
    if (!fits) return say("shape", `${describeTensor(index, input)} does not fit ${first.shape.join("x")}`);
  }
  const sharded = isSharded(first.layout);
  if (sharded && (query.hint === undefined || !isSharded(query.hint))) {
    return say("sharded-needs-sharded", "sharded operands need a sharded output hint");
  }
  if (!sharded && query.hint !== undefined && isSharded(query.hint)) {
    return say("interleaved-to-sharded", "interleaved operands cannot be joined into shards");
  }
  const page = first.layout.tile === undefined ? "row_major" : "tile";
  const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page });
  if (isRefusal(output)) return output;
  if (sharded) {
    if (!sameShardGrid(output.layout, first.layout)) {
      return say("output-grid", "the output must have the operands' shard grid");
    }
    const kind = first.layout.memoryLayout;
    if (axis === rank - 1 && kind === "width_sharded") {
      return say("width", "joining columns needs height or block sharding");
    }
    if (axis === rank - 2 && kind === "height_sharded") {
      return say("height", "joining rows needs width or block sharding");
    }
    if (axis < rank - 2) return say("batch", "shards join along the last two dimensions only");
    if (kind === "block_sharded" && inputs.length > 16) {
      return say("count", "at most 16 block-sharded operands");
    }
    return accept({ outputs: [output], cbBytes: 0, cores: programCores(true, output, context) }, context);
  }
  const unaligned = page === "tile" && axis >= rank - 2 &&
    inputs.some((input) => (input.shape[axis] ?? 1) % 32 !== 0);
  const widest = inputs.reduce((most, input) => Math.max(most, tileCounts(input.shape).columns), 1);
  return accept({
    outputs: [output],
    cbBytes: unaligned
      ? tilizeBytes(Math.max(widest, tileCounts(output.shape).columns), 2 * tileSize(first.layout), context)
      : 2 * circularBufferPage(first),
    cores: programCores(false, output, context),
  }, context);
}

/** Rule of `slice_static` and `slice_dynamic` (the latter reads its bounds from operands 1 and 2). */
export function sliceRule(dynamic: boolean): OpRule {
  return defineRule({
    costClass: "slice",
    roles: ["activation", "index"],
    maxOperands: dynamic ? 3 : 1,
    strategy: { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: evaluateSlice,
  });
}

function evaluateSlice(query: ConstraintQuery, context: RuleContext): OpConstraints {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  if (isSharded(input.layout) || (query.hint !== undefined && isSharded(query.hint))) {
    return refuse(
      "unsupported_layout",
      "slice/sharded",
      `${query.op.name}: sharded slices come out wrong in the backend (tt-metal 39074, 38016)`,
      SLICE,
    );
  }
  const rank = input.shape.length;
  const begins = readIntegers(query.op.attributes, "begins");
  const ends = readIntegers(query.op.attributes, "ends");
  for (const bounds of [begins, ends]) {
    if (bounds !== undefined && bounds.length !== rank) {
      return refuse(
        "unsupported_config",
        "slice/rank",
        `${query.op.name}: ${bounds.length} bounds for rank ${rank}`,
        SLICE,
      );
    }
  }
  const page = input.layout.tile === undefined ? "row_major" : "tile";
  const output = placeOutput(query, context, { whenNull: input.layout, page });
  if (isRefusal(output)) return output;
  const steps = readIntegers(query.op.attributes, "step") ?? [];
  const whole = begins !== undefined && begins.slice(-2).every((begin) => begin % 32 === 0) &&
    output.shape.slice(-2).every((extent) => extent % 32 === 0);
  const direct = page === "row_major" || (whole && steps.every((step) => step === 1));
  return accept({
    outputs: [output],
    cbBytes: direct
      ? 2 * circularBufferPage(input)
      : 2 * tileCounts(input.shape).columns * tileSize(input.layout),
    cores: programCores(false, output, context),
  }, context);
}

/** Rule of `pad`. */
export function padRule(): OpRule {
  return defineRule({
    costClass: "pad",
    strategy: { hints: "non_sharded", inputs: ["any"], exploresReshards: true },
    viewOf: (op) => padIsView(op, true) ? 0 : undefined,
    evaluate: evaluatePad,
  });
}

/** Whether a pad adds nothing but what the tiles hold anyway (specs 02 §5.9). */
export function padIsView(op: OpSignature, tiled: boolean): boolean {
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

function evaluatePad(query: ConstraintQuery, context: RuleContext): OpConstraints {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const tiled = input.layout.tile !== undefined;
  const padding = readIntegers(query.op.attributes, "padding") ?? [];
  if (padding.length % 2 !== 0 || padding.length > 2 * input.shape.length) {
    return refuse(
      "unsupported_config",
      "pad/rank",
      `${query.op.name}: ${padding.length} amounts for rank ${input.shape.length}`,
      PAD,
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
      PAD,
    );
  }
  return accept({
    outputs: [output],
    cbBytes: tiled ? 3 * tileSize(input.layout) : 3 * circularBufferPage(output),
    cores: programCores(false, output, context),
  }, context);
}
