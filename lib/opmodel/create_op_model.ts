// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { LayoutId, LayoutIds, LayoutTable } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { OpTraits } from "../ops/op_traits.ts";
import { entryForOperand } from "../ops/operand_groups.ts";
import { FULL_RUN, type L1Room, type RunAssumptions } from "../programs/op_launch.ts";
import type { OpPrograms } from "../programs/program.ts";
import { relayout } from "../programs/data_movement/relayout.ts";
import {
  FEW_OPERANDS,
  type HintConfigs,
  type OpConstraints,
  type OpModel,
  type OpModelStatistics,
  type OutputHints,
} from "./op_model.ts";
import type { OpModelOptions } from "./op_model_options.ts";
import { outputHintsOf } from "./output_hints.ts";
import { acceptsLayout } from "./rule.ts";
import { RuleAnswers, type RuleQuestion, type UncachedAnswer } from "./rule_answers.ts";
import { SignatureCache } from "./signature_cache.ts";
import { outOfMemory } from "./verdict.ts";

/** An answer, and whether it came from the cache. */
interface AskedConstraints {
  readonly answer: OpConstraints;
  readonly isKnown: boolean;
  /** Whether the query is the first of its kind since `countAnew`. */
  readonly isFirst: boolean;
}

/**
 * Builds the op model: the rule book behind a cache.
 *
 * @example
 * ```ts
 * import { getDevice } from "@tilewright/tilewright";
 * import { LayoutTable, makeLayout } from "@tilewright/tilewright/layout";
 * import { chipDescription } from "@tilewright/tilewright/device";
 * import { createOpModel } from "@tilewright/tilewright/opmodel";
 * import { assertEquals } from "@std/assert";
 *
 * const chip = chipDescription(getDevice("n150"));
 * const layouts = new LayoutTable();
 * const opModel = createOpModel({ chip, layouts });
 * const tensor = { shape: [32, 64], dataType: "bf16" } as const;
 * const relu = {
 *   name: "ttnn.relu",
 *   attributes: new Map(),
 *   operands: [tensor],
 *   operandSegmentSizes: undefined,
 *   results: [tensor],
 * };
 * const dram = layouts.intern(makeLayout({ ...tensor, bufferType: "dram", memoryLayout: "interleaved" }, chip.workerGrid));
 * const answer = opModel.queryOpConstraints(relu, [dram], dram, undefined);
 * assertEquals(answer.status === "valid" && answer.outputLayouts, [dram]);
 * ```
 */
export function createOpModel(options: OpModelOptions): OpModel {
  return new RuleBookOpModel(options);
}

/**
 * Refusals are cached for ops with at most this many operands. A search queries a join once per operand and
 * layout and is refused each time; a cached query takes memory per operand.
 */
const MOST_KEPT_OPERANDS = 32;

interface CachedAnswer {
  readonly answer: UncachedAnswer;
  /** Times that {@linkcode OpModel.countAnew} was called before its last query; −1 before its first. */
  askedIn: number;
}

class RuleBookOpModel implements OpModel {
  readonly chip: ChipDescription;
  readonly layouts: LayoutTable;
  readonly assumed: RunAssumptions;
  readonly #rules: RuleAnswers;
  /** By `#key`; refusals are kept like other answers. */
  readonly #cache: Map<string, CachedAnswer> = new Map();
  #epoch = 0;
  readonly #signatures: SignatureCache;
  readonly #asWritten: boolean;
  /** Whether operand layouts that a rule reads equally share an answer. */
  readonly #sharesAnswers: boolean;
  #queries = 0;
  #hits = 0;
  #firstAsked = 0;
  #furtherOperands = 0;

  constructor(options: OpModelOptions) {
    this.chip = options.chip;
    this.layouts = options.layouts;
    this.assumed = options.assumed ?? FULL_RUN;
    this.#asWritten = options.asWritten ?? false;
    this.#sharesAnswers = (options.filters ?? []).every(({ readsAsRule }) => readsAsRule);
    this.#rules = new RuleAnswers(options);
    this.#signatures = new SignatureCache(this.#rules.layoutChecks);
  }

  get statistics(): OpModelStatistics {
    return {
      queries: this.#queries,
      hits: this.#hits,
      firstAsked: this.#firstAsked,
      furtherOperands: this.#furtherOperands,
    };
  }

  countAnew(): void {
    this.#epoch++;
  }

  traits(op: OpSignature): OpTraits {
    return this.#signatures.of(op).traits;
  }

  queryOpConstraints(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    extraL1Bytes: number = 0,
  ): OpConstraints {
    return this.#counted(inputs, this.#constraints(this.#question(op, inputs, hint, config), extraL1Bytes));
  }

