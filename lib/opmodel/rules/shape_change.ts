// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readInteger, readIntegers } from "../../dialect/attribute_values.ts";
import type { OpSignature } from "../op_model.ts";
import { placeOutput, respread } from "../place_output.ts";
import {
  type ConstraintQuery,
  defineRule,
  type LayoutStrategy,
  type OpRule,
  type RuleContext,
} from "../rule.ts";
import { reportedL1Bytes, type Tensor, tileSize, volume } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { circularBufferPage, isL1Sharded, missingOperand } from "./program.ts";

const RESHAPE = "tt-metal:reshape";
const PERMUTE = "tt-metal:permute";

/** Bytes of the page map that the reshape program reads (derived:circular-buffers: 2 tiles and 1024 bytes). */
const RESHAPE_MAP_BYTES = 1024;

/** Rule of `reshape`. */
export function reshapeRule(): OpRule {
  return defineRule({
    costClass: "reshape",
    strategy: (op): LayoutStrategy => ({
      hints: reshapeIsView(op, true) ? "null" : "non_sharded",
      inputs: ["not_width_sharded"],
      exploresReshards: false,
    }),
    viewOf: (op) => reshapeIsView(op, true) ? 0 : undefined,
    evaluate: evaluateReshape,
  });
}

/**
 * Whether a reshape can share its input's buffer: the last dimension stays; in tiles the second-last stays too, or
 * both are whole tiles (tt-mlir:l1-spill-management).
 */
function reshapeIsView(op: OpSignature, tiled: boolean): boolean {
  const from = op.operands[0]?.shape;
  const to = op.results[0]?.shape;
  if (from === undefined || to === undefined) return false;
  if ((from.at(-1) ?? 1) !== (to.at(-1) ?? 1)) return false;
  if (!tiled) return true;
  const rowsFrom = from.length < 2 ? 1 : from.at(-2) ?? 1;
  const rowsTo = to.length < 2 ? 1 : to.at(-2) ?? 1;
  return rowsFrom === rowsTo || (rowsFrom % 32 === 0 && rowsTo % 32 === 0);
}

function evaluateReshape(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const result = query.op.results[0]?.shape;
  if (result === undefined || volume(result) !== volume(input.shape)) {
    return refuse(
      "unsupported_config",
      "reshape/volume",
      `${query.op.name}: ${input.shape.join("x")} has not as many elements as ${
        result?.join("x") ?? "its result"
      }`,
      RESHAPE,
    );
  }
  const tiled = input.layout.tile !== undefined;
  const output = placeOutput(query, context, { whenNull: input.layout, page: tiled ? "tile" : "row_major" });
  if (isRefusal(output)) return output;
  if (reshapeIsView(query.op, tiled) && sharesMemory(input, output)) return asView(output, context);
  let intermediateL1Bytes = 0;
  for (const side of [input, output]) {
    if (isL1Sharded(side)) intermediateL1Bytes += reportedL1Bytes(side.shape, side.layout, context.chip);
  }
  return accept({
    outputs: [output],
    cbBytes: tiled
      ? tileSize(input.layout) + tileSize(output.layout) + RESHAPE_MAP_BYTES
      : 2 * Math.max(circularBufferPage(input), circularBufferPage(output)),
    intermediateL1Bytes,
  }, context);
}

/** Rule of `permute`. */
export function permuteRule(): OpRule {
  return defineRule({
    costClass: "permute",
    strategy: (op): LayoutStrategy => ({
      hints: permuteIsView(op, true) ? "null" : "non_sharded",
      inputs: ["not_width_sharded"],
      exploresReshards: false,
    }),
    viewOf: (op) => permuteIsView(op, true) ? 0 : undefined,
    evaluate: (query, context) => evaluatePermute(query, context, permutationOf(query.op)),
  });
}

/** Rule of `transpose`, a permute that swaps two dimensions. */
export function transposeRule(): OpRule {
  return defineRule({
    costClass: "permute",
    strategy: { hints: "non_sharded", inputs: ["not_width_sharded"], exploresReshards: false },
    evaluate: (query, context) => evaluatePermute(query, context, swapOf(query.op)),
  });
}

