// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { Operation } from "../ir/mod.ts";
import { physicalUnits } from "../layout/make_layout.ts";
import { DEFAULT_TILE } from "../layout/ttnn_layout.ts";
import { type TensorPlace, tensorType } from "../ttnn/tensor_type.ts";
import type { TtnnTensorType, TtnnValue } from "../ttnn/value.ts";
import { type GraphPass, visitingPass } from "./graph_pass.ts";
import { InvariantValues, raiseConstant } from "./invariant_values.ts";
import { PassBuilder } from "./rewrite_pattern.ts";

/**
 * Shards weights of matmuls over the DRAM banks, one shard of columns per bank; const-eval does it once at load. The DRAM-sharded matmul program reads this form (tt-mlir:dram-sharded-draft). A weight of several matmuls is sharded once.
 *
 * @param products the matmuls of the text whose operand 1 is sharded, if it is a constant
 */
export function shardWeights(products: ReadonlySet<Operation>): GraphPass {
  return visitingPass({ name: "dram-sharded-matmul", upstream: "none" }, (body, context) => {
    const constants = new InvariantValues(body);
    const made = new Map<TtnnValue, TtnnValue>();
    return (op) => {
      const weight = op.tensorOperand(1);
      if (op.source === undefined || !products.has(op.source)) return false;
      if (weight === undefined || !constants.has(weight)) return false;
      const sharded = made.getOrInsertComputed(weight, () => {
        raiseConstant(weight, op, body);
        const emit = new PassBuilder(body, op, context);
        return emit.op("ttnn.to_memory_config", [weight], overBanks(context.chip, weight.type));
      });
      body.setOperand(op, 1, sharded);
      return true;
    };
  });
}

/** Type of a weight that is sharded over the DRAM banks: its columns in equal shards of whole tiles. */
export function overBanks(
  chip: ChipDescription,
  { shape, dataType }: Pick<TtnnTensorType, "shape" | "dataType">,
): TtnnTensorType {
  const [, columns] = physicalUnits(shape, DEFAULT_TILE);
  const place: TensorPlace = {
    memoryLayout: "width_sharded",
    grid: [1, Math.min(chip.dramBanks, columns)],
  };
  return tensorType(chip, shape, dataType, place);
}
