// SPDX-License-Identifier: Apache-2.0
import type { Architecture, ChipDescription } from "../../lib/device/chip_description.ts";
import { meshChips } from "../../lib/device/mesh.ts";
import { type DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { ARCHITECTURE_FILES } from "./architecture_files.ts";
import {
  type ConstantFile,
  type ConstantKind,
  type ConstantValues,
  constantValues,
  type DeviceConstants,
  inheritConstants,
  parseConstantFile,
  replaceConstants,
  type Sections,
} from "./constants.ts";
import { DEVICE_SCHEMA } from "./device_schema.ts";
import { type HarvestedChips, type MachineAxis, parseMachine } from "./mesh_file.ts";

/** A chip as the simulator sees it: plain numbers for the kernels, and the constants with their sources. */
export type Device = Sections<typeof DEVICE_SCHEMA> & {
  readonly name: string;
  readonly architecture: Architecture;
  readonly summary: string;
  readonly constants: DeviceConstants;
  /** Mesh of such chips that the machine has; `[]` for one chip. */
  readonly mesh: readonly MachineAxis[];
  /** Chips with fewer cores. Programs of the mesh use, on every chip, only the cores that all chips have. */
  readonly harvested: readonly HarvestedChips[];
};

/** A device file: a chip, or with `mesh` a machine of such chips, of which some may be `harvested`. */
export interface DeviceFile extends ConstantFile<"tilewright.device/1"> {
  /** Axes of the machine's mesh. */
  readonly mesh?: readonly MachineAxis[];
  /** Chips with fewer cores than the others. */
  readonly harvested?: readonly HarvestedChips[];
}

/**
 * Checks a parsed device file.
 *
 * @param file name to show in errors
 * @param json what `JSON.parse` returned
 * @throws {DiagnosticError} with every finding at once: missing fields, wrong types, unknown sections or names, wrong units
 */
export function parseDeviceFile(file: string, json: unknown): DeviceFile {
  const chip = parseConstantFile(file, json, "tilewright.device/1", DEVICE_SCHEMA);
  return { ...chip, ...parseMachine(file, json) };
}

/**
 * Builds a device from its file and the file that it extends.
 *
 * @param file the device's own file
 * @param base file named by `extends`, if any
 * @throws {DiagnosticError} if a constant of the schema is given by neither, `harvested` names a chip that the mesh
 * lacks, or the memories cannot be used ({@linkcode memoryFault})
 */
export function buildDevice(
  file: Omit<DeviceFile, "schema">,
  base?: Pick<DeviceFile, "constants" | "mesh">,
): Device {
  const { name, architecture, summary, harvested = [] } = file;
  const constants = withoutHarvested(
    inheritConstants(DEVICE_SCHEMA, base?.constants ?? {}, file.constants),
    harvested,
  );
  const mesh = file.mesh ?? base?.mesh ?? [];
  const device: Device = {
    name,
    architecture,
    summary,
    constants,
    mesh,
    harvested: checkedChips(name, harvested, mesh),
    ...constantValues(name, DEVICE_SCHEMA, constants),
  };
  const fault = memoryFault(chipDescription(device));
  if (fault !== undefined) throw invalid(name, fault);
  return device;
}

/** Largest number of worker cores, and of DRAM banks, of a chip; several times that of any bundled device. */
export const MOST_NODES = 1024;

/** Why a chip cannot exist, or its memories are unusable; `undefined` if it can be used. */
export function memoryFault(chip: ChipDescription): string | undefined {
  const reserved = chip.l1UnreservedBase + chip.l1SmallSize;
  if (reserved >= chip.l1Size) {
    return `of ${chip.l1Size} bytes of L1 per core ${reserved} are reserved, so that none are left`;
  }
  const { rows, columns } = chip.workerGrid;
  if (rows * columns > MOST_NODES || chip.dramBanks > MOST_NODES) {
    return `a chip of ${rows}x${columns} cores and ${chip.dramBanks} DRAM banks cannot exist; both have at most ${MOST_NODES}`;
  }
  if (chip.dramBanks < 1) return "it has no bank of DRAM";
  if (chip.dramUnreservedBase >= chip.dramUnreservedEnd || chip.dramUnreservedEnd > chip.dramBankSize) {
    return `tensors cannot lie from byte ${chip.dramUnreservedBase} to ${chip.dramUnreservedEnd} of DRAM banks of ` +
      `${chip.dramBankSize} bytes`;
  }
  return undefined;
}

function checkedChips(
  name: string,
  harvested: readonly HarvestedChips[],
  mesh: readonly MachineAxis[],
): readonly HarvestedChips[] {
  const count = meshChips(mesh.map(({ chips }) => chips));
  const missing = harvested.flatMap(({ chips }) => chips).find((chip) => chip >= count);
  if (missing === undefined) return harvested;
  throw invalid(name, `"harvested" names chip ${missing}, but the machine has ${count}`);
}

function invalid(name: string, reason: string): DiagnosticError {
  const message = `Cannot read device ${name}: ${reason}`;
  return inputError("device/invalid", message);
}

/** Programs are the same on all chips of a mesh: cores that one chip lacks are used on none (tt-mlir:device-grid). */
function withoutHarvested(constants: DeviceConstants, harvested: readonly HarvestedChips[]): DeviceConstants {
  return harvested.reduce((all, chips): DeviceConstants => {
    const grid = { ...all.grid };
    for (const extent of ["workerRows", "workerColumns"] as const) {
      const own = grid[extent];
      if (own === undefined || own.value <= chips[extent]) continue;
      grid[extent] = { ...own, value: chips[extent], source: chips.source, kind: chips.kind };
    }
    return { ...all, grid };
  }, constants);
}

/** The facts about a device that legality and memory need. */
export function chipDescription(device: Device): ChipDescription {
  return {
    name: device.name,
    architecture: device.architecture,
    workerGrid: { rows: device.grid.workerRows, columns: device.grid.workerColumns },
    l1Size: device.l1.size,
    l1UnreservedBase: device.l1.unreservedBase,
    l1SmallSize: device.l1.smallSize,
    dramBanks: device.dram.banks,
    dramBankSize: device.dram.bankSize,
    dramUnreservedBase: device.dram.unreservedBase,
    dramUnreservedEnd: device.dram.unreservedEnd,
    l1Alignment: device.l1.alignment,
    dramAlignment: device.dram.alignment,
    pcieAlignment: device.dram.pcieAlignment,
    dstTiles: device.tensix.dstTiles,
    circularBuffers: device.l1.circularBuffers,
    ethernetL1UnreservedBase: device.ethernet.l1UnreservedBase,
    dramBankWorkers: ARCHITECTURE_FILES[device.architecture].network.dramBankWorkers.value,
  };
}

/**
 * A device with the grid, memory map, alignments, number of circular buffers and DST tiles of a chip description, for
 * inputs that carry their own `ttcore.system_desc`. Peak DRAM bandwidth is proportional to the number of banks; all
 * other constants stay.
 *
 * @throws {DiagnosticError} if the description is of another architecture, or its memories cannot be used
 * ({@linkcode memoryFault})
 */
export function withChipDescription(device: Device, chip: ChipDescription): Device {
  if (chip.architecture !== device.architecture) {
    throw inputError(
      "device/architecture-mismatch",
      `Cannot use the system description of a ${chip.architecture} chip with device ${device.name}: ` +
        `it is a ${device.architecture} chip; choose another --device`,
    );
  }
  const bankShare = chip.dramBanks / device.dram.banks;
  const changes: ConstantValues = {
    grid: { workerRows: chip.workerGrid.rows, workerColumns: chip.workerGrid.columns },
    l1: {
      size: chip.l1Size,
      unreservedBase: chip.l1UnreservedBase,
      smallSize: chip.l1SmallSize,
      alignment: chip.l1Alignment,
      circularBuffers: chip.circularBuffers,
    },
    dram: {
      banks: chip.dramBanks,
      bankSize: chip.dramBankSize,
      unreservedBase: chip.dramUnreservedBase,
      unreservedEnd: chip.dramUnreservedEnd,
      alignment: chip.dramAlignment,
      pcieAlignment: chip.pcieAlignment,
      ...(bankShare === 1 ? {} : {
        peakBandwidth: device.dram.peakBandwidth * bankShare,
      }),
    },
    tensix: { dstTiles: chip.dstTiles },
    ethernet: { l1UnreservedBase: chip.ethernetL1UnreservedBase },
  };
  return withConstants(device, changes, `system description ${chip.name}`, "stated");
}

/**
 * A device with some constants replaced.
 *
 * @param changes new values by section and name
 * @param source where the new values are from
 * @throws {RangeError} for a section or name that the device does not have
 * @throws {DiagnosticError} if the memories cannot be used with the new values ({@linkcode memoryFault})
 */
export function withConstants(
  device: Device,
  changes: ConstantValues,
  source: string,
  kind: ConstantKind,
): Device {
  return buildDevice({ ...device, constants: replaceConstants(device.constants, changes, source, kind) });
}

/** Ideal cycles of a 32x32x32 tile matmul: 16 per fidelity phase (tt-metal:gemm-flops). */
export function idealTileCycles(device: Device, fidelity: "lofi" | "hifi2" | "hifi3" | "hifi4"): number {
  return {
    lofi: device.tensix.matmulTileLofi,
    hifi2: device.tensix.matmulTileHifi2,
    hifi3: device.tensix.matmulTileHifi3,
    hifi4: device.tensix.matmulTileHifi4,
  }[fidelity];
}
