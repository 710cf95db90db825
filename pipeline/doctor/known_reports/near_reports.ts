// SPDX-License-Identifier: Apache-2.0
import type { RuntimeFailure } from "../runtime_log.ts";
import { type Fingerprint, fingerprintOf, wordsIn } from "./fingerprint.ts";
import { type KnownReport, readReports } from "./known_report.ts";

/** How near a report is to a message, likeliest first. */
const NEARNESS = [
  "the same check on the same op",
  "the same kind of failure on the same op",
  "the same kind of failure in the same circumstances",
  "the same check",
  "the same check; the message names no op",
  "the same check on another op",
  "a similar check on the same op",
] as const;

/** A report of the failure that a message is of. */
export interface NearReport extends KnownReport {
  readonly nearness: typeof NEARNESS[number];
  /** Other threads with the same cause. */
  readonly others: readonly string[];
}

/** A row with what identifies it. */
interface ReportEntry {
  readonly report: KnownReport;
  readonly print: Fingerprint;
  /** Words of the cause that its message has not, which tell reports of one kind apart. */
  readonly circumstances: ReadonlySet<string>;
}

/** An entry that is near to a message. */
interface NearEntry {
  readonly entry: ReportEntry;
  readonly nearness: NearReport["nearness"];
  /** Weight of its circumstances that the text names. */
  readonly evidence: number;
}

/** Share of the words' weight from which two messages are of one check, and of similar ones. */
const [SAME, SIMILAR] = [0.72, 0.55];

/** Least weight of what two messages share, if the op is the same, and if it is not. */
const [LITTLE, SOME] = [12, 20];

/** Weight of what two messages share from which some of their other words may differ, and how much of the longer one less needs. */
const [MUCH, WHOLE] = [40, 0.85];

/** Share of a report's message that a longer one has, at most so many times as long, which goes on behind it. */
const [QUOTED, GOES_ON] = [0.95, 3];

/** Share of a report's details that a text has to have, where the kind of failure says little. */
const DETAILS = 0.5;

/** Weight of circumstances from which one of many causes is likely, and which share of them a text has to name. */
const [TELLING, TOLD] = [10, 0.25];

/** Most causes of a check of which each is likely, by nearness. */
const MOST_CAUSES: Readonly<Record<NearReport["nearness"], number>> = {
  "the same check on the same op": 3,
  "the same kind of failure on the same op": 3,
  "the same kind of failure in the same circumstances": 3,
  "the same check": 3,
  "the same check; the message names no op": 1,
  "the same check on another op": 1,
  "a similar check on the same op": 1,
};

const OF_SAME_OP: ReadonlySet<NearReport["nearness"]> = new Set(
  NEARNESS.filter((each) => each.endsWith("same op")),
);

/** Most reports of one failure that are told. */
const MOST_TOLD = 2;

/** Share of words from which two causes or remedies say the same. */
const ONE_CAUSE = 0.5;

/** Most characters of a message that are compared. */
const MOST_OF_MESSAGE = 2_000;

/** Characters at the end of a log that are searched for circumstances. */
const MOST_OF_LOG = 20_000;

/** What a remedy says that only names a version. */
export const NEWER: RegExp = /\b(?:versions?|releases?|wheel|main)\b/;

const NO_WORDS: ReadonlySet<string> = new Set();

/** The table, with the rows in which each word or pair occurs. */
export class ReportTable {
  readonly #entries: readonly ReportEntry[];
  readonly #entriesOf = new Map<string, ReportEntry[]>();
  #around: { readonly text: string; readonly words: ReadonlySet<string> } = { text: "", words: NO_WORDS };

