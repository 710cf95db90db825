// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../layout/data_type.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { readInteger, readIntegers } from "../attribute_values.ts";
import type { OpConstraints, OpSignature } from "../op_model.ts";
import { DRAM_INTERLEAVED, fullGridLayout, interleavedLayout, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { reportedL1Bytes, type Tensor, tileCounts, tileSize } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse } from "../verdict.ts";
import {
  circularBufferPage,
  isL1Sharded,
  missingOperand,
  programCores,
  sameShardGrid,
  tilizeBytes,
} from "./program.ts";
import { sameExtents } from "../shapes.ts";
import { asView, sharesMemory } from "./shape_change.ts";

const CONCAT = "specs 03 §B4 concat";
const SLICE = "specs 03 §B4 slice";
const PAD = "specs 03 §B4 pad";
const REPEAT = "specs 03 §B4 repeat";

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

/** Rule of `repeat` and `repeat_interleave`: untilize, repeat rows, tilize (specs 03 §B4). */
export function repeatRule(interleaved: boolean): OpRule {
  return defineRule({
    costClass: "repeat",
    strategy: interleaved
      ? { hints: "default", inputs: ["any"], exploresReshards: true }
      : { hints: "null_and_sharded", inputs: ["any"], exploresReshards: true },
    viewOf: (op) => repeatIsView(op) ? 0 : undefined,
    evaluate: (query, context) => evaluateRepeat(query, context, interleaved),
  });
}

function repeatIsView(op: OpSignature): boolean {
  const factors = readIntegers(op.attributes, "repeat_dims");
  return factors !== undefined && factors.every((factor) => factor === 1);
}

function evaluateRepeat(query: ConstraintQuery, context: RuleContext, interleaved: boolean): OpConstraints {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const { hint } = query;
  const inputSharded = isSharded(input.layout);
  if (!interleaved && inputSharded) {
    if (hint === undefined || !isSharded(hint)) {
      return refuse(
        "unsupported_layout",
        "repeat/sharded-needs-sharded",
        `${query.op.name}: a sharded operand needs a sharded output hint`,
        REPEAT,
      );
    }
    if (!sameShardGrid(hint, input.layout)) {
      return refuse(
        "unsupported_layout",
        "repeat/grid",
        `${query.op.name}: the output must have the operand's shard grid`,
        REPEAT,
      );
    }
  }
  const tiled = input.layout.tile !== undefined;
  const honours = context.ruleSet.repeatHonoursHint;
  const kept = interleaved ? DRAM_INTERLEAVED : repeatMemory(query, context, input);
  const output = placeOutput(query, context, {
    whenNull: honours ? input.layout : kept,
    page: tiled ? "tile" : "row_major",
    ...(honours ? {} : { hint: null }),
  });
  if (isRefusal(output)) return output;
  if (!interleaved && repeatIsView(query.op) && sharesMemory(input, output)) return asView(output, context);
  if (!tiled) {
    return accept({
      outputs: [output],
      cbBytes: 2 * circularBufferPage(input),
      cores: programCores(false, output, context),
    }, context);
  }
  const rowsOf = (tensor: Tensor, shape: readonly number[]) => {
    if (input.layout.bufferType !== "l1") return 0;
    const { dataType } = tensor.layout;
    const wide = dataType.startsWith("bfp_") ? "bf16" : dataType;
    return reportedL1Bytes(shape, interleavedLayout(shape, wide, undefined, "l1", context), context.chip);
  };
  const outputBytes = reportedL1Bytes(output.shape, output.layout, context.chip);
  const inputRows = rowsOf(input, input.shape);
  const outputRows = interleaved && !honours ? 0 : rowsOf(output, output.shape);
  return accept({
    outputs: [output],
    cbBytes: tilizeBytes(
      Math.max(tileCounts(input.shape).columns, tileCounts(output.shape).columns),
      2 * tileSize(input.layout),
      context,
    ),
    tensorL1PeakBytes: Math.max(inputRows + outputRows, outputRows + outputBytes),
    cores: programCores(false, output, context),
  }, context);
}

/** Memory that an older `repeat` keeps: the input's, spread anew over the grid when sharded. */
function repeatMemory(query: ConstraintQuery, context: RuleContext, input: Tensor): TtnnLayout {
  const result = query.op.results[0];
  if (!isSharded(input.layout) || result === undefined) return input.layout;
  return fullGridLayout(context, result.shape, result.dataType, DEFAULT_TILE, input.layout);
}

/**
 * Rule of `embedding`: row-major table and indices inside, the result tilized. Beside the tiled result the row-major
 * one lives, and a row-major copy of a tiled table in L1 (specs 03 §B4, fit 4/4).
 */
export function embeddingRule(): OpRule {
  return defineRule({
    costClass: "embedding",
    roles: ["index", "weight"],
    minOperands: 2,
    maxOperands: 2,
    strategy: { hints: "non_sharded", inputs: ["any"], exploresReshards: true },
    evaluate: evaluateEmbedding,
  });
}

