// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP, usableL1Bytes } from "../../lib/device/chip_description.ts";
import { isDecided } from "../../lib/graph/function_role.ts";
import { type GraphFunction, type GraphOp, valueAt, type ValueId } from "../../lib/graph/graph.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { Workbench } from "../load.ts";
import type { ConstraintsRequest } from "../op_model_pipe/request.ts";
import { candidateQuestion } from "./candidate_question.ts";

/**
 * Every distinct query about an op of a module as written, with operand and result layouts as in the text. Functions
 * whose layouts are not decided ({@linkcode isDecided}) are left out.
 */
export function moduleQuestions(
  { binding, chip }: Pick<Workbench, "binding" | "chip">,
): readonly ConstraintsRequest[] {
  const budget = usableL1Bytes(chip, DEFAULT_L1_CAP, 0);
  const questionAbout = (fn: GraphFunction, op: GraphOp): ConstraintsRequest | undefined => {
    const signature = opSignatures(fn)[op.id];
    if (signature === undefined) return undefined;
    const layoutOf = (value: ValueId): TtnnLayout | undefined => valueAt(fn, value).layout;
    return candidateQuestion({
      op: signature,
      inputs: op.operands.map(layoutOf),
      outputs: op.results.map(layoutOf),
      // The whole config is in the attributes.
      config: undefined,
      chip,
      usableL1Bytes: budget,
    });
  };
  const questions = binding.graph.functions.filter(isDecided).flatMap((fn) =>
    fn.ops.map((op) => questionAbout(fn, op)).filter((question) => question !== undefined)
  );
  return [...new Map(questions.map((question) => [JSON.stringify(question), question])).values()];
}
