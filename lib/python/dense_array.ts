// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";
import { volume } from "../layout/extents.ts";
import type { TtnnTensorType } from "../ttnn/value.ts";
import { pythonFloat, pythonString, type PythonText, pythonTuple, Unsayable } from "./python_text.ts";

/** Elements up to which a constant is written out; one value for all elements has no such limit. */
const MOST_ELEMENTS = 1 << 16;

/** numpy's formats by the element type of the text; bf16 has none, its bits are the upper half of an f32. */
const NUMPY: Readonly<Record<string, string>> = {
  f32: "float32",
  f64: "float64",
  f16: "float16",
  i1: "bool_",
  i8: "int8",
  ui8: "uint8",
  i16: "int16",
  ui16: "uint16",
  i32: "int32",
  si32: "int32",
  ui32: "uint32",
  i64: "int64",
  si64: "int64",
  ui64: "uint64",
};

/** The format in which ttnn takes elements from numpy. */
export function numpyFormat(dataType: DataType): string {
  const whole: Readonly<Partial<Record<DataType, string>>> = {
    si32: "int32",
    u32: "uint32",
    u16: "uint16",
    u8: "uint8",
  };
  return whole[dataType] ?? "float32";
}

/**
 * `dense<…> : tensor<…>` as an array of numpy in the format that ttnn takes.
 *
 * @throws {Unsayable} for elements that are not in the text, or too many to be written
 */
export function denseArray(text: string, type: TtnnTensorType): PythonText {
  const parts = /^dense<([^]*)>\s*:\s*tensor<(?:\d+x)*([a-z]+\d+)[^]*>$/.exec(text.trim());
  const [, body, element = ""] = parts ?? [];
  if (body === undefined) throw new Unsayable("a constant whose elements are elsewhere");
  const shape = pythonTuple(type.shape);
  const taken = `numpy.${numpyFormat(type.layout.dataType)}`;
  const content = body.trim();
  const hex = /^"0x([0-9A-Fa-f]*)"$/.exec(content)?.[1];
  if (content !== "" && !content.startsWith("[") && hex === undefined) {
    return `numpy.full(${shape}, ${elementText(content, element)}, ${taken})`;
  }
  const count = volume(type.shape);
  if (count > MOST_ELEMENTS) throw new Unsayable(`a constant of ${count} elements`);
  if (hex === undefined) {
    const listed = content.replace(/[^[\],\s]+/g, (token) => elementText(token, element));
    return `numpy.array(${listed === "" ? "[]" : listed}, ${taken}).reshape(${shape})`;
  }
  const bytes = `bytes.fromhex(${pythonString(hex)})`;
  if (element === "bf16") {
    const halves = `numpy.frombuffer(${bytes}, "<u2").astype(numpy.uint32)`;
    return `(${halves} << 16).view(numpy.float32).astype(${taken}).reshape(${shape})`;
  }
  const format = NUMPY[element];
  if (format === undefined) throw new Unsayable(`a constant of ${element} elements`);
  return `numpy.frombuffer(${bytes}, numpy.${format}).astype(${taken}).reshape(${shape})`;
}

/** One element: `true`, `-1`, `1.0e+00`, bits of a float, such as `0xFF800000` of an f32 and `0xFF80` of a bf16. */
function elementText(token: string, element: string): PythonText {
  if (token === "true" || token === "false") return token === "true" ? "1" : "0";
  const isBits = token.startsWith("0x") && /^b?f\d/.test(element);
  if (isBits && (element === "f32" || element === "bf16")) {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, Number.parseInt(token, 16) << (element === "f32" ? 0 : 16));
    return pythonFloat(view.getFloat32(0));
  }
  if (isBits || Number.isNaN(Number(token))) throw new Unsayable(`a constant with the element ${token}`);
  return token;
}
