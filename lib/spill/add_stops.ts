// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../memory/l1_timeline.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt } from "../search/program.ts";
import { Trials } from "./restore.ts";

/** Most stops that are tried for one copy, the fastest ones. */
const TRIED_STOPS = 3;

/** By copy of a program: layouts by way of which it takes less time than directly, the fastest first. */
export function stopsOf(program: LayoutProgram): ReadonlyMap<number, readonly LayoutId[]> {
  const used = program.usedCopies();
  const stops = new Map<number, readonly LayoutId[]>();
  for (const copy of program.copies.keys()) {
    const faster = used[copy] === true ? fasterStops(program, copy) : [];
    if (faster.length > 0) stops.set(copy, faster);
  }
  return stops;
}

/**
 * Makes copies in two steps where that takes less time than one. For example, two cores fetch the pages of their
 * large shards from DRAM one by one; many cores are faster with shards of their own, from which the large ones are then
 * filled. A change is kept if the predicted time falls and everything fits as before.
 *
 * @param stops of copies of the program
 * @returns how many copies got a stop
 */
export function addStops(
  program: LayoutProgram,
  stops: ReadonlyMap<number, readonly LayoutId[]>,
  roles: OpRoles,
  region: L1Region,
): number {
  const trials = new Trials(program, roles, region);
  for (const [copy, layouts] of stops) {
    for (const layout of layouts) {
      const { kept } = trials;
      trials.attempt((trial) => addStop(trial, copy, layout));
      if (trials.kept > kept) break;
    }
  }
  return trials.kept;
}

function fasterStops(program: LayoutProgram, copy: number): readonly LayoutId[] {
  const { evaluator } = program;
  const { value, source, layout } = copyAt(program, copy);
  const { tensor } = evaluator.value(value);
  const from = program.layoutOf(value, source);
  if (tensor === undefined || from === undefined) return [];
  const stops = new Set([from, layout].flatMap((end) => [
    evaluator.interleaved(tensor, end, "dram"),
    evaluator.interleaved(tensor, end, "l1"),
    ...evaluator.catalog.reshardTargets(tensor, end),
  ]));
  const directUs = program.copyMicroseconds(copy);
  return [...stops].filter((stop) => stop !== from && stop !== layout)
    .map((stop) => ({
      stop,
      microseconds: evaluator.copyMicroseconds(value, from, stop) +
        evaluator.copyMicroseconds(value, stop, layout),
    }))
    .filter(({ microseconds }) => microseconds < directUs)
    .toSorted((a, b) => a.microseconds - b.microseconds)
    .slice(0, TRIED_STOPS)
    .map(({ stop }) => stop);
}

function addStop(program: LayoutProgram, copy: number, layout: LayoutId): boolean {
  program.setCopySource(copy, program.addCopy({ ...copyAt(program, copy), layout }));
  return true;
}
