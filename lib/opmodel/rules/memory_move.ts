// SPDX-License-Identifier: Apache-2.0
import { COMMON } from "../../ops/attributes/common.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { type DataType, isBlockFloat } from "../../layout/data_type.ts";
import { fillsTiles, sameExtents } from "../../layout/extents.ts";
import { layoutsEqual } from "../../layout/layout_table.ts";
import { DEFAULT_TILE, isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import { keepsPlace } from "../../programs/data_movement/memory_move.ts";
import { inShards, shardExtent } from "../../programs/shard_spec.ts";
import { tilizesShards, unpaddedShard } from "../../programs/data_movement/tilize.ts";
import { tilizeFault } from "../../programs/data_movement/tilize_cut.ts";
import { placeIn, placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  DEFAULT_STRATEGY,
  defineRule,
  type LayoutStrategy,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import { asProgramTensor, reportedL1Bytes, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  acceptView,
  describeTensor,
  isRefusal,
  type OrRefusal,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt, paddedBytesFault } from "./program.ts";

function evaluateToMemoryConfig(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const { hint } = query;
  if (hint !== undefined && pagesOf(hint) !== pagesOf(input.layout)) {
    return refuseLayout(query.op, "to_memory_config/page", "it cannot change the page layout");
  }
  if (hint !== undefined && hint.dataType !== input.layout.dataType) {
    return refuseLayout(query.op, "to_memory_config/format", `it keeps the format ${input.layout.dataType}`);
  }
  const output = placeOutput(query, context, { whenNull: input.layout, page: pagesOf(input.layout) });
  return isRefusal(output) ? output : movedOrKept(input, output, context);
}

/** A tensor that is already in the requested memory is returned without a copy. */
function movedOrKept(input: Tensor, output: Tensor, context: RuleContext): RuleAnswer {
  return keepsPlace(asProgramTensor(input), asProgramTensor(output))
    ? acceptView(output, context)
    : accept({ outputs: [output] }, context);
}

function evaluateToLayout(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const page = wantedPage(query, input);
  if (input.layout.bufferType === "system_memory") return onHost(query, input, context);
  // A tensor with the requested pages is returned as it is; requested format and memory are ignored.
  if (page === pagesOf(input.layout)) return acceptView(input, context);
  return layoutFault(query, input, page) ?? intoPages(query, input, page, context);
}

function intoPages(
  query: ConstraintQuery,
  input: Tensor,
  page: "tile" | "row_major",
  context: RuleContext,
): RuleAnswer {
  const tilizes = page === "tile";
  const dataType = tilizes
    ? query.hint?.dataType ?? query.op.results[0]?.dataType
    : untilizedFormat(input.layout.dataType);
  if (dataType === undefined) {
    return refuseConfig(
      query.op,
      "result/missing",
      "it has no tensor result",
      "op definition (ttnn dialect)",
    );
  }
  const made = { shape: input.shape, dataType, tile: tilizes ? DEFAULT_TILE : undefined };
  const output = query.hint === undefined && (tilizes || isWhole(input.shape))
    ? placeIn(query.op, context, made, input.layout)
    : placeOutput(query, context, { whenNull: input.layout, page, dataType });
  if (isRefusal(output)) return output;
  const placed = inPlace(query, input, output, context);
  if (isRefusal(placed)) return placed;
  const fault = paddedBytesFault(query.op, input, placed);
  if (fault !== undefined) return fault;
  // Written text always requests its result layout.
  const asked = query.hint ?? (context.checksWrittenText ? placed.layout : undefined);
  if (!tilizes && asked !== undefined && isSharded(asked) && !areWholeTiles(asked)) {
    return refuseLayout(query.op, "to_layout/shard", "the output has shards that are not whole tiles");
  }
  if (
    context.checksWrittenText && readAttributes(query.op, COMMON).memory_config === undefined &&
    !sameKindOfMemory(input.layout, placed.layout)
  ) {
    return refuseLayout(
      query.op,
      "to_layout/keeps-memory",
      `it changes pages and format only, so ${describeTensor(0, input)} and the output must have ` +
        "the same memory",
      "tt-mlir:ttmlir-opt",
    );
  }
  const noRoom = tilizeFault(asProgramTensor(input), asProgramTensor(placed), context.chip, context.room);
  if (noRoom !== undefined) {
    return refuseLayout(query.op, "to_layout/blocks", `${describeTensor(0, input)}: ${noRoom}`);
  }
  return accept({ outputs: [placed] }, context);
}

/** Refusals of `to_layout` by operand, format and whether the result is sharded, before the result is placed. */
function layoutFault(
  query: ConstraintQuery,
  input: Tensor,
  page: "tile" | "row_major",
): RuleAnswer | undefined {
  const refused = (rule: string, fault: string) =>
    refuseLayout(query.op, `to_layout/${rule}`, `${describeTensor(0, input)} ${fault}`);
  const { layout, shape } = input;
  const isBatched = shape.slice(0, -2).some((extent) => extent !== 1);
  const isPadded = isBatched && !isWhole(shape);
  if (page === "row_major") {
    const leaves = query.hint !== undefined && !isSharded(query.hint);
    const { memoryLayout } = layout;
    if (isPadded && (memoryLayout === "block_sharded" || (memoryLayout === "width_sharded" && leaves))) {
      return refused("padded-matrices", "has shards with the padding of several matrices");
    }
    const wanted = query.hint?.dataType ?? query.op.results[0]?.dataType;
    const made = untilizedFormat(layout.dataType);
    return made === undefined || (wanted !== undefined && wanted !== made)
      ? refused("row-major-format", `untilizes to its own format, not to ${wanted ?? "any"}`)
      : undefined;
  }
  if (!isSharded(layout)) return undefined;
  if (shape.length < 2) {
    return refused("sharded-vector", "is sharded with rank 1 and cannot be tilized");
  }
  return areWholeTiles(layout) ? undefined : refused("shard", "has shards that are not whole tiles");
}

/** Format of tiles after untilizing; `undefined` for formats that cannot be untilized. */
function untilizedFormat(dataType: DataType): DataType | undefined {
  if (dataType === "bfp_bf8") return "bf16";
  return isBlockFloat(dataType) ? undefined : dataType;
}

function areWholeTiles(layout: TtnnLayout): boolean {
  return shardExtent(layout).every((extent) => extent % 32 === 0);
}

/**
 * The result if the operand's shards determine it: pages are converted in place, and the requested spec is
 * ignored; padding is removed from shards that keep their height or width.
 */
function inPlace(
  query: ConstraintQuery,
  input: Tensor,
  output: Tensor,
  context: RuleContext,
): OrRefusal<Tensor> {
  const [from, to] = [input.layout, output.layout];
  if (!isSharded(from) || !isSharded(to)) return output;
  const { dataType, tile } = to;
  const tensor = { shape: input.shape, dataType, tile };
  const isPadded = !isWhole(input.shape);
  if (tile !== undefined) {
    const staysInShards = tilizesShards(asProgramTensor(input), asProgramTensor(output));
    return staysInShards ? placeIn(query.op, context, tensor, from) : output;
  }
  if (!isPadded) return output;
  if (from.memoryLayout !== to.memoryLayout) {
    return refuseLayout(
      query.op,
      "to_layout/unpadded-shards",
      `${describeTensor(0, input)} has padding, so the output must be sharded alike`,
    );
  }
  return placeIn(query.op, context, tensor, inShards(from, tensor, unpaddedShard(input)));
}

/** Whether a tensor of rank ≥ 2 has no padding. */
function isWhole(shape: readonly number[]): boolean {
  return shape.length >= 2 && fillsTiles(shape);
}

/** Equal buffer type and memory layout, and grid if sharded; pages may differ. */
function sameKindOfMemory(a: TtnnLayout, b: TtnnLayout): boolean {
  return a.bufferType === b.bufferType && a.memoryLayout === b.memoryLayout &&
    (!isSharded(a) || a.gridShape.join() === b.gridShape.join());
}

/** Ops on host tensors run on the host: the result is a host tensor, no program, no device memory. */
export function onHost(query: ConstraintQuery, input: Tensor, context: RuleContext): RuleAnswer {
  const { hint, hintId } = query;
  const result = query.op.results[0];
  if (
    hint !== undefined && hintId !== undefined && hint.bufferType === "system_memory" && result !== undefined
  ) {
    return accept({
      outputs: [{ shape: result.shape, layout: hint, layoutId: hintId }],
    }, context);
  }
  return refuseLayout(
    query.op,
    "operand/host",
    `${
      describeTensor(0, input)
    } is in host memory, where the result stays: to_device, an op of its own, takes it to the device`,
  );
}

/**
 * Page layout that a `to_layout` produces: its `layout` property in older text; the hint at HEAD, where only
 * the result type states it; otherwise the opposite of the input's.
 */
function wantedPage(query: ConstraintQuery, input: Tensor): "tile" | "row_major" {
  const { layout: written } = readAttributes(query.op, COMMON);
  if (written === "tile" || written === "row_major") return written;
  if (query.hint !== undefined) return pagesOf(query.hint);
  return input.layout.tile === undefined ? "tile" : "row_major";
}

/**
 * A `to_layout` that states no memory keeps its operand's, so no other is searched; one that states a memory
 * may move too.
 */
const TO_LAYOUT_STRATEGY = (op: OpSignature): LayoutStrategy =>
  readAttributes(op, COMMON).memory_config === undefined
    ? { ...DEFAULT_STRATEGY, hints: "null" }
    : DEFAULT_STRATEGY;

/** Whether rows would change their format. */
function changesRows({ layout: from }: Tensor, { layout: to }: Tensor): boolean {
  return from.tile === undefined && from.dataType !== to.dataType;
}

export const MEMORY_MOVE_RULES: RulesOf<"assign" | "copy" | "to_layout" | "to_memory_config"> = {
  /** Rule of `assign`: always makes a second tensor, even if nothing changes. */
  assign: defineRule({
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const output = placeOutput(query, context, {
        whenNull: input.layout,
        page: pagesOf(input.layout),
      });
      if (!isRefusal(output) && changesRows(input, output)) {
        return refuseLayout(query.op, "assign/row-format", "only tiles change their format");
      }
      return acceptOne(output, context);
    },
  }),
  /** Rule of `copy`: source and target have equal types, including layouts (tt-mlir:copy-op). */
  copy: defineRule({
    strategy: { hints: "null" },
    evaluate: (query, context) => {
      const source = operandAt(query, 0);
      const target = operandAt(query, 1);
      if (!sameExtents(source.shape, target.shape) || !layoutsEqual(source.layout, target.layout)) {
        return refuseLayout(
          query.op,
          "copy/types",
          `${describeTensor(0, source)} and ${describeTensor(1, target)} must have one shape and one layout`,
          "tt-mlir:copy-op",
        );
      }
      const outputL1Bytes = reportedL1Bytes(target, context.chip);
      return accept({ outputs: [], outputL1Bytes, aliasedOperand: 1 }, context);
    },
  }),
  /**
   * Rule of `to_layout`: shards on both sides are whole tiles, in either direction (`ttnn:backend-0-81-1`).
   */
  to_layout: defineRule({ strategy: TO_LAYOUT_STRATEGY, evaluate: evaluateToLayout }),
  /** Rule of `to_memory_config`: the hint's memory exactly; the same memory is a no-op that shares the buffer. */
  to_memory_config: defineRule({ evaluate: evaluateToMemoryConfig }),
};
