// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../lib/device/chip_description.ts";
import { meshChips, meshText, placeMesh } from "../lib/device/mesh.ts";
import { DiagnosticError, errorAt, inputError } from "../lib/diagnostics/diagnostic.ts";
import { readJson } from "../lib/diagnostics/read_json.ts";
import { meshShapeWith } from "../lib/dialect/module_mesh.ts";
import {
  chipOfSystemDesc,
  commonChip,
  isSystemDescJson,
  parseSystemDesc,
  readDevice,
  readSystemChips,
  type SystemChip,
  systemChipsOfJson,
  systemDescFault,
} from "../lib/dialect/system_desc.ts";
import { balancedFrom } from "../lib/ir/balanced.ts";
import type { ModuleText } from "../lib/ir/mod.ts";
import {
  chipDescription,
  type Device,
  memoryFault,
  MOST_NODES,
  withChipDescription,
} from "../sim/devices/device.ts";
import { DEVICE_NAMES, getDevice, loadDevice } from "../sim/devices/device_registry.ts";
import { CLUSTER_KIND } from "./foreign_text.ts";

/** Device for inputs without a description. */
export const DEFAULT_DEVICE = "n150";

/** A device and the remark on its choice. */
export interface Target {
  /** A bundled device with the grid and memory map of the description, or a device of the user's own. */
  readonly device: Device;
  /** Note for the user about the choice; `undefined` for none. */
  readonly remark: string | undefined;
}

/**
 * The device that a module is compiled for: the bundled one closest to its `ttcore.system_desc`, with the grid and memory map of the description, on the smallest machine that holds its mesh. Without a description: {@linkcode DEFAULT_DEVICE}, or the smallest machine of such chips.
 *
 * @example
 * ```ts
 * import { parseModule } from "@tilewright/tilewright";
 * import { targetOfModule } from "@tilewright/tilewright/pipeline";
 * import { assertEquals } from "@std/assert";
 *
 * const module = parseModule(`"test.a"() : () -> ()\n`, "a.mlir");
 * assertEquals(targetOfModule(module).device.name, "n150");
 * assertEquals(targetOfModule(module, [2, 4]).device.name, "t3000");
 * ```
 *
 * @param meshShape chips along each axis of the mesh, for modules that state none
 * @throws {DiagnosticError} for faulty syntax, grid, DRAM banks or memory map
 */
export function targetOfModule(module: ModuleText, meshShape: readonly number[] = []): Target {
  const mesh = meshShapeWith(module, meshShape);
  const chips = readSystemChips(module);
  const chip = commonChip(chips);
  if (chip === undefined) {
    const fault = systemDescFault(module);
    if (fault !== undefined) {
      throw misdescribed(module, `${fault}; correct it, or name the chip with --device`);
    }
    const usual = getDevice(DEFAULT_DEVICE);
    const devices = DEVICE_NAMES.map(getDevice);
    const sameChips = devices.filter(({ architecture }) => architecture === usual.architecture);
    const device = machineFor(mesh, sameChips) ?? machineFor(mesh, devices) ?? usual;
    return { device, remark: undefined };
  }
  const { workerGrid = chip.workerGrid, dramBanks = chip.dramBanks ?? 1 } = readDevice(module) ?? {};
  if (!isCountable(workerGrid.rows * workerGrid.columns) || !isCountable(dramBanks)) {
    const cores = `${workerGrid.rows}x${workerGrid.columns} cores`;
    throw misdescribed(
      module,
      `a chip of ${cores} and ${dramBanks} DRAM banks cannot exist: both must be from 1 to ${MOST_NODES}`,
      "workerGrid",
    );
  }
  const described = { ...chip, workerGrid };
  const fault = memoryFault(chipOfSystemDesc(described, chipDescription(closestDevice(described, mesh))));
  if (fault !== undefined) throw misdescribed(module, `${fault}; correct it, or name the chip with --device`);
  return remarking(targetOfChip(described, mesh), chips ?? [], mesh);
}

