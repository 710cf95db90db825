// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { MeshAxis } from "../../lib/device/mesh.ts";
import { inputError } from "../../lib/diagnostics/diagnostic.ts";
import { validated } from "../../lib/diagnostics/read_json.ts";
import { CONSTANT_KINDS, type ConstantKind } from "./constants.ts";

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
  /** Document that states it. */
  readonly source: string;
  /** How far to trust it. */
  readonly kind: ConstantKind;
}

const COUNT = v.pipe(
  v.number("must be a positive integer"),
  v.safeInteger("must be a positive integer"),
  v.minValue(1, "must be a positive integer"),
);

/** Origin of a fact. */
const ORIGIN = {
  source: v.pipe(v.string("must say where it is from"), v.nonEmpty("must say where it is from")),
  kind: v.picklist(CONSTANT_KINDS, `must be one of ${CONSTANT_KINDS.join(", ")}`),
};

const MACHINE = v.object({
  mesh: v.exactOptional(
    v.pipe(
      v.array(
        v.object({
          chips: COUNT,
          links: COUNT,
          topology: v.picklist(["linear", "ring"], 'must be "linear" or "ring"'),
          ...ORIGIN,
        }, 'must be {"chips", "links", "topology", "source", "kind"}'),
        "must be a list of axes",
      ),
      v.nonEmpty("must be a list of axes"),
    ),
  ),
  harvested: v.exactOptional(
    v.array(
      v.object({
        chips: v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), "must be a list of chip numbers"),
        workerRows: COUNT,
        workerColumns: COUNT,
        ...ORIGIN,
      }, 'must be {"chips", "workerRows", "workerColumns", "source", "kind"}'),
      "must be a list",
    ),
  ),
});

/**
 * Reads `mesh` and `harvested` of a parsed device file:
 * `{"mesh": [{"chips", "links", "topology", "source", "kind"}], "harvested": [{"chips", "workerRows", "workerColumns", "source", "kind"}]}`,
 * the mesh with one entry per axis.
 *
 * @param file name to show in errors
 * @returns only what the file has
 * @throws {DiagnosticError} for anything else
 */
export function parseMachine(
  file: string,
  json: unknown,
): { readonly mesh?: readonly MachineAxis[]; readonly harvested?: readonly HarvestedChips[] } {
  return validated(
    MACHINE,
    json,
    (reason) => inputError("device/invalid", `Cannot read device ${file}: ${reason}`),
  );
}