function evaluateEmbedding(query: ConstraintQuery, context: RuleContext): OpConstraints {
  const [indices, table] = query.operands;
  if (indices === undefined) return missingOperand(query.op, 0);
  if (table === undefined) return missingOperand(query.op, 1);
  const source = "specs 03 §B4 embedding";
  for (const [index, operand] of [indices, table].entries()) {
    if (isSharded(operand.layout)) {
      return refuse(
        "unsupported_layout",
        "embedding/sharded",
        `${query.op.name}: ${describeTensor(index, operand)} must be interleaved`,
        source,
      );
    }
  }
  if (query.hint !== undefined && isSharded(query.hint)) {
    return refuse(
      "unsupported_layout",
      "embedding/sharded-output",
      `${query.op.name}: the output must be interleaved`,
      source,
    );
  }
  const output = placeOutput(query, context, { whenNull: indices.layout });
  if (isRefusal(output)) return output;
  const { columns } = tileCounts(output.shape);
  const inRows = (tensor: Tensor) => {
    if (tensor.layout.bufferType !== "l1") return 0;
    return reportedL1Bytes(
      tensor.shape,
      interleavedLayout(tensor.shape, "bf16", undefined, "l1", context),
      context.chip,
    );
  };
  const reportsTable = context.ruleSet.embeddingReportsTable && query.hint?.bufferType === "l1";
  const tableLike = interleavedLayout(table.shape, output.layout.dataType, DEFAULT_TILE, "l1", context);
  return accept({
    outputs: [output],
    cbBytes: columns * (tileBytes("bf16") + tileSize(output.layout)),
    intermediateL1Bytes: inRows(output) + (table.layout.tile === undefined ? 0 : inRows(table)),
    ...(reportsTable ? { outputL1Bytes: reportedL1Bytes(table.shape, tableLike, context.chip) } : {}),
    cores: programCores(false, output, context),
  }, context);
}

/**
 * Rule of `embedding_bw`: two tiles per core of gradient, result and scratch over the columns, and 112 bytes for
 * indices, mask and chunk counts (specs 03 §B4, one recorded shape).
 */
export function embeddingBackwardRule(): OpRule {
  return defineRule({
    costClass: "embedding",
    roles: ["index", "weight", "activation"],
    minOperands: 3,
    maxOperands: 3,
    strategy: { hints: "non_sharded", inputs: ["any"], exploresReshards: true },
    evaluate: (query, context) => {
      const gradient = query.operands[2];
      if (gradient === undefined) return missingOperand(query.op, 2);
      const output = placeOutput(query, context, { whenNull: gradient.layout });
      if (isRefusal(output)) return output;
      const perCore = Math.ceil(tileCounts(output.shape).columns / context.cores);
      return accept({
        outputs: [output],
        cbBytes: 3 * perCore * tileSize(gradient.layout) + 112,
        cores: programCores(false, output, context),
      }, context);
    },
  });
}

/** Rule of `gather`: tiled, two tiles of each tensor in flight. */
export function gatherRule(): OpRule {
  return defineRule({
    costClass: "gather",
    roles: ["activation", "index"],
    minOperands: 2,
    maxOperands: 2,
    evaluate: (query, context) => {
      const [input, index] = query.operands;
      if (input === undefined) return missingOperand(query.op, 0);
      if (index === undefined) return missingOperand(query.op, 1);
      const output = placeOutput(query, context, {
        whenNull: isL1Sharded(input) ? DRAM_INTERLEAVED : input.layout,
      });
      if (isRefusal(output)) return output;
      const cbBytes = 2 *
        (circularBufferPage(input) + circularBufferPage(index) + circularBufferPage(output));
      return accept({ outputs: [output], cbBytes, cores: programCores(false, output, context) }, context);
    },
  });
}

/**
 * Rule of `scatter`: everything goes through rows; a row of tiles in and out of the widest format sets the circular
 * buffers, the row-major copies of all four tensors the tensor peak (specs 03 §B3; lower bounds on record are met).
 */
export function scatterRule(): OpRule {
  return defineRule({
    costClass: "gather",
    roles: ["activation", "index", "activation"],
    minOperands: 3,
    maxOperands: 3,
    evaluate: (query, context) => {
      const tensors = query.operands.filter((operand) => operand !== undefined);
      const input = tensors[0];
      if (input === undefined) return missingOperand(query.op, 0);
      const output = placeOutput(query, context, { whenNull: input.layout });
      if (isRefusal(output)) return output;
      const cbBytes = tensors.reduce(
        (most, tensor) =>
          Math.max(most, tilizeBytes(tileCounts(tensor.shape).columns, 2 * tileSize(tensor.layout), context)),
        0,
      );
      const rows = [...tensors, output].filter((tensor) => tensor.layout.bufferType === "l1").reduce(
        (sum, { shape, layout }) =>
          sum +
          reportedL1Bytes(
            shape,
            interleavedLayout(shape, layout.dataType, undefined, "l1", context),
            context.chip,
          ),
        0,
      );
      return accept({
        outputs: [output],
        cbBytes,
        intermediateL1Bytes: rows,
        cores: programCores(false, output, context),
      }, context);
    },
  });
}
