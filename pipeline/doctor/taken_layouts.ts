// SPDX-License-Identifier: Apache-2.0
import { firstResult, opAt, type OpId } from "../../lib/graph/graph.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { LayoutIds } from "../../lib/layout/layout_table.ts";
import { isSharded } from "../../lib/layout/ttnn_layout.ts";
import type { LocatedOp } from "../../lib/memory/memory_verdict.ts";
import { SpillMoves } from "../../lib/spill/moves.ts";
import type { Patient } from "./patient.ts";

/**
 * Remedies for an op that our rules refuse as it is written: layouts of its result that it takes with its operands as they
 * are, else with its operands in DRAM, by predicted time.
 */
export function layoutsTaken(patients: readonly Patient[], at: LocatedOp): readonly string[] {
  const patient = patients.find(({ fn }) => fn.name === at.function);
  const op = patient?.fn.ops[at.op];
  if (patient === undefined || op === undefined) return [];
  const { fn, program } = patient;
  const result = firstResult(fn, op);
  const asWritten = resultsTaken(patient, op.id, program.inputsOf(op.id));
  const [where, taken] = asWritten.length > 0
    ? ["", asWritten] as const
    : ["its operands in DRAM (to_memory_config before it), and ", fromDram(patient, op.id)] as const;
  const name = result?.name ?? "its result";
  return [
    ...taken.map((layout, index) =>
      `${index === 0 ? "" : "or "}${where}${name} as ${layout}, which the op takes`
    ),
    result?.layout !== undefined && taken.length > 0 && result.returned > 0 &&
      !taken.includes(describeLayout(result.layout))
      ? `the function returns ${name} as it is declared: another type of the function's result, or a to_memory_config behind the op where that layout is a possible one`
      : [],
  ].flat();
}

function fromDram({ fn, program, roles }: Patient, op: OpId): readonly string[] {
  const trial = program.clone();
  const moved = new SpillMoves(trial, roles).readDram(op);
  if (moved === undefined) return [];
  moved.apply();
  return resultsTaken({ fn, program: trial }, op, trial.inputsOf(op));
}

/** Layouts of the first result that the op takes: the fastest, the fastest of the declared kind, and interleaved, in words. */
function resultsTaken(
  { fn, program: { evaluator } }: Pick<Patient, "fn" | "program">,
  op: OpId,
  inputs: LayoutIds,
): readonly string[] {
  const declared = firstResult(fn, opAt(fn, op))?.layout;
  if (declared === undefined) return [];
  const taken = evaluator.impls(op, inputs)
    .map((impl) => ({ layout: impl.outputs[0], microseconds: evaluator.runtime(op, inputs, impl) }))
    .toSorted((a, b) => a.microseconds - b.microseconds)
    .flatMap(({ layout }) => layout === undefined ? [] : [evaluator.layouts.get(layout)]);
  const fastest = taken[0];
  const interleaved = taken.find((layout) => !isSharded(layout));
  return [
    ...new Set([fastest, interleaved].flatMap((one) => one === undefined ? [] : [describeLayout(one)])),
  ];
}
