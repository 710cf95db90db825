// SPDX-License-Identifier: Apache-2.0
import reasonsByOp from "./quality_reasons.json" with { type: "json" };
import { markdownTable } from "../sim/audit/markdown_section.ts";
import { difference, distance, type OpCounts, sumOf, total } from "./op_multiset.ts";

/** Ops of two graphs that should be the same. */
export interface Graphs {
  readonly ours: OpCounts;
  readonly theirs: OpCounts;
}

/** One model against what upstream makes of it. */
export interface ComparedQuality {
  readonly name: string;
  readonly family: string;
  /** With the passes that upstream runs on the level; `undefined` where its graph is not at hand. */
  readonly level0: Graphs | undefined;
  readonly level2: Graphs | undefined;
  /** With every pass that is here, against level 2. */
  readonly all: Graphs | undefined;
  /** Predicted time of one inference, µs; `undefined` where upstream's level 2 is not at hand. */
  readonly us: {
    readonly fromTtir: number;
    readonly fromLevel0: number | undefined;
    readonly upstream: number;
  } | undefined;
}

/** Why an op occurs more or less often with upstream's own passes. */
const REASONS: Readonly<Record<string, string>> = reasonsByOp.reasons;

/** Why an op occurs more or less often than upstream's, of what only passes beyond its own do. */
const BEYOND: Readonly<Record<string, string>> = reasonsByOp.beyond;

/** The page as Markdown. @param policy name of what decided */
export function qualityDocument(rows: readonly ComparedQuality[], policy: string): string {
  const families = [...new Set(rows.map(({ family }) => family))].sort((a, b) =>
    a === "others" ? 1 : b === "others" ? -1 : a < b ? -1 : 1
  );
  const groups: readonly Group[] = [
    ...families.map((family): Group => [family, rows.filter((row) => row.family === family)]),
    ["all", rows],
  ];
  return [
    "# Graphs compared with upstream's",
    "",
    "`deno task quality` writes this page from the TTIR models of the shared corpus. It compares what tt-mlir makes of them",
    "at level 0 (with its fusions on TTIR) and level 2 with what Tilewright makes of them: with the passes that upstream has",
    "at that level (`--graph-passes upstream-level-0` and `upstream`), and with all.",
    "",
    "## Ops",
    "",
    "Ops of functions that run in every inference, without deallocations, `get_device`, layout ops and const-eval. Shares are",
    "relative to upstream's ops: _only ours_ is work that upstream avoids or spells differently, _only upstream's_ is work that",
    "our passes remove.",
    "",
    ...opsTable(groups),
    "",
    "## Predicted time",
    "",
    `Predicted time of one inference on n150, decided by \`${policy}\`, divided by that of upstream's own level 2.`,
    "",
    ...timesTable(groups),
    "",
    "## Differences and their reasons",
    "",
    ...reasons("Level 0", rows.flatMap(({ level0 }) => level0 ?? []), REASONS),
    ...reasons("Level 2", rows.flatMap(({ level2 }) => level2 ?? []), REASONS),
    ...reasons("All passes against level 2", rows.flatMap((row) => row.all ?? []), { ...REASONS, ...BEYOND }),
  ].join("\n");
}

/** Models of a family, or all of them. */
type Group = readonly [name: string, rows: readonly ComparedQuality[]];

function opsTable(groups: readonly Group[]): readonly string[] {
  return markdownTable(
    "family | models | level 0: upstream's ops | only ours | only upstream's | " +
      "level 2: upstream's ops | only ours | only upstream's | all passes: only ours | only upstream's",
    groups.map(([family, group]) => [
      family,
      String(group.length),
      ...shares(group.flatMap(({ level0 }) => level0 ?? [])),
      ...shares(group.flatMap(({ level2 }) => level2 ?? [])),
      ...shares(group.flatMap((row) => row.all ?? [])).slice(1),
    ]),
  );
}

function timesTable(groups: readonly Group[]): readonly string[] {
  return markdownTable(
    "family | models | from TTIR: geometric mean | worst | from level 0: geometric mean | worst",
    groups.map(([family, group]) => [
      family,
      String(group.filter(({ us }) => us !== undefined).length),
      ...ratios(
        group.map(({ us, name }) => us === undefined ? undefined : [us.fromTtir / us.upstream, name]),
      ),
      ...ratios(
        group.map(({ us, name }) =>
          us?.fromLevel0 === undefined ? undefined : [us.fromLevel0 / us.upstream, name]
        ),
      ),
    ]),
  );
}

function shares(graphs: readonly Graphs[]): readonly string[] {
  const theirs = graphs.reduce((sum, each) => sum + total(each.theirs), 0);
  const more = graphs.reduce((sum, each) => sum + total(each.ours) - total(each.theirs), 0);
  const apart = graphs.reduce((sum, each) => sum + distance(each.ours, each.theirs), 0);
  const share = (ops: number): string => theirs === 0 ? "–" : `${(100 * ops / theirs).toFixed(1)} %`;
  return [String(theirs), share((apart + more) / 2), share((apart - more) / 2)];
}

function ratios(all: readonly (readonly [number, string] | undefined)[]): readonly string[] {
  const known = all.filter((each) => each !== undefined).filter(([ratio]) =>
    Number.isFinite(ratio) && ratio > 0
  );
  if (known.length === 0) return ["–", "–"];
  const mean = Math.exp(known.reduce((sum, [ratio]) => sum + Math.log(ratio), 0) / known.length);
  const [worst] = known.toSorted(([a], [b]) => b - a);
  return [
    mean.toFixed(2),
    worst === undefined ? "–" : `${worst[0].toFixed(2)} (${worst[1].replace(".mlir", "")})`,
  ];
}

function reasons(
  title: string,
  graphs: readonly Graphs[],
  known: Readonly<Record<string, string>>,
): readonly string[] {
  const apart = [
    ...difference(sumOf(graphs.map(({ ours }) => ours)), sumOf(graphs.map(({ theirs }) => theirs))),
  ];
  const rows = apart.toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a)).map(([op, count]) => [
    `\`${op}\``,
    count > 0 ? `+${count}` : `−${-count}`,
    known[op] ?? "not investigated",
  ]);
  return [`### ${title}`, "", ...markdownTable("op | ours | reason", rows), ""];
}
