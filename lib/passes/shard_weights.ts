// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { Operation } from "../ir/mod.ts";
import { physicalUnits } from "../layout/make_layout.ts";
import { DEFAULT_TILE } from "../layout/ttnn_layout.ts";
import { type TensorPlace, tensorType } from "../ttnn/tensor_type.ts";
import type { TtnnTensorType, TtnnValue } from "../ttnn/value.ts";
import { type GraphPass, isForward, recordAt } from "./graph_pass.ts";
import { InvariantValues, raiseConstant } from "./invariant_values.ts";
import { PassBuilder } from "./rewrite_pattern.ts";

/** Name of the pass in plans. */
const NAME = "dram-sharded-matmul";

/**
 * Shards weights of matmuls over the DRAM banks, one shard of columns per bank; const-eval does it once at load. The DRAM-sharded matmul program reads this form (tt-mlir:dram-sharded-draft). A weight of several matmuls is sharded once.
 *
 * @param products the matmuls of the text whose operand 1 is sharded, if it is a constant
 */
export function shardWeights(products: ReadonlySet<Operation>): GraphPass {
  return {
    name: NAME,
    upstream: "none",
    run: (context) => {
      for (const body of context.functions.filter(isForward)) {
        const constants = new InvariantValues(body);
        const made = new Map<TtnnValue, TtnnValue>();
        for (const op of body.ops()) {
          if (op.source === undefined || !products.has(op.source)) continue;
          const weight = op.tensorOperand(1);
          if (weight === undefined || !constants.has(weight)) continue;
          let sharded = made.get(weight);
          if (sharded === undefined) {
            raiseConstant(weight, op, body);
            const emit = new PassBuilder(body, op, context);
            sharded = emit.op("ttnn.to_memory_config", [weight], overBanks(context.chip, weight.type));
            made.set(weight, sharded);
          }
          body.setOperand(op, 1, sharded);
          recordAt(context, NAME, body, op);
        }
      }
    },
  };
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
