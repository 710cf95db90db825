// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import {
  type ConstraintQuery,
  defineRule,
  type LayoutStrategy,
  type OpRule,
  type RuleContext,
} from "../rule.ts";
import { holdingCores, pages, reportedL1Bytes, type Tensor, tileCounts, tileSize } from "../tensor.ts";
import { accept, describeTensor, refuse, type RuleAnswer } from "../verdict.ts";
import { missingOperand } from "./program.ts";

const CACHE = "tt-metal:paged-cache";

/** Circular-buffer bytes of a cache op: cache, new entries, and the row-major tables that follow. */
type CacheBytes = (cache: Tensor, input: Tensor, tables: readonly Tensor[]) => number;

function cacheRule(
  strategy: LayoutStrategy,
  bytes: CacheBytes,
  fault?: (query: ConstraintQuery, input: Tensor, context: RuleContext) => RuleAnswer | undefined,
): OpRule {
  return defineRule({
    strategy,
    evaluate: (query, context) => {
      const [cache, input, ...tables] = query.operands;
      if (cache === undefined) return missingOperand(query.op, 0);
      if (input === undefined) return missingOperand(query.op, 1);
      for (const [index, tensor] of [cache, input].entries()) {
        if (tensor.layout.tile === undefined) {
          return refuse(
            "unsupported_layout",
            "cache/tile",
            `${query.op.name}: ${describeTensor(index, tensor)} must be tiled`,
            CACHE,
          );
        }
      }
      if (isSharded(cache.layout)) {
        return refuse(
          "unsupported_layout",
          "cache/sharded",
          `${query.op.name}: ${describeTensor(0, cache)} must be interleaved`,
          CACHE,
        );
      }
      const refusal = fault?.(query, input, context);
      if (refusal !== undefined) return refusal;
      return accept({
        outputs: query.op.results.map((result) => result === undefined ? undefined : cache),
        cbBytes: bytes(cache, input, tables.filter((table) => table !== undefined)),
        ...(query.op.results.length === 0
          ? { outputL1Bytes: reportedL1Bytes(cache.shape, cache.layout, context.chip) }
          : {}),
        aliasedOperand: 0,
      }, context);
    },
  });
}

/** Rule of `fill_cache`: two tiles in flight. */
export function fillCacheRule(): OpRule {
  return cacheRule(
    { hints: "null", inputs: ["dram_interleaved", "any"], exploresReshards: true },
    (_cache, input) => 2 * tileSize(input.layout),
  );
}

/**
 * Rule of `update_cache`: eight rows of tiles and one row of tiles per padded user (derived:circular-buffers, two recorded widths:
 * 40 rows at 32 users).
 */
export function updateCacheRule(): OpRule {
  return cacheRule(
    { hints: "null", inputs: ["dram_interleaved", "any"], exploresReshards: true },
    (cache, input) => {
      const users = 32 * tileCounts(input.shape).rows;
      return (8 + users) * tileCounts(cache.shape).columns * tileSize(cache.layout);
    },
  );
}

/**
 * Rule of `paged_update_cache`: the new entries come height or block sharded, one core per user; fourteen rows of
 * tiles, two tiles and one row of the page table (derived:circular-buffers, two recorded widths).
 */
export function pagedUpdateCacheRule(): OpRule {
  return cacheRule(
    {
      hints: "null",
      inputs: ["dram_interleaved", "interleaved_or_height_sharded", "row_major"],
      exploresReshards: true,
    },
    (cache, _input, tables) => {
      const pageTable = tables[1];
      const tableRow = pageTable === undefined ? 0 : pages(pageTable.shape, pageTable.layout).bytes;
      return (14 * tileCounts(cache.shape).columns + 2) * tileSize(cache.layout) + tableRow;
    },
    (query, input, context) => {
      const say = (rule: string, message: string) =>
        refuse("unsupported_layout", `paged_update_cache/${rule}`, `${query.op.name}: ${message}`, CACHE);
      if (!isSharded(input.layout) || input.layout.memoryLayout === "width_sharded") {
        return say("input", `${describeTensor(1, input)} must be height or block sharded`);
      }
      for (const group of [2, 3]) {
        const index = operandOfGroup(query.op, group);
        const table = index === undefined ? undefined : query.operands[index];
        if (table !== undefined && index !== undefined && table.layout.tile !== undefined) {
          return say("table", `${describeTensor(index, table)} must be row-major`);
        }
      }
      const users = input.shape[1] ?? 1;
      const cores = holdingCores(input.layout, context.chip);
      if (context.ruleSet.pagedUpdateCacheCoresEqualUsers && cores !== users) {
        return say(
          "cores",
          `${describeTensor(1, input)} lies on ${cores} cores for ${users} users; they must be equal`,
        );
      }
      return undefined;
    },
  );
}

/** Rule of `paged_fill_cache`: two rows of tiles and one row of each table (derived:circular-buffers, fit 2/2). */
export function pagedFillCacheRule(): OpRule {
  return cacheRule(
    { hints: "null", inputs: ["dram_interleaved", "any", "row_major"], exploresReshards: true },
    (_cache, input, tables) => {
      const rows = tables.reduce((sum, table) => sum + pages(table.shape, table.layout).bytes, 0);
      return 2 * tileCounts(input.shape).columns * tileSize(input.layout) + rows;
    },
  );
}
