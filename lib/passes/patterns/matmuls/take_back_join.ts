// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { CONCAT } from "../../../ops/attributes/movement.ts";
import { normalDim } from "../../../layout/extents.ts";
import { isTensorValue, type TtnnValue } from "../../../ttnn/value.ts";
import { loadedOp, operandsOfLoaded } from "../../below_load.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { cutOf, isPlain } from "../matching.ts";

/**
 * A matmul that a compiler joined of several, by weights side by side whose columns are sliced apart again, becomes those:
 * where joining saves time, `join-matmuls` joins them.
 */
export const takeBackJoin: RewritePattern = replacing({
  name: "take-back-join",
  option: "enable-const-eval",
  upstream: "none",
  roots: ["ttnn.matmul", "ttnn.linear"],
  replace: (op, emit, product) => {
    const { transpose_b: isTransposed, activation } = op.read(MATMUL);
    if (isTransposed || activation !== undefined || !isPlain(product.type)) return undefined;
    const joined = op.operands.slice(1).map((operand) => joinedParts(operand, emit));
    const [weights] = joined;
    if (weights === undefined || !joined.every((parts) => parts?.widths.join() === weights.widths.join())) {
      return undefined;
    }
    const bounds = boundsOf(weights.widths);
    const readers = [...product.uses.keys()];
    const places = readers.map((reader) => {
      const cut = cutOf(reader);
      const isOfColumns = cut?.dim === product.type.shape.length - 1;
      return isOfColumns ? bounds.findIndex(({ from, to }) => cut.from === from && cut.to === to) : -1;
    });
    if (readers.length === 0 || places.includes(-1)) return undefined;
    const made = joined.map((parts) => parts?.make() ?? []);
    const properties = new Map([...op.properties].filter(([key]) => key !== "matmul_program_config"));
    return new Map(readers.map((reader, index) => {
      const place = places[index] ?? 0;
      const operands = [op.operands[0], ...made.map((values) => values[place])].filter((value) =>
        value !== undefined
      );
      const { shape, dataType } = product.type;
      const type = emit.type(shape.with(-1, weights.widths[place] ?? 1), dataType);
      return [reader.tensorResultAt(0), emit.op(op.opName, operands, type, properties, op.attributes)];
    }));
  },
});

/** Tensors side by side. */
interface Parts {
  readonly widths: readonly number[];
  /** Gives the tensors; those of a const-eval function are made here. */
  readonly make: () => readonly TtnnValue[];
}

/** The tensors that a value joins along its columns, in this function or at load; `undefined` for another value. */
function joinedParts(value: TtnnValue, emit: PassBuilder): Parts | undefined {
  const loaded = loadedOp(value, emit.context);
  const concat = loaded?.op ?? value.producer;
  if (concat?.name !== "ttnn.concat") return undefined;
  const parts = concat.operands.filter(isTensorValue);
  const rank = parts[0]?.type.shape.length ?? 0;
  if (parts.length < 2 || normalDim(concat.read(CONCAT).dim ?? 0, rank) !== rank - 1) return undefined;
  return {
    widths: parts.map(({ type }) => type.shape.at(-1) ?? 1),
    make: () => loaded === undefined ? parts : operandsOfLoaded(loaded, parts, emit),
  };
}

function boundsOf(widths: readonly number[]): readonly { readonly from: number; readonly to: number }[] {
  let end = 0;
  return widths.map((width) => ({ from: end, to: end += width }));
}
