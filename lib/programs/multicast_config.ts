// SPDX-License-Identifier: Apache-2.0
import type { MatmulProgramConfig } from "../op_config/op_config.ts";
import type { MatmulBlock } from "./matmul_blocking.ts";

/** How a multicast matmul cuts the result: over the cores, into blocks, into subblocks; in tiles. */
export interface MulticastBlocking {
  /** Columns and rows of cores. */
  readonly grid: readonly [number, number];
  /** Rows of the result per core. */
  readonly perCoreM: number;
  /** Columns of the result per core. */
  readonly perCoreN: number;
  /** The block that is computed at a time. */
  readonly block: MatmulBlock;
  /** Height and width of what the registers hold. */
  readonly subblock: readonly [number, number];
}

/** What both kinds of config say of the blocking. */
function blocked(
  { grid, perCoreM, perCoreN, block, subblock: [outSubblockH, outSubblockW] }: MulticastBlocking,
) {
  return {
    computeWithStorageGridSize: grid,
    in0BlockW: block.in0BlockW,
    outSubblockH,
    outSubblockW,
    outBlockH: block.height,
    outBlockW: block.width,
    perCoreM,
    perCoreN,
  };
}

/** `MatmulMultiCoreReuseMultiCast1DProgramConfig`: with `mcastIn0` all cores get A, without it all get B. */
export function multicastAlongOneAxis(
  blocking: MulticastBlocking,
  { mcastIn0, fuseBatch }: { readonly mcastIn0: boolean; readonly fuseBatch: boolean },
): MatmulProgramConfig {
  return {
    kind: "matmul_multi_core_reuse_multi_cast_1d",
    ...blocked(blocking),
    fuseBatch,
    mcastIn0,
    gatherIn0: false,
    hopCores: [],
    numGlobalCbReceivers: 0,
    untilizeOut: false,
  };
}

/** `MatmulMultiCoreReuseMultiCastProgramConfig`: rows of cores share parts of A, columns share parts of B. */
export function multicastAlongBothAxes(
  blocking: MulticastBlocking,
  { fuseBatch }: { readonly fuseBatch: boolean },
): MatmulProgramConfig {
  return {
    kind: "matmul_multi_core_reuse_multi_cast",
    ...blocked(blocking),
    transposeMcast: false,
    fuseBatch,
  };
}
