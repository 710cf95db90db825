// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { matrixCount, normalDim, withLeadingOnes } from "../../layout/extents.ts";
import { tileColumns, tileCount, tileRows } from "../../layout/tile_shape.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { CUMULATIVE } from "../../ops/attributes/reduction.ts";
import { exchangedOrder } from "../data_movement/permute.ts";
import { addPermute } from "../data_movement/permute_chain.ts";
import { type ChainStep, chainStep, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "../op_launch.ts";
import type { OpPrograms, StreamProgram } from "../program.ts";
import { layoutOf, type ProgramTensor, withShape } from "../program_tensor.ts";
import { pageBuffer, streamProgram, tileBuffer, wholeTensors } from "../stream.ts";

/** The plan of a cumulative sum or product. */
interface Accumulation {
  /** Extents in four dimensions, with the accumulated dimension at the position that the program requires. */
  readonly shape: readonly number[];
  /** Dimension swapped with the first one before and after; `undefined` if none is. */
  readonly exchanged: number | undefined;
  /** Units that the cores divide: rows, columns or single tiles. */
  readonly units: number;
  /** Elements or tiles that a core visits per unit. */
  readonly steps: number;
  /** Whether the accumulation runs along rows or columns within tiles. */
  readonly isInside: boolean;
}

/**
 * The plan of an accumulation. bf16 sums run along rows and columns in place, and everything along dimensions before the
 * last three; the others are swapped with the first (`ttnn:backend-0-81-1`).
 */
export function accumulationOf(
  { name, attributes }: Pick<OpLaunch, "name" | "attributes">,
  { shape, dataType }: Pick<ProgramTensor, "shape" | "dataType">,
): Accumulation {
  const rank = shape.length;
  const added = Math.max(0, 4 - rank);
  const lifted = withLeadingOnes(shape, 4);
  const dim = normalDim(readAttributes({ name, attributes }, CUMULATIVE).dim, rank) + added;
  const [columns, rows] = [lifted.length - 1, lifted.length - 2];
  if (dim >= rows && dataType === "bf16" && !name.endsWith("cumprod")) {
    const matrices = Math.max(1, matrixCount(lifted));
    const down = tileRows(lifted) / matrices;
    const units = Math.max(1, matrices * (dim === rows ? tileColumns(lifted) : down));
    return { shape: lifted, exchanged: undefined, units, steps: tileCount(lifted) / units, isInside: true };
  }
  const isOuter = dim < lifted.length - 3 || (dim === 1 && lifted[0] === 1 && lifted[1] === 1);
  const order = exchangedOrder(lifted.length, [0, dim]);
  const permuted = isOuter ? lifted : order.map((from) => lifted[from] ?? 1);
  const steps = Math.max(1, lifted[dim] ?? 1);
  return {
    shape: permuted,
    exchanged: isOuter || dim === columns + 1 ? undefined : dim,
    units: tileCount(permuted) / steps,
    steps,
    isInside: false,
  };
}

/**
 * `cumsum`, `moreh_cumsum` and `cumprod`: a core carries the running result along the dimension, tile by
 * tile.
 */
export function cumulativePrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const work = accumulationOf(op, input);
  const from = withShape(input, withLeadingOnes(input.shape, 4));
  const steps: ChainStep[] = [];
  const { exchanged } = work;
  const exchange = (tensor: ProgramTensor, dim: number, asked: ProgramTensor) => {
    const request = { order: exchangedOrder(tensor.shape.length, [0, dim]), isTranspose: dim === 1 };
    return addPermute(steps, tensor, request, layoutOf(asked), chip);
  };
  const before = exchanged === undefined ? from : exchange(from, exchanged, input);
  const after = exchanged === undefined ? output : withShape(output, work.shape);
  steps.push(chainStep(after, accumulation(op, before, after, work, chip), [before]));
  if (exchanged !== undefined) exchange(after, exchanged, output);
  return launchChain(steps, chip);
}

function accumulation(
  { name }: OpLaunch,
  input: ProgramTensor,
  output: ProgramTensor,
  { units, steps, isInside }: Accumulation,
  chip: ChipDescription,
): StreamProgram {
  const starts = input.dataType === "f32" && !name.endsWith("cumprod") ? 2 : 1;
  return streamProgram({
    units,
    ...wholeTensors(input, output),
    compute: { work: [{ operation: "eltwise", count: steps }] },
    reader: { barriers: steps },
    writer: { barriers: steps },
    flops: input.tiles * 1024,
    circularBuffers: [
      pageBuffer("in0", 4, input),
      pageBuffer("out", 4, output),
      ...isInside ? [] : [tileBuffer("running", starts, "f32")],
    ],
  }, chip);
}
