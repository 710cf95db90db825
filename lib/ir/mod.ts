// SPDX-License-Identifier: Apache-2.0

/**
 * Lossless reading of MLIR text.
 *
 * {@linkcode parseModule} turns text into a {@linkcode ModuleText}: the text itself plus operations, blocks, values,
 * dictionaries and types as spans `[start, end)` into it. Nothing is normalised, so printing an unedited module is
 * returning `module.text`. An edit is a list of {@linkcode Patch} objects given to {@linkcode applyPatches}: every byte
 * that no patch covers stays as it is. After an edit, parse the new text again.
 *
 * How to read a module:
 * - `module.operations` is every op in pre-order; `operation.id` is its index; `operation.parent` and
 *   `operation.block` lead outwards, `operation.regions[i].blocks[j].operations` inwards.
 * - `operation.operands[i].value` is the {@linkcode Value} itself (compare by identity), whose `source` says which op
 *   or block defines it. It is `undefined` only inside regions of opaque ops.
 * - {@linkcode attributeMap} and {@linkcode attributeOf} evaluate attributes (aliases resolved, memoised), wherever
 *   they stand: properties `<{…}>`, dictionary `{…}`, or syntax (`@name` of a function is `sym_name`, of a call
 *   `callee`).
 * - {@linkcode tensorTypeOf} reads a value's tensor type; `lib/dialect` turns its encoding into a `TtnnLayout`.
 * - {@linkcode functionsOf} lists functions with arguments, results and terminator, whichever form they have.
 * - {@linkcode locationText} and {@linkcode locationName} resolve locations.
 *
 * Where to patch: `operand.span` renames one use; `operation.operandsSpan` is the whole operand list;
 * `operation.resultTypes[i]`, `operation.operandTypes[i]` and `argument.value.type` are spans of types;
 * `operation.properties` and `operation.attributes` give the span of every entry; new ops go to `operation.span.start`
 * of the op that follows (the line's indentation is in front of it); `module.attributeAliases` has the span of every
 * alias definition.
 *
 * Bad input throws a `DiagnosticError` with exactly one error that names the place and a next step. Parsing takes time
 * linear in the text.
 *
 * @module
 */

export * from "./attribute.ts";
export {
  attributeMap,
  attributeOf,
  dictionaryMap,
  floatFromBits,
  readAttribute,
  readAttributeText,
  resolveAlias,
} from "./attribute_reader.ts";
export { insideAngles, splitTopLevel } from "./balanced.ts";
export { attributeText, dictionaryText, symbolText } from "./attribute_text.ts";
export { canonicalText, sameText } from "./canonical_text.ts";
export { type FunctionArgument, functionOf, functionsOf, type FunctionView } from "./functions.ts";
export { locationName, locationText } from "./location.ts";
export { plainLog } from "./log_lines.ts";
export { modulesAmong } from "./module_among.ts";
export { type ModulePiece, modulePieces } from "./module_pieces.ts";
export { parseModule, parseModules, type SourcePiece, splitInput } from "./module_parser.ts";
export * from "./module_text.ts";
export { applyPatches, type Patch } from "./patch.ts";
export { printGeneric } from "./print_generic.ts";
export { addedResultTypes, type SignatureChange, signaturePatches } from "./signature_patches.ts";
export { escapeString, unescapeString } from "./string_literal.ts";
export { DYNAMIC, type TensorType, tensorTypeAt, tensorTypeOf, typeText } from "./tensor_type.ts";
