// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../../lib/ops/op_book.ts";
import { shardProgram, tileWork } from "../../../lib/programs/eltwise/eltwise_program.ts";
import type { KnownPrograms } from "../../../lib/programs/program.ts";
import { isInterleaved, type ProgramTensor } from "../../../lib/programs/program_tensor.ts";
import { relayout } from "../../../lib/programs/data_movement/relayout.ts";
import { reshapeRows, reshapeTiles } from "../../../lib/programs/data_movement/reshape.ts";
import { tilizeProgram } from "../../../lib/programs/data_movement/tilize.ts";
import { chipDescription, type Device, withConstants } from "../../devices/device.ts";
import { priceOp, priceProgram } from "../../kernels/price_program.ts";
import type { DeviceOp } from "../device_op.ts";
import { dialectName } from "../measured_ops/eltwise.ts";
import { textIn } from "../measured_ops/texts.ts";
import { attributesOf } from "../op_question.ts";
import type { DeviceTime, ProgramOp } from "./device_program.ts";
import type { PlacedOpReader } from "./placed_op.ts";

/** The time of a device op whose kernel of 2025 differs from today's; `undefined` where it does not. */
export function earlierProgram({ op, inputs, input, output }: ProgramOp): DeviceTime | undefined {
  if (/^Tilize/.test(op.op)) {
    const padded = op.op.startsWith("TilizeWithValPadding");
    return (device) => {
      const programs = relayout(input, output, chipDescription(device));
      return priceOp(padded ? waitingPerRow(input, programs) : programs, waitingPerTile(device));
    };
  }
  // Untilize took whole rows of tiles.
  if (/^Untilize/.test(op.op) && isInterleaved(input) && isInterleaved(output)) {
    return (device) =>
      priceProgram(tilizeProgram(input, output, chipDescription(device), undefined, "plain"), device);
  }
  // These reports print padded extents, between which a reshape may look like a view; a view would not have run.
  if (/^Reshape/.test(op.op)) {
    const reshape = input.tiled || output.tiled ? reshapeTiles : reshapeRows;
    return (device) => priceProgram(reshape(input, output, chipDescription(device)), device);
  }
  // Elementwise ops before `binary_ng` worked on shards even where the last one is not full.
  const onShards = [...inputs, output].every(({ placement }) => placement === "l1_sharded");
  if (!/^(Unary|Binary)Device/.test(op.op) || !onShards) return undefined;
  const name = eltwiseName(op);
  const vectorFunction = name === undefined ? undefined : definitionOf(name).vectorFunction;
  if (vectorFunction === undefined) return undefined;
  return (device) => priceProgram(shardProgram(output, tileWork(vectorFunction, [])), device);
}

/**
 * Tilizes of 2025 wait for every row of elements before they fill up its end; later ones wait once per row of tiles
 * (published:ops-2; here 488 us for 25,281 rows of 256 elements).
 */
function waitingPerRow(input: ProgramTensor, { status, programs }: KnownPrograms): KnownPrograms {
  return {
    status,
    programs: programs.map((program) =>
      program.kind === "stream"
        ? { ...program, reader: { ...program.reader, barriers: input.extent[0] / program.units } }
        : program
    ),
  };
}

/**
 * The device as it was in 2025, when a tilize waited until each tile had arrived; later ones wait until it has left
 * (tt-metal:tilize-untilize; here 426 cycles per tile of p150, rows of 8 tiles on 20 cores).
 */
function waitingPerTile(device: Device): Device {
  return WAITING_PER_TILE.getOrInsertComputed(device, () => {
    const stream = { tileDeparture: device.noc.writeLatency };
    return withConstants(device, { stream }, "tt-perf-report:profiles", "measured");
  });
}

/** By device as it is now: a fit asks for the same one with every row. */
const WAITING_PER_TILE: WeakMap<Device, Device> = new WeakMap();

/** The elementwise op of the dialect that a device op computes; `undefined` if its function is none of the dialect's. */
export function eltwiseName({ params, attributes }: DeviceOp): string | undefined {
  const stated = /BinaryOpType::(\w+)/.exec(attributes)?.[1] || textIn(params, "function") ||
    /UnaryOpType::(\w+)/.exec(attributes)?.[1] || /(?:^|op=)([A-Z]+)/.exec(attributes)?.[1];
  return dialectName(stated ?? "");
}

/** An elementwise op, with the function that it applies to an operand or its result, and its scalar. */
export const eltwise: PlacedOpReader = ({ op, inputs }) => {
  const name = eltwiseName(op);
  if (name === undefined) return undefined;
  const fused = /(?:[lr]hs|post)_activation=(\w+)/.exec(op.attributes)?.[1];
  const activation = fused === undefined ? undefined : dialectName(fused)?.replace("ttnn.", "");
  const scalar = inputs.length === 1 && /\bscalar=/.test(op.attributes) ? 1 : undefined;
  // Behind the operands stands the tensor that the result is written to, where the caller has one.
  const operands = op.op.startsWith("Unary") ? 1 : op.op.startsWith("Binary") ? 2 : 3;
  return { name, attributes: attributesOf({ activation, scalar }), inputs: inputs.slice(0, operands) };
};
