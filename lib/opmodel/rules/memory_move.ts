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
import { placeIn, placeOutput, resultAt } from "../place_output.ts";
import {
  type ConstraintQuery,
  DEFAULT_STRATEGY,
  defineRule,
  type LayoutStrategy,
  type RulesOf,
} from "../rule.ts";
import { asProgramTensor, reportedL1Bytes, type Tensor } from "../tensor.ts";
import { describeOperand, refuseLayout, refuseOperand, type Verdict, viewOf } from "../verdict.ts";
import { checkPaddedBytes, operandAt } from "./program.ts";

function evaluateToMemoryConfig(query: ConstraintQuery): Verdict {
  const { layout } = operandAt(query, 0);
  const { hint } = query;
  if (hint !== undefined && pagesOf(hint) !== pagesOf(layout)) {
    refuseLayout(query, "to_memory_config/page", "it cannot change the page layout");
  }
  if (hint !== undefined && hint.dataType !== layout.dataType) {
    refuseLayout(query, "to_memory_config/format", `it keeps the format ${layout.dataType}`);
  }
  return movedOrKept(query, placeOutput(query, { whenNull: layout, page: pagesOf(layout) }));
}

/** The verdict on an op that copies its operand, or returns one that is already in the requested memory. */
export function movedOrKept(query: ConstraintQuery, output: Tensor, mayKeep = true): Verdict {
  const isKept = mayKeep && keepsPlace(asProgramTensor(operandAt(query, 0)), asProgramTensor(output));
  return isKept ? viewOf(output) : { outputs: [output] };
}

function evaluateToLayout(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  const page = wantedPage(query, input);
  if (input.layout.bufferType === "system_memory") return onHost(query);
  // A tensor with the requested pages is returned as it is; requested format and memory are ignored.
  if (page === pagesOf(input.layout)) return viewOf(input);
  checkLayout(query, input, page);
  return { outputs: [intoPages(query, input, page)] };
}

function intoPages(query: ConstraintQuery, input: Tensor, page: "tile" | "row_major"): Tensor {
  const { hint, checksWrittenText } = query;
  const tilizes = page === "tile";
  const dataType = tilizes
    ? hint?.dataType ?? resultAt(query).dataType
    : untilizedFormat(input.layout.dataType) ?? input.layout.dataType;
  const made = { shape: input.shape, dataType, tile: tilizes ? DEFAULT_TILE : undefined };
  const output = hint === undefined && (tilizes || isWhole(input.shape))
    ? placeIn(query, made, input.layout)
    : placeOutput(query, { whenNull: input.layout, page, dataType });
  const placed = inPlace(query, input, output);
  checkPaddedBytes(query, placed);
  // Written text always requests its result layout.
  const asked = hint ?? (checksWrittenText ? placed.layout : undefined);
  if (!tilizes && asked !== undefined && isSharded(asked) && !areWholeTiles(asked)) {
    refuseLayout(query, "to_layout/shard", "the output has shards that are not whole tiles");
  }
  if (
    checksWrittenText && readAttributes(query.op, COMMON).memory_config === undefined &&
    !sameKindOfMemory(input.layout, placed.layout)
  ) {
    refuseLayout(
      query,
      "to_layout/keeps-memory",
      `it changes pages and format only, so ${describeOperand(query, 0)} and the output must have ` +
        "the same memory",
      "tt-mlir:ttmlir-opt",
    );
  }
  const { chip, room } = query;
  const noRoom = tilizeFault({ input: asProgramTensor(input), output: asProgramTensor(placed), chip, room });
  if (noRoom !== undefined) {
    refuseLayout(query, "to_layout/blocks", `${describeOperand(query, 0)}: ${noRoom}`);
  }
  return placed;
}

