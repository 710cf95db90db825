// SPDX-License-Identifier: Apache-2.0
import { isCausal } from "../../programs/transformer/attention.ts";
import { tileCount } from "../../layout/tile_shape.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import type { SdpaProgramConfig } from "../../op_config/op_config.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { attentionGroups } from "../../ops/attention_operands.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import { coresPerHead, gridCores } from "../../programs/transformer/attention_buffers.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import {
  accept,
  eachOrRefusal,
  isRefusal,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt } from "./program.ts";

/** Attention over all query positions, or over one. */
type SdpaPhase = "prefill" | "decode";

/** Rule of `sdpa_fw` and `sdpa_bw`: unsharded operands, queries and keys tiled; NULL gives DRAM interleaved. */
function trainingSdpaRule(family: "sdpa_fw" | "sdpa_bw"): OpRule {
  return defineRule({
    strategy: {
      hints: "null",
      inputs: [family === "sdpa_bw" ? "tile" : "tile_not_sharded"],
      exploresReshards: false,
    },
    evaluate: (query, context) => evaluateSdpa(query, context, "prefill"),
  });
}

/**
 * Rule of decode attention: queries in DRAM or height sharded, caches in DRAM, all other operands unsharded. The
 * backend would read a mask from L1 too, but like the compiler the search offers it in DRAM only.
 */
function sdpaDecodeRule(): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs: ["not_l1_interleaved", "dram_interleaved"], exploresReshards: false },
    evaluate: (query, context) => evaluateSdpa(query, context, "decode"),
  });
}

function evaluateSdpa(query: ConstraintQuery, context: RuleContext, phase: SdpaPhase): RuleAnswer {
  const q = operandAt(query, 0);
  const k = operandAt(query, 1);
  const fault = operandsFault(query, phase) ??
    (phase === "decode" ? decodeFault(query, q, k, context) : prefillFault(query, q, k));
  if (fault !== undefined) return fault;
  const outputs = eachOrRefusal(query.op.results, (_, result) =>
    placeOutput(query, context, {
      result,
      whenNull: DRAM_INTERLEAVED,
      ...(result === 0 ? {} : { hint: null }),
    }));
  if (isRefusal(outputs)) return outputs;
  const [output] = outputs;
  if (phase === "decode" && output !== undefined && isSharded(output.layout)) {
    const [height = 1, width = 1] = output.layout.shardShape;
    if (height * width < tileCount(q.shape.slice(-2))) {
      return refuseLayout(query.op, "sdpa/output-shard", "a shard must hold all heads of a user");
    }
  }
  return accept({ outputs }, context);
}

function isPaged({ op }: ConstraintQuery): boolean {
  return definitionOf(op.name).isPaged;
}

/** Index of the operand of an optional group; `undefined` if the op has no such group, or the call no such operand. */
function groupAt({ op }: ConstraintQuery, group: number | undefined): number | undefined {
  return group === undefined ? undefined : operandOfGroup(op, group);
}

/** Requirements of both phases on pages, formats and memories of each operand; `undefined` if all are met. */
function operandsFault(query: ConstraintQuery, phase: SdpaPhase): InvalidConstraints | undefined {
  const { op } = query;
  const groups = attentionGroups(op.name);
  const maskAt = groupAt(query, groups.mask);
  const pagesAt = phase === "prefill" ? groupAt(query, groups.pages) : undefined;
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined) continue;
    const say = (rule: string, fault: string) => refuseOperand(op, `sdpa/${rule}`, index, tensor, fault);
    const { layout } = tensor;
    const isMask = index === maskAt;
    if (index === pagesAt) {
      if (layout.tile !== undefined) return say("pages", "must be row-major");
      if (layout.dataType !== "si32") return say("pages", "must be si32");
    }
    if (index < 2 || isMask) {
      if (layout.tile === undefined) return say("tile", "must be tiled");
      if (layout.dataType !== "bf16" && !isBlockFloat(layout.dataType)) {
        return say("format", "must be bf16 or block float");
      }
    }
    const isQueryOfUsers = phase === "decode" && index === 0;
    if (isSharded(layout) && !(isQueryOfUsers && layout.memoryLayout === "height_sharded")) {
      return say("sharded", isQueryOfUsers ? "must be height sharded if sharded" : "must not be sharded");
    }
    const isCache = phase === "decode" && (index === 1 || index === 2);
    const inDram = (isMask && phase === "prefill") || isCache || (isQueryOfUsers && !isSharded(layout));
    if (inDram && layout.bufferType !== "dram") {
      return say(isMask ? "mask-memory" : "memory", "must be in DRAM");
    }
  }
  return undefined;
}

