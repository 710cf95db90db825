// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { decisionFor, ITSELF } from "../search/program.ts";
import type { OutputChoice } from "../search/ways.ts";
import {
  type LayoutChange,
  readersOfInstance,
  reroute,
  type Rerouting,
  serve,
  type Served,
} from "./readers.ts";

/** A result that an op produces in another layout, and how its readers are served by that. */
export interface MovedResult {
  readonly change: LayoutChange;
  readonly served: readonly Served[];
}

/** The cheapest way to serve all readers of an op's results; `undefined` if one of them cannot be served. */
export function rerouteResults(
  program: LayoutProgram,
  roles: OpRoles,
  op: OpId,
  choice: OutputChoice,
): readonly Rerouting[] | undefined {
  return reroutedUpTo(program, movedResults(program, roles, op, choice), Infinity);
}

/** The results of an op that another choice produces in other layouts. */
export function movedResults(
  program: LayoutProgram,
  roles: OpRoles,
  op: OpId,
  { outputs }: OutputChoice,
): readonly MovedResult[] {
  const before = decisionFor(program, op).outputs;
  return program.evaluator.op(op).results.flatMap((value, index) => {
    const [from, to] = [before[index], outputs[index]];
    if (from === undefined || to === undefined || from === to) return [];
    const change = { value, from, to };
    const readers = readersOfInstance(program, value, ITSELF);
    return { change, served: readers.map((reader) => serve(program, roles, change, reader, true)) };
  });
}

/** As {@linkcode rerouteResults}; readers behind the position `cut` read copies in the old layouts. */
export function reroutedUpTo(
  program: LayoutProgram,
  moved: readonly MovedResult[],
  cut: number,
): readonly Rerouting[] | undefined {
  const reroutings = moved.map(({ change, served }) =>
    reroute(
      program,
      change,
      served.map((each) => each.reader.position > cut ? { ...each, microseconds: Infinity } : each),
    )
  );
  return reroutings.every((each) => each !== undefined) ? reroutings : undefined;
}
