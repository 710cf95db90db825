// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { formatExtents } from "../layout/layout_error.ts";
import { broadcastShape } from "../layout/extents.ts";
import type { Shape } from "./shapes.ts";

/** What the shape of a result follows from. */
export interface ShapedOp {
  /** One entry per operand; `undefined` for operands that are not tensors. */
  readonly operands: readonly (Shape | undefined)[];
  readonly attributes: AttributeMap;
  /** Shape that the text gives the result; what operands and properties leave open is taken from it. */
  readonly declared: Shape | undefined;
}

/** Operands and properties that no result fits to. */
export interface ShapeFault {
  /** What is wrong, in a sentence without the op's name. */
  readonly fault: string;
}

/** A shape, why there is none, or `undefined` when it cannot be told from what is there. */
export type InferredShape = Shape | ShapeFault | undefined;

/** Gives the shape of an op's first result. */
export type InferShape = (op: ShapedOp) => InferredShape;

/** Whether no result fits. */
export function isShapeFault(inferred: InferredShape): inferred is ShapeFault {
  return inferred !== undefined && "fault" in inferred;
}

/** The result has the shape of one operand. */
export function likeOperand(index: number): InferShape {
  return ({ operands }) => operands[index];
}

/** The operands broadcast to the result. */
export const broadcastOperands: InferShape = ({ operands }) => {
  const shapes = operands.filter((shape) => shape !== undefined);
  return shapes.length === 0 ? undefined : broadcastOrFault(shapes);
};

/** Shape that all shapes broadcast to, or why there is none. */
export function broadcastOrFault(shapes: readonly Shape[]): Shape | ShapeFault {
  return broadcastShape(shapes) ??
    { fault: `shapes ${shapes.map(formatExtents).join(" and ")} do not broadcast` };
}
