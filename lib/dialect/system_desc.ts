// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { type Architecture, type ChipDescription, isArchitecture } from "../device/chip_description.ts";
import type { Topology } from "../device/mesh.ts";
import type { Attribute } from "../ir/attribute.ts";
import { attributeMap, attributeOf, readAttributeText } from "../ir/attribute_reader.ts";
import { insideAngles, splitTopLevel } from "../ir/balanced.ts";
import type { ModuleText } from "../ir/module_text.ts";
import type { WorkerGrid } from "../layout/make_layout.ts";

/** One chip of a `ttcore.system_desc`. Fields that its generation of the text does not have are absent. */
export type SystemChip = Pick<ChipDescription, RequiredField> & Partial<Pick<ChipDescription, OptionalField>>;

type RequiredField = "architecture" | "workerGrid" | "l1Size" | "l1UnreservedBase";

/** `ttcore.device`: the part of the chips that a program may use. */
interface DeviceDescription {
  readonly workerGrid: WorkerGrid;
  /** Banks of the DRAM grid, if the text states it. */
  readonly dramBanks: number | undefined;
  /** `[]` for one chip. */
  readonly meshShape: readonly number[];
  /** The text of the mesh shape, also where it is malformed; `""` for one chip. */
  readonly meshShapeText: string;
  /** One entry per axis for which the text names one. */
  readonly meshTopology: readonly (Topology | undefined)[];
  readonly chipIds: readonly number[];
}

const SYSTEM_DESC_KEYS = ["ttcore.system_desc", "tt.system_desc"] as const;

/**
 * The chips of the system of a module's first `ttcore.system_desc`, outermost module first, one entry per chip.
 *
 * @returns `undefined` when there is none, or none that we understand
 */
export function readSystemChips(module: ModuleText): readonly SystemChip[] | undefined {
  const described = systemDescOf(module);
  return described?.kind === "dialect" ? parseSystemDesc(described.body) : undefined;
}

/**
 * Why {@linkcode readSystemChips} does not understand a module's `ttcore.system_desc`; `undefined` where there is none.
 */
export function systemDescFault(module: ModuleText): string | undefined {
  const described = systemDescOf(module);
  if (described === undefined) return undefined;
  if (described.kind !== "dialect") return "it is not a #ttcore.system_desc<…>";
  const chips = readChips(described.body);
  return typeof chips === "string" ? chips : undefined;
}

/**
 * The architectures that a module's `ttcore.system_desc` names, known or not; its other text may be malformed.
 */
export function describedArchitectures(module: ModuleText): readonly string[] {
  const described = systemDescOf(module);
  if (described?.kind !== "dialect") return [];
  return [...described.body.matchAll(ARCHITECTURE)].map(([, name = ""]) => name);
}

