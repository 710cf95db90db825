// SPDX-License-Identifier: Apache-2.0
import type { WorkerGrid } from "../layout/make_layout.ts";
import type {
  Conv2dSliceConfig,
  MatmulProgramConfig,
  OpSpecificAttributes,
  SdpaProgramConfig,
} from "../op_config/op_config.ts";
import { definitionOf } from "../ops/op_book.ts";
import { divisorsUpTo } from "../programs/stream.ts";

/**
 * An op with the config that it runs with now, as the backend completes it, and whether its first operand and result
 * are in DRAM.
 */
export interface CrowdedOp {
  readonly name: string;
  readonly used: OpSpecificAttributes | undefined;
  readonly isInDram: boolean;
}

/**
 * Configs with which an op needs less L1 for the same operands and results, smallest change first: smaller
 * matmul blocks, a convolution in slices that stream from DRAM (if both ends are there), or fewer cores per head
 * and fewer keys per step of decode attention. Empty for ops whose config does not determine their buffers.
 */
export function leanerConfigs(
  { name, used, isInDram }: CrowdedOp,
  workerGrid: WorkerGrid,
): readonly OpSpecificAttributes[] {
  if (definitionOf(name).family === "sdpa_decode") {
    const { programConfig, ...rest } = used?.kind === "sdpa" ? used : { kind: "sdpa" } as const;
    return leanerAttention(programConfig, workerGrid).map((program) => ({ ...rest, programConfig: program }));
  }
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

/** Cores that may share a head: 64 is the most that the backend adds up, 16 its default (`ttnn:backend-0-81-1`). */
const SHARERS = [64, 32, 16, 8, 4, 2, 1];

/** Keys per step; 0 lets the backend choose. */
const KEY_CHUNKS = [0, 256, 128, 64, 32];

/**
 * Program configs of decode attention that are not larger in chunk or cores than the given one. Without one all cores
 * share a head, each with a buffer for the results of the others, and more than 64 are refused.
 */
function leanerAttention(
  used: SdpaProgramConfig | undefined,
  { rows, columns }: WorkerGrid,
): readonly SdpaProgramConfig[] {
  const whole: SdpaProgramConfig = {
    computeWithStorageGridSize: [columns, rows],
    qChunkSize: 0,
    kChunkSize: 0,
  };
  const { kChunkSize, maxCoresPerHeadBatch = Infinity } = used ?? whole;
  return KEY_CHUNKS.filter((chunk) => kChunkSize === 0 || (chunk > 0 && chunk <= kChunkSize)).flatMap((
    chunk,
  ) =>
    SHARERS.filter((sharers) => sharers <= maxCoresPerHeadBatch).map((sharers) => ({
      ...(used ?? whole),
      kChunkSize: chunk,
      maxCoresPerHeadBatch: sharers,
    }))
  );
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
