// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import { normalDim } from "../layout/extents.ts";
import { pageCopy } from "./page_copy.ts";
import { blockShuffle } from "./permute.ts";
import type { OpLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import {
  alignmentOf,
  circularBufferPage,
  deviceMemory,
  isPresent,
  memoryOf,
  type ProgramTensor,
  rowMajorTensor,
} from "./program_tensor.ts";
import { pageBuffer, residentProgram } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";

/**
 * `concat`: shards are joined in the cores that hold them; pages are copied; operands that do not begin at a tile
 * border go through rows: every operand untilized, the rows joined, the result tilized (tt-metal:concat). Rows of
 * shards are priced as rows spread over L1.
 */
export function concatPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const inputs = op.inputs.filter(isPresent);
  const [first] = inputs;
  const [output] = op.outputs;
  if (first === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const axis = concatAxis(op, first.shape.length);
  const isAligned = ({ shape }: ProgramTensor) => (shape[axis] ?? 1) % 32 === 0;
  const keepsTiles = !first.tiled || axis < first.shape.length - 2 || inputs.every(isAligned);
  const isInShards = [...inputs, output].every(({ placement }) => placement === "l1_sharded");
  if (isInShards && keepsTiles) {
    return inOrder(residentProgram(output.shardCores, [], { copiedBytes: output.shardBytes }));
  }
  if (
    !first.tiled && axis === first.shape.length - 1 && !inputs.every((tensor) => hasWholeWords(tensor, chip))
  ) {
    return inOrder(...joinTurned(inputs, output, chip));
  }
  if (keepsTiles) return inOrder(joinPages(inputs, output, chip));
  const asRows = (tensor: ProgramTensor) =>
    rowMajorTensor(tensor.shape, tensor.dataType, memoryOf(output) === "l1" ? "l1" : "dram");
  const rows = inputs.map(asRows);
  return inOrder(
    ...inputs.map((input) => tilizeProgram(input, asRows(input), chip)),
    joinPages(rows, asRows(output), chip),
    tilizeProgram(asRows(output), output, chip),
  );
}

/** Whether a tensor's rows are multiples of its memory's smallest transaction. */
function hasWholeWords(tensor: ProgramTensor, chip: ChipDescription): boolean {
  return tensor.pageBytes % alignmentOf(tensor, chip) === 0;
}

/**
 * Rows that are not multiples of a word are joined along their last dimension in transposed form: every operand is
 * transposed, the rows joined, the result transposed back (tt-metal:concat, `build_prepost_transpose_concat`).
 */
function joinTurned(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  chip: ChipDescription,
): readonly DeviceProgram[] {
  const rank = output.shape.length;
  const order = output.shape.map((_, dim) => dim < rank - 2 ? dim : 2 * rank - 3 - dim);
  const turned = (tensor: ProgramTensor) =>
    rowMajorTensor(order.map((dim) => tensor.shape[dim] ?? 1), tensor.dataType, deviceMemory(output));
  const columns = inputs.map(turned);
  return [
    ...inputs.map((input) => blockShuffle(input, turned(input), order, chip)),
    joinPages(columns, turned(output), chip),
    blockShuffle(turned(output), output, order, chip),
  ];
}

/** The dimension along which tensors of this rank are joined. */
export function concatAxis(op: Pick<OpLaunch, "attributes">, rank: number): number {
  return normalDim(readInteger(op.attributes, "dim") ?? 0, rank);
}

/** Pages of the result, rows or tiles; two if they fit half of L1 (tt-metal:concat). */
function joinPages(inputs: readonly ProgramTensor[], output: ProgramTensor, chip: ChipDescription) {
  const page = circularBufferPage(output);
  const pages = 2 * page > chip.l1Size / 2 - chip.l1UnreservedBase ? 1 : 2;
  return pageCopy(inputs, [output], { circularBuffers: [pageBuffer("in0", pages, output)] }, chip);
}
