// SPDX-License-Identifier: Apache-2.0
import type { MeshAxis } from "../../lib/device/mesh.ts";
import { type DiagnosticError, inputError, isRecord } from "../../lib/diagnostics/diagnostic.ts";
import { type ConstantKind, isConstantKind } from "./constants.ts";

/** An axis of a machine's mesh as its file gives it. */
export interface MachineAxis extends MeshAxis {
  /** Document that describes the links. */
  readonly source: string;
  /** How far to trust it. */
  readonly kind: ConstantKind;
}

/** Chips of a machine that have fewer worker cores than the others. */
export interface HarvestedChips {
  /** Their numbers, along the last axis of the mesh first. */
  readonly chips: readonly number[];
  /** Rows of workers on these chips. */
  readonly workerRows: number;
  /** Columns of workers on these chips. */
  readonly workerColumns: number;
  /** Document that says so. */
  readonly source: string;
  /** How far to trust it. */
  readonly kind: ConstantKind;
}

/**
 * Reads `harvested` of a parsed device file: `[{"chips", "workerRows", "workerColumns", "source", "kind"}]`.
 *
 * @param file name to show in errors
 * @returns `undefined` when the file has none
 * @throws {DiagnosticError} for anything else
 */
export function parseHarvested(file: string, json: unknown): readonly HarvestedChips[] | undefined {
  if (!isRecord(json) || json.harvested === undefined) return undefined;
  if (!Array.isArray(json.harvested)) throw invalid(file, `"harvested" must be a list`);
  return json.harvested.map((entry: unknown, index) =>
    parseHarvestedChips(file, entry, `harvested[${index}]`)
  );
}

function parseHarvestedChips(file: string, entry: unknown, place: string): HarvestedChips {
  if (!isRecord(entry)) {
    throw invalid(file, `"${place}" must be {"chips", "workerRows", "workerColumns", "source", "kind"}`);
  }
  const { chips, workerRows, workerColumns, source, kind } = entry;
  if (!Array.isArray(chips) || !chips.every((chip) => chip === 0 || isCount(chip))) {
    throw invalid(file, `"${place}.chips" must be a list of chip numbers`);
  }
  if (!isCount(workerRows)) throw invalid(file, `"${place}.workerRows" must be a positive integer`);
  if (!isCount(workerColumns)) throw invalid(file, `"${place}.workerColumns" must be a positive integer`);
  if (typeof source !== "string" || source === "") {
    throw invalid(file, `"${place}.source" must say where the cores are from`);
  }
  if (!isConstantKind(kind)) throw invalid(file, `"${place}.kind" must say how the cores are known`);
  return { chips, workerRows, workerColumns, source, kind };
}

/**
 * Reads `mesh` of a parsed device file: `[{"chips", "links", "topology", "source", "kind"}]`, one entry per axis.
 *
 * @param file name to show in errors
 * @returns `undefined` when the file has none
 * @throws {DiagnosticError} for anything else
 */
export function parseMesh(file: string, json: unknown): readonly MachineAxis[] | undefined {
  if (!isRecord(json) || json.mesh === undefined) return undefined;
  if (!Array.isArray(json.mesh) || json.mesh.length === 0) {
    throw invalid(file, `"mesh" must be a list of axes`);
  }
  return json.mesh.map((entry: unknown, index) => parseAxis(file, entry, `mesh[${index}]`));
}

function parseAxis(file: string, entry: unknown, place: string): MachineAxis {
  if (!isRecord(entry)) {
    throw invalid(file, `"${place}" must be {"chips", "links", "topology", "source", "kind"}`);
  }
  const { chips, links, topology, source, kind } = entry;
  if (!isCount(chips)) throw invalid(file, `"${place}.chips" must be a positive integer`);
  if (!isCount(links)) throw invalid(file, `"${place}.links" must be a positive integer`);
  if (topology !== "linear" && topology !== "ring") {
    throw invalid(file, `"${place}.topology" must be "linear" or "ring", not ${JSON.stringify(topology)}`);
  }
  if (typeof source !== "string" || source === "") {
    throw invalid(file, `"${place}.source" must say where the links are from`);
  }
  if (!isConstantKind(kind)) throw invalid(file, `"${place}.kind" must say how the links are known`);
  return { chips, links, topology, source, kind };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

function invalid(file: string, message: string): DiagnosticError {
  return inputError("device/invalid", `Cannot read device ${file}: ${message}`);
}
