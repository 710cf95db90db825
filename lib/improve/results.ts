// SPDX-License-Identifier: Apache-2.0
import { RESULTS_TRIED } from "../search/limits.ts";
import type { OpId } from "../graph/graph.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { decisionFor, ITSELF } from "../search/program.ts";
import type { OutputChoice } from "../search/impls.ts";
import { bestFirst, type Proposal } from "./move.ts";
import { applyRerouting, readerCost, readersOfInstance, reroute, type Rerouting } from "./readers.ts";

/**
 * Candidates of an op on its operands that save time. Some readers of its results then read the new layouts,
 * and one copy in the old layout serves the others.
 */
export function otherCandidates(
  program: LayoutProgram,
  roles: OpRoles,
  op: OpId,
): readonly Proposal[] {
  const nowUs = program.opMicroseconds(op);
  const proposals = program.evaluator.impls(op, program.inputsOf(op)).flatMap((impl): Proposal[] => {
    const reroutings = rerouteResults(program, roles, op, impl);
    if (reroutings === undefined) return [];
    return [{
      microseconds: reroutings.reduce((sum, each) => sum + each.microseconds, impl.microseconds - nowUs),
      apply(trial) {
        trial.setOutputs(op, impl, "for the readers that gain by it", false);
        for (const each of reroutings) applyBehind(trial, op, each);
      },
    }];
  });
  return bestFirst(proposals).slice(0, RESULTS_TRIED);
}

/** The cheapest way to serve all readers of an op's results; `undefined` if one of them cannot be served. */
export function rerouteResults(
  program: LayoutProgram,
  roles: OpRoles,
  op: OpId,
  choice: OutputChoice,
): readonly Rerouting[] | undefined {
  const before = decisionFor(program, op).outputs;
  const reroutings = program.evaluator.op(op).results.flatMap((value, index) => {
    const [from, to] = [before[index], choice.outputs[index]];
    if (from === undefined || to === undefined || from === to) return [];
    const change = { value, from, to };
    const readers = readersOfInstance(program, value, ITSELF);
    return [
      reroute(program, change, readers.map((reader) => readerCost(program, roles, change, reader, true))),
    ];
  });
  return reroutings.every((each) => each !== undefined) ? reroutings : undefined;
}

/**
 * Applies a rerouting after an op. A copy outside L1 is made at once, so that the result need not stay in L1
 * until its readers.
 */
function applyBehind(program: LayoutProgram, op: OpId, rerouting: Rerouting): void {
  const isFree = program.evaluator.facts(rerouting.from).l1Bytes === 0;
  const before = program.placeAt(program.positionOf(op) + 1);
  applyRerouting(program, rerouting, ITSELF, {
    reason: "reshard",
    note: "its other readers need it there",
    ...(isFree ? { before } : {}),
  });
}
