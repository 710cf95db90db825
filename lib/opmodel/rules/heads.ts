// SPDX-License-Identifier: Apache-2.0
import { boxExtent, coreCount, type CoreRange } from "../../layout/core_range.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TensorMemoryLayout } from "../../layout/ttnn_layout.ts";
import { MERGE_HEADS_DECODE, SPLIT_HEADS, SPLIT_HEADS_DECODE } from "../../ops/attributes/attention.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { splitHeadsOfShards } from "../../programs/transformer/heads.ts";
import { placeIn, placeOutput, placeOutputs, resultAt } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { demand, operandAt, wantsShards } from "./program.ts";

/** Shards of a result: memory layout, shard extents in tiles, cores. */
interface HeadShards {
  readonly memoryLayout: TensorMemoryLayout;
  readonly shardShape: readonly [number, number];
  readonly coreRanges: readonly CoreRange[];
}

/** A result in shards chosen by the backend. Refuses shards that cannot hold it. */
function inShards(
  query: ConstraintQuery,
  { shape, dataType }: TensorShape,
  { memoryLayout, shardShape, coreRanges }: HeadShards,
): Tensor {
  const cores = coreCount(coreRanges);
  const block = memoryLayout === "block_sharded" ? boxExtent(coreRanges) : undefined;
  return placeIn(query, { shape, dataType, tile: DEFAULT_TILE }, {
    bufferType: "l1",
    memoryLayout,
    dataType,
    tile: DEFAULT_TILE,
    gridShape: block ?? (memoryLayout === "height_sharded" ? [cores, 1] : [1, cores]),
    shardShape,
    coreRanges,
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  });
}

/** The given number of cores in row-major order, starting at core `first`. */
function coresInRows(first: number, cores: number, columns: number): readonly CoreRange[] {
  const ranges: CoreRange[] = [];
  const end = first + cores;
  for (let at = first; at < end;) {
    const x = at % columns;
    const y = Math.floor(at / columns);
    // Whole rows form one rectangle; the rest of the first row and of the last row one each.
    const rows = x === 0 ? Math.floor((end - at) / columns) : 0;
    const last = rows > 0 ? columns - 1 : Math.min(columns - 1, x + end - at - 1);
    ranges.push({ start: { x, y }, end: { x: last, y: y + Math.max(rows, 1) - 1 } });
    at += rows > 0 ? rows * columns : last - x + 1;
  }
  return ranges;
}

/** The given number of cores of some rectangles, each in row-major order, starting at core `first`. */
function coresWithin(ranges: readonly CoreRange[], cores: number, first = 0): readonly CoreRange[] {
  const taken: CoreRange[] = [];
  let [skipped, left] = [first, cores];
  for (const range of ranges) {
    const { start, end } = range;
    const size = coreCount([range]);
    const own = Math.min(left, Math.max(0, size - skipped));
    for (const part of coresInRows(skipped, own, end.x - start.x + 1)) {
      const shifted = ({ x, y }: CoreRange["start"]) => ({ x: x + start.x, y: y + start.y });
      taken.push({ start: shifted(part.start), end: shifted(part.end) });
    }
    skipped = Math.max(0, skipped - size);
    left -= own;
  }
  return taken;
}

/** A result with one shard per core, starting at a core. Refuses more shards than the chip has cores. */
function spread(
  query: ConstraintQuery,
  result: TensorShape,
  cores: number,
  shards: Pick<HeadShards, "memoryLayout" | "shardShape">,
  first = 0,
): Tensor {
  if (first + cores > query.cores) {
    refuseConfig(query, "heads/cores", `needs ${first + cores} cores, the chip has ${query.cores}`);
  }
  const coreRanges = coresInRows(first, cores, query.chip.workerGrid.columns);
  return inShards(query, result, { ...shards, coreRanges });
}

function evaluateConcatHeads(query: ConstraintQuery): Verdict {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const isWhole = op.name === "ttnn.concatenate_heads";
  if (input.shape.length !== 4 || input.layout.tile === undefined) {
    refuseOperand(query, 0, "heads/input", "must be a tiled tensor of rank 4");
  }
  if (isWhole) checkSize(query, input.shape[3] ?? 0);
  const joinsInterleaved = !isSharded(input.layout) || (isWhole && hint !== undefined && !isSharded(hint));
  if (!joinsInterleaved) return { outputs: [joinedShards(query, input)] };
  if (wantsShards(query)) {
    refuseLayout(query, "heads/interleaved", "the result of an interleaved operand is interleaved");
  }
  return { outputs: [placeOutput(query, { whenNull: input.layout })] };
}

