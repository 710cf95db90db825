// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../lib/graph/graph.ts";
import type { L1Failure, L1StepUsage } from "../../lib/memory/l1_timeline.ts";
import { type Patient, shortagesOf, usageOfOp } from "./patient.ts";
import type { RuntimeFailure } from "./runtime_log.ts";

/** How an op was found. */
export type Confidence = "simulated" | "exact" | "close" | "guess";

/** An op that does not fit, by the simulation or by the device's message. */
export interface ClashSite {
  readonly patient: Patient;
  readonly op: OpId;
  readonly position: number;
  readonly usage: L1StepUsage;
  /** The simulation's failure; `undefined` if it finds room for the op. */
  readonly simulated: L1Failure | undefined;
  /** The message of the device; `undefined` without a log. */
  readonly logged: RuntimeFailure | undefined;
  /**
   * `simulated`: the simulation fails here and there is no log. Otherwise the agreement between logged and
   * simulated figures: `exact` to the byte, `close` within {@linkcode CLOSE_BYTES}, `guess` if merely closer
   * than at any other op.
   */
  readonly confidence: Confidence;
  /** Bytes per core between simulated and logged figures; 0 without a log. */
  readonly distanceBytes: number;
  /** Bytes per core that must be freed. */
  readonly neededBytes: number;
}

/** Figures that differ by less count as equal: alignment and firmware differ by a few KiB. */
const CLOSE_BYTES = 8 * 1024;

/** Every step that does not fit by the simulation, worst first within a function. */
export function simulatedSites(patients: readonly Patient[]): readonly ClashSite[] {
  return patients.flatMap((patient) => {
    const steps = patient.program.steps();
    return shortagesOf(patient.timeline).flatMap((failure): ClashSite[] => {
      const step = steps[failure.position];
      if (step?.kind !== "op") return [];
      return [{
        patient,
        op: step.op,
        position: failure.position,
        usage: failure.usage,
        simulated: failure,
        logged: undefined,
        confidence: "simulated",
        distanceBytes: 0,
        neededBytes: failure.shortBytes,
      }];
    });
  });
}

/**
 * The op that a message of the runtime is about: among those that it names, or all, the one whose simulated addresses are
 * nearest to those of the message, or the only one that it names. Ties go to ops that do not fit in the simulation either, then to the first.
 *
 * @returns `undefined` if the message is not about L1 or matches no op
 */
export function siteOfFailure(patients: readonly Patient[], logged: RuntimeFailure): ClashSite | undefined {
  const meant = opsMeant(patients, logged);
  let best: ClashSite | undefined;
  for (const patient of patients) {
    const failures = new Map(shortagesOf(patient.timeline).map((failure) => [failure.position, failure]));
    for (const [position, step] of patient.program.steps().entries()) {
      const usage = patient.timeline.usage[position];
      if (step.kind !== "op" || usage === undefined) continue;
      if (meant.length > 0 && !meant.some((one) => one.patient === patient && one.op === step.op)) continue;
      const distanceBytes = distance(logged, patient, position, usage);
      if (distanceBytes === undefined) continue;
      const simulated = failures.get(position);
      const isNearer = best === undefined || distanceBytes < best.distanceBytes ||
        (distanceBytes === best.distanceBytes && best.simulated === undefined && simulated !== undefined);
      if (!isNearer) continue;
      best = {
        patient,
        op: step.op,
        position,
        usage,
        simulated,
        logged,
        confidence: distanceBytes === 0 ? "exact" : distanceBytes <= CLOSE_BYTES ? "close" : "guess",
        distanceBytes,
        neededBytes: Math.max(neededBytes(logged), simulated?.shortBytes ?? 0),
      };
    }
  }
  const [only, another] = meant;
  return best ??
    (only === undefined || another !== undefined || logged.kind === "failed_check"
      ? undefined
      : siteOfOp([only.patient], only.op, logged));
}

/** The ops that a message names: by location, else by name; none if it names none, or none that the program has. */
function opsMeant(
  patients: readonly Patient[],
  { ops = [], within, location }: RuntimeFailure,
): readonly Pick<ClashSite, "patient" | "op">[] {
  const all = patients.flatMap((patient) => patient.fn.ops.map((op) => ({ patient, op })));
  const names = within === undefined ? ops : [within];
  const located = location === undefined
    ? []
    : all.filter(({ op }) => op.location.includes(`"${location}"`) && names.includes(op.name));
  return (located.length > 0 ? located : all.filter(({ op }) => names.includes(op.name))).map((
    { patient, op },
  ) => ({
    patient,
    op: op.id,
  }));
}

/** An op given by its id, in the first function of the inference that has it. */
export function siteOfOp(
  patients: readonly Patient[],
  op: number,
  logged: RuntimeFailure | undefined,
): ClashSite | undefined {
  for (const patient of patients) {
    const id = patient.fn.ops[op]?.id;
    const found = id === undefined ? undefined : usageOfOp(patient.program, patient.timeline, id);
    if (id === undefined || found === undefined) continue;
    const simulated = shortagesOf(patient.timeline).find(({ position }) => position === found.position);
    return {
      patient,
      op: id,
      ...found,
      simulated,
      logged,
      confidence: "simulated",
      distanceBytes: 0,
      neededBytes: Math.max(logged === undefined ? 0 : neededBytes(logged), simulated?.shortBytes ?? 0),
    };
  }
  return undefined;
}

/** Bytes per core that are missing by a message; 0 if it is not about room. */
export function neededBytes(logged: RuntimeFailure): number {
  switch (logged.kind) {
    case "bank_full":
      return logged.missingBytes ?? logged.bytesPerBank;
    case "failed_check":
      return 0;
    case "circular_buffer_clash":
    case "circular_buffers_too_large":
      return logged.overlapBytes;
  }
}

/**
 * |bytes in the message − bytes in the simulation| at a step; `undefined` if the message cannot be about the
 * step.
 */
function distance(
  logged: RuntimeFailure,
  patient: Patient,
  position: number,
  usage: L1StepUsage,
): number | undefined {
  const hasBuffers = usage.staticEnd > patient.region.base;
  switch (logged.kind) {
    case "circular_buffer_clash":
      if (!hasBuffers || usage.placements.length === 0) return undefined;
      return Math.abs(usage.lowestTensor - logged.tensorAddress) +
        Math.abs(usage.staticEnd - logged.circularBufferEnd);
    case "circular_buffers_too_large":
      return hasBuffers ? Math.abs(usage.staticEnd - logged.circularBufferEnd) : undefined;
    case "failed_check":
      return undefined;
    case "bank_full": {
      if (logged.memory !== "L1") return undefined;
      const { liveness } = patient.timeline;
      const made = [...patient.schedule.steps[position]?.defines ?? []]
        .filter(({ l1Bytes, aliasOf }) => l1Bytes > 0 && aliasOf === undefined);
      if (made.length === 0) return undefined;
      const before = usage.placements
        .filter(({ tensor }) => tensor >= 0 && liveness.definedAt[tensor] !== position)
        .reduce((sum, placement) => sum + placement.bytes, 0);
      const size = Math.min(...made.map(({ l1Bytes }) => Math.abs(l1Bytes - logged.bytesPerBank)));
      return size + (logged.allocated === undefined ? 0 : Math.abs(before - logged.allocated));
    }
  }
}
