// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import {
  type ConstraintQuery,
  defineRule,
  type LayoutStrategy,
  type OpRule,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import { holdingCores, reportedL1Bytes, type Tensor } from "../tensor.ts";
import { accept, describeTensor, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt } from "./program.ts";

const CACHE = "tt-metal:paged-cache";

/**
 * Whether new rows are as wide as those of the cache; a fill brings all heads, an update may bring padded ones, and
 * backends before HEAD took any number for pages (tt-mlir:op-model-tests).
 */
function goesInto(rows: readonly number[], cache: readonly number[], fills: boolean): boolean {
  return rows.length === cache.length && rows.at(-1) === cache.at(-1) &&
    (!fills || rows.at(-3) === cache.at(-3));
}

function cacheRule(
  inputs: LayoutStrategy["inputs"],
  fills: boolean,
  fault?: (query: ConstraintQuery, input: Tensor, context: RuleContext) => RuleAnswer | undefined,
): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs, exploresReshards: true },
    evaluate: (query, context) => {
      const cache = operandAt(query, 0);
      const input = operandAt(query, 1);
      for (const [index, tensor] of [cache, input].entries()) {
        if (tensor.layout.tile === undefined) {
          return refuseLayout(
            query.op,
            "cache/tile",
            `${describeTensor(index, tensor)} must be tiled`,
            CACHE,
          );
        }
      }
      if (isSharded(cache.layout)) {
        return refuseLayout(
          query.op,
          "cache/sharded",
          `${describeTensor(0, cache)} must be interleaved`,
          CACHE,
        );
      }
      if (!goesInto(input.shape, cache.shape, fills)) {
        return refuseLayout(
          query.op,
          "cache/shape",
          `${describeTensor(1, input)} does not go into ${describeTensor(0, cache)}`,
          CACHE,
        );
      }
      const refusal = fault?.(query, input, context);
      if (refusal !== undefined) return refusal;
      return accept({
        outputs: query.op.results.map((result) => result === undefined ? undefined : cache),
        ...(query.op.results.length === 0 ? { outputL1Bytes: reportedL1Bytes(cache, context.chip) } : {}),
        aliasedOperand: 0,
      }, context);
    },
  });
}

/** Rule of `fill_cache` and `update_cache`. */
function cacheWriteRule(fills: boolean): OpRule {
  return cacheRule(["dram_interleaved", "any"], fills);
}

/** Rule of `paged_fill_cache`, with tables that tell the pages. */
function pagedFillCacheRule(): OpRule {
  return cacheRule(["dram_interleaved", "any", "row_major"], false);
}

/** Rule of `paged_update_cache`: the new entries come height or block sharded, one core per user. */
function pagedUpdateCacheRule(): OpRule {
  return cacheRule(
    ["dram_interleaved", "interleaved_or_height_sharded", "row_major"],
    false,
    (query, input, context) => {
      const say = (rule: string, message: string) =>
        refuseLayout(query.op, `paged_update_cache/${rule}`, `${message}`, CACHE);
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

/** The rules of cache writes. */
export const CACHE_UPDATE_RULES: RulesOf<
  "fill_cache" | "update_cache" | "paged_update_cache" | "paged_fill_cache"
> = {
  fill_cache: cacheWriteRule(true),
  update_cache: cacheWriteRule(false),
  paged_update_cache: pagedUpdateCacheRule(),
  paged_fill_cache: pagedFillCacheRule(),
};
