// SPDX-License-Identifier: Apache-2.0
import { elementBytes, isBlockFloat } from "../../layout/data_type.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readIntegers } from "../../dialect/attribute_values.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { splitWorkToCores } from "../../programs/split_work.ts";
import { type Tensor, tileSize } from "../tensor.ts";
import { accept, isRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { missingOperand } from "./program.ts";
import { rowMajorCopyBytes, tilizeBytes } from "./tilize_program.ts";

const SOURCE = "tt-metal:slice";

/** Bytes that one read of the row-major program merges rows up to (tt-metal `MAX_READ_SIZE`). */
const MAX_READ_BYTES = 4096;

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

function evaluateSlice(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  if (isSharded(input.layout) || (query.hint !== undefined && isSharded(query.hint))) {
    return refuse(
      "unsupported_layout",
      "slice/sharded",
      `${query.op.name}: sharded slices come out wrong in the backend (tt-metal 39074, 38016)`,
      SOURCE,
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
        SOURCE,
      );
    }
  }
  const page = input.layout.tile === undefined ? "row_major" : "tile";
  const output = placeOutput(query, context, { whenNull: input.layout, page });
  if (isRefusal(output)) return output;
  const begin = begins?.at(-1) ?? 0;
  if (page === "row_major") {
    return accept(
      { outputs: [output], cbBytes: rowSliceBytes(input, output, begin, context) },
      context,
    );
  }
  if (slicesTiles(query, begins)) {
    return accept({ outputs: [output], cbBytes: 2 * tileSize(input.layout) }, context);
  }
  const { dataType } = input.layout;
  // Bounds in tensors read as zeros in a query, so that no copy is on record for them.
  const copies = begins !== undefined && output.layout.bufferType === "l1"
    ? [input, output].map(({ shape }) => rowMajorCopyBytes(shape, dataType, context))
    : [];
  return accept({
    outputs: [output],
    cbBytes: Math.max(
      tilizeBytes(input.shape, 2 * tileSize(input.layout), context),
      rowSliceBytes(input, output, begin, context),
      tilizeBytes(output.shape, 2 * tileSize(output.layout), context),
    ),
    intermediateL1Bytes: copies.reduce((sum, bytes) => sum + bytes, 0),
  }, context);
}

/**
 * Whether tiles are copied as they are: every begin lies on a tile, no steps, rank 2 or more. Everything else goes
 * through rows: untilize, slice, tilize, in the memory of the result (tt-metal `SliceOperation::invoke`). Bounds that
 * are tensors may lie anywhere, so that circular buffers of all programs count.
 */
function slicesTiles({ op }: ConstraintQuery, begins: readonly number[] | undefined): boolean {
  if (begins === undefined || begins.length < 2) return false;
  const steps = readIntegers(op.attributes, "step") ?? [];
  return begins.slice(-2).every((begin) => begin % 32 === 0) && steps.every((step) => step === 1);
}

/**
 * Circular buffer of the row-major program: two batches of rows of the result, a batch being what one read of at most
 * 4096 bytes merges of a core's rows, counted in 32s (tt-metal `slice_program_factory_rm.cpp` `compute_cb_size`).
 */
function rowSliceBytes(input: Tensor, output: Tensor, begin: number, context: RuleContext): number {
  const { l1Alignment, dramAlignment } = context.chip;
  const alignmentOf = ({ layout }: Tensor) => layout.bufferType === "l1" ? l1Alignment : dramAlignment;
  const alignment = Math.max(alignmentOf(input), alignmentOf(output));
  const element = isBlockFloat(input.layout.dataType) ? 2 : elementBytes(input.layout.dataType);
  const rowBytes = (output.shape.at(-1) ?? 1) * element;
  const stride = Math.ceil(rowBytes / alignment) * alignment;
  const isMisaligned = begin * element % alignmentOf(input) !== 0;
  const page = isMisaligned ? Math.ceil(rowBytes / (2 * alignment)) * 2 * alignment : stride;
  const rows = output.shape.slice(0, -1).reduce((volume, extent) => volume * extent, 1);
  const perCore = Math.ceil(splitWorkToCores(context.cores, rows).unitsPerCoreGroup1 / 32) * 32;
  let merged = 1;
  for (let count = 1; count * stride <= MAX_READ_BYTES; count++) if (perCore % count === 0) merged = count;
  return 2 * merged * page;
}
