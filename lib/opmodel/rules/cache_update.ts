// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { PAGED_UPDATE_CACHE } from "../../ops/attributes/attention.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { type ConstraintQuery, defineRule, type LayoutStrategy, type OpRule, type RulesOf } from "../rule.ts";
import { fillsShards, shardExtent } from "../../programs/shard_spec.ts";
import { holdingCores, reportedL1Bytes, type Tensor } from "../tensor.ts";
import { describeOperand, refuseOperand } from "../verdict.ts";
import { demand, demandFormat, operandAt, operandIn } from "./program.ts";

/** An op-specific check of a cache write, beyond {@linkcode cacheRule}. */
type CacheCheck = (query: ConstraintQuery, cache: Tensor, input: Tensor) => void;

/**
 * Rule of ops that write into a cache and return it: both operands tiled, cache interleaved, rows of equal
 * width. Shards hold whole rows.
 */
function cacheRule(inputs: LayoutStrategy["inputs"], check: CacheCheck): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs, exploresReshards: true },
    evaluate: (query) => {
      const { op, chip } = query;
      const [cache, input] = [operandAt(query, 0), operandAt(query, 1)];
      demand(query, 0, "tiled", "cache/tile");
      demand(query, 1, "tiled", "cache/tile");
      demand(query, 0, "interleaved", "cache/sharded");
      if (input.shape.length !== cache.shape.length || input.shape.at(-1) !== cache.shape.at(-1)) {
        doesNotFit(query);
      }
      checkShards(query, input);
      check(query, cache, input);
      return {
        outputs: op.results.map((result) => result === undefined ? undefined : cache),
        ...(op.results.length === 0 ? { outputL1Bytes: reportedL1Bytes(cache, chip) } : {}),
        aliasedOperand: 0,
      };
    },
  });
}

function doesNotFit(query: ConstraintQuery, rule = "shape", reason = ""): never {
  refuseInput(query, rule, `does not go into ${describeOperand(query, 0)}${reason}`);
}

function refuseInput(query: ConstraintQuery, rule: string, fault: string): never {
  refuseOperand(query, 1, `cache/${rule}`, fault);
}

/** Shards of new rows must hold whole rows and be full. */
function checkShards(query: ConstraintQuery, input: Tensor): void {
  if (!isSharded(input.layout)) return;
  if (input.layout.memoryLayout === "width_sharded") {
    refuseInput(query, "width-sharded", "must not be width sharded");
  }
  const [, width] = shardExtent(input.layout);
  if (width < (input.shape.at(-1) ?? 1)) {
    refuseInput(query, "shard-width", "must have shards as wide as a head");
  }
  if (!fillsShards(input)) refuseInput(query, "shard-rows", "must fill its shards");
}

/** The input must be `[1, heads, …]`: one sequence, or one token per user. */
function checkBatch(query: ConstraintQuery, cache: Tensor, input: Tensor): void {
  if (input.shape.at(-3) !== cache.shape.at(-3) || (input.shape.at(-4) ?? 1) !== 1) doesNotFit(query);
}

function checkFormat(query: ConstraintQuery, cache: Tensor, input: Tensor): void {
  if (input.layout.dataType !== cache.layout.dataType) {
    refuseInput(query, "format", "must have the cache's format");
  }
}

const paddedRows = ({ shape }: Tensor): number => 32 * Math.ceil((shape.at(-2) ?? 1) / 32);

/** `fill_cache`: same format as the cache and no longer than it; shards divide a sequence evenly. */
function checkFill(query: ConstraintQuery, cache: Tensor, input: Tensor): void {
  checkBatch(query, cache, input);
  checkFormat(query, cache, input);
  if (paddedRows(input) > paddedRows(cache)) doesNotFit(query);
  if (isSharded(input.layout) && paddedRows(input) % shardExtent(input.layout)[0] !== 0) {
    refuseInput(query, "shard-rows", "must cut a sequence into equal parts");
  }
}

/** Users ≤ padded rows of the input. */
function checkUpdate(query: ConstraintQuery, cache: Tensor, input: Tensor): void {
  checkBatch(query, cache, input);
  if ((cache.shape.at(-4) ?? 1) > paddedRows(input)) doesNotFit(query, "users", ": it has fewer users");
}

/** Tables: row-major, interleaved si32; positions: DRAM. */
function checkTable(query: ConstraintQuery, group: number, rule: string, inDram: boolean): void {
  const [index = -1] = operandIn(query, group) ?? [];
  demand(query, index, "row-major", rule);
  demandFormat(query, index, ["si32"], rule);
  demand(query, index, inDram ? "interleaved in DRAM" : "interleaved", rule);
}

/** A page table's row in L1 is a multiple of this many bytes. */
const TABLE_ALIGNMENT = 32;

/** `paged_fill_cache`: interleaved new rows of all heads in the cache's format, and a page table. */
function checkPagedFill(query: ConstraintQuery, cache: Tensor, input: Tensor): void {
  demand(query, 1, "interleaved", "cache/input");
  checkFormat(query, cache, input);
  if (input.shape.at(-3) !== cache.shape.at(-3)) doesNotFit(query);
  checkTable(query, 2, "cache/page-table", false);
  const [at, table] = operandIn(query, 2) ?? [];
  if (at !== undefined && table?.layout.bufferType === "l1") {
    if ((table.shape.at(-1) ?? 1) * 4 % TABLE_ALIGNMENT !== 0) {
      refuseOperand(query, at, "cache/page-table-row", `must have rows of whole ${TABLE_ALIGNMENT} bytes`);
    }
  }
  const [batch, position] = operandIn(query, 3) ?? [];
  if (batch !== undefined && position?.layout.bufferType !== "dram") {
    refuseOperand(query, batch, "cache/position", "must lie in DRAM");
  }
}

/** `paged_update_cache`: the new entries are height or block sharded, one core per user. */
function checkPagedUpdate(query: ConstraintQuery, cache: Tensor, input: Tensor): void {
  const { layout } = input;
  if (!isSharded(layout)) refuseInput(query, "input", "must be sharded");
  demandFormat(query, 1, ["bf16", "f32"], "cache/format");
  const users = input.shape.at(-3) ?? 1;
  const cores = holdingCores(layout, query.chip);
  if (cores !== users) {
    refuseInput(query, "users", `lies on ${cores} cores for ${users} users; they must be equal`);
  }
  const [, pages] = operandIn(query, 3) ?? [];
  const isShared = pages === undefined && readAttributes(query.op, PAGED_UPDATE_CACHE).share_cache;
  const [rows] = (pages ?? cache).shape;
  if (rows !== (isShared ? 1 : users)) {
    const table = pages === undefined ? "cache" : "page table";
    refuseInput(query, "batch", `has ${users} users, the ${table} ${rows} rows`);
  }
  checkTable(query, 2, "cache/positions", true);
  checkTable(query, 3, "cache/page-table", false);
}

export const CACHE_UPDATE_RULES: RulesOf<
  "fill_cache" | "update_cache" | "paged_update_cache" | "paged_fill_cache"
> = {
  fill_cache: cacheRule(["dram_interleaved", "any"], checkFill),
  update_cache: cacheRule(["dram_interleaved", "any"], checkUpdate),
  paged_update_cache: cacheRule(
    ["dram_interleaved", "interleaved_or_height_sharded", "row_major"],
    checkPagedUpdate,
  ),
  paged_fill_cache: cacheRule(["dram_interleaved", "not_sharded", "row_major"], checkPagedFill),
};
