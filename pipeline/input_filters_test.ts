// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { opAt } from "../lib/graph/graph.ts";
import { planExecution } from "../lib/plan/steps.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { policies } from "../lib/policy/policies.ts";
import { FunctionModel } from "../lib/search/function_model.ts";
import { loadModule } from "./load_module.ts";
import { decidePlan } from "./optimize.ts";

/**
 * Operands of a program that a policy feeds with what the op's input filter keeps from it, and that the input does not
 * feed so itself.
 */
function wrongOperands(text: string, policy: (typeof policies)[number]): readonly string[] {
  const workbench = loadModule(text, { device: "n150" });
  const { opModel, binding: { graph } } = workbench;
  const plan = decidePlan(workbench, policy, DEFAULT_POLICY_OPTIONS);
  return graph.functions.flatMap((fn, index) => {
    const decided = plan.functions[index];
    if (decided === undefined) return [];
    const functionModel = new FunctionModel(fn, opModel);
    const { steps, layouts } = planExecution(fn, decided);
    return steps.flatMap((step) => {
      if (step.kind !== "op") return [];
      const written = functionModel.kept(step.op).inputs;
      return step.operands.flatMap((instance, operand) => {
        const layout = layouts[instance];
        if (layout === undefined) return [];
        const id = opModel.layouts.intern(layout);
        const { name } = opAt(fn, step.op);
        const isFine = id === written[operand] ||
          opModel.acceptsInput(functionModel.signature(step.op), operand, id);
        return isFine ? [] : [`${policy.name}: ${name} reads operand ${operand} in ${layout.bufferType}`];
      });
    });
  });
}

const HEADS = "tensor<1x8x256x64xbf16>";

/** Decode attention over keys and values that the step before made, which the kernel reads in DRAM. */
const DECODE =
  `func.func @main(%q: tensor<1x1x8x64xbf16>, %k: ${HEADS}, %v: ${HEADS}, %p: tensor<1xsi32>) -> tensor<1x1x8x64xbf16> {
  %0 = "ttir.relu"(%k) : (${HEADS}) -> ${HEADS}
  %1 = "ttir.relu"(%v) : (${HEADS}) -> ${HEADS}
  %2 = "ttir.scaled_dot_product_attention_decode"(%q, %0, %1, %p) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (tensor<1x1x8x64xbf16>, ${HEADS}, ${HEADS}, tensor<1xsi32>) -> tensor<1x1x8x64xbf16>
  return %2 : tensor<1x1x8x64xbf16>
}
`;

const zoo = (name: string): string =>
  Deno.readTextFileSync(new URL(`../testdata/models/${name}.mlir`, import.meta.url));

const CASES = { "attention over what was just made": DECODE, "segformer_block": zoo("segformer_block") };

for (const [what, text] of Object.entries(CASES)) {
  Deno.test(`no plan by passes or of auto violates an op's input filter: ${what}`, () => {
    const careful = policies.filter(({ planKind, name }) => planKind === "hinted" || name === "auto");
    assertEquals(careful.flatMap((policy) => wrongOperands(text, policy)), []);
  });
}
