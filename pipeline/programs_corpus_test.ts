// SPDX-License-Identifier: Apache-2.0

/**
 * One op, one answer, over the corpus: what the op model says that an op runs as is what the simulator priced, and no
 * plan lives from a disagreement between the two.
 *
 * `TILEWRIGHT_FULL_SWEEP=1` takes every file; `TILEWRIGHT_POLICIES` names policies, `all` takes every one.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { OpId } from "../lib/graph/graph.ts";
import { opSignatures } from "../lib/graph/signature.ts";
import type { LayoutIds, LayoutTable } from "../lib/layout/layout_table.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { ValidConstraints } from "../lib/opmodel/op_model.ts";
import type { OpSpecificAttributes } from "../lib/op_config/op_config.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";
import { coresOf } from "../lib/programs/program.ts";
import { circularBufferPeak } from "../lib/programs/circular_buffer.ts";
import type { FunctionPlan, OperandSource } from "../lib/plan/plan.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { policies } from "../lib/policy/policies.ts";
import { OpEvaluator } from "../lib/search/op_evaluator.ts";
import { congestionModelOf } from "../sim/network/congestion.ts";
import type { FunctionTimeline, StepTimeline } from "../sim/timeline/timeline.ts";
import { corpusFiles, corpusName, corpusTest, IS_FULL_SWEEP } from "../testing/corpus.ts";
import { createWorkbench, type Workbench } from "./load.ts";
import { type Optimized, optimizeModule } from "./optimize.ts";
import { readCorpusInput } from "./testing/corpus_input.ts";

const EVERY = IS_FULL_SWEEP ? 1 : 14;
const NAMES = Deno.env.get("TILEWRIGHT_POLICIES") ?? "greedy,beam-cost";
const CHOSEN: readonly Policy[] = policies.filter(({ name }) =>
  NAMES === "all" || NAMES.split(",").includes(name)
);
/** Policies that choose by predicted time; the others do not know what a detour costs. */
const PRICED: readonly Policy[] = CHOSEN.filter(({ name }) => name === "beam-cost" || name === "optimal");
const FILES: readonly string[] = ["lowered/models", "dumps/ttnn"]
  .flatMap((folder) => corpusFiles(folder))
  .filter((_, index) => index % EVERY === 0);

/** Decides a file with every chosen policy and hands the timelines on. */
async function forEachPlan(
  t: Deno.TestContext,
  chosen: readonly Policy[],
  check: (workbench: Workbench, optimized: Optimized) => void,
): Promise<void> {
  for (const file of FILES) {
    const name = corpusName(file);
    const { module, device } = readCorpusInput(Deno.readTextFileSync(file), name);
    for (const policy of chosen) {
      await t.step(`${policy.name} ${name}`, () => {
        const workbench = createWorkbench(module, device, DEFAULT_POLICY_OPTIONS);
        check(workbench, optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS));
      });
    }
  }
}

function idsOf(layouts: LayoutTable, list: readonly (TtnnLayout | undefined)[]): LayoutIds {
  return list.map((layout) => layout === undefined ? undefined : layouts.intern(layout));
}

function signatureOf({ binding }: Workbench, fn: FunctionTimeline, step: StepTimeline): OpSignature {
  const source = binding.graph.functions.find(({ name }) => name === fn.name);
  assert(source !== undefined, `no function ${fn.name}`);
  const signature = opSignatures(source)[step.op];
  assert(signature !== undefined, `no op ${step.op}`);
  return signature;
}

/** The op model's answer for a step as it runs; `undefined` where it refuses it or would make something else of it. */
function answerFor(
  workbench: Workbench,
  fn: FunctionTimeline,
  step: StepTimeline,
  inputs: LayoutIds,
  config: OpSpecificAttributes | undefined,
): ValidConstraints | undefined {
  const { opModel } = workbench;
  const signature = signatureOf(workbench, fn, step);
  const outputs = idsOf(opModel.layouts, step.outputLayouts);
  const answer = opModel.queryOpConstraints(signature, inputs, outputs[0], config, Number.NEGATIVE_INFINITY);
  const same = answer.status === "valid" &&
    outputs.every((layout, result) => layout === answer.outputLayouts[result]);
  return same ? answer : undefined;
}

corpusTest("the programs that the simulator priced are those that the op model reports", async (t) => {
  let compared = 0;
  await forEachPlan(t, CHOSEN, (workbench, { plan, timeline }) => {
    for (const fn of timeline.functions) {
      const decided = plan.functions.find(({ name }) => name === fn.name);
      assert(decided !== undefined);
      // Asked with the config of the plan: one that says what the backend chooses by itself is another question.
      const configs = new Map<number, OpSpecificAttributes | undefined>(
        decided.decisions.map(({ op, config }) => [op, config]),
      );
      for (const step of fn.steps.filter(({ kind }) => kind === "op")) {
        const inputs = idsOf(workbench.opModel.layouts, step.inputLayouts);
        const answer = answerFor(workbench, fn, step, inputs, configs.get(step.op));
        if (answer === undefined) continue;
        compared++;
        const place = `${step.name} (op ${step.op})`;
        const { programs } = step.estimate;
        assertEquals(programs.length, answer.programs.length, place);
        programs.forEach((program, index) =>
          // No `assertStrictEquals`: its report compares the two objects for minutes.
          assert(program === answer.programs[index], `${place}: program ${index} was derived anew`)
        );
        const launched = { status: "known", programs } as const;
        assertEquals(answer.cores, coresOf(launched), `${place}: cores`);
        assertEquals(step.estimate.cores, coresOf(launched), `${place}: cores of the estimate`);
        assertEquals(answer.cbPeakBytes, circularBufferPeak(launched), `${place}: circular buffers`);
      }
    }
  });
  assert(FILES.length === 0 || compared > 100, `only ${compared} steps were compared`);
});

