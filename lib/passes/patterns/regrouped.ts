// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../layout/extents.ts";

/**
 * The shape in which a tensor that broadcasts to `result` broadcasts to `source`, another shape of the same
 * elements. Wherever the reshape splits or merges dimensions, the tensor must have either their full extent
 * or extent 1 in all of them; otherwise `undefined`.
 */
export function regroupedExtents(
  operand: readonly number[],
  result: readonly number[],
  source: readonly number[],
): readonly number[] | undefined {
  if (volume(result) !== volume(source) || volume(result) === 0 || operand.length > result.length) {
    return undefined;
  }
  const filled = [...result.slice(operand.length).map(() => 1), ...operand];
  const extents: number[] = [];
  let [from, to] = [0, 0];
  while (from < result.length || to < source.length) {
    const [start, begin] = [from, to];
    let [left, right] = [result[from++] ?? 1, source[to++] ?? 1];
    while (left !== right) {
      if (left < right) left *= result[from++] ?? 1;
      else right *= source[to++] ?? 1;
    }
    const own = filled.slice(start, from);
    const isWhole = own.every((extent, dim) => extent === result[start + dim]);
    if (!isWhole && own.some((extent) => extent !== 1)) return undefined;
    extents.push(...source.slice(begin, to).map((extent) => isWhole ? extent : 1));
  }
  return extents;
}
