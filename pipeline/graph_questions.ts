// SPDX-License-Identifier: Apache-2.0
import { takesNoTime } from "../lib/cost/takes_no_time.ts";
import { LayoutTable } from "../lib/layout/layout_table.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import type { OpModel } from "../lib/opmodel/op_model.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";
import type { ValueType } from "../lib/passes/body/body_value.ts";
import type { ProposedOp } from "../lib/passes/graph_pass.ts";
import { createCostModel } from "../sim/cost/runtime.ts";
import { chipDescription, type Device } from "../sim/devices/device.ts";

/** Queries of graph passes about ops that they would create. */
export interface GraphQuestions {
  /** The op model's leave, where upstream asks it as well (tt-mlir:ttnn-fusing). */
  readonly isLegal: (question: ProposedOp) => boolean;
  /** Predicted µs of an op with these operands and results; `undefined` where it is not legal or the time not known. */
  readonly microseconds: (question: ProposedOp) => number | undefined;
}

/** Leave and times of ops on a device. */
export function graphQuestions(device: Device): GraphQuestions {
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: chipDescription(device), layouts });
  const cost = createCostModel({ device, layouts, opModel });
  return {
    isLegal: (question) => ask(opModel, question).answer.status === "valid",
    microseconds: (question) => {
      const { signature, answer } = ask(opModel, question);
      if (answer.status !== "valid") return undefined;
      if (takesNoTime(signature, opModel.traits(signature), answer.aliasedOperand)) return 0;
      const ids = (types: readonly ValueType[]) =>
        types.map((type) => type.kind === "tensor" ? layouts.intern(type.layout) : undefined);
      const estimate = cost.getOpRuntime(
        signature,
        ids(question.operands),
        ids(question.results),
        undefined,
      );
      return estimate.unknown === undefined ? estimate.microseconds : undefined;
    },
  };
}

function ask(opModel: OpModel, { name, attributes, operands, results }: ProposedOp) {
  const tensors = (types: readonly ValueType[]) =>
    types.map((type) =>
      type.kind === "tensor" ? { shape: type.shape, dataType: type.dataType, layout: type.layout } : undefined
    );
  const inputs = tensors(operands);
  const signature: OpSignature = {
    name,
    attributes,
    operands: inputs,
    operandSegmentSizes: undefined,
    results: tensors(results),
  };
  const answer = opModel.queryOpConstraints(
    signature,
    inputs.map((tensor) => tensor === undefined ? undefined : opModel.layouts.intern(tensor.layout)),
    undefined,
    undefined,
  );
  return { signature, answer };
}