/** @param word location of the error; by default the system description */
function misdescribed(module: ModuleText, reason: string, word?: string): DiagnosticError {
  const { text } = module;
  const at = word === undefined ? -1 : text.indexOf(word);
  const place = Math.max(0, at === -1 ? text.search(/#?(?:ttcore|tt)\.system_desc/) : at);
  const message = `Cannot use the system_desc of ${module.fileName}: ${reason}`;
  return new DiagnosticError([
    errorAt("device/described", module.fileName, module.fileText, module.offset + place, message),
  ]);
}

/** Adds remarks on an unbundled grid, differing chips, undescribed chips of the mesh. */
function remarking(target: Target, chips: readonly SystemChip[], mesh: readonly number[]): Target {
  const grids = new Set(chips.map(({ workerGrid: { rows, columns } }) => `${rows}x${columns}`));
  const { workerRows, workerColumns } = target.device.grid;
  const { name } = target.device;
  const bundled = DEVICE_NAMES.includes(name) ? getDevice(name).grid : target.device.grid;
  const remarks = [
    ...target.remark === undefined ? [] : [target.remark],
    ...bundled.workerRows === workerRows && bundled.workerColumns === workerColumns ? [] : [
      `predicted for the ${workerRows}x${workerColumns} cores (rows x columns) of the system_desc; ` +
      `--device ${name} has ${bundled.workerRows}x${bundled.workerColumns}`,
    ],
    ...grids.size > 1
      ? [
        `chips of the system_desc have ${
          [...grids].join(" and ")
        } cores; programs use ${workerRows}x${workerColumns}`,
      ]
      : [],
    ...chips.length > 0 && chips.length < meshChips(mesh)
      ? [
        `the system_desc describes ${chips.length} of the ${meshChips(mesh)} chips of the mesh ${
          meshText(mesh)
        }`,
      ]
      : [],
  ];
  return { ...target, remark: remarks.length === 0 ? undefined : remarks.join("; ") };
}

function isCountable(nodes: number): boolean {
  return Number.isInteger(nodes) && nodes >= 1 && nodes <= MOST_NODES;
}

/**
 * Reads the device of a `--system-desc-path` file: a device JSON, text with a `#ttcore.system_desc<…>`, or the JSON of a
 * system descriptor as `ttrt` prints it.
 *
 * @throws {DiagnosticError} for other or faulty files
 */
export function targetOfFile(text: string, file: string): Target {
  if (/^\s*\{/.test(text)) {
    const json = readJson(text, (reason) => invalid(file, reason));
    if (!isSystemDescJson(json)) return { device: loadDevice(file, json), remark: undefined };
    const chips = systemChipsOfJson(json);
    if (typeof chips === "string") throw invalid(file, chips);
    return targetOfSystem(chips, file);
  }
  if (CLUSTER_KIND.sign.test(text)) throw invalid(file, CLUSTER_KIND.words);
  const start = text.search(/#(?:ttcore|tt)\.system_desc\s*</);
  return targetOfSystem(parseSystemDesc(start === -1 ? text : balancedFrom(text, start)) ?? [], file);
}

function targetOfSystem(chips: readonly SystemChip[], file: string): Target {
  const chip = commonChip(chips);
  if (chip === undefined) {
    throw invalid(
      file,
      'it holds neither a ttcore.system_desc nor a device JSON, of which { "extends": "p150" } is the shortest; ' +
        "'tilewright devices show p150' lists what it may change",
    );
  }
  const { rows, columns } = chip.workerGrid;
  const fault = isCountable(rows * columns) && isCountable(chip.dramBanks ?? 1)
    ? memoryFault(chipOfSystemDesc(chip, chipDescription(closestDevice(chip, []))))
    : `a chip of ${rows}x${columns} cores and ${chip.dramBanks ?? 1} DRAM banks cannot exist`;
  if (fault !== undefined) throw invalid(file, fault);
  return remarking(targetOfChip(chip), chips, []);
}

/**
 * The closest bundled device, with the described grid and memory map; for a mock, the device's L1 base.
 *
 * @param mesh chips along each axis of the mesh that the device has to hold
 */
export function targetOfChip(chip: SystemChip, mesh: readonly number[] = []): Target {
  const base = closestDevice(chip, mesh);
  const own = chipDescription(base);
  const described = chipOfSystemDesc(chip, own);
  if (!isMock(described, own)) {
    const memory = { ...described, l1UnreservedBase: backendBase(described, own) };
    return { device: { ...withChipDescription(base, memory), name: base.name }, remark: undefined };
  }
  const { l1UnreservedBase, ethernetL1UnreservedBase } = own;
  return {
    device: {
      ...withChipDescription(base, { ...described, l1UnreservedBase, ethernetL1UnreservedBase }),
      name: base.name,
    },
    remark: `the system_desc looks like a mock one (l1_unreserved_base = ${described.l1UnreservedBase}); ` +
      `using ${l1UnreservedBase} of ${base.name}, as descriptions made on a device have`,
  };
}

/**
 * Whether the L1 base is below half of the bundled device's, as in tt-mlir's mock description, and no board's: plans for
 * it would clash on a device (tt-mlir:mock-devices, tt-mlir:system-descriptors).
 */
function isMock(described: ChipDescription, own: ChipDescription): boolean {
  return described.l1UnreservedBase * 2 < own.l1UnreservedBase;
}

/**
 * First L1 byte that the modelled backend allocates: the described base, at least the bundled one.
 * Other revisions' descriptions differ by a few kilobytes; lower L1 is reserved. Those of autumn 2026 may
 * include L1_SMALL (`ttnn:backend-0-81-1`): then the bundled one.
 */
function backendBase({ l1UnreservedBase }: ChipDescription, own: ChipDescription): number {
  const countsL1Small = l1UnreservedBase === own.l1UnreservedBase + own.l1SmallSize;
  return countsL1Small ? own.l1UnreservedBase : Math.max(l1UnreservedBase, own.l1UnreservedBase);
}

/** Bundled device of the same architecture and closest grid: smallest for the mesh, then closest DRAM banks. */
function closestDevice(chip: SystemChip, mesh: readonly number[]): Device {
  const { rows, columns } = chip.workerGrid;
  const distance = ({ grid }: Device) =>
    Math.abs(grid.workerRows - rows) + Math.abs(grid.workerColumns - columns);
  const banksApart = ({ dram }: Device) => Math.abs(dram.banks - (chip.dramBanks ?? dram.banks));
  const sameChips = DEVICE_NAMES.map(getDevice)
    .filter(({ architecture }) => architecture === chip.architecture)
    .sort((a, b) => distance(a) - distance(b) || banksApart(a) - banksApart(b));
  const [closest = getDevice(DEFAULT_DEVICE)] = sameChips;
  return machineFor(mesh, sameChips.filter((device) => distance(device) === distance(closest))) ?? closest;
}

/** The smallest machine that holds a mesh, of equal ones the first. */
function machineFor(mesh: readonly number[], devices: readonly Device[]): Device | undefined {
  const chips = (device: Device) => meshChips(device.mesh.map((axis) => axis.chips));
  return devices.filter((device) => placeMesh(mesh, device.mesh) !== undefined)
    .toSorted((a, b) => chips(a) - chips(b))[0];
}

function invalid(file: string, reason: string): DiagnosticError {
  return inputError("device/system-desc", `Cannot read a device from ${file}: ${reason}`);
}
