// SPDX-License-Identifier: Apache-2.0
import { parseCall, parseConstant, parseModuleForm, parseReturn } from "./builtin_forms.ts";
import { type FormParser, parseOperandsAndFunctionType } from "./form_helpers.ts";
import { parseFunction } from "./function_form.ts";
import {
  parseD2mSubgraph,
  parseDevice,
  parseEmpty,
  parseGetGlobal,
  parseGetKeyValue,
  parseGetTupleElement,
  parseGlobal,
  parseLayoutCast,
  parseLoadCached,
  parseSetKeyValue,
  parseToLayout,
  parseTuple,
  parseWrapperModule,
} from "./tt_forms.ts";

/** A custom assembly format and its parser. */
export interface CustomForm {
  /** Full name of the op, also where the text may leave the dialect out. */
  readonly name: string;
  readonly parse: FormParser;
}

/**
 * Custom forms by their first word. Sources: the `assemblyFormat`s of tt-mlir and of MLIR's builtin, func, arith and
 * tensor dialects.
 */
const CUSTOM_FORMS: ReadonlyMap<string, CustomForm> = new Map([
  ["func.func", { name: "func.func", parse: parseFunction }],
  ["module", { name: "builtin.module", parse: parseModuleForm }],
  ["builtin.module", { name: "builtin.module", parse: parseModuleForm }],
  ["return", { name: "func.return", parse: parseReturn }],
  ["func.return", { name: "func.return", parse: parseReturn }],
  ["call", { name: "func.call", parse: parseCall }],
  ["func.call", { name: "func.call", parse: parseCall }],
  ["arith.constant", { name: "arith.constant", parse: parseConstant }],
  ["ttcore.device_module", { name: "ttcore.device_module", parse: parseWrapperModule }],
  ["ttcore.cpu_module", { name: "ttcore.cpu_module", parse: parseWrapperModule }],
  ["ttcore.device", { name: "ttcore.device", parse: parseDevice }],
  ["ttcore.load_cached", { name: "ttcore.load_cached", parse: parseLoadCached }],
  ["ttcore.get_tuple_element", { name: "ttcore.get_tuple_element", parse: parseGetTupleElement }],
  ["ttcore.tuple", { name: "ttcore.tuple", parse: parseTuple }],
  ["ttcore.get_key_value", { name: "ttcore.get_key_value", parse: parseGetKeyValue }],
  ["ttcore.set_key_value", { name: "ttcore.set_key_value", parse: parseSetKeyValue }],
  ["ttcore.global", { name: "ttcore.global", parse: parseGlobal }],
  ["ttcore.get_global", { name: "ttcore.get_global", parse: parseGetGlobal }],
  ["ttir.empty", { name: "ttir.empty", parse: parseEmpty }],
  ["d2m.empty", { name: "d2m.empty", parse: parseEmpty }],
  ["tensor.empty", { name: "tensor.empty", parse: parseEmpty }],
  ["ttir.to_layout", { name: "ttir.to_layout", parse: parseToLayout }],
  ["ttir.ttnn_metal_layout_cast", { name: "ttir.ttnn_metal_layout_cast", parse: parseLayoutCast }],
  ["ttir.tt_lang_op", { name: "ttir.tt_lang_op", parse: parseOperandsAndFunctionType }],
  ["ttnn.tt_lang_op", { name: "ttnn.tt_lang_op", parse: parseOperandsAndFunctionType }],
  ["ttnn.d2m_subgraph", { name: "ttnn.d2m_subgraph", parse: parseD2mSubgraph }],
]);

/** The custom form that a word starts; `undefined` for a word that starts none we know. */
export function findCustomForm(word: string): CustomForm | undefined {
  return CUSTOM_FORMS.get(presentName(word));
}

/** The name of an op today: until June 2025 the dialect `ttcore` was called `tt` (tt-mlir:ir-generations). */
export function presentName(word: string): string {
  return word.startsWith("tt.") ? `ttcore.${word.slice("tt.".length)}` : word;
}
