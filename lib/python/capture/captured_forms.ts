// SPDX-License-Identifier: Apache-2.0

/** How the arguments of a call meet the parameters of the op that it becomes. */

import { repeatFactors } from "../../layout/extents.ts";
import { declaredAttribute } from "../../ops/attributes/attribute_form.ts";
import { definitionOf, isKnownOp } from "../../ops/op_book.ts";
import type { Properties } from "../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../ttnn/value.ts";
import { Unsayable } from "../python_text.ts";
import { isTensorText } from "./captured_arguments.ts";
import { CAPTURED_CALLS, type CapturedCall, type CapturedParameter, plainCall } from "./captured_calls.ts";

/** How a call becomes an op. @throws {Unsayable} if there is no such op */
export function formOf(name: string, given: ReadonlyMap<string, string>): CapturedCall {
  const forms = CAPTURED_CALLS.get(name) ?? [plain(name.replace(/_$/, ""))];
  const form = forms.find((form) => takes(form, given)) ?? forms[0];
  if (form === undefined) throw new Unsayable("there is no such op");
  return form;
}

/** Arguments by name: positional ones take the names of the parameters in their order. */
export function named({ parameters }: CapturedCall, given: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...given].map(([key, text]) => {
    return [/^\d+$/.test(key) ? parameters[Number(key)]?.python ?? key : key, text];
  }));
}

/** Whether tensors are given where the op has operands, and other values where it has attributes. */
function takes(form: CapturedCall, given: ReadonlyMap<string, string>): boolean {
  const texts = named(form, given);
  const parameterOf = (name: string): CapturedParameter | undefined =>
    form.parameters.find(({ python }) => python === name);
  return [...texts].every(([name, text]) =>
    parameterOf(name)?.becomes !== "attribute" || !isTensorText(text)
  ) &&
    form.parameters.every(({ python, becomes, attribute, absent }) =>
      becomes !== "attribute" || texts.has(python) || absent !== undefined || !isRequired(form.op, attribute)
    );
}

function isRequired(op: string, attribute: string): boolean {
  const spec = definitionOf(`ttnn.${op}`).attributes?.[attribute];
  return spec !== undefined && declaredAttribute(attribute, spec).isRequired;
}

/** An op that Python calls as the dialect does, of tensors alone. */
function plain(name: string): CapturedCall {
  const op = name.replace(/^.*\./, "");
  if (!isKnownOp(`ttnn.${op}`)) throw new Unsayable("there is no such op");
  const { attributes = {}, maxOperands } = definitionOf(`ttnn.${op}`);
  const required = Object.keys(attributes).find((key) => isRequired(op, key));
  if (required !== undefined) throw new Unsayable(`how Python says '${required}' is not known here`);
  return plainCall(op, Math.min(3, maxOperands));
}

/** A number in place of a tensor. @throws {Unsayable} for anything else */
export function numberIn(python: string, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Unsayable(`${python} is ${text.slice(0, 60)}`);
  return number;
}

/** Adds the properties that an op must have although Python derives them from tensors, or spells them in another way. */
export function complete(
  name: string,
  properties: Properties,
  first: TensorValue | undefined,
  results: readonly TtnnTensorType[],
): Properties {
  const from = first?.type.shape ?? [];
  const [to = [], second] = results.map(({ shape }) => shape);
  const { padding, step } = properties;
  switch (name) {
    case "ttnn.reshape":
      return { shape: to };
    case "ttnn.nlp_create_qkv_heads":
      return { num_heads: to[1], num_kv_heads: second?.[1], ...properties };
    case "ttnn.repeat":
      return { ...properties, repeat_dims: repeatFactors(from, to) };
    case "ttnn.slice_static":
      return { ...properties, step: step ?? from.map(() => 1) };
    case "ttnn.max_pool2d":
    case "ttnn.avg_pool2d": {
      if (!Array.isArray(padding) || padding.length !== 4) return properties;
      // Python names the sides as convolutions do, the op top, left, bottom, right (tt-mlir:window-padding).
      const [top, bottom, left, right] = padding;
      return { ...properties, padding: [top, left, bottom, right] };
    }
    default:
      return properties;
  }
}
