// SPDX-License-Identifier: Apache-2.0
import { LayoutTable } from "../lib/layout/layout_table.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import type { ValueType } from "../lib/passes/body/body_value.ts";
import type { OpQuestion } from "../lib/passes/graph_pass.ts";
import type { PassTools } from "../lib/passes/run_passes.ts";
import { createCostModel } from "../sim/cost/runtime.ts";
import { chipDescription, type Device } from "../sim/devices/device.ts";

/**
 * What graph passes ask about ops that they would make: the op model's leave, where upstream asks it as well
 * (tt-mlir:ttnn-fusing), and the predicted time with the layouts of the question.
 */
export function graphQuestions(device: Device): Required<Pick<PassTools, "isLegal" | "microseconds">> {
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: chipDescription(device), layouts });
  const cost = createCostModel({ device, layouts, opModel });
  const tensors = (types: readonly ValueType[]) =>
    types.map((type) =>
      type.kind === "tensor" ? { shape: type.shape, dataType: type.dataType, layout: type.layout } : undefined
    );
  const ids = (types: readonly ValueType[]) =>
    types.map((type) => type.kind === "tensor" ? layouts.intern(type.layout) : undefined);
  const signature = ({ name, attributes, operands, results }: OpQuestion) => ({
    name,
    attributes,
    operands: tensors(operands),
    operandSegmentSizes: undefined,
    results: tensors(results),
  });
  return {
    isLegal: (question) =>
      opModel.queryOpConstraints(signature(question), ids(question.operands), undefined, undefined).status ===
        "valid",
    microseconds: (question) => {
      const { operands, results } = question;
      const runtime = cost.getOpRuntime(signature(question), ids(operands), ids(results), undefined);
      return runtime.unknown === undefined ? runtime.microseconds : undefined;
    },
  };
}
