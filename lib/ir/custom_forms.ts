// SPDX-License-Identifier: Apache-2.0
import { formOf } from "./assembly_format.ts";
import type { FormParser } from "./form_helpers.ts";
import { parseFunction } from "./function_form.ts";
import { parseConstant, parseD2mSubgraph, parseReturn } from "./special_forms.ts";

/** A custom assembly format and its parser. */
export interface CustomForm {
  /** Full name of the op, also where the text may leave the dialect out. */
  readonly name: string;
  readonly parse: FormParser;
}

/** Forms by the full name of their op. Sources: the `assemblyFormat`s of tt-mlir and of MLIR's builtin, func, arith and tensor dialects. */
const FORMS: Readonly<Record<string, FormParser | string>> = {
  "func.func": parseFunction,
  "builtin.module": "(? $sym_name:string )? region",
  "func.return": parseReturn,
  "func.call": "$callee:symbol ( operands ) attr-dict : function-type",
  "arith.constant": parseConstant,
  "ttcore.device_module": "region",
  "ttcore.cpu_module": "region",
  "ttcore.device": "$sym_name:string = $device_attr:device attr-dict",
  "ttcore.load_cached": "( $callee:symbol , [ operands ] ) attr-dict : function-type",
  "ttcore.get_tuple_element": "operand [ $index:i32 ] attr-dict : function-type",
  "ttcore.tuple": "operands attr-dict : result-type",
  "ttcore.get_key_value": "operand [ $key:attribute ] attr-dict : function-type",
  "ttcore.set_key_value": "operand [ $key:attribute ] = operands attr-dict : operand-types",
  "ttcore.global": "$sym_name:string = $type:type (? [ $index:si32 ] )? attr-dict",
  "ttcore.get_global": "$sym_name:string attr-dict : result-type",
  // With operands (dynamic extents) an empty tensor stays opaque: their type is not spelled.
  "ttir.empty": "( )! attr-dict : result-type",
  "d2m.empty": "( )! attr-dict : result-type",
  "tensor.empty": "( )! attr-dict : result-type",
  "ttir.to_layout":
    "operands : operand-type into operand-type (? hostInfo = $layout:attribute )? attr-dict (? -> result-types )?",
  "ttir.ttnn_metal_layout_cast": "operand attr-dict : operand-type -> result-type",
  "ttir.tt_lang_op": "( operands ) attr-dict : function-type",
  "ttnn.tt_lang_op": "( operands ) attr-dict : function-type",
  "ttnn.d2m_subgraph": parseD2mSubgraph,
};

/** Words that stand for an op with a longer name. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  ["builtin.module", "func.return", "func.call"].map((name) => [name.slice(name.indexOf(".") + 1), name]),
);

const CUSTOM_FORMS: ReadonlyMap<string, CustomForm> = new Map(
  Object.entries(FORMS).map(([name, form]) => [
    name,
    { name, parse: typeof form === "string" ? formOf(form) : form },
  ]),
);

/** The custom form that a word starts; `undefined` for a word that starts none we know. */
export function findCustomForm(word: string): CustomForm | undefined {
  return CUSTOM_FORMS.get(SHORT_NAMES.get(word) ?? presentName(word));
}

/** The name of an op today: until June 2025 the dialect `ttcore` was called `tt` (tt-mlir:ir-generations). */
export function presentName(word: string): string {
  return word.startsWith("tt.") ? `ttcore.${word.slice("tt.".length)}` : word;
}
