// SPDX-License-Identifier: Apache-2.0
import type { Conv2dSliceConfig, MatmulProgramConfig, OpSpecificAttributes } from "../op_config/op_config.ts";
import { divisorsUpTo } from "../programs/split_work.ts";

/**
 * Configs with which an op needs less L1 for the same operands and results, smallest change first: smaller
 * matmul blocks, or a convolution in slices that stream from DRAM. Empty for ops whose config does not
 * determine their buffers.
 *
 * @param used the config that runs now, with the backend's derived fields
 * @param isInDram whether first operand and result are in DRAM, so that a convolution may be sliced
 */
export function leanerConfigs(
  used: OpSpecificAttributes | undefined,
  isInDram: boolean,
): readonly OpSpecificAttributes[] {
  switch (used?.kind) {
    case "matmul": {
      const { programConfig } = used;
      if (programConfig === undefined) return [];
      return leanerPrograms(programConfig).map((program) => ({ ...used, programConfig: program }));
    }
    case "conv2d":
      if (!isInDram) return [];
      return SLICES
        .filter(({ sliceType }) => sliceType !== used.sliceConfig?.sliceType)
        .map((sliceConfig) => ({ ...used, sliceConfig }));
    default:
      return [];
  }
}

/** 0 lets the backend choose the number of slices, along either axis. */
const SLICES: readonly Conv2dSliceConfig[] = [
  { sliceType: "dram_height", numSlices: 0 },
  { sliceType: "dram_width", numSlices: 0 },
];

/**
 * The same cores and per-core shares in smaller blocks. Order, by expected cost: same K block and subblocks;
 * then blocks that keep their length along the multicast operand; then the largest remaining. On the corpus'
 * matmuls that exceed L1, the first config that fits takes at most 0.4 % longer by the cost model.
 */
function leanerPrograms(program: MatmulProgramConfig): readonly MatmulProgramConfig[] {
  const steps = divisorsUpTo(program.in0BlockW, program.in0BlockW);
  if (!("outBlockH" in program)) {
    return steps.slice(1).map((in0BlockW) => ({ ...program, in0BlockW }));
  }
  const found: (typeof program)[] = [];
  for (const outBlockH of divisorsUpTo(program.perCoreM, program.outBlockH)) {
    for (const outBlockW of divisorsUpTo(program.perCoreN, program.outBlockW)) {
      for (const in0BlockW of steps) {
        const isSame = outBlockH === program.outBlockH && outBlockW === program.outBlockW;
        if (isSame && in0BlockW === program.in0BlockW) continue;
        const [outSubblockH = 1] = divisorsUpTo(outBlockH, program.outSubblockH);
        const [outSubblockW = 1] = divisorsUpTo(outBlockW, program.outSubblockW);
        found.push({ ...program, outBlockH, outBlockW, in0BlockW, outSubblockH, outSubblockW });
      }
    }
  }
  const broadcastsA = !("mcastIn0" in program) || program.mcastIn0;
  const order = (candidate: typeof program): readonly number[] => {
    const { outBlockH, outBlockW, outSubblockH, outSubblockW } = candidate;
    const keptSide = broadcastsA ? outBlockH : outBlockW;
    return [candidate.in0BlockW, outSubblockH * outSubblockW, keptSide, outBlockH * outBlockW];
  };
  return found.map((candidate) => ({ candidate, keys: order(candidate) })).sort((a, b) => {
    const first = a.keys.findIndex((key, index) => key !== b.keys[index]);
    return (b.keys[first] ?? 0) - (a.keys[first] ?? 0);
  }).map(({ candidate }) => candidate);
}
