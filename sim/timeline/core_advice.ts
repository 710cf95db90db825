// SPDX-License-Identifier: Apache-2.0
import { workerCores } from "../../lib/device/chip_description.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { LayoutId } from "../../lib/layout/layout_table.ts";
import { type LayoutRequest, makeLayout, physicalUnits } from "../../lib/layout/make_layout.ts";
import { DEFAULT_TILE } from "../../lib/layout/ttnn_layout.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import type { SimulationContext } from "./simulate.ts";
import type { StepTimeline } from "./timeline.ts";

/** Other layouts for first operand and result of a step on few cores. */
export interface CoreSpread {
  /** Layout of the first operand, as `describeLayout` spells it. */
  readonly input: string;
  /** Layout of the first result. */
  readonly output: string;
  /** Cores that the op then runs on. */
  readonly cores: number;
  /** Predicted saving in µs. */
  readonly savedUs: number;
}

/**
 * The cheapest config of an op whose first operand is interleaved, or sharded over as many cores as it has
 * tile rows or tile columns, instead of its current layout; `undefined` if none is legal and cheaper. The
 * price excludes moving the operand, because its producer may produce that layout.
 */
export function cheapestSpread(
  step: StepTimeline,
  signature: OpSignature,
  { opModel, cost }: SimulationContext,
): CoreSpread | undefined {
  const [tensor] = signature.operands;
  if (tensor === undefined || !opModel.traits(signature).movable) return undefined;
  const inputs = step.inputLayouts.map((layout) =>
    layout === undefined ? undefined : opModel.layouts.intern(layout)
  );
  let best: CoreSpread | undefined;
  for (const request of layoutsOf(tensor, workerCores(opModel.chip))) {
    const input = internOrNone(request, opModel);
    if (input === undefined) continue;
    const changed = inputs.with(0, input);
    const answer = opModel.queryOpConstraints(signature, changed, undefined, undefined);
    if (answer.status !== "valid") continue;
    const estimate = cost.getOpRuntime(signature, changed, answer.outputLayouts, answer.config);
    const savedUs = step.estimate.microseconds - estimate.microseconds;
    if (savedUs <= (best?.savedUs ?? 0)) continue;
    const [output] = answer.outputLayouts;
    best = {
      input: describeLayout(opModel.layouts.get(input)),
      output: output === undefined ? "" : describeLayout(opModel.layouts.get(output)),
      cores: estimate.cores,
      savedUs,
    };
  }
  return best;
}

function layoutsOf({ shape, dataType }: TensorShape, cores: number): readonly LayoutRequest[] {
  const [rows, columns] = physicalUnits(shape, DEFAULT_TILE);
  const common = { shape, dataType } as const;
  return [
    { ...common, bufferType: "dram", memoryLayout: "interleaved" },
    { ...common, bufferType: "l1", memoryLayout: "interleaved" },
    { ...common, bufferType: "l1", memoryLayout: "height_sharded", grid: [Math.min(rows, cores), 1] },
    { ...common, bufferType: "l1", memoryLayout: "width_sharded", grid: [1, Math.min(columns, cores)] },
  ];
}

/** The layout's id; `undefined` if the shards cannot be placed. */
function internOrNone(request: LayoutRequest, opModel: SimulationContext["opModel"]): LayoutId | undefined {
  try {
    return opModel.layouts.intern(makeLayout(request, opModel.chip.workerGrid));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
