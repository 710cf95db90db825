// SPDX-License-Identifier: Apache-2.0
import { isCausal } from "../../programs/transformer/attention.ts";
import { sameExtents } from "../../layout/extents.ts";
import { tileCount } from "../../layout/tile_shape.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import type { SdpaProgramConfig } from "../../op_config/op_config.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { attentionGroups } from "../../ops/attention_operands.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import { coresPerHead, gridCores } from "../../programs/transformer/attention_buffers.ts";
import { DRAM_INTERLEAVED, placeOutputs } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { demand, demandFormat, operandAt, wantsShards } from "./program.ts";

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
    evaluate: (query) => evaluateSdpa(query, "prefill"),
  });
}

/**
 * Rule of decode attention: queries in DRAM or height sharded, caches in DRAM, all other operands unsharded. The
 * backend would read a mask from L1 too, but like the compiler the search offers it in DRAM only.
 */
function sdpaDecodeRule(): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs: ["not_l1_interleaved", "dram_interleaved"], exploresReshards: false },
    evaluate: (query) => evaluateSdpa(query, "decode"),
  });
}

function evaluateSdpa(query: ConstraintQuery, phase: SdpaPhase): Verdict {
  const q = operandAt(query, 0);
  const k = operandAt(query, 1);
  checkOperands(query, phase);
  if (phase === "decode") checkDecode(query, q, k);
  else checkPrefill(query, q, k);
  const outputs = placeOutputs(query, DRAM_INTERLEAVED);
  const [output] = outputs;
  if (phase === "decode" && output !== undefined && isSharded(output.layout)) {
    const [height = 1, width = 1] = output.layout.shardShape;
    if (height * width < tileCount(q.shape.slice(-2))) {
      refuseLayout(query, "sdpa/output-shard", "a shard must hold all heads of a user");
    }
  }
  return { outputs };
}

function isPaged({ op }: ConstraintQuery): boolean {
  return definitionOf(op.name).isPaged;
}

/** Index of the operand of an optional group; `undefined` if the op has no such group, or the call no such operand. */
function groupAt({ op }: ConstraintQuery, group: number | undefined): number | undefined {
  return group === undefined ? undefined : operandOfGroup(op, group);
}

/** Requirements of both phases on pages, formats and memories of each operand. */
function checkOperands(query: ConstraintQuery, phase: SdpaPhase): void {
  const groups = attentionGroups(query.op.name);
  const maskAt = groupAt(query, groups.mask);
  const pagesAt = phase === "prefill" ? groupAt(query, groups.pages) : undefined;
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined) continue;
    const { layout } = tensor;
    const isMask = index === maskAt;
    if (index === pagesAt) {
      demand(query, index, "row-major", "sdpa/pages");
      demandFormat(query, index, ["si32"], "sdpa/pages");
    }
    if (index < 2 || isMask) {
      demand(query, index, "tiled", "sdpa/tile");
      if (layout.dataType !== "bf16" && !isBlockFloat(layout.dataType)) {
        refuseOperand(query, index, "sdpa/format", "must be bf16 or block float");
      }
    }
    const isQueryOfUsers = phase === "decode" && index === 0;
    if (isSharded(layout) && !(isQueryOfUsers && layout.memoryLayout === "height_sharded")) {
      const fault = isQueryOfUsers ? "must be height sharded if sharded" : "must not be sharded";
      refuseOperand(query, index, "sdpa/sharded", fault);
    }
    const isCache = phase === "decode" && (index === 1 || index === 2);
    const inDram = (isMask && phase === "prefill") || isCache || (isQueryOfUsers && !isSharded(layout));
    if (inDram && layout.bufferType !== "dram") {
      refuseOperand(query, index, isMask ? "sdpa/mask-memory" : "sdpa/memory", "must be in DRAM");
    }
  }
}