  constructor(reports: readonly KnownReport[]) {
    this.#entries = reports.map((report): ReportEntry => {
      const { message, symptom = "", where, ops } = report;
      const print = fingerprintOf(message ?? symptom, where, ops);
      const ofOps = report.ops.flatMap(wordsIn);
      const cause = new Set(wordsIn(report.cause)).difference(print.words);
      return { report, print, circumstances: cause.difference(new Set(ofOps)) };
    });
    for (const entry of this.#entries) {
      for (const word of entry.print.words.union(entry.circumstances)) {
        const entries = this.#entriesOf.get(word);
        if (entries === undefined) this.#entriesOf.set(word, [entry]);
        else entries.push(entry);
      }
    }
  }

  /**
   * The reports of the failure that a message is of, at most {@linkcode MOST_TOLD}, nearest first.
   *
   * @param text the log that the message stands in
   */
  near(message: Fingerprint, text: string): readonly NearReport[] {
    if (this.#around.text !== text) {
      this.#around = { text, words: new Set(wordsIn(text.slice(-MOST_OF_LOG))) };
    }
    // Single words are in many messages.
    const shared = new Set(
      [...message.words].flatMap((word) => word.includes(" ") ? this.#entriesOf.get(word) ?? [] : []),
    );
    const context = this.#around.words.union(message.details);
    const found = this.#entries.flatMap((entry): readonly NearEntry[] => {
      const { kind } = entry.print;
      if (kind !== message.kind || kind === undefined && !shared.has(entry)) return [];
      const weight = this.#weight(entry.circumstances.intersection(context));
      const evidence = weight >= TOLD * this.#weight(entry.circumstances) ? weight : 0;
      const nearness = this.#nearness(message, entry.print, context, evidence);
      return nearness === undefined ? [] : [{ entry, nearness, evidence }];
    });
    const nearest = NEARNESS.find((each) => found.some(({ nearness }) => nearness === each));
    if (nearest === undefined) return [];
    // Without the op, all causes of the check count.
    const all = this.#causes(
      found.filter(({ nearness }) => nearness === nearest || !OF_SAME_OP.has(nearest)).toSorted(byEvidence)
        .toSorted((a, b) => Number(b.nearness === nearest) - Number(a.nearness === nearest)),
    );
    const causes = all.filter(([{ nearness, evidence }, ...others]) =>
      nearness === nearest &&
      (all.length <= MOST_CAUSES[nearest] || others.length > 0 || evidence >= TELLING)
    );
    // Faults that only another version mends are told where nothing else can be done.
    const open = causes.filter(([first]) => !onlyNewer(first));
    return (open.length > 0 ? open : causes)
      .slice(0, MOST_TOLD)
      .map(([{ entry: { report } }, ...others]) => ({
        nearness: nearest,
        ...report,
        others: [...new Set(others.map(({ entry }) => entry.report.thread))].filter((one) =>
          one !== report.thread
        ),
      }));
  }

  #nearness(
    message: Fingerprint,
    row: Fingerprint,
    context: ReadonlySet<string>,
    evidence: number,
  ): NearReport["nearness"] | undefined {
    const isSameOp = !message.ops.isDisjointFrom(row.ops);
    const { kind } = message;
    if (kind !== undefined && isSameOp) {
      const has = row.details.intersection(context);
      const isLike = has.size >= Math.min(2, row.details.size) &&
        this.#weight(has) >= DETAILS * this.#weight(row.details) && has.size > 0;
      return kind.toldBy === "op" || isLike ? "the same kind of failure on the same op" : undefined;
    }
    const isOfNoOp = message.ops.size + row.ops.size === 0;
    if (kind !== undefined && (kind.toldBy !== "words" || !isOfNoOp)) {
      return isOfNoOp && evidence >= TELLING
        ? "the same kind of failure in the same circumstances"
        : undefined;
    }
    const [asked, has, shared] = [message.words, row.words, message.words.intersection(row.words)]
      .map((words) => this.#weight(words));
    if (asked === undefined || has === undefined || shared === undefined) return undefined;
    if (shared < (isSameOp ? LITTLE : SOME)) return undefined;
    const [less, more] = [Math.min(asked, has), Math.max(asked, has)];
    // A message may go on behind what a report quotes.
    const isQuoted = shared >= has * QUOTED && shared >= SOME && asked <= has * GOES_ON;
    const similarity = isQuoted ? 1 : shared / (0.6 * less + 0.4 * more);
    if (similarity < SIMILAR) return undefined;
    const isOther = message.names.difference(row.names).size > 0 &&
        row.names.difference(message.names).size > 0 ||
      !isQuoted && shared < MUCH && shared < more * WHOLE;
    if (similarity < SAME || isOther) return isSameOp ? "a similar check on the same op" : undefined;
    if (isSameOp) return "the same check on the same op";
    if (row.ops.size === 0) return "the same check";
    if (message.ops.size === 0) return "the same check; the message names no op";
    // Where both spell their ops, the check is one of many ops.
    return message.spelled.size > 0 && row.spelled.size > 0 ? undefined : "the same check on another op";
  }

  /** Candidates by cause, of which the likeliest has telling circumstances, else the most reports. */
  #causes(candidates: readonly NearEntry[]): readonly (readonly [NearEntry, ...NearEntry[]])[] {
    const causes: [NearEntry, ...NearEntry[]][] = [];
    for (const candidate of candidates) {
      const cause = causes.find(([first]) => this.#isOneCause(first.entry.report, candidate.entry.report));
      if (cause === undefined) causes.push([candidate]);
      else cause.push(candidate);
    }
    const telling = ([{ evidence }]: readonly [NearEntry, ...NearEntry[]]): number =>
      evidence >= TELLING ? evidence : 0;
    return causes.toSorted((a, b) =>
      telling(b) - telling(a) || Number(onlyNewer(a[0])) - Number(onlyNewer(b[0])) || b.length - a.length
    );
  }

  #isOneCause(a: KnownReport, b: KnownReport): boolean {
    const [helpA, helpB] = [a, b].map(({ remedies }) => remedies.filter((one) => !NEWER.test(one)).join(" "));
    return a.thread === b.thread || a.fix !== undefined && a.fix === b.fix ||
      this.#overlap(a.cause, b.cause) >= ONE_CAUSE ||
      this.#overlap(helpA ?? "", helpB ?? "") >= ONE_CAUSE;
  }

  /** Share of words that two texts have in common, by weight. */
  #overlap(a: string, b: string): number {
    const [first, second] = [new Set(wordsIn(a)), new Set(wordsIn(b))];
    return 2 * this.#weight(first.intersection(second)) / (this.#weight(first) + this.#weight(second) || 1);
  }

  /** Rarity of words, summed: ln of the rows by the rows that a word occurs in. */
  #weight(words: Iterable<string>): number {
    let weight = 0;
    for (const word of words) {
      weight += Math.log((this.#entries.length + 1) / (this.#entriesOf.get(word)?.length ?? 0.5));
    }
    return weight;
  }
}