/** `arch = <quasar>`, or `arch = #ttcore.arch<quasar>`. */
const ARCHITECTURE = /\barch\s*=\s*(?:#(?:ttcore|tt)\.arch\s*)?<\s*(\w+)\s*>/g;

function systemDescOf(module: ModuleText): Attribute | undefined {
  for (const operation of module.operations) {
    if (operation.name !== "builtin.module") continue;
    const attributes = attributeMap(module, operation);
    for (const key of SYSTEM_DESC_KEYS) {
      const attribute = attributes.get(key);
      if (attribute !== undefined) return attribute;
    }
  }
  return undefined;
}

/**
 * Parses a system description file or attribute: `#ttcore.system_desc<…>` or its body. One entry per chip.
 *
 * @returns `undefined` when the text is none
 */
export function parseSystemDesc(text: string): readonly SystemChip[] | undefined {
  const chips = readChips(text);
  return typeof chips === "string" ? undefined : chips;
}

/** The chips that a text describes, or why it describes none. */
function readChips(text: string): readonly SystemChip[] | string {
  const body = /#(?:ttcore|tt)\.system_desc\s*<([^]*)>/.exec(text)?.[1] ?? text;
  // Before December 2024 no list of hosts stands in front of the chips.
  const lists = splitTopLevel(body, ",");
  const first = lists[0]?.includes("arch") === true && !/\brole\b/.test(lists[0]) ? 0 : 1;
  const [chipsText = "", indicesText = ""] = lists.slice(first);
  if (!chipsText.startsWith("[") || !chipsText.endsWith("]")) return "it lists no chips behind its hosts";
  const chips: SystemChip[] = [];
  for (const item of splitTopLevel(chipsText.slice(1, -1), ",")) {
    const chip = parseChip(item);
    if (typeof chip === "string") return `chip ${chips.length} ${chip}`;
    chips.push(chip);
  }
  if (chips.length === 0) return "its list of chips is empty";
  return chipsOfSystem(chips, numbers(indicesText.replace(/^\[|\]$/g, ""), ","));
}

/** One entry per chip of the system, by the description of each; the descriptions themselves where none are told. */
function chipsOfSystem(chips: readonly SystemChip[], indices: readonly number[]): readonly SystemChip[] {
  const used = indices.map((index) => chips[index]).filter((chip) => chip !== undefined);
  return used.length === 0 || used.length < indices.length ? chips : used;
}

function optionalFields(valueOf: (name: string) => unknown): Partial<Record<OptionalField, number>> {
  const fields: Partial<Record<OptionalField, number>> = {};
  for (const [key, name] of OPTIONAL_FIELDS) {
    const value = valueOf(name);
    if (typeof value === "number") fields[key] = value;
  }
  return fields;
}

/** A chip, or what is wrong with it. */
function parseChip(text: string): SystemChip | string {
  if (!text.startsWith("{") || !text.endsWith("}")) return "is not a list of fields in braces";
  const fields = parseFields(text.slice(1, -1));
  const architecture = insideAngles((fields.get("arch") ?? "").replace(/^#(?:ttcore|tt)\.arch\s*/, ""));
  const workerGrid = parseGridShape(fields.get("grid") ?? "");
  const l1Size = integer(fields.get("l1_size"));
  const l1UnreservedBase = integer(fields.get("l1_unreserved_base"));
  if (!isArchitecture(architecture)) {
    return architecture === undefined
      ? "says no arch"
      : `is of the architecture '${architecture}', which is not known`;
  }
  if (workerGrid === undefined) return "says no grid such as 8x8";
  if (l1Size === undefined) return "says no l1_size";
  if (l1UnreservedBase === undefined) return "says no l1_unreserved_base";
  const optional = optionalFields((name) => integer(fields.get(name)));
  return { architecture, workerGrid, l1Size, l1UnreservedBase, ...optional };
}

/** Fields that a description may lack. */
type OptionalField = Exclude<
  keyof ChipDescription,
  RequiredField | "name" | "l1SmallSize" | "dramBankWorkers"
>;

/** Optional fields, with their keys in the text and the JSON of a description. */
const OPTIONAL_FIELDS: readonly (readonly [OptionalField, string])[] = [
  ["dramBanks", "num_dram_channels"],
  ["dramBankSize", "dram_channel_size"],
  ["dramUnreservedBase", "dram_unreserved_base"],
  ["dramUnreservedEnd", "dram_unreserved_end"],
  ["l1Alignment", "noc_l1_address_align_bytes"],
  ["dramAlignment", "noc_dram_address_align_bytes"],
  ["pcieAlignment", "pcie_address_align_bytes"],
  ["dstTiles", "dst_physical_size_tiles"],
  ["circularBuffers", "num_cbs"],
  ["ethernetL1UnreservedBase", "erisc_l1_unreserved_base"],
];

/**
 * The chip description of a `system_desc`. Fields that the text lacks (L1_SMALL always, more in old text) are those of
 * `base`.
 *
 * @param base description of a chip of the same architecture
 */
export function chipOfSystemDesc(chip: SystemChip, base: ChipDescription): ChipDescription {
  const { rows, columns } = chip.workerGrid;
  return { ...base, ...chip, name: `system_desc ${chip.architecture} ${rows}x${columns}` };
}

/** The first `ttcore.device` of a module; `undefined` when there is none, or none that we understand. */
export function readDevice(module: ModuleText): DeviceDescription | undefined {
  for (const operation of module.operations) {
    if (operation.name !== "ttcore.device") continue;
    const written = attributeOf(module, operation, "device_attr");
    const attribute = written?.kind === "opaque" ? readAttributeText(module, written.text) : written;
    if (attribute?.kind !== "dialect") return undefined;
    const fields = parseFields(attribute.body);
    const workerGrid = gridOf(fields.get("workerGrid"));
    if (workerGrid === undefined) return undefined;
    const dramGrid = gridOf(fields.get("dramGrid"));
    return {
      workerGrid,
      dramBanks: dramGrid === undefined ? undefined : dramGrid.rows * dramGrid.columns,
      meshShape: numbers(fields.get("meshShape"), "x"),
      meshShapeText: fields.get("meshShape")?.trim() ?? "",
      meshTopology: (fields.get("meshTopology")?.replace(/^\[|\]$/g, "").split(",") ?? []).map(topologyOf),
      chipIds: numbers(fields.get("chipIds")?.replace(/^\[|\]$/g, ""), ","),
    };
  }
  return undefined;
}

function topologyOf(text: string): Topology | undefined {
  const name = text.trim();
  return name === "ring" || name === "linear" ? name : undefined;
}

/**
 * The cores and banks that every chip of a system has: all chips of a mesh run the same programs, so that cores and banks
 * which one chip lacks (harvesting) are used on none (tt-mlir:device-grid).
 *
 * @returns `undefined` for no chips
 */
export function commonChip(chips: readonly SystemChip[] | undefined): SystemChip | undefined {
  const [first, ...others] = chips ?? [];
  if (first === undefined) return undefined;
  return others.reduce((common, chip): SystemChip => ({
    ...common,
    workerGrid: {
      rows: Math.min(common.workerGrid.rows, chip.workerGrid.rows),
      columns: Math.min(common.workerGrid.columns, chip.workerGrid.columns),
    },
    l1Size: Math.min(common.l1Size, chip.l1Size),
    l1UnreservedBase: Math.max(common.l1UnreservedBase, chip.l1UnreservedBase),
    ...least("dramBanks", common, chip),
    ...least("dramBankSize", common, chip),
    ...least("dramUnreservedEnd", common, chip),
  }), first);
}

function least(
  field: "dramBanks" | "dramBankSize" | "dramUnreservedEnd",
  a: SystemChip,
  b: SystemChip,
): Partial<SystemChip> {
  const values = [a[field], b[field]].filter((value) => value !== undefined);
  return values.length === 0 ? {} : { [field]: Math.min(...values) };
}

/** The `key = value` parts of a struct body; parts without a key are left out. */
function parseFields(body: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of splitTopLevel(body, ",")) {
    const equals = part.indexOf("=");
    if (equals > 0) fields.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return fields;
}

function gridOf(text: string | undefined): WorkerGrid | undefined {
  const body = insideAngles((text ?? "").replace(/^#(?:ttcore|tt)\.grid\s*/, ""));
  return parseGridShape(splitTopLevel(body ?? "", ",")[0] ?? "");
}

function parseGridShape(text: string): WorkerGrid | undefined {
  const [rows, columns, ...more] = numbers(text, "x");
  return rows === undefined || columns === undefined || more.length > 0 ? undefined : { rows, columns };
}

function numbers(text: string | undefined, separator: string): number[] {
  const words = (text ?? "").split(separator).map((word) => word.trim()).filter((word) => /^\d+$/.test(word));
  return words.map(Number);
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

const COUNT = v.pipe(v.number(), v.integer(), v.minValue(0));

const CHIP = v.object({
  arch: v.pipe(
    v.string(),
    v.toLowerCase(),
    v.custom<Architecture>(isArchitecture, "is not a known architecture"),
  ),
  grid_size: v.object({ y: COUNT, x: COUNT }),
  l1_size: COUNT,
  l1_unreserved_base: COUNT,
  ...v.object(Object.fromEntries(OPTIONAL_FIELDS.map(([, name]) => [name, v.optional(COUNT)]))).entries,
});

const DESCRIPTOR = v.object({
  chip_descs: v.pipe(v.array(CHIP), v.minLength(1)),
  chip_desc_indices: v.optional(v.array(COUNT), []),
});

/** A file of `ttrt`, which holds the descriptor beside the version of `ttrt`, or the descriptor alone. */
const FILE = v.union([
  v.pipe(v.object({ system_desc: DESCRIPTOR }), v.transform(({ system_desc }) => system_desc)),
  DESCRIPTOR,
]);

/** Whether a JSON value is meant to be a system descriptor. */
export function isSystemDescJson(json: unknown): boolean {
  return typeof json === "object" && json !== null && ("system_desc" in json || "chip_descs" in json);
}

/**
 * The chips of a system descriptor in JSON, one entry per chip of the system.
 *
 * @returns what is wrong with it, where it is none
 */
export function systemChipsOfJson(json: unknown): readonly SystemChip[] | string {
  const read = v.safeParse(FILE, json);
  if (!read.success) {
    const [issue] = read.issues.flatMap((each) => each.issues ?? [each]);
    const path = issue === undefined ? "" : v.getDotPath(issue) ?? "";
    return `its system_desc is not understood${path === "" ? "" : ` at ${path}`}: ${issue?.message ?? ""}`;
  }
  const { chip_descs, chip_desc_indices } = read.output;
  const chips = chip_descs.map((chip): SystemChip => {
    const fields = new Map<string, unknown>(Object.entries(chip));
    return {
      architecture: chip.arch,
      workerGrid: { rows: chip.grid_size.y, columns: chip.grid_size.x },
      l1Size: chip.l1_size,
      l1UnreservedBase: chip.l1_unreserved_base,
      ...optionalFields((name) => fields.get(name)),
    };
  });
  return chipsOfSystem(chips, chip_desc_indices);
}