function checkPrefill(query: ConstraintQuery, q: Tensor, k: Tensor): void {
  const { op } = query;
  const say = (rule: string, fault: string) => refuseConfig(query, `sdpa/${rule}`, fault);
  const isPlain = op.name === "ttnn.scaled_dot_product_attention";
  const [heads, keyHeads] = [q.shape.at(-3) ?? 1, k.shape.at(-3) ?? 1];
  if (keyHeads > 0 && heads % keyHeads !== 0) {
    say("heads", `${heads} query heads are no multiple of ${keyHeads} key heads`);
  }
  const size = q.shape.at(-1) ?? 0;
  if (isPlain && size % 32 !== 0) say("head-size", `heads of ${size} are not whole tiles`);
  const groups = attentionGroups(op.name);
  if (groupAt(query, groups.mask) !== undefined && isCausal(op)) {
    say("causal-mask", "causal attention takes no mask");
  }
  const sink = query.operands[groupAt(query, groups.sink) ?? -1];
  if (sink !== undefined && !sameExtents(sink.shape, [1, heads, 1, 1])) {
    say("sink", `sinks of ${sink.shape.join("x")} are not 1x${heads}x1x1, one for each query head`);
  }
  const pages = query.operands[groupAt(query, groups.pages) ?? -1];
  if (pages !== undefined) {
    const [rows, entries] = [pages.shape.at(-2) ?? 1, pages.shape.at(-1) ?? 1];
    const users = q.shape.at(-4) ?? 1;
    if (rows !== users) say("page-rows", `a page table of ${rows} rows is not one of ${users} users`);
    const hasStart = groupAt(query, groups.start) !== undefined;
    if (hasStart && entries % TABLE_ENTRIES !== 0) {
      const fault =
        `rows of a page table of ${entries} entries are no multiple of ${TABLE_ENTRIES} (32 bytes)`;
      say("page-table", fault);
    }
  }
  const [queries, keys] = [q.shape.at(-2) ?? 1, k.shape.at(-2) ?? 1];
  if (isPlain && isCausal(op) && queries !== keys) {
    say("causal-length", `causal attention of ${queries} queries to ${keys} keys`);
  }
  const config = sdpaConfigOf(query);
  if (config !== undefined && (config.qChunkSize % 32 !== 0 || config.kChunkSize % 32 !== 0)) {
    say("chunk", `chunks of ${config.qChunkSize} and ${config.kChunkSize} are not whole tiles`);
  }
}

/** Entries of a page table that its rows are multiples of, if the start of a chunk is a tensor. */
const TABLE_ENTRIES = 8;

/** Most cores per head: a reduction tree of six rounds. */
const MOST_CORES_PER_HEAD = 64;

function checkDecode(query: ConstraintQuery, q: Tensor, k: Tensor): void {
  const { op, hint, chip } = query;
  const say = (rule: string, fault: string) => refuseConfig(query, `sdpa/${rule}`, fault);
  const asksForShards = wantsShards(query);
  if (asksForShards && hint?.memoryLayout !== "height_sharded") {
    refuseLayout(query, "sdpa/output-sharding", "a sharded result must be height sharded");
  }
  const groups = attentionGroups(op.name);
  const sink = query.operands[groupAt(query, groups.sink) ?? -1];
  if (sink !== undefined && (sink.shape.length !== 2 || (sink.shape[1] ?? 1) > 32)) {
    say(
      "sink",
      `sinks of ${sink.shape.join("x")} are not a matrix of one tile's width, a row for each query head`,
    );
  }
  const hasPositions = groupAt(query, groups.positions) !== undefined;
  if (!hasPositions && isCausal(op)) say("positions", "causal attention needs the positions of the users");
  const config = sdpaConfigOf(query);
  const [columns, rows] = config?.computeWithStorageGridSize ?? [0, 0];
  if (columns > chip.workerGrid.columns || rows > chip.workerGrid.rows) {
    say("grid", `its program config asks for ${columns}x${rows} cores, the chip has no such grid`);
  }
  const [users, heads, keys] = [q.shape.at(-3) ?? 1, k.shape.at(-3) ?? 1, k.shape.at(-2) ?? 1];
  const chunk = config?.kChunkSize ?? 0;
  if (!isPaged(query) && chunk > 0 && keys % chunk !== 0) {
    say("key-chunk", `${keys} keys are not whole chunks of ${chunk}`);
  }
  // Without a chunk size, the backend takes the largest power of two that divides the number of keys, and
  // refuses partial tiles.
  if (!isPaged(query) && chunk === 0 && keys % 32 !== 0) {
    say("key-chunk", `${keys} keys are not whole tiles, and no k_chunk_size is given`);
  }
  if (asksForShards && heads > 1) say("sharded-heads", `${heads} key heads do not share a sharded result`);
  const cores = gridCores(config, chip);
  if (cores < users) say("users", `${users} users need as many cores, there are ${cores}`);
  const sharers = coresPerHead(config, { users, keyHeads: heads, isPaged: isPaged(query) }, chip);
  if (sharers > MOST_CORES_PER_HEAD) {
    say("sharers", `${sharers} cores per head are more than ${MOST_CORES_PER_HEAD}`);
  }
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
    evaluate: (query) => evaluateSdpa(query, "prefill"),
  }),
  sdpa_fw: trainingSdpaRule("sdpa_fw"),
  sdpa_bw: trainingSdpaRule("sdpa_bw"),
  sdpa_decode: sdpaDecodeRule(),
};
