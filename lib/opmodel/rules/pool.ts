// SPDX-License-Identifier: Apache-2.0
import { elementBytes, isBlockFloat } from "../../layout/data_type.ts";
import { makeLayout, roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { readIntegers } from "../../dialect/attribute_values.ts";
import { DRAM_INTERLEAVED, interleavedLayout, intern, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { reportedL1Bytes, type Tensor, volume } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { circularBufferPage, missingOperand } from "./program.ts";
import { coresWithLittlePadding, haloBytes, readWindow } from "../../programs/sliding_window.ts";

const POOL = "tt-metal:pool";

/** Rule of `max_pool2d`, `avg_pool2d` and `max_pool2d_with_indices`. */
export function poolRule(kind: "max" | "average" | "max_with_indices"): OpRule {
  return defineRule({
    costClass: "pool",
    evaluate: (query, context) => evaluatePool(query, context, kind),
  });
}

function evaluatePool(
  query: ConstraintQuery,
  context: RuleContext,
  kind: "max" | "average" | "max_with_indices",
): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const window = readWindow(query.op.attributes, false);
  if (window === undefined) {
    return refuse(
      "unsupported_config",
      "pool/window",
      `${query.op.name}: batch, image, channels or kernel are missing or do not fit`,
      POOL,
    );
  }
  const kernel = window.kernelHeight * window.kernelWidth;
  if (kind === "max_with_indices" && kernel > 32) {
    return refuse(
      "unsupported_config",
      "pool/indices-kernel",
      `${query.op.name}: windows of ${kernel} elements exceed 32`,
      POOL,
    );
  }
  const type = query.op.results[0];
  if (type === undefined) return missingOperand(query.op, 0);
  const pixels = volume(type.shape.slice(0, -1));
  const rows = Math.ceil(pixels / 32);
  const grid = coresWithLittlePadding(rows, context.cores);
  const tiled = input.layout.tile !== undefined || query.hint?.tile !== undefined;
  const page = query.hint === undefined
    ? input.layout.tile === undefined ? "row_major" : "tile"
    : query.hint.tile === undefined
    ? "row_major"
    : "tile";
  const own = makeLayout(
    {
      shape: type.shape,
      dataType: type.dataType,
      tile: page === "tile" ? DEFAULT_TILE : null,
      bufferType: "l1",
      memoryLayout: "height_sharded",
      grid: [grid, 1],
    },
    context.chip.workerGrid,
  );
  const outputs: Tensor[] = [];
  for (let result = 0; result < query.op.results.length; result++) {
    const output = placeOutput(query, context, {
      result,
      whenNull: result === 0 ? own : query.hint ?? own,
      page,
      ...(result === 0 ? {} : { hint: null }),
    });
    if (isRefusal(output)) return output;
    outputs.push(output);
  }
  const element = isBlockFloat(input.layout.dataType) ? 2 : elementBytes(input.layout.dataType);
  const channels = roundUp(window.inChannels, tiled ? 32 : 8);
  const pixelsPerCore = Math.ceil(rows / grid) * 32;
  const inputPixels = Math.ceil(window.batch * window.inputHeight * window.inputWidth / grid);
  const channelTiles = Math.ceil(window.inChannels / 32);
  const windowRows = Math.min(kernel, 32);
  const reader = 2 * 2 * roundUp(Math.min(channelTiles, kind === "average" ? 4 : 8) * 32 * windowRows, 1024) *
    2;
  const scalar = (kind === "average" ? 4 : 2) * 2048;
  const pretilize = page === "tile" ? channelTiles * 2048 : 0;
  const halo = haloBytes(window, pixelsPerCore, channels * element);
  const outputBytes = outputs.reduce(
    (sum, { shape, layout }) => sum + reportedL1Bytes(shape, layout, context.chip),
    0,
  );
  const staged = isSharded(input.layout) ? 0 : inputPixels * channels * element;
  return accept({
    outputs,
    cbBytes: scalar + 2048 + reader + pretilize + 2 * circularBufferPage(intern(type.shape, own, context)),
    tensorL1PeakBytes: Math.max(staged + halo, halo + outputBytes),
  }, context);
}

/** Rule of `global_avg_pool2d`, a sum over the image and a scale; L1 interleaved for NULL. */
export function globalPoolRule(): OpRule {
  return defineRule({
    costClass: "pool",
    evaluate: (query, context) => {
      const input = query.operands[0];
      if (input === undefined) return missingOperand(query.op, 0);
      const whenNull: TtnnLayout = { ...DRAM_INTERLEAVED, bufferType: "l1" };
      const output = placeOutput(query, context, { whenNull });
      if (isRefusal(output)) return output;
      const copy = interleavedLayout(input.shape, input.layout.dataType, DEFAULT_TILE, "l1", context);
      const retilized = input.layout.tile === undefined
        ? reportedL1Bytes(input.shape, copy, context.chip)
        : 0;
      return accept({
        outputs: [output],
        cbBytes: 6 * 2048,
        intermediateL1Bytes: retilized,
      }, context);
    },
  });
}

/** Rule of `upsample`: rows; sharded results keep the input's sharding (tt-metal:upsample). */
export function upsampleRule(): OpRule {
  return defineRule({
    costClass: "upsample",
    evaluate: (query, context) => evaluateUpsample(query, context),
  });
}

function evaluateUpsample(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const source = "tt-metal:upsample";
  if (input.layout.tile !== undefined && isSharded(input.layout)) {
    return refuse(
      "unsupported_layout",
      "upsample/tile",
      `${query.op.name}: ${describeTensor(0, input)} must be row-major`,
      source,
    );
  }
  if (
    isSharded(input.layout) && query.hint !== undefined &&
    query.hint.memoryLayout !== input.layout.memoryLayout
  ) {
    return refuse(
      "unsupported_layout",
      "upsample/sharding",
      `${query.op.name}: input and output must be sharded alike`,
      source,
    );
  }
  const scale = readIntegers(query.op.attributes, "scale_factor");
  if (scale !== undefined && scale.some((factor) => factor <= 0)) {
    return refuse(
      "unsupported_config",
      "upsample/scale",
      `${query.op.name}: scale factors must be positive`,
      source,
    );
  }
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: input.layout.tile === undefined ? "row_major" : "tile",
  });
  if (isRefusal(output)) return output;
  return accept({
    outputs: [output],
    cbBytes: isSharded(input.layout) ? 0 : 2 * circularBufferPage(input),
  }, context);
}
