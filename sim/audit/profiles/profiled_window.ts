// SPDX-License-Identifier: Apache-2.0
import { LayoutError } from "../../../lib/layout/layout_error.ts";
import { makeLayout } from "../../../lib/layout/make_layout.ts";
import { moveProgram } from "../../../lib/programs/page_copy.ts";
import { type ProgramTensor, programTensor } from "../../../lib/programs/program_tensor.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { fidelityIn, integersIn, numberIn, textIn } from "../measured_ops/texts.ts";
import {
  integer,
  profiledConvolution,
  profiledHalo,
  profiledPool,
  type Timed,
  timed,
} from "../profile_windows.ts";
import type { ProfiledOp, ProfiledTensor } from "./profiled_op.ts";
import { placedTensor } from "./profiled_tensor.ts";

/**
 * The time of a device op that is a part of an op: halo, convolution and pool on shards, and moves of shards inside of
 * L1; `undefined` for all others and where the window is not told.
 */
export function profiledWindow(op: ProfiledOp, chip: MeasuredChip): Timed | undefined {
  const view = (tensor: ProfiledTensor): ProgramTensor => {
    const { shape, dataType, place } = placedTensor(tensor, op.cores, chip);
    const workers = { rows: chip.rows, columns: chip.columns };
    return programTensor(
      { shape, dataType },
      makeLayout({ ...place, shape, dataType }, workers, chip.dramBanks),
    );
  };
  try {
    const inputs = op.inputs.map(view);
    const [input] = inputs;
    const output = op.outputs[0] === undefined ? undefined : view(op.outputs[0]);
    if (input === undefined || output === undefined) return undefined;
    const tensors = { inputs, output, cores: op.cores, available: chip.columns * chip.rows };
    if (op.op.startsWith("Halo")) {
      return profiledHalo(haloAttributes(op, input, output), tensors, input, output);
    }
    if (/^(Conv2d|OptimizedConv)/.test(op.op)) {
      const fidelity = fidelityIn(textIn(op.params, "fidelity", "math_fidelity")) ?? "hifi2";
      return profiledConvolution(convolutionAttributes(op), fidelity, tensors, output);
    }
    if (op.op.startsWith("Pool2D")) {
      const [kernel] = extents(op, "kernel");
      return kernel === undefined
        ? undefined
        : profiledPool(`window_hw=(${kernel}; ${kernel})`, tensors, output);
    }
    return op.op.startsWith("Move")
      ? timed((description) => moveProgram(input, output, description))
      : undefined;
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** A number or the numbers of a field. */
function extents({ params }: ProfiledOp, name: string): readonly number[] {
  const single = numberIn(params, name);
  return single === undefined ? integersIn(params[name]) ?? [] : [single];
}

/** Sticks, window and cores of a halo, as profilers print them. */
function haloAttributes(op: ProfiledOp, input: ProgramTensor, output: ProgramTensor): string {
  const named = (name: string) => integer(op.attributes, name) ?? integer(op.attributes, `${name}_`);
  const rowCores = numberIn(op.params, "num_cores_nhw") ?? named("num_cores_nhw") ??
    input.gridShape[0] ?? op.cores;
  const sticks = (tensor: ProgramTensor) => Math.ceil(tensor.extent[0] / Math.max(1, rowCores));
  const inside = numberIn(op.params, "in_sticks_per_core") ?? sticks(input);
  const outside = numberIn(op.params, "max_out_sticks_per_core") ?? named("max_out_nsticks_per_core") ??
    sticks(output);
  const [height = 1, width = height] = op.params.hw === undefined
    ? [Number(/input_hw=\((\d+)/.exec(op.attributes)?.[1] ?? 1)]
    : extents(op, "hw");
  const [top = 0, left = top] = op.params.pad === undefined
    ? [Number(/pad_hw=\((\d+)/.exec(op.attributes)?.[1] ?? 0)]
    : extents(op, "pad");
  return `in_nsticks_per_core=${inside} max_out_nsticks_per_core=${outside} num_cores_nhw=${rowCores} ` +
    `input_hw=(${height};${width}) padding=((${top}; ${top}); (${left}; ${left}))`;
}

/** Blocks of a convolution, as profilers print them. */
function convolutionAttributes(op: ProfiledOp): string {
  const [subblockH, subblockW] = extents(op, "out_subblock");
  const told = {
    kernel: extents(op, "kernel")[0],
    act_block_h_ntiles: numberIn(op.params, "act_block_h_tiles"),
    act_block_w_ntiles: numberIn(op.params, "act_block_w_tiles"),
    out_subblock_h_ntiles: subblockH,
    out_subblock_w_ntiles: subblockW,
  };
  const text = Object.entries(told).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`]
  );
  return `${text.join(" ")} ${op.attributes}`;
}
