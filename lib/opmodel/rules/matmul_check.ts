// SPDX-License-Identifier: Apache-2.0
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import type { MatmulFault } from "../../programs/matmul/matmul_auto_config.ts";
import type { ConfigOf } from "../../programs/matmul/matmul_buffers.ts";
import type { MatmulProblem } from "../../programs/matmul/matmul_blocks.ts";
import type { ConstraintQuery } from "../rule.ts";
import { refuseConfig } from "../verdict.ts";
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
  readonly query: ConstraintQuery;
  readonly problem: MatmulProblem;
  readonly config: Config;
  /** Whether the config was given explicitly; otherwise the backend chose it. */
  readonly isGiven: boolean;
}

/** Refuses the matmul of a check. */
export function fail({ query }: MatmulCheck, what: string, reason: string): never {
  refuseConfig(query, `matmul/${what}`, reason);
}

/** Refuses the matmul of a check if there is a fault. */
export function failFor(check: MatmulCheck, fault: MatmulFault | undefined): void {
  if (fault !== undefined) fail(check, fault.what, fault.reason);
}

/** Rows and columns of a shard in tiles. */
export function shardOf({ shardShape: [rows = 1, columns = 1] }: ProgramTensor): readonly [number, number] {
  return [rows, columns];
}

/** A sharded result is written in whole tile rows of a core's share. */
export function checkShardedRows(check: MatmulCheck<Reuse | Multicast1d | Multicast2d>): void {
  const { problem: { output }, config } = check;
  const { outSubblockH, outSubblockW, perCoreN } = config;
  if (!isInShards(output)) return;
  const needs = (what: string) => `a sharded result needs ${what} of one row or of all ${perCoreN} columns`;
  if (outSubblockW !== perCoreN && outSubblockH !== 1) {
    fail(check, "sharded-subblock", `${needs("subblocks")}, not ${outSubblockH}x${outSubblockW}`);
  }
  if ("outBlockH" in config && config.outBlockW !== perCoreN && config.outBlockH !== 1) {
    fail(check, "sharded-block", `${needs("blocks")}, not ${config.outBlockH}x${config.outBlockW}`);
  }
}
