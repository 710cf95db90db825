// SPDX-License-Identifier: Apache-2.0
import { stringText } from "../dialect/printed_attributes.ts";
import { type Attribute, locationName } from "../ir/mod.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnValue } from "../ttnn/value.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { InvariantValues, raiseConstant } from "./invariant_values.ts";
import { type GraphPass, type PassContext, visitingPass } from "./graph_pass.ts";
import { WEIGHT_FORMATS, type WeightFormat } from "./pass_options.ts";
import { PassBuilder } from "./rewrite_pattern.ts";

/** Attribute with the format of an op's weight (tt-mlir:options). */
const WEIGHT_DTYPE = "ttcore.weight_dtype";

/**
 * Stores parameter weights of matmuls and linears in a block format: inserts a typecast, which const-eval
 * moves to load time. Precedence: the format of the op, that of its parameters, `experimental-weight-dtype`.
 */
export const weightDtype: GraphPass = visitingPass(
  { name: "weight-dtype", upstream: "level-0" },
  (body, context) => {
    const constants = new InvariantValues(body);
    return (op) => {
      if (op.name !== "ttnn.matmul" && op.name !== "ttnn.linear") return false;
      const weight = op.operands[1];
      if (context.options.keptOps?.has(locationName(context.module, op.location)) === true) return false;
      if (weight === undefined || !constants.has(weight)) return false;
      const format = formatOf(op.attribute(WEIGHT_DTYPE)) ?? formatOfParameters(weight, body) ??
        context.options.weightDtype;
      return format !== undefined && convert(op, format, body, constants, context);
    };
  },
);

function formatOf(attribute: Attribute | undefined): WeightFormat | undefined {
  return attribute?.kind === "string"
    ? WEIGHT_FORMATS.find((format) => format === attribute.value)
    : undefined;
}

/** The format that all parameters of a weight name. */
function formatOfParameters(weight: TtnnValue, body: TtnnFunction): WeightFormat | undefined {
  const formats = new Set<WeightFormat | undefined>();
  const seen = new Set<TtnnValue>();
  const open = [weight];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const { definition, type } = value;
    if (type.kind !== "tensor" || seen.has(value)) continue;
    seen.add(value);
    if (definition.kind === "result") open.push(...definition.op.operands);
    else formats.add(formatOf(body.arguments[definition.index]?.given.get(WEIGHT_DTYPE)));
  }
  const [format] = formats;
  return formats.size === 1 ? format : undefined;
}

function convert(
  op: TtnnOp,
  format: WeightFormat,
  body: TtnnFunction,
  constants: InvariantValues,
  context: PassContext,
): boolean {
  const weight = op.tensorOperand(1);
  if (weight === undefined || isBlockFloat(weight.type.dataType) || !constants.has(weight)) return false;
  if (weight.type.layout.bufferType === "system_memory") return false;
  raiseConstant(weight, op, body);
  const emit = new PassBuilder(body, op, context);
  body.setOperand(op, 1, emit.typecast(emit.tiled(weight), format));
  op.setAttribute(WEIGHT_DTYPE, stringText(format));
  return true;
}
