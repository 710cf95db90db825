// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { entryForOperand } from "../ops/operand_groups.ts";
import { FULL_RUN } from "../programs/op_launch.ts";
import { relayout } from "../programs/data_movement/relayout.ts";
import { FEW_OPERANDS, type OpConstraints, type OpModel } from "./op_model.ts";
import type { OpModelOptions } from "./op_model_options.ts";
import { outputHintsOf } from "./output_hints.ts";
import { acceptsLayout } from "./rule.ts";
import { RuleAnswers, type RuleQuestion, type UncachedAnswer } from "./rule_answers.ts";
import { signatureCache } from "./signature_cache.ts";
import { outOfMemory } from "./verdict.ts";

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
  const { chip, layouts, assumed = FULL_RUN, asWritten = false, filters = [] } = options;
  const rules = new RuleAnswers(options);
  const signatureOf = signatureCache(rules.context);
  const answers = new AnswerCache(rules, filters.every(({ readsAsRule }) => readsAsRule));
  const questionOf = (
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): RuleQuestion => ({ signature: signatureOf(op), inputs, hint, config });
  return {
    chip,
    layouts,
    assumed,
    get statistics() {
      return { ...answers.counts };
    },
    countAnew: () => answers.countAnew(),
    countAnswered: () => answers.count({ isKnown: true, furtherOperands: undefined }),
    forgetAnswers: () => answers.forget(),
    traits: (op) => signatureOf(op).traits,
    queryOpConstraints: (op, inputs, hint, config, extraL1Bytes = 0) =>
      answers.counted(questionOf(op, inputs, hint, config), extraL1Bytes),
    queryOnce: (op, inputs, hint, config) => answers.counted(questionOf(op, inputs, hint, config), 0, false),
    constraintsInRoom: (op, inputs, hint, config, room) => {
      answers.count({ isKnown: false, furtherOperands: 0 });
      const context = { ...rules.context, room: () => room };
      const answer = rules.answer(questionOf(op, inputs, hint, config), context);
      return answer.status === "unlaunched" ? answer.launched() : answer;
    },
    programs: (op, inputs, outputs, config) => {
      const question = questionOf(op, inputs, outputs[0], config);
      const { answer } = answers.of(question, Number.NEGATIVE_INFINITY);
      const isAsWritten = answer.status === "valid" &&
        op.results.every((_, result) => answer.outputLayouts[result] === outputs[result]);
      if (isAsWritten) return { status: "known", programs: answer.programs };
      try {
        return rules.launch(question.signature, inputs, outputs, rules.completed(question).config);
      } catch (error) {
        // What the rules refuse, such as a dimension that a tensor does not have, may have no programs.
        if (answer.status === "valid" || !(error instanceof RangeError)) throw error;
        return { status: "unknown", reason: answer.message };
      }
    },
    writtenConfig: (op, inputs, output, config) => {
      const question = questionOf(op, inputs, output, config);
      const { rule, ownConfig } = question.signature;
      if (!asWritten || rule.writtenConfig === undefined) return config;
      const query = rules.query(rules.completed(question));
      if ("status" in query) return config;
      const written = rule.writtenConfig(query, ownConfig);
      return written === query.config ? config : written;
    },
    freeConfigs: (op, inputs, output, used, room) => {
      const question = questionOf(op, inputs, output, used);
      const query = rules.query(question);
      return "status" in query ? [] : question.signature.rule.freeConfigs?.(query, room) ?? [];
    },
    reshardPrograms: (tensor, from, to) =>
      relayout(rules.tensor(tensor, from), rules.tensor(tensor, to), chip),
    outputHints: (op, legalLayouts, configs) =>
      outputHintsOf(signatureOf(op).strategy.hints, op, legalLayouts, rules.context, configs),
    acceptsInput: (op, operand, layout) => {
      const filter = entryForOperand(signatureOf(op).strategy.inputs, op, operand) ?? "any";
      return acceptsLayout(filter, layouts.get(layout));
    },
    mayFollow: (op, inputs, hint, config) => {
      const { rule } = signatureOf(op);
      if (rule.mayFollow === undefined) return true;
      const layoutOf = (id: LayoutId | undefined) => id === undefined ? undefined : layouts.get(id);
      return rule.mayFollow({ layout: layoutOf(hint), config }, inputs.map(layoutOf));
    },
    operandAsRead: (op, operand, layout, hint) => signatureOf(op).asRead?.(operand, layout, hint) ?? layout,
    exploresReshards: (op, operand) =>
      operand < op.operands.length && signatureOf(op).strategy.exploresReshards,
  };
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

/** The rule book's answers, each derived once, and how many were asked for. */
class AnswerCache {
  /** As in `OpModelStatistics`. */
  readonly counts = { queries: 0, hits: 0, firstAsked: 0, furtherOperands: 0 };
  readonly #rules: RuleAnswers;
  /** Whether operand layouts that a rule reads equally share an answer. */
  readonly #sharesAnswers: boolean;
  /** By `#key`; refusals are kept like other answers. */
  readonly #cache: Map<string, CachedAnswer> = new Map();
  #epoch = 0;

  constructor(rules: RuleAnswers, sharesAnswers: boolean) {
    this.#rules = rules;
    this.#sharesAnswers = sharesAnswers;
  }

  countAnew(): void {
    this.#epoch++;
  }

  forget(): void {
    this.#cache.clear();
  }

  /** @param furtherOperands of a query that is made for the first time; `undefined` for all others */
  count({ isKnown, furtherOperands }: {
    readonly isKnown: boolean;
    readonly furtherOperands: number | undefined;
  }): void {
    this.counts.queries++;
    if (isKnown) this.counts.hits++;
    if (furtherOperands === undefined) return;
    this.counts.firstAsked++;
    this.counts.furtherOperands += furtherOperands;
  }

  counted(question: RuleQuestion, extraL1Bytes: number, keeps = true): OpConstraints {
    const { answer, isKnown, isFirst } = this.of(question, extraL1Bytes, keeps);
    const furtherOperands = isFirst ? Math.max(0, question.inputs.length - FEW_OPERANDS) : undefined;
    this.count({ isKnown, furtherOperands });
    return answer;
  }

  /**
   * The answer, whether it came from the cache, and whether the query is the first of its kind since `countAnew`.
   *
   * @param keeps whether the answer is cached
   */
  of(question: RuleQuestion, extraL1Bytes: number, keeps = true): {
    readonly answer: OpConstraints;
    readonly isKnown: boolean;
    readonly isFirst: boolean;
  } {
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

  /** A query as a cache key. */
  #key({ signature: { id }, inputs, hint, config }: RuleQuestion): string {
    return `${id},${hint},${this.#rules.configs.of(config)},${inputs.length},${inputs.join()}`;
  }

  /** The key of all queries that the rule reads equally; `undefined` if it reads every operand completely. */
  #sharedKey(question: RuleQuestion): string | undefined {
    const { signature: { asRead }, inputs, hint } = question;
    if (hint === undefined || asRead === undefined || !this.#sharesAnswers) return undefined;
    const read = inputs.map((input, index) => input === undefined ? input : asRead(index, input, hint));
    return `${this.#key({ ...question, inputs: read })}=`;
  }
}
