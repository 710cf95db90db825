// SPDX-License-Identifier: Apache-2.0

/** Arguments as Python prints them (ttnn:backend-0-81-1). */

import { type AttributeForm, declaredAttribute } from "../../ops/attributes/attribute_form.ts";
import { unary } from "../../op_config/value_kinds.ts";
import type { Properties } from "../../ttnn/op.ts";
import { Unsayable } from "../python_text.ts";
import { functionsIn } from "./captured_config.ts";
import { type CapturedTensor, numbersIn } from "./captured_tensor.ts";

/** Whether an argument is one tensor. */
export function isTensorText(text: string): boolean {
  return /^(?:ttnn\.)?Tensor\(/.test(text);
}

/** Ids of the tensors of an argument, a tensor or a list of them. */
export function idsIn(text: string): readonly number[] {
  return [...text.matchAll(/\btensor_id=(\d+)/g)].map(([, id]) => Number(id));
}

/** Whether an argument is a memory config, data type or page layout: the type of the result has it already. */
export function saysPlace(text: string): boolean {
  return /^(?:MemoryConfig\(|(?:ttnn\.)?(?:DataType|Layout)[.:])/.test(text);
}

/** A tensor among arguments, and whether it is in host memory. */
export function tensorIn(
  text: string,
): { readonly tensor: CapturedTensor | undefined; readonly isOnHost: boolean } {
  const [, shape, dtype, layout, memoryConfig] =
    /shape=(Shape\([^)]*\)), dtype=([\w.]+), layout=([\w.]+), (?:memory_config=(MemoryConfig\(.*?\)), storage_type)?/
      .exec(text) ?? [];
  return {
    tensor: shape === undefined || dtype === undefined || layout === undefined
      ? undefined
      : { shape, dtype, layout, memoryConfig: memoryConfig ?? "" },
    isOnHost: /storage_type=StorageType\.HOST/.test(text),
  };
}

/** The value of an attribute. @throws {Unsayable} for an op without it, or a text that is no such value */
export function attributeIn(form: AttributeForm, key: string, text: string): Properties[string] {
  const spec = form[key];
  if (spec === undefined) throw new Unsayable(`the op has no '${key}'`);
  const { type: declared } = declaredAttribute(key, spec);
  const type = declared.replace(/\?$/, "");
  const value = valueIn(type, text);
  if (value === undefined) throw new Unsayable(`${key} is ${text.slice(0, 60)}`);
  return value;
}

function valueIn(type: string, text: string): Properties[string] {
  const number = Number(text);
  const isList = /^(?:\w+)?[([][-\d,\s()[\]]*$/.test(text);
  if (type === "bool") return text === "True" ? true : text === "False" ? false : undefined;
  if (type === "string") {
    return /^['"]?\w+['"]?$/.test(text)
      ? text.replaceAll(/['"]/g, "")
      : functionsIn(text)?.map(({ opType }) => opType).join();
  }
  if (type === "any") {
    const functions = functionsIn(text)?.map(unary("#ttnn.unary_with_param").print);
    return functions === undefined ? undefined : `[${functions.join(", ")}]`;
  }
  if (/array|^\[|^shape/.test(type)) return isList || Number.isInteger(number) ? numbersIn(text) : undefined;
  if (!Number.isFinite(number)) return undefined;
  if (type === "scalar") return /^-?\d+$/.test(text) ? { i32: number } : { f32: number };
  return /^(?:si|ui|i|f)\d+$/.test(type) ? number : undefined;
}