/** What can be done without another version first, then most evidence, then the newest. */
function byEvidence(a: NearEntry, b: NearEntry): number {
  return Number(onlyNewer(a)) - Number(onlyNewer(b)) || b.evidence - a.evidence ||
    (a.entry.report.date < b.entry.report.date ? 1 : -1);
}

function onlyNewer({ entry }: NearEntry): boolean {
  return entry.report.remedies.every((remedy) => NEWER.test(remedy));
}

let table: ReportTable | undefined;

/** The public reports of a failure, nearest first; none if none is near. */
export function reportsNear(failure: RuntimeFailure, text: string): readonly NearReport[] {
  table ??= new ReportTable(readReports());
  return table.near(printOf(failure), text);
}

/** The fingerprint of a failure that was read from a log. */
function printOf(failure: RuntimeFailure): Fingerprint {
  const ops = [...failure.ops ?? [], ...(failure.within === undefined ? [] : [failure.within])];
  switch (failure.kind) {
    case "circular_buffer_clash":
      return fingerprintOf("circular buffers clash with L1 buffers", undefined, ops);
    case "circular_buffers_too_large":
      return fingerprintOf("circular buffers beyond max L1 size", undefined, ops);
    case "bank_full":
      return fingerprintOf(`Not enough space to allocate ${failure.memory} buffer`, undefined, ops);
    case "failed_check": {
      const { condition = "", words, file } = failure;
      const message = condition === words ? words : `${condition} ${words}`;
      return fingerprintOf(message.slice(0, MOST_OF_MESSAGE), file, ops);
    }
  }
}