/** Concatenated heads in shards: each core joins the whole heads that it holds. */
function joinedShards(query: ConstraintQuery, input: Tensor): Tensor {
  const say = (rule: string, fault: string) => refuseOperand(query, 0, `heads/${rule}`, fault);
  const { memoryLayout = "interleaved" } = query.hint ?? input.layout;
  if (memoryLayout === "interleaved") say("needs-shards", "needs a sharded result");
  if (input.layout.memoryLayout === "width_sharded") say("width-sharded", "must not be width sharded");
  const [, heads = 1, sequence = 1, size = 1] = input.shape;
  const [height = 1, width = 1] = input.layout.shardShape;
  const rows = Math.ceil(sequence / 32);
  if (height < rows) {
    say(
      "shard-below-sequence",
      "has shards lower than a head, on which the backend's process ends (SIGFPE)",
    );
  }
  if (width !== Math.ceil(size / 32)) say("shard-width", "must have shards as wide as a head");
  const perShard = height / rows;
  if (!Number.isInteger(perShard) || heads % perShard !== 0) {
    say("whole-heads", "must have shards of whole heads that divide all heads");
  }
  if (memoryLayout === "height_sharded") {
    refuseLayout(query, "heads/result", "the result must not be height sharded");
  }
  return inShards(query, { shape: resultAt(query).shape, dataType: input.layout.dataType }, {
    memoryLayout,
    shardShape: [rows, perShard * width],
    coreRanges: input.layout.coreRanges,
  });
}

function evaluateConcatHeadsDecode(query: ConstraintQuery): Verdict {
  const { shape, layout: { memoryLayout, shardShape, coreRanges, dataType } } = operandAt(query, 0);
  demand(query, 0, "tiled", "heads/tile");
  if (memoryLayout !== "height_sharded") {
    refuseOperand(query, 0, "heads/decode-input", "must be height sharded");
  }
  if (shardShape[0] !== Math.ceil((shape.at(-2) ?? 1) / 32)) {
    refuseOperand(query, 0, "heads/decode-shards", "must have one user's heads per shard");
  }
  const size = Math.ceil((shape.at(-1) ?? 1) / 32);
  const { num_heads: heads } = readAttributes(query.op, MERGE_HEADS_DECODE);
  const tensor = { shape: resultAt(query).shape, dataType };
  const shards = { memoryLayout: "width_sharded", shardShape: [1, size] } as const;
  const [first, ...more] = coreRanges;
  if (more.length === 0 && first?.start.x === 0 && first.start.y === 0) {
    return { outputs: [spread(query, tensor, heads, shards)] };
  }
  // tt-mlir's runtime passes other cores to the kernel as its core grid.
  if (heads > coreCount(coreRanges)) {
    refuseOperand(query, 0, "heads/decode-cores", `must lie on ${heads} cores, one per head`);
  }
  return { outputs: [inShards(query, tensor, { ...shards, coreRanges: coresWithin(coreRanges, heads) })] };
}

/** The head size must be a multiple of the tile width. */
function checkSize(query: ConstraintQuery, size: number): void {
  if (size % 32 !== 0) refuseConfig(query, "heads/size", `heads of ${size} are not whole tiles`);
}

function evaluateSplitHeads(query: ConstraintQuery): Verdict {
  const { op, operands } = query;
  const input = operandAt(query, 0);
  demand(query, 0, "tiled", "heads/tile");
  const rows = input.shape.at(-2);
  if (op.operands.length > 1 && operandAt(query, 1).shape.at(-2) !== rows) {
    refuseConfig(query, "heads/rows", `keys and values must have as many rows as the queries, ${rows}`);
  }
  checkSize(query, op.results[0]?.shape.at(-1) ?? 0);
  if (operands.some((operand) => operand !== undefined && isSharded(operand.layout))) {
    return splitShards(query, input);
  }
  if (wantsShards(query)) {
    refuseLayout(query, "heads/interleaved", "results of an interleaved operand are interleaved");
  }
  return { outputs: placeOutputs(query, query.hint ?? input.layout) };
}

/**
 * Split of a block-sharded QKV tensor: each row of cores holds a sequence and each core whole groups of
 * heads, which become height shards. Requested shards are made by a copy afterwards.
 */
