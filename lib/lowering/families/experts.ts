// SPDX-License-Identifier: Apache-2.0
import { attributes, integerText } from "../../dialect/printed_attributes.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import { becomes, type LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Mixtures of experts. */
export const EXPERTS: LoweringRules = {
  "ttir.selective_reduce_combine": becomes("selective_reduce_combine", 4, (op) =>
    Object.fromEntries(
      ["batch_size", "experts", "hidden_size", "select_experts_k", "seq_size"].map((name) => [
        name,
        integerText(op.requiredInteger(name), "ui32"),
      ]),
    )),
  "ttir.sparse_matmul": { lower: sparseMatmul, operands: 3 },
};

/** Elements of a tile's side. */
const TILE = 32;

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
    is_input_a_sparse: String(op.flag("is_input_a_sparse")),
    is_input_b_sparse: String(op.flag("is_input_b_sparse", true)),
    program_config:
      "#ttnn.matmul_multi_core_reuse_multi_cast_1d_program_config<compute_with_storage_grid_size = " +
      `#ttnn.core_coord<${grid.columns}, ${grid.rows}>, in0_block_w = 1, out_subblock_h = 1, out_subblock_w = 1, ` +
      `out_block_h = 1, out_block_w = 1, per_core_m = ${perCoreM}, per_core_n = ${perCoreN}, fuse_batch = false, ` +
      "mcast_in0 = true, gather_in0 = false, hop_cores = #ttnn.core_range_set<>, num_global_cb_receivers = 0, " +
      "untilize_out = false>",
  }, { attributes: attributes({ "ttcore.weight_dtype": op.attributeText("ttcore.weight_dtype") }) });
}
