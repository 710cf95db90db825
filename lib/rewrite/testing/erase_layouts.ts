// SPDX-License-Identifier: Apache-2.0
import { DECIDED_PROPERTIES } from "../../dialect/decided_properties.ts";
import { appliedActivations } from "../../op_config/activations.ts";
import type { GraphFunction } from "../../graph/graph.ts";

/** Names that the rewriter gives to the results of inserted memory ops. */
const INSERTED = /^%(?:reshard|spill|reload|return|typecast|override)_\d+(?:_\d+)?$/;

/**
 * One line per op and one for the return, with every decision erased: inserted memory ops are dropped, their uses read
 * the original value, decided properties are left out, and the activation property of a matmul prints like a fused one.
 * Equal lines before and after a rewrite mean that it preserved the meaning.
 */
export function eraseLayouts(fn: GraphFunction): readonly string[] {
  const original = new Map<number, string>();
  const nameOf = (value: number): string => original.get(value) ?? fn.values[value]?.name ?? "?";
  const lines: string[] = [];
  for (const op of fn.ops) {
    const [result] = op.results;
    const [operand] = op.operands;
    if (result !== undefined && operand !== undefined && INSERTED.test(fn.values[result]?.name ?? "")) {
      original.set(result, nameOf(operand));
      continue;
    }
    const activations = appliedActivations(op.name, op.attributes);
    const attributes = [...op.attributes]
      .filter(([key]) => !DECIDED_PROPERTIES.has(key) && (key !== "activation" || activations.length === 0))
      .map(([key, value]) =>
        `${key}=${
          JSON.stringify(value, (_, part) =>
            typeof part === "bigint" ? `${part}` : part instanceof Map ? [...part] : part)
        }`
      )
      .sort();
    const results = op.results.map((value) =>
      `${fn.values[value]?.name}:${fn.values[value]?.tensor?.shape.join("x") ?? ""}`
    );
    attributes.push(...activations.map((activation) => JSON.stringify(activation)));
    lines.push(
      `${results.join(", ")} = ${op.name}(${op.operands.map(nameOf).join(", ")}) {${
        attributes.join("; ")
      }} ${op.location}`,
    );
  }
  lines.push(`return ${fn.results.map(nameOf).join(", ")}`);
  return lines;
}
