// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import type { TtnnType, TtnnValue } from "../ttnn/value.ts";
import { type GraphChange, type GraphPass, isForward, recordAt } from "./graph_pass.ts";

/**
 * Removes conversions between tiles and rows that only `func.return` reads, so that results leave in the pages in which they
 * are made, as those of lowered TTIR do. {@linkcode changedResults} tells the caller.
 */
export const freeResults: GraphPass = {
  name: "free-results",
  upstream: "none",
  run: (context) => {
    if (context.options.freesResults !== true || !context.ownsResults) return;
    for (const body of context.functions.filter(isForward)) {
      for (const result of body.results) {
        const conversion = conversionOf(result);
        const source = conversion?.tensorOperand(0);
        if (conversion === undefined || source === undefined || body.isWritten(source)) continue;
        recordAt(context, freeResults.name, body, conversion);
        body.replaceAllUses(result, source);
        body.erase(conversion);
      }
    }
  },
};

/** The op that only changes the pages of a returned tensor, if nothing else reads the result. */
function conversionOf({ producer, onlyUser, type }: TtnnValue): TtnnOp | undefined {
  const source = producer?.name === "ttnn.to_layout" ? producer.tensorOperand(0) : undefined;
  if (source?.producer === undefined || type.kind !== "tensor" || onlyUser?.name !== "func.return") {
    return undefined;
  }
  // A function returns no tensor twice.
  if (source.uses.has(onlyUser)) return undefined;
  const [from, to] = [source.type.layout, type.layout];
  return from.dataType === to.dataType && from.bufferType === to.bufferType &&
      from.memoryLayout === to.memoryLayout && (from.tile === undefined) !== (to.tile === undefined)
    ? producer
    : undefined;
}

/** Types of the results of functions, in order. */
export function resultTypes(functions: readonly TtnnFunction[]): readonly (readonly TtnnType[])[] {
  return functions.map(({ results }) => results.map(({ type }) => type));
}

/** Changes that tell which results leave in other pages than before, of the first functions. */
export function changedResults(
  functions: readonly TtnnFunction[],
  before: readonly (readonly TtnnType[])[],
): readonly GraphChange[] {
  return before.flatMap((types, place): readonly GraphChange[] => {
    const body = functions[place];
    if (body === undefined) return [];
    const { header: { name }, results } = body;
    return types.flatMap((type, index) => {
      const left = results[index]?.type;
      if (type.kind !== "tensor" || left?.kind !== "tensor") return [];
      const [from, to] = [type, left].map(({ layout }) => layout.tile === undefined ? "rows" : "tiles");
      if (from === to) return [];
      const note = `result ${index} of @${name} leaves in ${to}`;
      return [{ pass: freeResults.name, function: name, op: "func.return", location: "", note }];
    });
  });
}
