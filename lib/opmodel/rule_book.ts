// SPDX-License-Identifier: Apache-2.0
import type { OpRule } from "./rule.ts";
import { binaryRule, ternaryRule, unaryRule } from "./rules/eltwise.ts";
import { matmulRule } from "./rules/matmul.ts";
import { fixedRule, OPAQUE_RULE } from "./rules/opaque.ts";

/** Rule of an op; ops outside the rule book get the opaque rule. */
export function ruleOf(name: string): OpRule {
  return RULES.get(name) ?? OPAQUE_RULE;
}

/** Whether the rule book knows an op. */
export function hasRule(name: string): boolean {
  return RULES.has(name);
}

/** Names of all ops in the rule book, in the order of the book. */
export function knownOps(): readonly string[] {
  return [...RULES.keys()];
}

/** One entry per op family: names without `ttnn.`, and the rule they share. */
const FAMILIES: readonly (readonly [names: string, rule: OpRule])[] = [
  [
    "relu relu6 gelu sqrt rsqrt exp tanh sigmoid hardsigmoid silu mish neg abs sin cos tan asin acos atan asinh " +
    "acosh atanh sinh cosh reciprocal log log1p expm1 erf erfc erfinv floor ceil round sign isfinite logical_not " +
    "bitwise_not leaky_relu clamp_scalar pow_scalar elu selu celu softplus softsign cbrt",
    unaryRule(),
  ],
  ["add subtract multiply divide maximum minimum eq ne lt le gt ge pow_tensor", binaryRule()],
  ["bitwise_and bitwise_or bitwise_xor logical_left_shift logical_right_shift", binaryRule()],
  ["logical_and logical_or logical_xor", binaryRule({ preActivations: true })],
  ["remainder", binaryRule({ composite: "remainder" })],
  ["atan2", binaryRule({ composite: "atan2" })],
  ["gelu_bw", binaryRule({ composite: "gelu_bw" })],
  ["where clamp_tensor", ternaryRule()],
  ["matmul", matmulRule(false)],
  ["linear", matmulRule(true)],
  ["deallocate", fixedRule("free")],
];

const RULES: ReadonlyMap<string, OpRule> = new Map(
  FAMILIES.flatMap(([names, rule]) => names.split(" ").map((name) => [`ttnn.${name}`, rule] as const)),
);
