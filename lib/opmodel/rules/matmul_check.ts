// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import type { MatmulFault } from "../../programs/matmul/matmul_auto_config.ts";
import type { ConfigOf } from "../../programs/matmul/matmul_buffers.ts";
import type { MatmulProblem } from "../../programs/matmul/matmul_problem.ts";
import { isInShards, type ProgramTensor } from "../../programs/program_tensor.ts";

/** `MatmulMultiCoreReuseProgramConfig`: every core computes whole matrices, or rows of one. */
export type Reuse = ConfigOf<"matmul_multi_core_reuse">;
/** `MatmulMultiCoreReuseMultiCastProgramConfig`: rows and columns of cores share operands. */
export type Multicast2d = ConfigOf<"matmul_multi_core_reuse_multi_cast">;
/** `MatmulMultiCoreReuseMultiCast1DProgramConfig`: all cores share one operand. */
export type Multicast1d = ConfigOf<"matmul_multi_core_reuse_multi_cast_1d">;
/** `MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig`: operand 1 is sharded over the DRAM banks. */
export type DramSharded = ConfigOf<"matmul_multi_core_reuse_multi_cast_dram_sharded">;

/** A matmul with its program config, as the backend checks it; its output is the requested memory. */
export interface MatmulCheck<Config = MatmulProgramConfig | undefined> {
  readonly problem: MatmulProblem;
  readonly config: Config;
  /** Whether the config was given explicitly; otherwise the backend chose it. */
  readonly isGiven: boolean;
  readonly chip: Pick<ChipDescription, "workerGrid" | "architecture">;
}

export function fault(what: string, reason: string): MatmulFault {
  return { what, reason };
}

/** Rows and columns of a shard in tiles. */
export function shardOf({ shardShape: [rows = 1, columns = 1] }: ProgramTensor): readonly [number, number] {
  return [rows, columns];
}

/** A sharded result is written in whole tile rows of a core's share: the fault of a config that does not. */
export function shardedRowsFault(
  { output }: MatmulProblem,
  { outSubblockH, outSubblockW, perCoreN, ...config }: Reuse | Multicast1d | Multicast2d,
): MatmulFault | undefined {
  if (!isInShards(output)) return undefined;
  if (outSubblockW !== perCoreN && outSubblockH !== 1) {
    return fault(
      "sharded-subblock",
      `a sharded result needs subblocks of one row or of all ${perCoreN} columns, not ${outSubblockH}x${outSubblockW}`,
    );
  }
  if ("outBlockH" in config && config.outBlockW !== perCoreN && config.outBlockH !== 1) {
    return fault(
      "sharded-block",
      `a sharded result needs blocks of one row or of all ${perCoreN} columns, not ` +
        `${config.outBlockH}x${config.outBlockW}`,
    );
  }
  return undefined;
}
