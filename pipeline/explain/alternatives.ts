// SPDX-License-Identifier: Apache-2.0
import {
  functionNamed,
  type Graph,
  type GraphFunction,
  type OpId,
  opId,
  type ValueId,
} from "../../lib/graph/graph.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { LayoutId, LayoutIds } from "../../lib/layout/layout_table.ts";
import type { FunctionPlan, OperandSource, Plan } from "../../lib/plan/plan.ts";
import type { BeamTrace, OpTrace, RejectionTrace } from "../../lib/propagation/decision_trace.ts";
import type { CandidateLimits } from "../../lib/search/layout_catalog.ts";
import { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import { type OpRoles, opRoles } from "../../lib/search/op_roles.ts";
import { unaskedResults } from "../../lib/search/unasked_results.ts";
import type { OpImpl, OutputChoice } from "../../lib/search/impls.ts";
import type { Workbench } from "../load.ts";

/**
 * An implementation of one op, with the µs of the op, of all copies that it reads and of those that its
 * readers need.
 */
interface Alternative {
  readonly inputs: LayoutIds;
  readonly impl: OutputChoice & Pick<OpImpl, "cores" | "outputL1Bytes">;
  readonly microseconds: number;
}

/** Questions about single decisions of a plan, with the rest of it unchanged. */
export interface PlanQuestions {
  /** Adds alternatives to an op if no candidate search recorded any (exact assignments and chains). */
  readonly withAlternatives: (functionName: string, op: OpTrace) => OpTrace;
  /** Why the plan makes a copy: the verdict on its reader with the uncopied tensor. */
  readonly whyCopied: (functionName: string, conversion: number) => string;
}

/** Answers questions about a plan; each function is modelled at its first question. */
export function planQuestions(
  { planning }: Pick<Workbench, "planning">,
  graph: Graph,
  plan: Plan,
  limits: CandidateLimits,
): PlanQuestions {
  const { opModel, cost } = planning();
  const functions = new Map<string, PlannedFunction>();
  const plannedIn = (functionName: string): PlannedFunction =>
    functions.getOrInsertComputed(functionName, () => {
      const functionPlan = plan.functions.find(({ name }) => name === functionName);
      if (functionPlan === undefined) throw new RangeError(`Cannot find a plan of @${functionName}`);
      const fn = functionNamed(graph, functionName);
      return new PlannedFunction(new OpEvaluator(fn, opModel, cost, limits), functionPlan);
    });
  return {
    withAlternatives: (functionName, op) =>
      op.beam.length > 0 || op.rejections.length > 0 ? op : plannedIn(functionName).tell(op),
    whyCopied: (functionName, conversion) => plannedIn(functionName).whyCopied(conversion),
  };
}

/** One function with its plan; prices a change of a single op. */
class PlannedFunction {
  readonly #evaluator: OpEvaluator;
  readonly #fn: GraphFunction;
  readonly #plan: FunctionPlan;
  readonly #roles: OpRoles;
  /** By value: the layout that its op produces. */
  readonly #producedIn: LayoutIds;

  constructor(evaluator: OpEvaluator, plan: FunctionPlan) {
    this.#evaluator = evaluator;
    this.#fn = evaluator.fn;
    this.#plan = plan;
    this.#roles = opRoles(evaluator);
    this.#producedIn = this.#fn.values.map(({ id, definition }) => {
      if (definition.kind !== "result") return evaluator.declared[id];
      const made = plan.decisions[definition.op]?.outputLayouts[definition.index];
      return made === undefined ? evaluator.declared[id] : evaluator.layouts.intern(made);
    });
  }

  /** The op with its alternatives; unchanged if its layouts are not decided. */
  tell(op: OpTrace): OpTrace {
    const id = opId(this.#fn, op.op);
    const decided = this.#roles.decided[id] === true;
    if (!decided) return { ...op, decided };
    const chosen = this.#chosen(id);
    const others = this.#others(id, chosen);
    return {
      ...op,
      decided,
      isAlone: true,
      finalLayouts: chosen.impl.outputs.map((layout) => this.#name(layout)),
      beam: [chosen, ...others].map((alternative, rank) => this.#spell(rank, alternative)),
      rejections: this.#refusals(id, chosen.inputs),
      notAsked: unaskedResults(this.#evaluator, id, chosen.inputs, {
        hasLadder: this.#evaluator.hasLadder,
        offeredHints: (asked) => this.#evaluator.offeredHints(asked),
        // The plan's own implementation first, then those with the operands in other layouts.
        impls: (asked, inputs) => [
          chosen.impl,
          ...this.#evaluator.impls(asked, inputs),
          ...others.map(({ impl }) => impl),
        ],
      }),
    };
  }

  /** The verdict on the reader of a copy with the uncopied tensor, in words. */
  whyCopied(conversion: number): string {
    const copy = this.#plan.conversions[conversion];
    if (copy === undefined) {
      throw new RangeError(`Cannot look up conversion ${conversion} of @${this.#fn.name}`);
    }
    if (copy.reason !== "reshard" || copy.beforeOp >= this.#fn.ops.length) return copy.note;
    const op = opId(this.#fn, copy.beforeOp);
    const reads = this.#plan.decisions[op]?.operands ?? [];
    const isReader = (source: OperandSource | undefined): boolean =>
      source?.kind === "conversion" && source.conversion === conversion;
    if (!reads.some(isReader)) return copy.note;
    const chosen = this.#chosen(op);
    const asItIs = this.#layoutOf(copy.value, copy.source);
    const inputs = chosen.inputs.map((layout, operand) => isReader(reads[operand]) ? asItIs : layout);
    const { name } = this.#evaluator.op(op);
    const [result] = chosen.impl.outputs;
    const found = this.#evaluator.query(op, inputs, result, chosen.impl.config);
    if (found === undefined || found.outputs[0] !== result) {
      const refusal = this.#evaluator.refusal(op, inputs, result);
      return `${name} cannot read ${this.#name(asItIs)} and give ${this.#name(result)}${
        refusal === undefined ? "" : `: ${refusal}`
      }`;
    }
    const extra = this.#evaluator.runtime(op, inputs, found) + this.#copies(op, inputs, found.outputs) -
      chosen.microseconds;
    return extra >= 0
      ? `read from ${this.#name(asItIs)}, ${name} takes ${extra.toFixed(2)} µs more than with the copy`
      : `read from ${this.#name(asItIs)}, ${name} takes ${
        (-extra).toFixed(2)
      } µs less by itself: ruled out by L1 or by what other ops read`;
  }

  #chosen(op: OpId): Alternative {
    const inputs = this.#inputs(op);
    const outputs = this.#evaluator.op(op).results.map((value) => this.#producedIn[value]);
    const run = { outputs, config: this.#plan.decisions[op]?.config };
    const { cores } = this.#evaluator.query(op, inputs, outputs[0], run.config) ?? { cores: 0 };
    return {
      inputs,
      impl: { ...run, cores, outputL1Bytes: this.#evaluator.l1Bytes(outputs) },
      microseconds: this.#evaluator.runtime(op, inputs, run) + this.#copies(op, inputs, outputs),
    };
  }

  /** The cheapest alternative for each other result layout, cheapest first. */
  #others(op: OpId, chosen: Alternative): readonly Alternative[] {
    const cheapest = new Map<string, Alternative>();
    for (const inputs of this.#combinations(op, chosen.inputs)) {
      for (const impl of this.#evaluator.impls(op, inputs)) {
        const microseconds = impl.microseconds + this.#copies(op, inputs, impl.outputs);
        const key = impl.outputs.join();
        const least = cheapest.get(key)?.microseconds ?? Infinity;
        if (microseconds < least) cheapest.set(key, { inputs, impl, microseconds });
      }
    }
    cheapest.delete(chosen.impl.outputs.join());
    return [...cheapest.values()].sort((a, b) => a.microseconds - b.microseconds);
  }

  /** The operand layouts as read, with one of them changed, and with all in one memory. */
  #combinations(op: OpId, current: LayoutIds): readonly LayoutIds[] {
    const { operands } = this.#evaluator.op(op);
    const offers = operands.map((value, operand) => this.#offers(op, operand, value, current[operand]));
    const memories = new Set(offers.flat().map((layout) => this.#evaluator.facts(layout).uniformKey));
    const combinations = [
      current,
      ...offers.flatMap((layouts, operand) => layouts.map((layout) => current.with(operand, layout))),
      ...[...memories].map((memory) =>
        current.map((layout, operand) =>
          offers[operand]?.find((offer) => this.#evaluator.facts(offer).uniformKey === memory) ?? layout
        )
      ),
    ];
    return [...new Map(combinations.map((inputs) => [inputs.join(), inputs])).values()];
  }

  /** Other layouts in which an operand can be read. */
  #offers(op: OpId, operand: number, value: ValueId, current: LayoutId | undefined): readonly LayoutId[] {
    const { tensor } = this.#evaluator.value(value);
    const producedIn = this.#producedIn[value];
    if (tensor === undefined || producedIn === undefined || this.#roles.pinned[value] === true) return [];
    const signature = this.#evaluator.signature(op);
    const targets = this.#roles.constantDerived[value] === true
      ? []
      : this.#evaluator.catalog.reshardTargets(tensor, producedIn);
    const interleaved = (["l1", "dram"] as const).map((memory) =>
      this.#evaluator.interleaved(tensor, producedIn, memory)
    );
    return [...new Set([producedIn, ...interleaved, ...targets])].filter((layout) =>
      layout !== current && this.#evaluator.opModel.acceptsInput(signature, operand, layout) &&
      Number.isFinite(this.#evaluator.reshardMicroseconds(tensor, producedIn, layout))
    );
  }

  /**
   * µs of the copies that the op's layouts cause: of operands, into layouts that no other op reads; and of results,
   * into the layouts in which their readers read them now.
   */
  #copies(op: OpId, inputs: LayoutIds, outputs: LayoutIds): number {
    const { operands, results } = this.#evaluator.op(op);
    const reads = operands.map((value, operand) => {
      const [producedIn, layout] = [this.#producedIn[value], inputs[operand]];
      if (producedIn === undefined || layout === undefined || this.#readElsewhere(value, op).has(layout)) {
        return 0;
      }
      const isRepeated = operands.some((other, earlier) =>
        earlier < operand && other === value && inputs[earlier] === layout
      );
      return isRepeated ? 0 : this.#move(value, producedIn, layout);
    });
    const serves = results.flatMap((value, index) => {
      const made = outputs[index];
      if (made === undefined) return [];
      return [...this.#readElsewhere(value, undefined)].map((layout) => this.#move(value, made, layout));
    });
    return [...reads, ...serves].reduce((sum, microseconds) => sum + microseconds, 0);
  }

  /** µs of the fastest copies from one layout to another: one copy, or a copy of one in interleaved memory. */
  #move(value: ValueId, from: LayoutId, to: LayoutId): number {
    const { tensor } = this.#evaluator.value(value);
    if (tensor === undefined) return 0;
    const copy = (source: LayoutId, target: LayoutId): number =>
      source === target ? 0 : this.#evaluator.reshardMicroseconds(tensor, source, target);
    const intermediates = (["l1", "dram"] as const).map((memory) =>
      this.#evaluator.interleaved(tensor, from, memory)
    );
    return Math.min(copy(from, to), ...intermediates.map((stop) => copy(from, stop) + copy(stop, to)));
  }

  /** Layouts in which other ops read a value, and in which it is returned. */
  #readElsewhere(value: ValueId, except: OpId | undefined): ReadonlySet<LayoutId> {
    const read = this.#evaluator.value(value).uses.flatMap(({ op, operand }) =>
      op === except ? [] : [this.#inputs(op)[operand]]
    );
    const returned = this.#evaluator.returnedIn(value);
    return new Set([...read, returned].filter((layout) => layout !== undefined));
  }

  #inputs(op: OpId): LayoutIds {
    const sources = this.#plan.decisions[op]?.operands ?? [];
    return this.#evaluator.op(op).operands.map((value, operand) => this.#layoutOf(value, sources[operand]));
  }

  #layoutOf(value: ValueId, source: OperandSource | undefined): LayoutId | undefined {
    const copy = source?.kind === "conversion" ? this.#plan.conversions[source.conversion] : undefined;
    return copy === undefined ? this.#producedIn[value] : this.#evaluator.layouts.intern(copy.layout);
  }

  /** Refusals of the op model for the operands as read, by reason. */
  #refusals(op: OpId, inputs: LayoutIds): readonly RejectionTrace[] {
    const { primary, fallback } = this.#evaluator.offeredHints(op);
    const hints = new Set([...primary, ...fallback].map(({ layout }) => layout));
    const refused = [...hints].flatMap((hint) => {
      const reason = hint === undefined ? undefined : this.#evaluator.refusal(op, inputs, hint);
      return reason === undefined ? [] : [{ reason, output: this.#name(hint) }];
    });
    return [...Map.groupBy(refused, ({ reason }) => reason)].map(([reason, group]) => ({
      reason,
      count: group.length,
      inputs: inputs.map((layout) => this.#name(layout)),
      output: group[0]?.output,
    }));
  }

  #spell(rank: number, { inputs, impl, microseconds }: Alternative): BeamTrace {
    return {
      rank,
      inputs: inputs.map((layout) => this.#name(layout)),
      output: this.#name(impl.outputs[0]),
      microseconds,
      score: { ...(impl.cores === 0 ? {} : { cores: impl.cores }), outputL1Bytes: impl.outputL1Bytes },
    };
  }

  #name(layout: LayoutId | undefined): string {
    return layout === undefined ? "" : describeLayout(this.#evaluator.layouts.get(layout));
  }
}
