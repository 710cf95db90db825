// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inDialect } from "../dialect/host_dialects.ts";
import { functionKindAttribute, readFunctionKind } from "../dialect/function_kind.ts";
import {
  type PropertyText,
  repeatedKeys,
  resultProperties,
  wasRepeated,
} from "../dialect/memory_op_properties.ts";
import { aliasTextOf, readTtnnLayout } from "../dialect/ttnn_layout.ts";
import { respelledLayoutText } from "../dialect/ttnn_layout_text.ts";
import { detectProfile, type TtnnProfile } from "../dialect/ttnn_profile.ts";
import { balancedFrom } from "../ir/balanced.ts";
import {
  applyPatches,
  attributeMap,
  entryOf,
  type ModuleText,
  type Operation,
  parseModule,
  type Patch,
  tensorTypeOf,
} from "../ir/mod.ts";
import type { BufferType, TtnnLayout } from "../layout/ttnn_layout.ts";
import { LayoutAliases } from "../ttnn/layout_aliases.ts";

/**
 * The text of a module in the spelling of another dialect generation: name of the dialect, position of shards
 * in layouts, device grids, the attribute of const-eval functions, and the properties that repeat result types
 * (tt-mlir:ir-generations). Op names, integer widths, affine maps, `conv2d_slice_config` and the
 * system description are unchanged.
 *
 * @param chip the chip that the module is compiled for
 * @returns the module's own text when it is spelled so already
 * @throws {LayoutError} when the profile cannot say where the shards of a layout are
 */
export function respellModule(module: ModuleText, chip: ChipDescription, profile: TtnnProfile): string {
  if (isSpelledIn(detectProfile(module), profile)) return module.text;
  const renamed = parseModule(inDialect(module.text, profile.dialect), module.fileName);
  const aliases = new LayoutAliases(renamed);
  const bufferType = aliases.bufferType.bind(aliases);
  const edits = renamed.operations.flatMap((operation) => {
    if (operation.name === "ttcore.device") return deviceEdits(renamed, operation, chip, profile);
    if (operation.name === "func.func") return kindEdits(renamed, operation, profile);
    const layout = operation.name.startsWith("ttnn.") ? resultLayout(renamed, operation, chip) : undefined;
    return layout === undefined ? [] : repeatedEdits(renamed, operation, layout, profile, bufferType);
  });
  const spelled = applyPatches(renamed.text, [...aliases.patches(), ...edits]);
  return withLayouts(parseModule(spelled, module.fileName), chip, profile);
}

function isSpelledIn(found: TtnnProfile, wanted: TtnnProfile): boolean {
  return found.name === wanted.name && found.layoutGeneration === wanted.layoutGeneration &&
    found.dialect === wanted.dialect && found.memoryConfigProperty === wanted.memoryConfigProperty &&
    found.dtypeProperty === wanted.dtypeProperty && found.layoutProperty === wanted.layoutProperty &&
    found.unitConstEval === wanted.unitConstEval;
}

/** The attribute that makes a function a const-eval one. */
function kindEdits(module: ModuleText, operation: Operation, profile: TtnnProfile): readonly Patch[] {
  if (readFunctionKind(attributeMap(module, operation)) !== "const_eval") return [];
  const entry = entryOf(operation, "tt.function_type") ?? entryOf(operation, "const_eval");
  const [[key, value] = []] = functionKindAttribute("const_eval", profile);
  if (entry === undefined || key === undefined || entry.key === key) return [];
  return [{ ...entry.span, text: value === "unit" ? key : `${key} = ${value}` }];
}

function resultLayout(
  module: ModuleText,
  operation: Operation,
  chip: ChipDescription,
): TtnnLayout | undefined {
  const [result] = operation.results;
  const type = result === undefined ? undefined : tensorTypeOf(module, result);
  return type === undefined ? undefined : readTtnnLayout(module, operation.span, type, chip.workerGrid);
}

