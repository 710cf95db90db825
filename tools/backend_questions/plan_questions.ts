// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_POLICY_OPTIONS } from "../../lib/policy/options.ts";
import { getPolicy } from "../../lib/policy/policies.ts";
import { moduleQuestions } from "../../pipeline/backend_answers/module_questions.ts";
import { loadModule } from "../../pipeline/load_module.ts";
import { workbenchFor } from "../../pipeline/load.ts";
import type { ConstraintsRequest } from "../../pipeline/op_model_pipe/request.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";

/**
 * Every distinct question about an op of a written plan: operands and result as the text has them.
 *
 * @param text a TTNN module
 * @param policy what decides
 */
export function planQuestions(
  fileName: string,
  text: string,
  policy: string,
  device: string,
): readonly ConstraintsRequest[] {
  const loaded = loadModule(text, { device, fileName });
  const written = optimizeModule(loaded, getPolicy(policy), DEFAULT_POLICY_OPTIONS).text;
  return moduleQuestions(workbenchFor(written, fileName, loaded, {}));
}
