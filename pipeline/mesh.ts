// SPDX-License-Identifier: Apache-2.0
import { type Mesh, meshChips, meshText, placeMesh } from "../lib/device/mesh.ts";
import { DiagnosticError, errorAt } from "../lib/diagnostics/diagnostic.ts";
import { meshOffset, meshShapeWith, readMesh } from "../lib/dialect/module_mesh.ts";
import type { ModuleText } from "../lib/ir/mod.ts";
import type { Device } from "../sim/devices/device.ts";

/** A module's mesh on a device. */
export interface PlacedMesh {
  /** Its axes, each with the links that the device has along it. */
  readonly mesh: Mesh;
  /** Whether the device is a single chip, so that lines with one link are assumed. */
  readonly assumed: boolean;
}

/**
 * The mesh of a module (`ttcore.device`, else `ttcore.meshes`, else the shape that it shards over), on the
 * chips and links of a device. `meshTopology` of the module determines which axes are rings.
 *
 * @param shape mesh of a module that states none; `[]` for one chip
 * @throws {DiagnosticError} if the machine has fewer chips, or cannot hold the shape
 */
export function meshOfModule(module: ModuleText, device: Device, shape: readonly number[] = []): PlacedMesh {
  const asked = readMesh(module);
  const extents = meshShapeWith(module, shape);
  const assumed = device.mesh.length === 0 && meshChips(extents) > 1;
  const mesh = assumed
    ? extents.map((chips) => ({ chips, links: 1, topology: "linear" }) as const)
    : placeMesh(extents, device.mesh);
  if (mesh === undefined) throw doesNotFit(module, device, extents);
  // Entry 0 is the link of the chips of a row, i.e. the last axis of the mesh (tt-mlir:collective-topology).
  const topology = (index: number) => asked.topology[asked.topology.length - 1 - index];
  return {
    mesh: mesh.map((axis, index) => ({ ...axis, topology: topology(index) ?? axis.topology })),
    assumed,
  };
}

/** Largest plausible number of chips, many times that of any machine; larger numbers are damaged input. */
const MOST_CHIPS = 65_536;

/**
 * Refuses an implausibly large mesh before anything is allocated per chip.
 *
 * @throws {DiagnosticError} above {@linkcode MOST_CHIPS} chips
 */
export function requireMesh(module: ModuleText, shape: readonly number[]): void {
  const extents = meshShapeWith(module, shape);
  if (meshChips(extents) <= MOST_CHIPS) return;
  const message = `Cannot run ${module.fileName}: a mesh of ${meshText(extents)} chips cannot exist`;
  throw meshError(module, message);
}

/**
 * Refuses a device whose links cannot hold the module's mesh, for comparisons of machines.
 *
 * @throws {DiagnosticError} as {@linkcode meshOfModule}, and if links would have to be assumed
 */
export function requireMachine(module: ModuleText, device: Device, shape: readonly number[]): void {
  const { mesh, assumed } = meshOfModule(module, device, shape);
  if (assumed) throw doesNotFit(module, device, mesh.map(({ chips }) => chips));
}

function doesNotFit(module: ModuleText, device: Device, shape: readonly number[]): DiagnosticError {
  const own = device.mesh.map(({ chips }) => chips);
  const message = `Cannot run ${module.fileName} on ${device.name}: its mesh ${meshText(shape)} ` +
    `(${meshChips(shape)} chips) does not fit ${
      own.length === 0 ? "one chip" : `the machine's ${meshText(own)}`
    }; choose another --device`;
  return meshError(module, message);
}

/** An error about a mesh, located at the module's own mesh if there is one. */
function meshError(module: ModuleText, message: string): DiagnosticError {
  const isOwn = readMesh(module).shape.length > 0;
  return new DiagnosticError([
    isOwn
      ? errorAt("device/mesh", module.fileName, module.fileText, meshOffset(module), message)
      : { code: "device/mesh", severity: "error", message },
  ]);
}
