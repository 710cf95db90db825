// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction, ValueId } from "../../graph/graph.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";

/**
 * An op of a layer: how many of the last values it reads, and whether it also reads the value that all layers
 * read.
 */
export interface LayerOp {
  readonly operands: 1 | 2;
  readonly readsShared: boolean;
}

/** Equal layers, each of which reads one value from the layer before. */
export interface LayeredFunction {
  readonly fn: GraphFunction;
  /** Produced once, read in every layer. */
  readonly shared: ValueId;
  /** Per layer: the value that it passes to the next one. */
  readonly borders: readonly ValueId[];
}

const TENSOR = { shape: [256, 512], dataType: "bf16" } as const;
const NAMES = ["", "unary", "binary", "ternary"] as const;

/**
 * A function of equal layers: each op reads what the last ones produced, and the last op of a layer adds the
 * layer's input.
 *
 * @param returnsInner whether the first value of every layer is also returned, like a key cache
 */
export function layeredFunction(
  layers: number,
  ops: readonly LayerOp[],
  returnsInner: boolean,
): LayeredFunction {
  const builder = new GraphBuilder();
  const shared = builder.op("ttnn.toy_unary", [builder.argument(TENSOR)], TENSOR);
  let border = builder.op("ttnn.toy_unary", [builder.argument(TENSOR)], TENSOR);
  const [borders, inner]: [ValueId[], ValueId[]] = [[], []];
  for (let layer = 0; layer < layers; layer++) {
    const made = [border];
    for (const { operands, readsShared } of ops) {
      const read = [...made.slice(-operands), ...readsShared ? [shared] : []];
      made.push(builder.op(`ttnn.toy_${NAMES[read.length]}`, read, TENSOR));
    }
    inner.push(...made.slice(1, 2));
    border = builder.op("ttnn.toy_binary", [...made.slice(-1), border], TENSOR);
    borders.push(border);
  }
  builder.return(border, ...returnsInner ? inner : []);
  return { fn: builder.build(), shared, borders };
}
