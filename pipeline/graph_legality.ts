// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../lib/device/chip_description.ts";
import { LayoutTable } from "../lib/layout/layout_table.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import type { ValueType } from "../lib/passes/body/body_value.ts";
import type { OpQuestion } from "../lib/passes/graph_pass.ts";

/** The op model's leave for ops that graph passes would make, where upstream asks it as well (tt-mlir:ttnn-fusing). */
export function graphLegality(chip: ChipDescription): (question: OpQuestion) => boolean {
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip, layouts });
  const tensors = (types: readonly ValueType[]) =>
    types.map((type) =>
      type.kind === "tensor" ? { shape: type.shape, dataType: type.dataType, layout: type.layout } : undefined
    );
  return ({ name, attributes, operands, results }) => {
    const inputs = tensors(operands);
    const answer = opModel.queryOpConstraints(
      { name, attributes, operands: inputs, operandSegmentSizes: undefined, results: tensors(results) },
      inputs.map((tensor) => tensor === undefined ? undefined : layouts.intern(tensor.layout)),
      undefined,
      undefined,
    );
    return answer.status === "valid";
  };
}