/** Refusals of `to_layout` by operand, format and whether the result is sharded, before the result is placed. */
function checkLayout(query: ConstraintQuery, { layout, shape }: Tensor, page: "tile" | "row_major"): void {
  const say = (rule: string, fault: string) => refuseOperand(query, 0, `to_layout/${rule}`, fault);
  if (page === "row_major") {
    const isBatched = shape.slice(0, -2).some((extent) => extent !== 1);
    const leaves = query.hint !== undefined && !isSharded(query.hint);
    const keepsPadding = layout.memoryLayout === "block_sharded" ||
      (layout.memoryLayout === "width_sharded" && leaves);
    if (isBatched && !isWhole(shape) && keepsPadding) {
      say("padded-matrices", "has shards with the padding of several matrices");
    }
    const wanted = query.hint?.dataType ?? query.op.results[0]?.dataType;
    const made = untilizedFormat(layout.dataType);
    if (made === undefined || (wanted !== undefined && wanted !== made)) {
      say("row-major-format", `untilizes to its own format, not to ${wanted ?? "any"}`);
    }
  } else if (isSharded(layout)) {
    if (shape.length < 2) say("sharded-vector", "is sharded with rank 1 and cannot be tilized");
    if (!areWholeTiles(layout)) say("shard", "has shards that are not whole tiles");
  }
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
function inPlace(query: ConstraintQuery, input: Tensor, output: Tensor): Tensor {
  const [from, to] = [input.layout, output.layout];
  if (!isSharded(from) || !isSharded(to)) return output;
  const { dataType, tile } = to;
  const tensor = { shape: input.shape, dataType, tile };
  if (tile !== undefined) {
    const staysInShards = tilizesShards(asProgramTensor(input), asProgramTensor(output));
    return staysInShards ? placeIn(query, tensor, from) : output;
  }
  if (isWhole(input.shape)) return output;
  if (from.memoryLayout !== to.memoryLayout) {
    const fault = "has padding, so the output must be sharded alike";
    refuseOperand(query, 0, "to_layout/unpadded-shards", fault);
  }
  return placeIn(query, tensor, inShards(from, tensor, unpaddedShard(input)));
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
export function onHost(query: ConstraintQuery): Verdict {
  const { hint, hintId, op: { results: [result] } } = query;
  if (hint?.bufferType !== "system_memory" || hintId === undefined || result === undefined) {
    refuseOperand(
      query,
      0,
      "operand/host",
      "is in host memory, where the result stays: to_device, an op of its own, takes it to the device",
    );
  }
  return { outputs: [{ shape: result.shape, layout: hint, layoutId: hintId }] };
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

export const MEMORY_MOVE_RULES: RulesOf<"assign" | "copy" | "to_layout" | "to_memory_config"> = {
  /** Rule of `assign`: always makes a second tensor, even if nothing changes. */
  assign: defineRule({
    evaluate: (query) => {
      const { layout } = operandAt(query, 0);
      const output = placeOutput(query, { whenNull: layout, page: pagesOf(layout) });
      if (layout.tile === undefined && layout.dataType !== output.layout.dataType) {
        refuseLayout(query, "assign/row-format", "only tiles change their format");
      }
      return { outputs: [output] };
    },
  }),
  /** Rule of `copy`: source and target have equal types, including layouts (tt-mlir:copy-op). */
  copy: defineRule({
    strategy: { hints: "null" },
    evaluate: (query) => {
      const source = operandAt(query, 0);
      const target = operandAt(query, 1);
      if (!sameExtents(source.shape, target.shape) || !layoutsEqual(source.layout, target.layout)) {
        const fault = `and ${describeOperand(query, 1)} must have one shape and one layout`;
        refuseOperand(query, 0, "copy/types", fault, "tt-mlir:copy-op");
      }
      return { outputs: [], outputL1Bytes: reportedL1Bytes(target, query.chip), aliasedOperand: 1 };
    },
  }),
  /**
   * Rule of `to_layout`: shards on both sides are whole tiles, in either direction (`ttnn:backend-0-81-1`).
   */
  to_layout: defineRule({ strategy: TO_LAYOUT_STRATEGY, evaluate: evaluateToLayout }),
  /** Rule of `to_memory_config`: the hint's memory exactly; the same memory is a no-op that shares the buffer. */
  to_memory_config: defineRule({ evaluate: evaluateToMemoryConfig }),
};
