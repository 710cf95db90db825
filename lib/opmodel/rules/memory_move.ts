// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../../layout/data_type.ts";
import { sameExtents } from "../../layout/extents.ts";
import { layoutsEqual } from "../../layout/layout_table.ts";
import { keepsPlace } from "../../programs/view.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { enumWord, readString } from "../../dialect/attribute_values.ts";
import { placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  DEFAULT_STRATEGY,
  defineRule,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import { asProgramTensor, reportedL1Bytes, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptView,
  describeTensor,
  isRefusal,
  refuse,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt } from "./program.ts";

const MOVE = "tt-metal:reshard";
const PAGE = "tt-metal:tilize-untilize";

function evaluateToMemoryConfig(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const { hint } = query;
  if (hint !== undefined && (hint.tile === undefined) !== (input.layout.tile === undefined)) {
    return refuse(
      "unsupported_layout",
      "to_memory_config/page",
      `${query.op.name} cannot change between tiles and rows`,
      MOVE,
    );
  }
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: pagesOf(input.layout),
  });
  if (isRefusal(output)) return output;
  const fault = moveFault(query, input, output, context);
  if (fault !== undefined) return fault;
  return placed(input, output, context);
}

function moveFault(
  query: ConstraintQuery,
  input: Tensor,
  output: Tensor,
  context: RuleContext,
): RuleAnswer | undefined {
  const say = (rule: string, message: string) =>
    refuseLayout(query.op, `to_memory_config/${rule}`, `${message}`, MOVE);
  const from = input.layout;
  const to = output.layout;
  if (to.tile === undefined && isSharded(to)) {
    const rowBytes = asProgramTensor(output).pageBytes;
    if (rowBytes % context.chip.l1Alignment !== 0) {
      return say(
        "row-alignment",
        `shard rows of ${rowBytes} bytes are not aligned to ${context.chip.l1Alignment}`,
      );
    }
  }
  if (isSharded(from) && isSharded(to) && from.bufferType === "dram" && to.bufferType === "dram") {
    return say("dram-reshard", "a reshard needs L1 on at least one side");
  }
  if (from.dataType !== to.dataType && from.tile === undefined) {
    return say("row-major-format", "the format changes only in tiles");
  }
  return undefined;
}

/** A tensor that is already in the requested memory keeps its buffer. */
function placed(input: Tensor, output: Tensor, context: RuleContext): RuleAnswer {
  return keepsPlace(asProgramTensor(input), asProgramTensor(output))
    ? acceptView(output, context)
    : accept({ outputs: [output] }, context);
}

function evaluateToLayout(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const page = wantedPage(query, input);
  if (input.layout.bufferType === "system_memory") return onHost(query, input, context);
  const resultType = query.op.results[0]?.dataType;
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page,
    ...(query.hint === undefined && resultType !== undefined ? { dataType: resultType } : {}),
  });
  if (isRefusal(output)) return output;
  if (!query.op.attributes.has("memory_config") && !sameKindOfMemory(input.layout, output.layout)) {
    return refuseLayout(
      query.op,
      "to_layout/keeps-memory",
      `it changes pages and format only, so ${describeTensor(0, input)} and the output must have ` +
        "the same memory",
      "tt-mlir:ttmlir-opt",
    );
  }
  const fromTile = input.layout.tile !== undefined;
  if (fromTile === (page === "tile")) return placed(input, output, context);
  const fromSharded = isSharded(input.layout);
  const toSharded = isSharded(output.layout);
  const heightOnly = [input.layout, output.layout].every((layout) =>
    !isSharded(layout) || layout.memoryLayout === "height_sharded"
  );
  if (!fromSharded && toSharded) {
    return refuseLayout(
      query.op,
      "to_layout/interleaved-to-sharded",
      `${describeTensor(0, input)} is interleaved, the output must be too`,
      PAGE,
    );
  }
  if (!fromTile && (fromSharded !== toSharded || !heightOnly)) {
    return refuseLayout(
      query.op,
      "to_layout/tilize-sharding",
      "tilizing shards needs height sharding on both sides",
      PAGE,
    );
  }
  if (!fromTile && isBlockFloat(output.layout.dataType) && fromSharded) {
    return refuseLayout(query.op, "to_layout/format", "shards tilize to plain formats only", PAGE);
  }
  return accept({ outputs: [output] }, context);
}

/** Same buffer type, memory layout and, when sharded, grid; pages may differ. */
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
    `${describeTensor(0, input)} is in host memory, the result must be named there`,
    PAGE,
  );
}

/**
 * Page layout that a `to_layout` produces: its `layout` property in older text, the hint at HEAD (where only the
 * result type says it), otherwise the other one than the input's.
 */
function wantedPage(query: ConstraintQuery, input: Tensor): "tile" | "row_major" {
  const written = enumWord(query.op.attributes.get("layout")) ??
    readString(query.op.attributes, "layout");
  if (written === "tile" || written === "row_major") return written;
  if (query.hint !== undefined) return pagesOf(query.hint);
  return input.layout.tile === undefined ? "tile" : "row_major";
}

/** The rules of memory moves and casts. */
export const MEMORY_MOVE_RULES: RulesOf<"typecast" | "assign" | "copy" | "to_layout" | "to_memory_config"> = {
  /** Rule of `typecast`: input and output have the same memory layout (tt-mlir:op-model-tests, tt-mlir:op-rules). */
  typecast: defineRule({
    strategy: { ...DEFAULT_STRATEGY, hints: "null" },
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      if (input.layout.bufferType === "system_memory") return onHost(query, input, context);
      const resultType = query.op.results[0]?.dataType;
      const output = placeOutput(query, context, {
        whenNull: input.layout,
        page: pagesOf(input.layout),
        ...(resultType === undefined ? {} : { dataType: resultType }),
      });
      if (isRefusal(output)) return output;
      if (isSharded(input.layout) !== isSharded(output.layout)) {
        return refuseLayout(
          query.op,
          "typecast/mixed-sharding",
          `${describeTensor(0, input)} and the output must have the same memory layout`,
          "tt-mlir:op-model-tests typecast",
        );
      }
      return accept({ outputs: [output] }, context);
    },
  }),
  /** Rule of `assign`: always makes a second tensor, even if nothing changes. */
  assign: defineRule({
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const output = placeOutput(query, context, {
        whenNull: input.layout,
        page: pagesOf(input.layout),
      });
      if (isRefusal(output)) return output;
      return accept({ outputs: [output] }, context);
    },
  }),
  /** Rule of `copy`: source and target are of one type, layouts included (tt-mlir:copy-op). */
  copy: defineRule({
    strategy: { hints: "null", inputs: ["any"], exploresReshards: true },
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
  /** Rule of `to_layout`: tilize or untilize, interleaved to interleaved or height sharded to height sharded. */
  to_layout: defineRule({ evaluate: evaluateToLayout }),
  /** Rule of `to_memory_config`: the hint's memory exactly; the same memory is a no-op that shares the buffer. */
  to_memory_config: defineRule({
    evaluate: evaluateToMemoryConfig,
  }),
};
