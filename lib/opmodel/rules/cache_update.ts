// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { PAGED_UPDATE_CACHE } from "../../ops/attributes/attention.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import type { InvalidConstraints } from "../op_model.ts";
import {
  type ConstraintQuery,
  defineRule,
  type LayoutStrategy,
  type OpRule,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import { fillsShards, shardExtent } from "../../programs/shard_spec.ts";
import { holdingCores, reportedL1Bytes, type Tensor } from "../tensor.ts";
import { accept, describeTensor, refuseLayout } from "../verdict.ts";
import { operandAt } from "./program.ts";

/** An op-specific check of a cache write, beyond {@linkcode cacheRule}; `undefined` if nothing is wrong. */
type CacheFault = (
  query: ConstraintQuery,
  cache: Tensor,
  input: Tensor,
  context: RuleContext,
) => InvalidConstraints | undefined;

/**
 * Rule of ops that write into a cache and return it: both operands tiled, cache interleaved, rows of equal
 * width. Shards hold whole rows.
 */
function cacheRule(inputs: LayoutStrategy["inputs"], fault: CacheFault): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs, exploresReshards: true },
    evaluate: (query, context) => {
      const { op } = query;
      const [cache, input] = [operandAt(query, 0), operandAt(query, 1)];
      for (const [index, tensor] of [cache, input].entries()) {
        if (tensor.layout.tile !== undefined) continue;
        return refuseLayout(op, "cache/tile", `${describeTensor(index, tensor)} must be tiled`);
      }
      if (isSharded(cache.layout)) {
        return refuseLayout(op, "cache/sharded", `${describeTensor(0, cache)} must be interleaved`);
      }
      if (input.shape.length !== cache.shape.length || input.shape.at(-1) !== cache.shape.at(-1)) {
        return refuseLayout(op, "cache/shape", doesNotGoInto(input, cache));
      }
      const refusal = shardFault(query, input) ?? fault(query, cache, input, context);
      if (refusal !== undefined) return refusal;
      return accept({
        outputs: op.results.map((result) => result === undefined ? undefined : cache),
        ...(op.results.length === 0 ? { outputL1Bytes: reportedL1Bytes(cache, context.chip) } : {}),
        aliasedOperand: 0,
      }, context);
    },
  });
}

function doesNotGoInto(input: Tensor, cache: Tensor): string {
  return `${describeTensor(1, input)} does not go into ${describeTensor(0, cache)}`;
}

/** Shards of new rows must hold whole rows and be full. */
function shardFault({ op }: ConstraintQuery, input: Tensor): InvalidConstraints | undefined {
  if (!isSharded(input.layout)) return undefined;
  const say = (rule: string, fault: string) =>
    refuseLayout(op, `cache/${rule}`, `${describeTensor(1, input)} ${fault}`);
  if (input.layout.memoryLayout === "width_sharded") return say("width-sharded", "must not be width sharded");
  const [, width] = shardExtent(input.layout);
  if (width < (input.shape.at(-1) ?? 1)) return say("shard-width", "must have shards as wide as a head");
  return fillsShards(input) ? undefined : say("shard-rows", "must fill its shards");
}

/** The input must be `[1, heads, …]`: one sequence, or one token per user. */
function oneBatch({ op }: ConstraintQuery, cache: Tensor, input: Tensor): InvalidConstraints | undefined {
  return input.shape.at(-3) === cache.shape.at(-3) && (input.shape.at(-4) ?? 1) === 1
    ? undefined
    : refuseLayout(op, "cache/shape", doesNotGoInto(input, cache));
}

const paddedRows = ({ shape }: Tensor): number => 32 * Math.ceil((shape.at(-2) ?? 1) / 32);

/** `fill_cache`: same format as the cache and no longer than it; shards divide a sequence evenly. */
function fillFault(query: ConstraintQuery, cache: Tensor, input: Tensor): InvalidConstraints | undefined {
  const { op } = query;
  const shape = oneBatch(query, cache, input);
  if (shape !== undefined) return shape;
  if (input.layout.dataType !== cache.layout.dataType) {
    return refuseLayout(op, "cache/format", `${describeTensor(1, input)} must have the cache's format`);
  }
  if (paddedRows(input) > paddedRows(cache)) {
    return refuseLayout(op, "cache/shape", doesNotGoInto(input, cache));
  }
  const isCut = isSharded(input.layout) && paddedRows(input) % shardExtent(input.layout)[0] !== 0;
  return isCut
    ? refuseLayout(op, "cache/shard-rows", `${describeTensor(1, input)} must cut a sequence into equal parts`)
    : undefined;
}

