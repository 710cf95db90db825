// SPDX-License-Identifier: Apache-2.0
import { attributeOf, type ModuleText, type Operation } from "../ir/mod.ts";

/**
 * The function that an op calls (`func.call`, `ttcore.load_cached`) or is decomposed into (`ttcore.composite`); `undefined` for
 * other ops. Lowering inlines it.
 */
export function calleeOf(module: ModuleText, operation: Operation): string | undefined {
  const name = operation.name === "ttcore.composite"
    ? "decomposition"
    : operation.name === "func.call" || operation.name === "ttcore.load_cached"
    ? "callee"
    : undefined;
  if (name === undefined) return undefined;
  const attribute = attributeOf(module, operation, name);
  return attribute?.kind === "symbol"
    ? attribute.name
    : attribute?.kind === "string"
    ? attribute.value
    : undefined;
}
