// SPDX-License-Identifier: Apache-2.0
import { takesNoTime } from "../lib/cost/takes_no_time.ts";
import type { ChipDescription } from "../lib/device/chip_description.ts";
import { LayoutTable } from "../lib/layout/layout_table.ts";
import { parseOpConfig } from "../lib/op_config/parse.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import { isView, type OpModel } from "../lib/opmodel/op_model.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";
import type { ProposedOp } from "../lib/passes/graph_pass.ts";
import { convolutionRequest, preparedWeightsExtent } from "../lib/programs/convolution.ts";
import { programTensor } from "../lib/programs/program_tensor.ts";
import type { TtnnType } from "../lib/ttnn/value.ts";
import { createCostModel } from "../sim/cost/runtime.ts";
import { chipDescription, type Device } from "../sim/devices/device.ts";

/** Queries of graph passes about ops that they would create. */
export interface GraphQuestions {
  /** The op model's leave, where upstream asks it as well (tt-mlir:ttnn-fusing). */
  readonly isLegal: (question: ProposedOp) => boolean;
  /** Predicted µs of an op with these operands and results; `undefined` where it is not legal or the time not known. */
  readonly microseconds: (question: ProposedOp) => number | undefined;
  /** Rows of the weights that a convolution reads once they are prepared. */
  readonly preparedRows: (convolution: ProposedOp) => number | undefined;
}

/** Rows of prepared weights, by what the convolution reads. */
function preparedRows(
  chip: ChipDescription,
  { name, attributes, operands, results }: ProposedOp,
): number | undefined {
  const view = (type: TtnnType | undefined) =>
    type?.kind === "tensor" ? programTensor(type, type.layout) : undefined;
  const [input, weight] = [view(operands[0]), view(operands[1])];
  const output = view(results[0]);
  if (input === undefined || weight === undefined || output === undefined) return undefined;
  const config = parseOpConfig(name, attributes);
  // Operands behind the weights are a bias, if there is one, and the device.
  const request = convolutionRequest(
    { name, attributes, config },
    { input, weight, hasBias: operands.length > 3, outType: output.dataType },
    { chip },
  );
  return request === undefined ? undefined : preparedWeightsExtent(request)?.[0];
}

/** Leave and times of ops on a device. */
export function graphQuestions(device: Device): GraphQuestions {
  const layouts = new LayoutTable();
  const chip = chipDescription(device);
  const opModel = createOpModel({ chip, layouts });
  const cost = createCostModel({ device, layouts, opModel });
  return {
    preparedRows: (convolution) => preparedRows(chip, convolution),
    isLegal: (question) => ask(opModel, question).answer.status === "valid",
    microseconds: (question) => {
      const { signature, answer } = ask(opModel, question);
      if (answer.status !== "valid") return undefined;
      if (takesNoTime(signature, isView(answer))) return 0;
      const ids = (types: readonly TtnnType[]) =>
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
  const tensors = (types: readonly TtnnType[]) =>
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