function repeatedEdits(
  module: ModuleText,
  operation: Operation,
  layout: TtnnLayout,
  profile: TtnnProfile,
  bufferType: (bufferType: BufferType) => string,
): readonly Patch[] {
  const wanted = new Set<string>(repeatedKeys(operation.name, profile));
  const present = new Set(attributeMap(module, operation).keys());
  const removed = [...present].filter((key) => wasRepeated(operation.name, key) && !wanted.has(key));
  const added = resultProperties(wanted.difference(present), layout, bufferType, profile.dialect);
  return removed.length + added.length === 0
    ? []
    : [withProperties(module, operation, new Set(removed), added)];
}

/** Takes properties from an op and gives it others, sorted by name; the dictionary goes when nothing is left in it. */
function withProperties(
  { text }: ModuleText,
  { name, properties, attributes, operandsSpan }: Operation,
  removed: ReadonlySet<string>,
  added: readonly PropertyText[],
): Patch {
  // Hand-written files put inherent attributes into the trailing dictionary; a second dictionary would hide them.
  const isTrailing = attributes?.entries.some(({ key }) => !key.includes(".")) === true;
  const dictionary = properties ?? (isTrailing ? attributes : undefined);
  const kept = dictionary?.entries.filter(({ key }) => !removed.has(key))
    .map(({ key, span }) => ({ key, text: text.slice(span.start, span.end) })) ?? [];
  const entries = [...kept, ...added.map(({ key, value }) => ({ key, text: `${key} = ${value}` }))]
    .sort((a, b) => a.key < b.key ? -1 : 1);
  const body = entries.map((entry) => entry.text).join(", ");
  if (dictionary === undefined) {
    if (operandsSpan === undefined) {
      throw new RangeError(`Cannot set properties of ${name}: it has no generic form`);
    }
    return { start: operandsSpan.end + 1, end: operandsSpan.end + 1, text: ` <{${body}}>` };
  }
  const { start, end } = dictionary.span;
  if (body === "") return { start: text.charAt(start - 1) === " " ? start - 1 : start, end, text: "" };
  return { start, end, text: dictionary === properties ? `<{${body}}>` : `{${body}}` };
}

const WORKER_GRID = /(workerGrid = #?(?:ttcore|tt)?\.?grid)<(\d+x\d+)(?:->|[^>])*>/;
const DRAM_GRID = /,\s*dramGrid = #?(?:ttcore|tt)?\.?grid<[^>]*>/;

/** The grids of `ttcore.device`: how the cores are mapped, and since G4 the DRAM banks. */
function deviceEdits(
  module: ModuleText,
  { span }: Operation,
  { dramBanks }: ChipDescription,
  { layoutGeneration, dialect }: TtnnProfile,
): readonly Patch[] {
  const text = module.text.slice(span.start, span.end);
  const isOld = layoutGeneration === "G1" || layoutGeneration === "G2";
  const maps = isOld
    ? "(d0, d1) -> (0, d0, d1)"
    : "virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)";
  const banks = layoutGeneration === "G4" ? `, dramGrid = #${dialect}.grid<1x${dramBanks}>` : "";
  const spelled = text.replace(DRAM_GRID, "").replace(
    WORKER_GRID,
    (_, name: string, extents: string) => `${name}<${extents}, ${maps}>${banks}`,
  );
  return spelled === text ? [] : [{ ...span, text: spelled }];
}

/** Strings and comments, which may hold anything, and the beginning of a layout. */
const LAYOUT_START = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|#ttnn\.ttnn_layout\s*</g;

function withLayouts(module: ModuleText, chip: ChipDescription, profile: TtnnProfile): string {
  const { text } = module;
  const style = { generation: profile.layoutGeneration, workerGrid: chip.workerGrid };
  const alias = aliasTextOf(module);
  const patches: Patch[] = [];
  for (const { index, 0: found } of text.matchAll(LAYOUT_START)) {
    if (!found.startsWith("#")) continue;
    const written = balancedFrom(text, index);
    const spelled = respelledLayoutText(written, style, alias);
    if (spelled !== undefined && spelled !== written) {
      patches.push({ start: index, end: index + written.length, text: spelled });
    }
  }
  return applyPatches(text, patches);
}
