// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../layout/tile_shape.ts";
import { attributes } from "../../dialect/printed_attributes.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import { BF16, fromTensor, type FunctionLowering, U16 } from "../function_lowering.ts";
import { broadcasted, type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import { becomes, type LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Mixtures of experts. */
export const EXPERTS: LoweringRules = {
  "ttir.selective_reduce_combine": becomes("selective_reduce_combine", 4, (op) =>
    Object.fromEntries(
      ["batch_size", "experts", "hidden_size", "select_experts_k", "seq_size"].map((name) => [
        name,
        op.requiredInteger(name),
      ]),
    )),
  "ttir.sparse_matmul": { lower: sparseMatmul, operands: 3 },
  "ttir.all_to_all_dispatch": { lower: dispatch, operands: 3 },
  "ttir.all_to_all_dispatch_metadata": { lower: dispatchWithScores, operands: 4 },
  "ttir.all_to_all_combine": { lower: combine, operands: 3 },
  "ttir.moe_expert_token_remap": { lower: remap, operands: 3 },
};

/** Chips and experts in 16 bits, in rows, as the kernels read and write them (tt-mlir:workarounds). */
const IN_ROWS = { rowMajor: true } as const;

/** An operand of experts or chips, as kernels read it. */
function choices(op: TtirOp, f: FunctionLowering, index: number, shape?: readonly number[]): TensorValue {
  const operand = f.operand(op, index);
  return f.rowMajor(f.typecast(shape === undefined ? operand : reshaped(operand, shape), U16));
}

function exchangeProperties(op: TtirOp, names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(names.map((name) => [name, op.requiredInteger(name)]));
}

/** Tokens and the experts that each of them goes to, given in one dimension or several. */
function dispatch(op: TtirOp, f: FunctionLowering): void {
  const rows = rowsOfFour(f, f.operand(op, 0));
  f.replaceMany(
    op,
    "all_to_all_dispatch",
    [rows, choices(op, f, 1, asFour(f.operand(op, 1))), choices(op, f, 2)],
    exchangeProperties(op, ["cluster_axis", "num_devices"]),
    ({ shape }, index) => f.type(shape, index === 0 ? BF16 : U16, IN_ROWS),
    2,
  );
}

/** The shape of tokens in four dimensions, the last of which is one token's. */
function asFour({ shape }: LazyTensor): readonly number[] {
  return shape.length === 4 ? shape : [1, 1, volume(shape.slice(0, -1)), shape.at(-1) ?? 1];
}

function rowsOfFour(f: FunctionLowering, tokens: LazyTensor): TensorValue {
  return f.rowMajor(f.typecast(reshaped(tokens, asFour(tokens)), BF16));
}

/**
 * As {@linkcode dispatch}, with the scores of the experts on the way. The mapping has two dimensions, chips and experts;
 * the kernel leaves what it gathers of all tokens, experts and scores, on one core (tt-mlir:workarounds).
 */
function dispatchWithScores(op: TtirOp, f: FunctionLowering): void {
  const mapping = f.operand(op, 3);
  const onOneCore = {
    rowMajor: true,
    bufferType: "l1",
    memoryLayout: "height_sharded",
    grid: [1, 1],
  } as const;
  const operands = [
    rowsOfFour(f, f.operand(op, 0)),
    choices(op, f, 1, asFour(f.operand(op, 1))),
    rowsOfFour(f, f.operand(op, 2)),
    choices(op, f, 3, [volume(mapping.shape.slice(0, -1)), mapping.shape.at(-1) ?? 1]),
  ];
  const properties = exchangeProperties(op, ["cluster_axis", "num_devices"]);
  f.replaceMany(
    op,
    "all_to_all_dispatch_metadata",
    operands,
    properties,
    ({ shape }, index) => f.type(shape, index === 1 ? U16 : BF16, index === 0 ? IN_ROWS : onOneCore),
    3,
  );
}

/** Combines the results of experts, a tensor with the experts as first dimension; front ends also put them after the tokens. */
function combine(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const input = f.operand(op, 0);
  const tokens = f.operand(op, 1).shape.slice(1, 3);
  const areFirst = sameExtents(input.shape.slice(1, 3), tokens);
  if (input.shape.length !== 4 || !areFirst && !sameExtents(input.shape.slice(0, 2), tokens)) {
    throw op.error(`${input.shape.join("x")} has no dimensions for ${tokens.join("x")} tokens`, "shape");
  }
  const ordered = areFirst ? input : permuted(input, [2, 0, 1, 3]);
  const operands = [f.rowMajor(f.typecast(ordered, BF16)), choices(op, f, 1), choices(op, f, 2)];
  const dim = op.integer("output_shard_dim");
  const made = f.emit("all_to_all_combine", operands, f.type(shape, BF16, IN_ROWS), {
    ...exchangeProperties(op, ["cluster_axis", "num_devices", "num_experts_per_tok"]),
    ...dim === undefined ? {} : { output_shard_dim: dim },
  });
  f.defineResult(op, f.typecast(fromTensor(made, BF16), element));
}

/** Weights of the experts of each token; those that all chips have alike are repeated for each of them. */
function remap(op: TtirOp, f: FunctionLowering): void {
  const weights = f.operand(op, 0);
  const [, batch = 1, length = 1] = f.operand(op, 2).shape;
  const experts = weights.shape.at(-1) ?? 1;
  const given = volume(weights.shape.slice(0, -1));
  const copies = given === 0 ? 0 : batch * length / given;
  if (!Number.isInteger(copies) || copies === 0) {
    throw op.error(`weights of ${given} tokens are not those of ${batch * length}`, "shape");
  }
  const repeated = copies === 1
    ? weights
    : broadcasted(reshaped(weights, [1, given, experts]), [copies, given, experts]);
  f.replaceMany(
    op,
    "moe_expert_token_remap",
    [
      f.rowMajor(f.typecast(reshaped(repeated, [1, batch, length, experts]), BF16)),
      choices(op, f, 1),
      choices(op, f, 2),
    ],
    exchangeProperties(op, ["reduction_size"]),
    ({ shape }) => f.type(shape, BF16, IN_ROWS),
    2,
  );
}

/**
 * The products of the experts that the third operand, in rows, names, each spread over one row of cores, one tile of K
 * at a time.
 */
function sparseMatmul(op: TtirOp, f: FunctionLowering): void {
  const [rows = 1] = f.operand(op, 0).shape.slice(-2);
  const columns = f.operand(op, 1).shape.at(-1) ?? 1;
  const grid = f.chip.workerGrid;
  const perCoreM = Math.max(1, Math.floor(rows / TILE));
  const perCoreN = Math.ceil(Math.ceil(columns / TILE) / grid.columns);
  const [a, b, sparsity] = [f.operand(op, 0), f.operand(op, 1), f.rowMajor(f.operand(op, 2))];
  f.replace(op, "sparse_matmul", [a, b, sparsity], {
    is_input_a_sparse: op.flag("is_input_a_sparse"),
    is_input_b_sparse: op.flag("is_input_b_sparse", true),
    program_config:
      "#ttnn.matmul_multi_core_reuse_multi_cast_1d_program_config<compute_with_storage_grid_size = " +
      `#ttnn.core_coord<${grid.columns}, ${grid.rows}>, in0_block_w = 1, out_subblock_h = 1, out_subblock_w = 1, ` +
      `out_block_h = 1, out_block_w = 1, per_core_m = ${perCoreM}, per_core_n = ${perCoreN}, fuse_batch = false, ` +
      "mcast_in0 = true, gather_in0 = false, hop_cores = #ttnn.core_range_set<>, num_global_cb_receivers = 0, " +
      "untilize_out = false>",
  }, { attributes: attributes({ "ttcore.weight_dtype": op.attributeText("ttcore.weight_dtype") }) });
}