/** Users ≤ padded rows of the input. */
function updateFault(query: ConstraintQuery, cache: Tensor, input: Tensor): InvalidConstraints | undefined {
  return oneBatch(query, cache, input) ??
    ((cache.shape.at(-4) ?? 1) <= paddedRows(input)
      ? undefined
      : refuseLayout(query.op, "cache/users", `${doesNotGoInto(input, cache)}: it has fewer users`));
}

/** Tables: row-major, interleaved si32; positions: DRAM. */
function tableFault(
  query: ConstraintQuery,
  group: number,
  name: string,
  inDram: boolean,
): InvalidConstraints | undefined {
  const index = operandOfGroup(query.op, group);
  const table = index === undefined ? undefined : query.operands[index];
  if (table === undefined || index === undefined) return undefined;
  const { layout } = table;
  const isGood = layout.tile === undefined && layout.dataType === "si32" && !isSharded(layout) &&
    (!inDram || layout.bufferType === "dram");
  const where = inDram ? "interleaved in DRAM" : "interleaved";
  return isGood ? undefined : refuseLayout(
    query.op,
    `cache/${name}`,
    `${describeTensor(index, table)} must be rows of si32, ${where}`,
  );
}

/** A page table's row in L1 is a multiple of this many bytes. */
const TABLE_ALIGNMENT = 32;

/** `paged_fill_cache`: interleaved new rows of all heads in the cache's format, and a page table. */
function pagedFillFault(
  query: ConstraintQuery,
  cache: Tensor,
  input: Tensor,
): InvalidConstraints | undefined {
  const { op, operands } = query;
  const say = (rule: string, fault: string) => refuseLayout(op, `cache/${rule}`, fault);
  if (isSharded(input.layout)) return say("input", `${describeTensor(1, input)} must be interleaved`);
  if (input.layout.dataType !== cache.layout.dataType) {
    return say("format", `${describeTensor(1, input)} must have the cache's format`);
  }
  if (input.shape.at(-3) !== cache.shape.at(-3)) return say("shape", doesNotGoInto(input, cache));
  const fault = tableFault(query, 2, "page-table", false);
  if (fault !== undefined) return fault;
  const index = operandOfGroup(op, 2);
  const table = index === undefined ? undefined : operands[index];
  if (
    index !== undefined && table?.layout.bufferType === "l1" &&
    (table.shape.at(-1) ?? 1) * 4 % TABLE_ALIGNMENT !== 0
  ) {
    return say(
      "page-table-row",
      `${describeTensor(index, table)} must have rows of whole ${TABLE_ALIGNMENT} bytes`,
    );
  }
  const batch = operandOfGroup(op, 3);
  const position = batch === undefined ? undefined : operands[batch];
  return batch !== undefined && position !== undefined && position.layout.bufferType !== "dram"
    ? say("position", `${describeTensor(batch, position)} must lie in DRAM`)
    : undefined;
}

/** `paged_update_cache`: the new entries are height or block sharded, one core per user. */
function pagedUpdateFault(
  query: ConstraintQuery,
  cache: Tensor,
  input: Tensor,
  { chip }: RuleContext,
): InvalidConstraints | undefined {
  const { layout } = input;
  const say = (rule: string, fault: string) =>
    refuseLayout(query.op, `cache/${rule}`, `${describeTensor(1, input)} ${fault}`);
  if (!isSharded(layout)) return say("input", "must be sharded");
  if (layout.dataType !== "bf16" && layout.dataType !== "f32") return say("format", "must be bf16 or f32");
  const users = input.shape.at(-3) ?? 1;
  const cores = holdingCores(layout, chip);
  if (cores !== users) {
    return say("users", `lies on ${cores} cores for ${users} users; they must be equal`);
  }
  const pages = operandOfGroup(query.op, 3);
  const rows = pages === undefined ? cache.shape[0] : query.operands[pages]?.shape[0];
  const sharers = pages === undefined && readAttributes(query.op, PAGED_UPDATE_CACHE).share_cache ? 1 : users;
  if (rows !== sharers) {
    return say(
      "batch",
      `has ${users} users, the ${pages === undefined ? "cache" : "page table"} ${rows} rows`,
    );
  }
  return tableFault(query, 2, "positions", true) ?? tableFault(query, 3, "page-table", false);
}

export const CACHE_UPDATE_RULES: RulesOf<
  "fill_cache" | "update_cache" | "paged_update_cache" | "paged_fill_cache"
> = {
  fill_cache: cacheRule(["dram_interleaved", "any"], fillFault),
  update_cache: cacheRule(["dram_interleaved", "any"], updateFault),
  paged_update_cache: cacheRule(
    ["dram_interleaved", "interleaved_or_height_sharded", "row_major"],
    pagedUpdateFault,
  ),
  paged_fill_cache: cacheRule(["dram_interleaved", "not_sharded", "row_major"], pagedFillFault),
};