  queryOnce(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpConstraints {
    return this.#counted(inputs, this.#constraints(this.#question(op, inputs, hint, config), 0, false));
  }

  constraintsInRoom(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    room: L1Room,
  ): OpConstraints {
    this.#queries++;
    this.#firstAsked++;
    const context = { ...this.#rules.context, room: () => room };
    const answer = this.#rules.answer(this.#question(op, inputs, hint, config), context);
    return answer.status === "unlaunched" ? answer.launched() : answer;
  }

  countAnswered(): void {
    this.#queries++;
    this.#hits++;
  }

  #counted(
    inputs: LayoutIds,
    { answer, isKnown, isFirst }: AskedConstraints,
  ): OpConstraints {
    this.#queries++;
    if (isKnown) this.#hits++;
    if (isFirst) {
      this.#firstAsked++;
      this.#furtherOperands += Math.max(0, inputs.length - FEW_OPERANDS);
    }
    return answer;
  }

  /** @param keeps whether the answer is cached */
  #constraints(question: RuleQuestion, extraL1Bytes: number, keeps: boolean = true): AskedConstraints {
    const own = this.#key(question);
    const shared = this.#sharedKey(question);
    const known = (shared === undefined ? undefined : this.#cache.get(shared)) ?? this.#cache.get(own);
    const cached = known ?? { answer: this.#rules.answer(question), askedIn: -1 };
    const isFirst = !keeps || cached.askedIn !== this.#epoch;
    if (keeps) cached.askedIn = this.#epoch;
    const { answer } = cached;
    const isRefused = answer.status === "invalid";
    if (keeps && known === undefined && !(isRefused && question.inputs.length > MOST_KEPT_OPERANDS)) {
      // Refusals name their operands, so they are not shared.
      this.#cache.set(isRefused ? own : shared ?? own, cached);
    }
    const { op } = question.signature;
    return { answer: this.#withinL1(op, answer, extraL1Bytes), isKnown: known !== undefined, isFirst };
  }

  /** The answer, or a refusal if L1 is too small for it. */
  #withinL1(op: OpSignature, answer: UncachedAnswer, extraL1Bytes: number): OpConstraints {
    const usable = this.#rules.context.usableL1Bytes;
    let known = answer;
    if (known.status === "unlaunched") {
      if (known.leastL1Bytes + extraL1Bytes > usable) return outOfMemory(op, known, extraL1Bytes, usable);
      known = known.launched();
    }
    return known.status === "valid" && known.l1PeakBytes + extraL1Bytes > usable
      ? outOfMemory(op, known, extraL1Bytes, usable)
      : known;
  }

  programs(
    op: OpSignature,
    inputs: LayoutIds,
    outputs: LayoutIds,
    config: OpSpecificAttributes | undefined,
  ): OpPrograms {
    const question = this.#question(op, inputs, outputs[0], config);
    const { answer } = this.#constraints(question, Number.NEGATIVE_INFINITY);
    const asWritten = answer.status === "valid" &&
      op.results.every((_, result) => answer.outputLayouts[result] === outputs[result]);
    if (asWritten) return { status: "known", programs: answer.programs };
    return this.#rules.launch(question.signature, inputs, outputs, this.#rules.completed(question).config);
  }

  writtenConfig(
    op: OpSignature,
    inputs: LayoutIds,
    output: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpSpecificAttributes | undefined {
    const question = this.#question(op, inputs, output, config);
    const { rule, ownConfig } = question.signature;
    if (!this.#asWritten || rule.writtenConfig === undefined) return config;
    const query = this.#rules.query(this.#rules.completed(question));
    if ("status" in query) return config;
    const written = rule.writtenConfig(query, ownConfig);
    return written === query.config ? config : written;
  }

  freeConfigs(
    op: OpSignature,
    inputs: LayoutIds,
    output: LayoutId | undefined,
    used: OpSpecificAttributes | undefined,
    room: number,
  ): readonly (readonly OpSpecificAttributes[])[] {
    const question = this.#question(op, inputs, output, used);
    const query = this.#rules.query(question);
    return "status" in query ? [] : question.signature.rule.freeConfigs?.(query, room) ?? [];
  }

  reshardPrograms(tensor: TensorShape, from: LayoutId, to: LayoutId): OpPrograms {
    return relayout(this.#rules.tensor(tensor, from), this.#rules.tensor(tensor, to), this.chip);
  }

  outputHints(op: OpSignature, legalLayouts: readonly LayoutId[], configs?: HintConfigs): OutputHints {
    const { hints } = this.#signatures.of(op).strategy;
    return outputHintsOf(hints, op, legalLayouts, this.#rules.context, configs);
  }

  acceptsInput(op: OpSignature, operand: number, layout: LayoutId): boolean {
    const { strategy } = this.#signatures.of(op);
    const filter = entryForOperand(strategy.inputs, op, operand) ?? "any";
    return acceptsLayout(filter, this.layouts.get(layout));
  }

  mayFollow(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): boolean {
    const { rule } = this.#signatures.of(op);
    if (rule.mayFollow === undefined) return true;
    const layoutOf = (id: LayoutId | undefined) => id === undefined ? undefined : this.layouts.get(id);
    return rule.mayFollow({ layout: layoutOf(hint), config }, inputs.map(layoutOf));
  }

  operandAsRead(op: OpSignature, operand: number, layout: LayoutId, hint: LayoutId): LayoutId {
    return this.#signatures.of(op).asRead?.of(operand, layout, hint) ?? layout;
  }

  exploresReshards(op: OpSignature, operand: number): boolean {
    return operand < op.operands.length && this.#signatures.of(op).strategy.exploresReshards;
  }

  forgetAnswers(): void {
    this.#cache.clear();
  }

  #question(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): RuleQuestion {
    return { signature: this.#signatures.of(op), inputs, hint, config };
  }

  /** A query as a cache key. */
  #key({ signature: { id }, inputs, hint, config }: RuleQuestion): string {
    return `${id},${hint},${this.#rules.configs.of(config)},${inputs.length},${inputs.join()}`;
  }

  /** The key of all queries that the rule reads equally; `undefined` if it reads every operand completely. */
  #sharedKey(question: RuleQuestion): string | undefined {
    const { signature: { asRead }, inputs, hint } = question;
    if (hint === undefined || asRead === undefined || !this.#sharesAnswers) return undefined;
    const read = inputs.map((input, index) => input === undefined ? input : asRead.of(index, input, hint));
    return `${this.#key({ ...question, inputs: read })}=`;
  }
}
