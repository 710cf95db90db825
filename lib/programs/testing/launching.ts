// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { testChipWithGrid } from "../../../testing/chips.ts";
import type { ChipDescription } from "../../device/chip_description.ts";
import type { Attribute } from "../../ir/attribute.ts";
import { type LayoutRequest, makeLayout } from "../../layout/make_layout.ts";
import { emptyRoom, FULL_RUN, type LaunchContext, type UnaryLaunch } from "../op_launch.ts";
import type { DeviceProgram, OpPrograms } from "../program.ts";
import { type ProgramTensor, programTensor } from "../program_tensor.ts";

/** A Wormhole chip of 8 by 8 cores. */
export const CHIP: ChipDescription = testChipWithGrid(8, 8);

/** {@linkcode CHIP} alone, with nothing in L1. */
export const CONTEXT: LaunchContext = {
  chip: CHIP,
  room: () => emptyRoom(CHIP),
  mesh: [],
  assumed: FULL_RUN,
};

/** Rows instead of tiles. */
export const ROWS = { tile: null } as const;

/** A tensor; default: bf16 tiles, DRAM interleaved. */
export function tensor(
  shape: readonly number[],
  request: Partial<LayoutRequest> = {},
  chip: ChipDescription = CHIP,
): ProgramTensor {
  const dataType = request.dataType ?? "bf16";
  const layout = makeLayout(
    { bufferType: "dram", memoryLayout: "interleaved", ...request, shape, dataType },
    chip.workerGrid,
    chip.dramBanks,
  );
  return programTensor({ shape, dataType }, layout);
}

/** Height shards in L1. */
export function onShards(cores: number, request: Partial<LayoutRequest> = {}): Partial<LayoutRequest> {
  return { bufferType: "l1", memoryLayout: "height_sharded", grid: [cores, 1], ...request };
}

/** The programs that a builder launches on {@linkcode CHIP}; fails if they are unknown. */
export function launch(
  launcher: (op: UnaryLaunch, context: LaunchContext) => OpPrograms,
  name: string,
  inputs: readonly [ProgramTensor, ...ProgramTensor[]],
  output: ProgramTensor,
  attributes: Readonly<Record<string, Attribute>> = {},
): readonly DeviceProgram[] {
  const op = {
    name,
    attributes: new Map(Object.entries(attributes)),
    inputs,
    outputs: [output],
    input: inputs[0],
    output,
  };
  const launched = launcher({ ...op, config: undefined }, CONTEXT);
  assert(launched.status === "known", launched.status === "unknown" ? launched.reason : "");
  return launched.programs;
}

/** Bytes of the circular buffers of a program by name. */
export function buffers(program: DeviceProgram | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries((program?.circularBuffers ?? []).map(({ name, bytes }) => [name, bytes]));
}