function prefillFault(query: ConstraintQuery, q: Tensor, k: Tensor): InvalidConstraints | undefined {
  const { op } = query;
  const [heads, keyHeads] = [q.shape.at(-3) ?? 1, k.shape.at(-3) ?? 1];
  if (keyHeads > 0 && heads % keyHeads !== 0) {
    return refuseConfig(op, "sdpa/heads", `${heads} query heads are no multiple of ${keyHeads} key heads`);
  }
  const size = q.shape.at(-1) ?? 0;
  if (op.name === "ttnn.scaled_dot_product_attention" && size % 32 !== 0) {
    return refuseConfig(op, "sdpa/head-size", `heads of ${size} are not whole tiles`);
  }
  const groups = attentionGroups(op.name);
  if (groupAt(query, groups.mask) !== undefined && isCausal(op)) {
    return refuseConfig(op, "sdpa/causal-mask", "causal attention takes no mask");
  }
  const pages = query.operands[groupAt(query, groups.pages) ?? -1];
  const pagesFault = pages === undefined ? undefined : chunkPagesFault(query, q, pages);
  if (pagesFault !== undefined) return pagesFault;
  const [queries, keys] = [q.shape.at(-2) ?? 1, k.shape.at(-2) ?? 1];
  if (op.name === "ttnn.scaled_dot_product_attention" && isCausal(op) && queries !== keys) {
    return refuseConfig(op, "sdpa/causal-length", `causal attention of ${queries} queries to ${keys} keys`);
  }
  const config = sdpaConfigOf(query);
  return config !== undefined && (config.qChunkSize % 32 !== 0 || config.kChunkSize % 32 !== 0)
    ? refuseConfig(
      op,
      "sdpa/chunk",
      `chunks of ${config.qChunkSize} and ${config.kChunkSize} are not whole tiles`,
    )
    : undefined;
}

/** Requirements of a chunk of a prompt on its page table: a row per user, of whole 32 bytes if the start is a tensor. */
function chunkPagesFault(query: ConstraintQuery, q: Tensor, pages: Tensor): InvalidConstraints | undefined {
  const { op } = query;
  const [rows, entries] = [pages.shape.at(-2) ?? 1, pages.shape.at(-1) ?? 1];
  const users = q.shape.at(-4) ?? 1;
  if (rows !== users) {
    return refuseConfig(op, "sdpa/page-rows", `a page table of ${rows} rows is not one of ${users} users`);
  }
  const hasStart = groupAt(query, attentionGroups(op.name).start) !== undefined;
  return hasStart && entries % TABLE_ENTRIES !== 0
    ? refuseConfig(
      op,
      "sdpa/page-table",
      `rows of a page table of ${entries} entries are no multiple of ${TABLE_ENTRIES} (32 bytes)`,
    )
    : undefined;
}

/** Entries of a page table that its rows are multiples of. */
const TABLE_ENTRIES = 8;

/** Most cores per head: a reduction tree of six rounds. */
const MOST_CORES_PER_HEAD = 64;

function decodeFault(
  query: ConstraintQuery,
  q: Tensor,
  k: Tensor,
  { chip }: RuleContext,
): InvalidConstraints | undefined {
  const { op, hint } = query;
  const say = (rule: string, fault: string) => refuseConfig(op, `sdpa/${rule}`, fault);
  const asksForShards = hint !== undefined && isSharded(hint);
  if (asksForShards && hint.memoryLayout !== "height_sharded") {
    return refuseLayout(op, "sdpa/output-sharding", "a sharded result must be height sharded");
  }
  const hasPositions = groupAt(query, attentionGroups(op.name).positions) !== undefined;
  if (!hasPositions && isCausal(op)) {
    return say("positions", "causal attention needs the positions of the users");
  }
  const config = sdpaConfigOf(query);
  const [columns, rows] = config?.computeWithStorageGridSize ?? [0, 0];
  if (columns > chip.workerGrid.columns || rows > chip.workerGrid.rows) {
    return say("grid", `its program config asks for ${columns}x${rows} cores, the chip has no such grid`);
  }
  const [users, heads, keys] = [q.shape.at(-3) ?? 1, k.shape.at(-3) ?? 1, k.shape.at(-2) ?? 1];
  const chunk = config?.kChunkSize ?? 0;
  if (!isPaged(query) && chunk > 0 && keys % chunk !== 0) {
    return say("key-chunk", `${keys} keys are not whole chunks of ${chunk}`);
  }
  // Without a chunk size, the backend takes the largest power of two that divides the number of keys, and
  // refuses partial tiles.
  if (!isPaged(query) && chunk === 0 && keys % 32 !== 0) {
    return say("key-chunk", `${keys} keys are not whole tiles, and no k_chunk_size is given`);
  }
  if (asksForShards && heads > 1) {
    return say("sharded-heads", `${heads} key heads do not share a sharded result`);
  }
  const cores = gridCores(config, chip);
  if (cores < users) return say("users", `${users} users need as many cores, there are ${cores}`);
  const sharers = coresPerHead(config, { users, keyHeads: heads, isPaged: isPaged(query) }, chip);
  return sharers > MOST_CORES_PER_HEAD
    ? say("sharers", `${sharers} cores per head are more than ${MOST_CORES_PER_HEAD}`)
    : undefined;
}

function sdpaConfigOf({ config }: ConstraintQuery): SdpaProgramConfig | undefined {
  return config?.kind === "sdpa" ? config.programConfig : undefined;
}

/** Rules of scaled dot-product attention, by op family. */
export const ATTENTION_RULES: RulesOf<
  "sdpa" | "sdpa_fw" | "sdpa_bw" | "sdpa_decode"
> = {
  /** Rule of prefill attention: operands query, key, value, mask, page table. NULL gives DRAM interleaved. */
  sdpa: defineRule({
    strategy: {
      hints: "null",
      inputs: ["not_sharded", "not_sharded", "not_sharded", "dram_interleaved"],
      exploresReshards: false,
    },
    evaluate: (query, context) => evaluateSdpa(query, context, "prefill"),
  }),
  sdpa_fw: trainingSdpaRule("sdpa_fw"),
  sdpa_bw: trainingSdpaRule("sdpa_bw"),
  sdpa_decode: sdpaDecodeRule(),
};