corpusTest(
  "a way to run an op is priced as the op is that makes just these results with just this config",
  async (t) => {
    const compared = new Set<string>();
    let impls = 0;
    for (const file of FILES) {
      const name = corpusName(file);
      const { module, device } = readCorpusInput(Deno.readTextFileSync(file), name);
      await t.step(name, () => {
        const { binding, opModel, cost } = createWorkbench(module, device, DEFAULT_POLICY_OPTIONS);
        for (const fn of binding.graph.functions) {
          const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
          const known = new Set<number>();
          for (const { id, name, operands } of fn.ops) {
            if (known.has(evaluator.structureId(id)) || !evaluator.traits(id).movable) continue;
            known.add(evaluator.structureId(id));
            const offered = operands.map((value) => {
              const [{ tensor }, like] = [evaluator.value(value), evaluator.declared[value]];
              if (tensor === undefined || like === undefined) return [undefined];
              return [
                like,
                evaluator.interleaved(tensor, like, "l1"),
                ...evaluator.catalog.reshardTargets(tensor, like),
              ];
            });
            for (let place = 0; place < Math.max(...offered.map(({ length }) => length)); place++) {
              for (const together of [true, false]) {
                const inputs = offered.map((layouts, operand) =>
                  together || operand === 0 ? layouts[place] : layouts[0]
                );
                for (const impl of evaluator.impls(id, inputs)) {
                  assertEquals(impl.microseconds, evaluator.runtime(id, inputs, impl), name);
                  compared.add(name);
                  impls++;
                }
              }
            }
          }
        }
      });
    }
    assert(
      FILES.length === 0 || (impls > 1000 && compared.size > 10),
      `${impls} ways of ${compared.size} kinds of ops`,
    );
  },
);

corpusTest("no detour through DRAM is dearer than the direct way that the op model allows", async (t) => {
  await forEachPlan(t, PRICED, (workbench, { plan, timeline }) => {
    const { device, cost, opModel } = workbench;
    const congestion = congestionModelOf(device, opModel.layouts);
    for (const fn of timeline.functions) {
      const decided = plan.functions.find(({ name }) => name === fn.name);
      assert(decided !== undefined);
      const ops = new Map(fn.steps.filter(({ kind }) => kind === "op").map((step) => [step.op, step]));
      for (const detour of fn.steps.filter(isDetour)) {
        const readers = readersOf(decided, detour.id);
        const [from] = detour.inputLayouts;
        const [to] = detour.outputLayouts;
        assert(from !== undefined && to !== undefined);
        if (readers === undefined) continue;
        let around = 0;
        let straight = 0;
        let error = 0;
        for (const { op, operands } of readers) {
          const step = ops.get(op);
          assert(step !== undefined, `op ${op} reads a conversion and does not run`);
          const signature = signatureOf(workbench, fn, step);
          const direct = idsOf(
            opModel.layouts,
            step.inputLayouts.map((layout, operand) => operands.has(operand) ? from : layout),
          );
          // An op that no policy moves, and a layout that its own filter keeps from the search, are no way to have gone.
          const offered = opModel.traits(signature).movable && [...operands].every((operand) => {
            const layout = direct[operand];
            return layout !== undefined && opModel.acceptsInput(signature, operand, layout);
          });
          if (!offered || answerFor(workbench, fn, step, direct, step.config) === undefined) {
            straight = Infinity;
            break;
          }
          const outputs = idsOf(opModel.layouts, step.outputLayouts);
          const estimate = cost.getOpRuntime(signature, direct, outputs, step.config);
          straight += estimate.microseconds;
          error += estimate.relativeError * estimate.microseconds;
          around += step.estimate.microseconds;
        }
        const tensor = { shape: detour.inputShapes[0] ?? [], dataType: from.dataType };
        const [fromId, toId] = idsOf(opModel.layouts, [from, to]);
        assert(fromId !== undefined && toId !== undefined);
        around += congestion.refine(cost.getReshardRuntime(tensor, fromId, toId), tensor, fromId, toId)
          .microseconds;
        assert(
          straight + error >= around,
          `before op ${detour.op}: ${around} µs through DRAM, ${straight} ± ${error} µs directly`,
        );
      }
    }
  });
});

/** Whether a step copies a tensor out of L1 into DRAM for ops behind it; a spill does it for the room. */
function isDetour(step: StepTimeline): boolean {
  return step.kind === "conversion" && step.inputLayouts[0]?.bufferType === "l1" &&
    step.outputLayouts[0]?.bufferType === "dram" && step.reason === "reshard";
}

/** Operands that read a conversion, by op; `undefined` when something else reads it too. */
function readersOf(
  { decisions, conversions, results }: FunctionPlan,
  conversion: number,
): readonly { readonly op: OpId; readonly operands: ReadonlySet<number> }[] | undefined {
  const reads = (source: OperandSource): boolean =>
    source.kind === "conversion" && source.conversion === conversion;
  if (results.some(reads) || conversions.some(({ source }) => reads(source))) return undefined;
  return decisions.flatMap(({ op, operands }) => {
    const read = new Set(operands.flatMap((source, operand) => reads(source) ? [operand] : []));
    return read.size === 0 ? [] : [{ op, operands: read }];
  });
}
