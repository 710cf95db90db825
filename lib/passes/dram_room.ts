// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { volume } from "../layout/extents.ts";
import { layoutFootprint } from "../layout/ttnn/layout_footprint.ts";
import { shardBytes } from "../layout/make_layout.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnTensorType, TtnnType, TtnnValue } from "../ttnn/value.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import type { ParameterRoom } from "./graph_pass.ts";

/**
 * Room in every DRAM bank for copies of parameters, in bytes: a parameter that the caller passes in DRAM
 * stays there next to its prepared form (tt-mlir:pass-order). Each tensor of a function counts as a separate
 * buffer, so views make the estimate conservative.
 */
export class DramRoom implements ParameterRoom {
  readonly #bytesOf: (type: TtnnType) => number;
  #bytes: number;

  /**
   * @param forward functions that run in every inference
   * @param isHoisted ops that will run at load, whose results are no activations
   */
  constructor(
    forward: readonly TtnnFunction[],
    chip: ChipDescription,
    isHoisted: (op: TtnnOp) => boolean = () => false,
  ) {
    this.#bytesOf = dramBytesOn(chip);
    const most = forward.map((body) => peakBytes(body, this.#bytesOf, isHoisted));
    this.#bytes = chip.dramUnreservedEnd - chip.dramUnreservedBase - Math.max(0, ...most);
  }

  /** @inheritDoc */
  take(types: readonly TtnnType[]): boolean {
    const bytes = types.reduce((sum, type) => sum + this.#bytesOf(type), 0);
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

/** Peak bytes per bank of arguments, loaded constants and live results of a function. */
function peakBytes(
  body: TtnnFunction,
  bytesOf: (type: TtnnType) => number,
  isHoisted: (op: TtnnOp) => boolean,
): number {
  const size = ({ type }: TtnnValue): number => bytesOf(type);
  let live = body.arguments.reduce((sum, { value }) => sum + size(value), 0);
  let peak = live;
  const left = new Map<TtnnValue, number>();
  for (const op of body.ops()) {
    if (isHoisted(op)) continue;
    for (const result of op.results) {
      live += size(result);
      if (op.name !== LOAD_CACHED) left.set(result, result.uses.size);
    }
    peak = Math.max(peak, live);
    for (const value of new Set(op.operands)) {
      const users = left.get(value);
      if (users === undefined) continue;
      left.set(value, users - 1);
      if (users === 1) live -= size(value);
    }
    for (const result of op.results) if (left.get(result) === 0) live -= size(result);
  }
  return peak;
}

/** Bytes per bank by type; each type is laid out once. */
function dramBytesOn(chip: ChipDescription): (type: TtnnType) => number {
  const known = new Map<TtnnType, number>();
  return (type) => {
    const bytes = known.getOrInsertComputed(
      type,
      () => type.kind === "tensor" && type.layout.bufferType === "dram" ? bytesPerBank(type, chip) : 0,
    );
    return bytes;
  };
}

function bytesPerBank({ shape, layout }: TtnnTensorType, chip: ChipDescription): number {
  // An empty tensor has no layout and needs no memory.
  if (volume(shape) === 0) return 0;
  // A bank holds one shard, even if the text has more shards than the chip has banks.
  return isSharded(layout) ? shardBytes(layout) : layoutFootprint(shape, layout, chip).bytesPerNode;
}