function splitShards(query: ConstraintQuery, input: Tensor): Verdict {
  const { op, hint, chip } = query;
  const say = (rule: string, fault: string) => refuseOperand(query, 0, `heads/${rule}`, fault);
  const { layout: { memoryLayout, shardShape, coreRanges, dataType } } = input;
  if (op.name !== "ttnn.split_query_key_value_and_split_heads" || op.operands.length > 1) {
    say("sharded", "must be interleaved");
  }
  if (memoryLayout !== "block_sharded") say("split-input", "must be block sharded");
  if (hint?.memoryLayout !== "height_sharded") {
    refuseLayout(query, "heads/split-result", "a block-sharded operand needs height-sharded results");
  }
  const [rows, columns] = boxExtent(coreRanges);
  const [batch = 1] = input.shape;
  if (rows !== batch) say("batch", `has ${rows} rows of cores for a batch of ${batch}`);
  const asked = readAttributes(op, SPLIT_HEADS);
  const keyHeads = asked.num_kv_heads ?? asked.num_heads;
  if (keyHeads % columns !== 0) {
    say("shards", `has ${columns} columns of cores for ${keyHeads} groups of heads`);
  }
  const [height = 1, width = 1] = shardShape;
  const program = asProgramTensor(input);
  if (2 * height * width * program.pageBytes > chip.l1Size) say("l1", "has shards that do not fit L1 twice");
  const own = op.results.filter((result) => result !== undefined).map(({ shape }) => {
    const [count = 1, high = 1, wide = 1] = shape.slice(-3);
    return inShards(query, { shape, dataType }, {
      memoryLayout: "height_sharded",
      shardShape: [roundUp(high, 32) / 32 * batch * count / (rows * columns), Math.ceil(wide / 32)],
      coreRanges,
    });
  });
  // Requested shards must fit all results.
  const outputs = hint.ignorePhysicalLayout
    ? own
    : own.map(({ shape, layout: { dataType, tile } }) => placeIn(query, { shape, dataType, tile }, hint));
  const launched = () => {
    const parts = own.map(asProgramTensor);
    return splitHeadsOfShards(op.attributes, program, parts, outputs.map(asProgramTensor), chip);
  };
  return { outputs, launched };
}

function evaluateCreateHeadsDecode(query: ConstraintQuery): Verdict {
  const { op, hint } = query;
  const { layout } = operandAt(query, 0);
  demand(query, 0, "tiled", "heads/tile");
  if (isSharded(layout) && layout.memoryLayout !== "width_sharded") {
    refuseOperand(query, 0, "heads/decode-product", "must be width sharded or interleaved");
  }
  // Interleaved operands always overlap Q and K cores, regardless of the attribute.
  const isApart = isSharded(layout) && !readAttributes(op, SPLIT_HEADS_DECODE).overlap_qk_coregrid;
  const [users = 1, , size = 1] = op.results[0]?.shape.slice(-3) ?? [];
  // Keys on their own cores require whole heads in the operand's shards.
  if (isApart && size % (32 * (layout.shardShape.at(-1) ?? 1)) !== 0) {
    refuseOperand(query, 0, "heads/partial-heads", `has shards that are no parts of heads of ${size}`);
  }
  const given = hint !== undefined && isSharded(hint) && !hint.ignorePhysicalLayout
    ? hint.coreRanges
    : undefined;
  const cores = given === undefined ? Infinity : coreCount(given);
  const needed = isApart ? 2 * users : users;
  if (cores < needed) {
    const fault = `the result has ${cores} cores for ${users} users and takes ${needed}`;
    refuseLayout(query, "heads/hint-cores", fault);
  }
  const outputs = op.results.filter((result) => result !== undefined).map(({ shape }, index) => {
    const [users = 1, heads = 1, size = 1] = shape.slice(-3);
    const tensor = { shape, dataType: layout.dataType };
    const shards = {
      memoryLayout: "height_sharded",
      shardShape: [Math.ceil(heads / 32), Math.ceil(size / 32)],
    } as const;
    const from = isApart && index === 1 ? users : 0;
    return given === undefined
      ? spread(query, tensor, users, shards, from)
      : inShards(query, tensor, { ...shards, coreRanges: coresWithin(given, users, from) });
  });
  return { outputs };
}

export const HEADS_RULES: RulesOf<
  "concat_heads" | "concat_heads_decode" | "split_heads" | "create_heads_decode"
> = {
  /**
   * Rule of `concatenate_heads` and `nlp_concat_heads`: interleaved tiles, or shards of whole heads, on both
   * sides.
   */
  concat_heads: defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: evaluateConcatHeads,
  }),
  /**
   * Rule of `nlp_concat_heads_decode`: height-sharded operand; width-sharded result with one core per head,
   * regardless of the hint.
   */
  concat_heads_decode: defineRule({
    strategy: { hints: "null", exploresReshards: false },
    evaluate: evaluateConcatHeadsDecode,
  }),
  /**
   * Rule of `split_query_key_value_and_split_heads` and `nlp_create_qkv_heads`: three results with one memory
   * layout. A block-sharded operand is split only into requested height shards, which no search requests.
   */
  split_heads: defineRule({
    strategy: { hints: "null", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: evaluateSplitHeads,
  }),
  /**
   * Rule of `nlp_create_qkv_heads_decode`: height-sharded results, one core per user, on the requested cores.
   */
  create_heads_decode: defineRule({
    strategy: { hints: "null", exploresReshards: false },
    evaluate: evaluateCreateHeadsDecode,
  }),
};
