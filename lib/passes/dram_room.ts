// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { volume } from "../layout/extents.ts";
import { layoutFootprint } from "../layout/layout_footprint.ts";
import { shardBytes } from "../layout/make_layout.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import type { BodyOp } from "./body/body_op.ts";
import type { BodyTensorType, BodyValue, ValueType } from "./body/body_value.ts";
import type { FunctionBody } from "./body/function_body.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import type { ParameterRoom } from "./graph_pass.ts";

/**
 * Bytes of every DRAM bank that copies of parameters may still take: a parameter that the caller hands over in DRAM
 * stays there beside what const-eval makes of it (tt-mlir:pass-order). What a function holds is counted as the text has
 * it, each tensor in a buffer of its own, so that views only make the room smaller.
 */
export class DramRoom implements ParameterRoom {
  readonly #chip: ChipDescription;
  #bytes: number;

  /**
   * @param forward functions that run in every inference
   * @param isHoisted ops of them that will run at load: their results are no activations
   */
  constructor(
    forward: readonly FunctionBody[],
    chip: ChipDescription,
    isHoisted: (op: BodyOp) => boolean = () => false,
  ) {
    this.#chip = chip;
    const most = forward.map((body) => peakBytes(body, chip, isHoisted));
    this.#bytes = chip.dramUnreservedEnd - chip.dramUnreservedBase - Math.max(0, ...most);
  }

  /** @inheritDoc */
  take(types: readonly ValueType[]): boolean {
    const bytes = types.reduce((sum, type) => sum + dramBytes(type, this.#chip), 0);
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

/** Most bytes per bank that arguments, loaded constants and live results of a function hold together. */
function peakBytes(body: FunctionBody, chip: ChipDescription, isHoisted: (op: BodyOp) => boolean): number {
  const size = ({ type }: BodyValue): number => dramBytes(type, chip);
  let live = body.arguments.reduce((sum, { value }) => sum + size(value), 0);
  let peak = live;
  const left = new Map<BodyValue, number>();
  for (const op of body.ops()) {
    if (isHoisted(op)) continue;
    for (const result of op.results) {
      live += size(result);
      if (op.name !== LOAD_CACHED) left.set(result, result.uses.size);
    }
    peak = Math.max(peak, live);
    for (const value of new Set([...op.operands, ...op.results])) {
      const users = left.get(value);
      if (users === undefined) continue;
      const after = op.results.includes(value) ? users : users - 1;
      left.set(value, after);
      if (after === 0) live -= size(value);
    }
  }
  return peak;
}

function dramBytes(type: ValueType, chip: ChipDescription): number {
  return type.kind === "tensor" && type.layout.bufferType === "dram" ? bytesPerBank(type, chip) : 0;
}

function bytesPerBank({ shape, layout }: BodyTensorType, chip: ChipDescription): number {
  // A tensor without elements has no layout, and takes nothing.
  if (volume(shape) === 0) return 0;
  // A bank holds one shard, also where a text has more shards than this chip has banks.
  return isSharded(layout) ? shardBytes(layout) : layoutFootprint(shape, layout, chip).bytesPerNode;
}
