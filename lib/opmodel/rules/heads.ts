// SPDX-License-Identifier: Apache-2.0
import { boxExtent, coreCount, type CoreRange } from "../../layout/core_range.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TensorMemoryLayout } from "../../layout/ttnn_layout.ts";
import { MERGE_HEADS_DECODE, SPLIT_HEADS, SPLIT_HEADS_DECODE } from "../../ops/attributes/attention.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { splitHeadsOfShards } from "../../programs/transformer/heads.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  describeTensor,
  eachOrRefusal,
  isRefusal,
  type OrRefusal,
  refuse,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { missingOperand, operandAt, wantsShards } from "./program.ts";

/** Shards of a result: memory layout, shard extents in tiles, cores. */
interface HeadShards {
  readonly memoryLayout: TensorMemoryLayout;
  readonly shardShape: readonly [number, number];
  readonly coreRanges: readonly CoreRange[];
}

/** A result in shards chosen by the backend; a refusal if they cannot hold it. */
function inShards(
  { op }: ConstraintQuery,
  context: RuleContext,
  { shape, dataType }: TensorShape,
  { memoryLayout, shardShape, coreRanges }: HeadShards,
): OrRefusal<Tensor> {
  const cores = coreCount(coreRanges);
  const block = memoryLayout === "block_sharded" ? boxExtent(coreRanges) : undefined;
  return placeIn(op, context, { shape, dataType, tile: DEFAULT_TILE }, {
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

/** A result with one shard per core, starting at a core; a refusal if the chip has fewer cores. */
function spread(
  query: ConstraintQuery,
  context: RuleContext,
  result: TensorShape,
  cores: number,
  shards: Pick<HeadShards, "memoryLayout" | "shardShape">,
  first = 0,
): OrRefusal<Tensor> {
  if (first + cores > context.cores) {
    return refuseConfig(
      query.op,
      "heads/cores",
      `needs ${first + cores} cores, the chip has ${context.cores}`,
    );
  }
  const coreRanges = coresInRows(first, cores, context.chip.workerGrid.columns);
  return inShards(query, context, result, { ...shards, coreRanges });
}

/** Refuses a row-major operand 0: the kernels' behaviour on rows is not recorded. */
function refuseRows({ op }: ConstraintQuery, input: Tensor): InvalidConstraints | undefined {
  return input.layout.tile === undefined
    ? refuseLayout(op, "heads/tile", `${describeTensor(0, input)} must be tiled`)
    : undefined;
}

function evaluateConcatHeads(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  if (input.shape.length !== 4 || input.layout.tile === undefined) {
    const fault = `${describeTensor(0, input)} must be a tiled tensor of rank 4`;
    return refuseLayout(op, "heads/input", fault);
  }
  if (op.name === "ttnn.concatenate_heads") {
    const fault = sizeFault(query, input.shape[3] ?? 0);
    if (fault !== undefined) return fault;
  }
  const joinsInterleaved = !isSharded(input.layout) ||
    (op.name === "ttnn.concatenate_heads" && hint !== undefined && !isSharded(hint));
  if (joinsInterleaved && wantsShards(query)) {
    return refuseLayout(op, "heads/interleaved", "the result of an interleaved operand is interleaved");
  }
  const output = joinsInterleaved
    ? placeOutput(query, context, { whenNull: input.layout })
    : joinedShards(query, context, input);
  return acceptOne(output, context);
}

/** Concatenated heads in shards: each core joins the whole heads that it holds. */
function joinedShards(query: ConstraintQuery, context: RuleContext, input: Tensor): OrRefusal<Tensor> {
  const { op, results: [result] } = { op: query.op, results: query.op.results };
  if (result === undefined) return missingOperand(op, 0);
  const say = (rule: string, fault: string) => refuseLayout(op, `heads/${rule}`, fault);
  const { memoryLayout = "interleaved" } = query.hint ?? input.layout;
  if (memoryLayout === "interleaved") {
    return say("needs-shards", `${describeTensor(0, input)} needs a sharded result`);
  }
  if (input.layout.memoryLayout === "width_sharded") {
    return say("width-sharded", `${describeTensor(0, input)} must not be width sharded`);
  }
  const [, heads = 1, sequence = 1, size = 1] = input.shape;
  const [height = 1, width = 1] = input.layout.shardShape;
  const rows = Math.ceil(sequence / 32);
  if (height < rows) {
    return say(
      "shard-below-sequence",
      `${
        describeTensor(0, input)
      } has shards lower than a head, on which the backend's process ends (SIGFPE)`,
    );
  }
  if (width !== Math.ceil(size / 32)) {
    return say("shard-width", `${describeTensor(0, input)} must have shards as wide as a head`);
  }
  const perShard = height / rows;
  if (!Number.isInteger(perShard) || heads % perShard !== 0) {
    return say(
      "whole-heads",
      `${describeTensor(0, input)} must have shards of whole heads that divide all heads`,
    );
  }
  if (memoryLayout === "height_sharded") return say("result", "the result must not be height sharded");
  return inShards(query, context, { shape: result.shape, dataType: input.layout.dataType }, {
    memoryLayout,
    shardShape: [rows, perShard * width],
    coreRanges: input.layout.coreRanges,
  });
}

function evaluateConcatHeadsDecode(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const { layout: { memoryLayout, shardShape, coreRanges, dataType } } = input;
  const say = (rule: string, fault: string) =>
    refuseLayout(op, `heads/${rule}`, `${describeTensor(0, input)} ${fault}`);
  const rows = refuseRows(query, input);
  if (rows !== undefined) return rows;
  if (memoryLayout !== "height_sharded") return say("decode-input", "must be height sharded");
  if (shardShape[0] !== Math.ceil((input.shape.at(-2) ?? 1) / 32)) {
    return say("decode-shards", "must have one user's heads per shard");
  }
  const result = op.results[0];
  if (result === undefined) return missingOperand(op, 0);
  const size = Math.ceil((input.shape.at(-1) ?? 1) / 32);
  const { num_heads: heads } = readAttributes(op, MERGE_HEADS_DECODE);
  const tensor = { shape: result.shape, dataType };
  const shards = { memoryLayout: "width_sharded", shardShape: [1, size] } as const;
  const [first, ...more] = coreRanges;
  if (more.length === 0 && first?.start.x === 0 && first.start.y === 0) {
    const output = spread(query, context, tensor, heads, shards);
    return acceptOne(output, context);
  }
  // tt-mlir's runtime passes other cores to the kernel as its core grid.
  if (heads > coreCount(coreRanges)) return say("decode-cores", `must lie on ${heads} cores, one per head`);
  const output = inShards(query, context, tensor, { ...shards, coreRanges: coresWithin(coreRanges, heads) });
  return acceptOne(output, context);
}

/** Conditions of every split into heads, for any memory of the operands. */
function splitFault(query: ConstraintQuery, input: Tensor): InvalidConstraints | undefined {
  const rows = refuseRows(query, input);
  if (rows !== undefined) return rows;
  const apart = query.op.operands.length > 1 ? operandAt(query, 1) : undefined;
  if (apart !== undefined && apart.shape.at(-2) !== input.shape.at(-2)) {
    const message = `${describeTensor(1, apart)} must have as many rows as the queries, ${
      input.shape.at(-2)
    }`;
    return refuse("unsupported_config", "heads/rows", message);
  }
  return sizeFault(query, query.op.results[0]?.shape.at(-1) ?? 0);
}

/** The head size must be a multiple of the tile width. */
function sizeFault({ op }: ConstraintQuery, size: number): InvalidConstraints | undefined {
  return size % 32 === 0 ? undefined : refuseConfig(op, "heads/size", `heads of ${size} are not whole tiles`);
}

function evaluateSplitHeads(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const fault = splitFault(query, input);
  if (fault !== undefined) return fault;
  if (query.operands.some((operand) => operand !== undefined && isSharded(operand.layout))) {
    return splitShards(query, context, input);
  }
  if (wantsShards(query)) {
    return refuseLayout(op, "heads/interleaved", "results of an interleaved operand are interleaved");
  }
  const outputs = eachOrRefusal(op.results, (_, result) => {
    const hint = result === 0 ? {} : { hint: null };
    return placeOutput(query, context, { result, whenNull: query.hint ?? input.layout, ...hint });
  });
  return isRefusal(outputs) ? outputs : accept({ outputs }, context);
}

/**
 * Split of a block-sharded QKV tensor: each row of cores holds a sequence and each core whole groups of
 * heads, which become height shards. Requested shards are made by a copy afterwards.
 */
function splitShards(query: ConstraintQuery, context: RuleContext, input: Tensor): RuleAnswer {
  const { op, hint } = query;
  const say = (rule: string, fault: string) => refuseLayout(op, `heads/${rule}`, fault);
  const { layout: { memoryLayout, shardShape, coreRanges, dataType } } = input;
  if (op.name !== "ttnn.split_query_key_value_and_split_heads" || op.operands.length > 1) {
    return say("sharded", `${describeTensor(0, input)} must be interleaved`);
  }
  if (memoryLayout !== "block_sharded") {
    return say("split-input", `${describeTensor(0, input)} must be block sharded`);
  }
  if (hint?.memoryLayout !== "height_sharded") {
    return say("split-result", "a block-sharded operand needs height-sharded results");
  }
  const [rows, columns] = boxExtent(coreRanges);
  const [batch = 1] = input.shape;
  if (rows !== batch) {
    return say("batch", `${describeTensor(0, input)} has ${rows} rows of cores for a batch of ${batch}`);
  }
  const asked = readAttributes(op, SPLIT_HEADS);
  const keyHeads = asked.num_kv_heads ?? asked.num_heads;
  if (keyHeads % columns !== 0) {
    return say(
      "shards",
      `${describeTensor(0, input)} has ${columns} columns of cores for ${keyHeads} groups of heads`,
    );
  }
  const [height = 1, width = 1] = shardShape;
  const program = asProgramTensor(input);
  if (2 * height * width * (program.pageBytes) > context.chip.l1Size) {
    return say("l1", `shards of ${describeTensor(0, input)} do not fit L1 twice`);
  }
  const own = eachOrRefusal(op.results.filter((result) => result !== undefined), ({ shape }) => {
    const [count = 1, high = 1, wide = 1] = shape.slice(-3);
    return inShards(query, context, { shape, dataType }, {
      memoryLayout: "height_sharded",
      shardShape: [roundUp(high, 32) / 32 * batch * count / (rows * columns), Math.ceil(wide / 32)],
      coreRanges,
    });
  });
  if (isRefusal(own)) return own;
  // Requested shards must fit all results.
  const outputs = hint.ignorePhysicalLayout ? own : eachOrRefusal(
    own,
    ({ shape, layout: { dataType, tile } }) => placeIn(op, context, { shape, dataType, tile }, hint),
  );
  if (isRefusal(outputs)) return outputs;
  return accept({
    outputs,
    launched: () =>
      splitHeadsOfShards(
        op.attributes,
        program,
        own.map(asProgramTensor),
        outputs.map(asProgramTensor),
        context.chip,
      ),
  }, context);
}

/**
 * Keys on their own cores require whole heads in the operand's shards; requested shards must have enough
 * cores.
 */
function decodeFault(
  { op }: ConstraintQuery,
  input: Tensor,
  isApart: boolean,
  given: readonly CoreRange[] | undefined,
): InvalidConstraints | undefined {
  const [users = 1, , size = 1] = op.results[0]?.shape.slice(-3) ?? [];
  const width = 32 * (input.layout.shardShape.at(-1) ?? 1);
  if (isApart && size % width !== 0) {
    const fault = `${describeTensor(0, input)} has shards that are no parts of heads of ${size}`;
    return refuseLayout(op, "heads/partial-heads", fault);
  }
  const cores = given === undefined ? Infinity : coreCount(given);
  const needed = isApart ? 2 * users : users;
  return cores < needed
    ? refuseLayout(
      op,
      "heads/hint-cores",
      `the result has ${cores} cores for ${users} users and takes ${needed}`,
    )
    : undefined;
}

function evaluateCreateHeadsDecode(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const rows = refuseRows(query, input);
  if (rows !== undefined) return rows;
  if (isSharded(input.layout) && input.layout.memoryLayout !== "width_sharded") {
    const fault = `${describeTensor(0, input)} must be width sharded or interleaved`;
    return refuseLayout(op, "heads/decode-product", fault);
  }
  // Interleaved operands always overlap Q and K cores, regardless of the attribute.
  const isApart = isSharded(input.layout) && !readAttributes(op, SPLIT_HEADS_DECODE).overlap_qk_coregrid;
  const { hint } = query;
  const given = hint !== undefined && isSharded(hint) && !hint.ignorePhysicalLayout
    ? hint.coreRanges
    : undefined;
  const hintFault = decodeFault(query, input, isApart, given);
  if (hintFault !== undefined) return hintFault;
  const outputs = eachOrRefusal(op.results.filter((result) => result !== undefined), ({ shape }, index) => {
    const [users = 1, heads = 1, size = 1] = shape.slice(-3);
    const tensor = { shape, dataType: input.layout.dataType };
    const shards = {
      memoryLayout: "height_sharded",
      shardShape: [Math.ceil(heads / 32), Math.ceil(size / 32)],
    } as const;
    const from = isApart && index === 1 ? users : 0;
    return given === undefined
      ? spread(query, context, tensor, users, shards, from)
      : inShards(query, context, tensor, { ...shards, coreRanges: coresWithin(given, users, from) });
  });
  return isRefusal(outputs) ? outputs : accept({ outputs }, context);
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
