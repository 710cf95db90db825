// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { computeOf } from "../../programs/conv/convolution_blocks.ts";
import type { ConvolutionRoute } from "../../programs/conv/convolution.ts";
import type { ShardedConvolution } from "../../programs/conv/convolution_plan.ts";
import type { KnownPrograms } from "../../programs/program.ts";
import type { RuleContext } from "../rule.ts";
import type { Tensor } from "../tensor.ts";

/** Launches by window and by the input's layout, which belong to one op and one layout table. */
const CACHE: WeakMap<SlidingWindow, WeakMap<Tensor["layout"], Map<string, KnownPrograms>>> = new WeakMap();

/**
 * The programs of a convolution. Most configs of a search lead to the same plan; they share its programs,
 * which are then priced once.
 *
 * @param tensors operands and result
 */
export function sharedLaunch(
  route: ConvolutionRoute,
  tensors: readonly [input: Tensor, ...others: readonly (Tensor | undefined)[]],
  context: RuleContext,
  make: () => KnownPrograms,
): KnownPrograms {
  const [input, ...others] = tensors;
  const { window } = route.request;
  const byLayout = CACHE.getOrInsertComputed(window, () => new WeakMap());
  const byPlan = byLayout.getOrInsertComputed(input.layout, () => new Map());
  const key = [
    context.chip.name,
    ...others.map((tensor) => tensor?.layoutId),
    ...planKey(route, () => context.room().beforeResults),
  ].join();
  return byPlan.getOrInsertComputed(key, () => make());
}

/** Everything besides tensors that the programs of a plan depend on. */
function planKey(route: ConvolutionRoute, room: () => number): readonly unknown[] {
  const { config, weightType, hasBias } = route.request;
  const frees = config.deallocateActivation === true;
  switch (route.kind) {
    case "linear": {
      const { mathFidelity, fp32DestAccEn, packerL1Acc } = computeOf(route.request);
      const { opType } = config.activation ?? {};
      return ["linear", frees, mathFidelity, fp32DestAccEn, packerL1Acc, opType, weightType, hasBias, room()];
    }
    case "folded":
      return ["folded", ...planKey(route.then, room)];
    case "sliced":
      return ["sliced", route.slices.length, ...route.slices.flatMap(sliceKey)];
    case "sharded":
      return shardedKey(route);
  }
}

/** A key for a slice: slices of one shape at different image positions read different halos. */
function sliceKey(slice: ShardedConvolution): readonly unknown[] {
  const { inputHeight, inputWidth, outputHeight, outputWidth, padding } = slice.request.window;
  return [
    inputHeight,
    inputWidth,
    outputHeight,
    outputWidth,
    ...Object.values(padding),
    ...shardedKey(slice),
  ];
}

function shardedKey(
  { request, input, output, blocks, circularBuffers, tablesInL1Small }: ShardedConvolution,
): readonly unknown[] {
  const { config } = request;
  return [
    input.kind,
    input.rows,
    input.columns,
    output.rows,
    output.columns,
    Object.values(blocks),
    circularBuffers.map(({ name, bytes }) => `${name}${bytes}`),
    tablesInL1Small,
    config.deallocateActivation,
    config.reallocateHaloOutput,
    config.enableActDoubleBuffer === true && config.enableWeightsDoubleBuffer === true,
    computeOf(request).mathFidelity,
    computeOf(request).fp32DestAccEn,
    request.weightType,
  ];
}