/**
 * Whether a permutation moves dimensions of extent 1 only, while the last two dimensions (tiled) or the last (row-
 * major) stay in place (tt-mlir:l1-spill-management).
 */
function permuteIsView(op: OpSignature, tiled: boolean): boolean {
  const shape = op.operands[0]?.shape;
  const permutation = permutationOf(op);
  if (shape === undefined || permutation === undefined) return false;
  return keepsOrder(shape, permutation, tiled);
}

function keepsOrder(shape: readonly number[], permutation: readonly number[], tiled: boolean): boolean {
  const rank = shape.length;
  if (rank <= 1) return true;
  const fixed = tiled ? 2 : 1;
  for (let dim = rank - fixed; dim < rank; dim++) if (permutation[dim] !== dim) return false;
  const moved = permutation.filter((dim) => shape[dim] !== 1);
  return moved.every((dim, index) => index === 0 || (moved[index - 1] ?? 0) < dim);
}

function permutationOf(op: OpSignature): readonly number[] | undefined {
  const rank = op.operands[0]?.shape.length ?? 0;
  const permutation = readIntegers(op.attributes, "permutation");
  if (permutation === undefined || permutation.length !== rank) return undefined;
  const normal = permutation.map((dim) => dim < 0 ? dim + rank : dim);
  const sorted = [...normal].sort((a, b) => a - b);
  return sorted.every((dim, index) => dim === index) ? normal : undefined;
}

function swapOf(op: OpSignature): readonly number[] | undefined {
  const rank = op.operands[0]?.shape.length ?? 0;
  const dims = [readInteger(op.attributes, "dim0"), readInteger(op.attributes, "dim1")];
  const [first, second] = dims.map((dim) => dim === undefined ? undefined : dim < 0 ? dim + rank : dim);
  if (first === undefined || second === undefined || first < 0 || second < 0) return undefined;
  if (first >= rank || second >= rank) return undefined;
  return Array.from({ length: rank }, (_, dim) => dim === first ? second : dim === second ? first : dim);
}

function evaluatePermute(
  query: ConstraintQuery,
  context: RuleContext,
  permutation: readonly number[] | undefined,
): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  if (permutation === undefined) {
    return refuse(
      "unsupported_config",
      "permute/permutation",
      `${query.op.name}: its dimensions are no permutation of the ${input.shape.length} of ${
        describeTensor(0, input)
      }`,
      PERMUTE,
    );
  }
  const tiled = input.layout.tile !== undefined;
  const output = placeOutput(query, context, { whenNull: input.layout, page: tiled ? "tile" : "row_major" });
  if (isRefusal(output)) return output;
  const sameMemory = input.layout.bufferType === output.layout.bufferType &&
    input.layout.memoryLayout === output.layout.memoryLayout;
  if (keepsOrder(input.shape, permutation, tiled) && sameMemory) {
    if (!isSharded(input.layout) || respreadsToItself(input, output)) return asView(output, context);
  }
  return accept({
    outputs: [output],
    cbBytes: 2 * circularBufferPage(input) + 2 * circularBufferPage(output),
  }, context);
}

/** Result of a view: no program, no buffer of its own. */
export function asView(output: Tensor, context: RuleContext): RuleAnswer {
  return accept({ outputs: [output], cbBytes: 0, aliasedOperand: 0 }, context);
}

/** Whether a result may lie where the input lies: same buffer type, both sharded alike or both interleaved. */
export function sharesMemory(input: Tensor, output: Tensor): boolean {
  if (input.layout.bufferType !== output.layout.bufferType) return false;
  if (input.layout.dataType !== output.layout.dataType) return false;
  if (isSharded(input.layout) !== isSharded(output.layout)) return false;
  return !isSharded(input.layout) || respreadsToItself(input, output);
}

function respreadsToItself(input: Tensor, output: Tensor): boolean {
  const expected = respread(input.layout, output.shape, output.layout.dataType, output.layout.tile);
  return expected.memoryLayout === output.layout.memoryLayout &&
    expected.gridShape.join("x") === output.layout.gridShape.join("x") &&
    expected.shardShape.join("x") === input.layout.shardShape.join("x") &&
    output.layout.shardShape.join("x") === input.layout.shardShape.join("x");
}
