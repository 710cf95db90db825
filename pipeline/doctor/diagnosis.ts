// SPDX-License-Identifier: Apache-2.0
import { describeOpOf } from "../../lib/graph/describe_op.ts";
import { ITSELF } from "../../lib/search/program.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { L1Failure, L1FailureKind } from "../../lib/memory/l1_timeline.ts";
import type { L1Region } from "../../lib/memory/l1_schedule.ts";
import type { ClashSite } from "./locate.ts";
import { remediesFor, type TriedRemedy } from "./remedies.ts";
import { opAt } from "../../lib/graph/graph.ts";

/** A buffer that is in L1 while the op runs. */
export interface LiveBuffer {
  /** The value as the input spells it; `undefined` for an intermediate of the op. */
  readonly tensor: string | undefined;
  readonly layout: string | undefined;
  /** Role of the buffer for the op. */
  readonly role: "operand" | "result" | "waiting" | "intermediate";
  readonly address: number;
  /** Bytes per core. */
  readonly bytes: number;
  /** Description of its producer: `ttnn.add (op 12)`, `an argument`. */
  readonly madeBy: string;
  /** Description of the first reader after the op; `undefined` when there is none. */
  readonly nextReader: string | undefined;
}

/** The shortage of an op in the simulation, in bytes per core: `shortBytes = askedBytes − availableBytes`. */
export interface SimulatedShortage {
  readonly kind: L1FailureKind;
  /** Needed at one time, counted like {@linkcode L1Failure.askedBytes}. */
  readonly askedBytes: number;
  /** Available: usable L1, or the largest holes for buffers that need one (`no_space`). */
  readonly availableBytes: number;
  /** Missing. */
  readonly shortBytes: number;
}

/** The diagnosis of an op that does not fit. */
export interface Diagnosis
  extends Pick<ClashSite, "confidence" | "distanceBytes" | "logged" | "neededBytes"> {
  readonly function: string;
  readonly op: number;
  readonly name: string;
  readonly location: string;
  /** The simulation's shortage at the op; `undefined` if it finds room. */
  readonly simulated: SimulatedShortage | undefined;
  readonly region: L1Region;
  readonly circularBufferEnd: number;
  readonly lowestTensor: number;
  /** From the top of L1 down. */
  readonly live: readonly LiveBuffer[];
  readonly remedies: readonly TriedRemedy[];
}

/** Examines one op: the contents of L1 while it runs, and the remedies that would make room. */
export function diagnose(site: ClashSite): Diagnosis {
  const { patient, usage, simulated } = site;
  const { fn } = patient;
  const { name, location } = opAt(fn, site.op);
  return {
    function: fn.name,
    op: site.op,
    name,
    location,
    confidence: site.confidence,
    distanceBytes: site.distanceBytes,
    simulated: simulated === undefined ? undefined : simulatedShortage(simulated),
    logged: site.logged,
    neededBytes: site.neededBytes,
    region: patient.region,
    circularBufferEnd: usage.staticEnd,
    lowestTensor: usage.lowestTensor,
    live: liveBuffers(site),
    remedies: remediesFor(site),
  };
}

function simulatedShortage({ kind, askedBytes, shortBytes }: L1Failure): SimulatedShortage {
  return { kind, askedBytes, availableBytes: askedBytes - shortBytes, shortBytes };
}

function liveBuffers({ patient, op, usage }: ClashSite): readonly LiveBuffer[] {
  const { fn, program, timeline } = patient;
  const graphOp = opAt(fn, op);
  const ownerOf = (value: number): number => timeline.liveness.owner[value] ?? value;
  const operands = new Set(graphOp.operands.map(ownerOf));
  const results = new Set(graphOp.results.map(ownerOf));
  return [...usage.placements].sort((a, b) => b.address - a.address).map(
    ({ tensor, address, bytes }): LiveBuffer => {
      const value = fn.values[tensor];
      if (value === undefined) {
        return {
          tensor: undefined,
          layout: undefined,
          role: "intermediate",
          address,
          bytes,
          madeBy: "the op itself",
          nextReader: undefined,
        };
      }
      const layout = program.layoutOf(value.id, ITSELF);
      const readers = fn.values.filter((other) => ownerOf(other.id) === tensor)
        .flatMap((other) => other.uses.map((use) => use.op)).filter((user) => user > op).sort((a, b) =>
          a - b
        );
      const [next] = readers;
      return {
        tensor: value.name,
        layout: layout === undefined ? undefined : describeLayout(program.evaluator.layouts.get(layout)),
        role: operands.has(tensor) ? "operand" : results.has(tensor) ? "result" : "waiting",
        address,
        bytes,
        madeBy: value.definition.kind === "argument" ? "an argument" : describeOpOf(fn, value.definition.op),
        nextReader: next === undefined ? undefined : describeOpOf(fn, next),
      };
    },
  );
}
