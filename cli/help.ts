// SPDX-License-Identifier: Apache-2.0
import { Cell, type RowType, Table } from "@cliffy/table";
import { type Command, examplesOf, OPTION_GROUPS, type OptionSpec } from "./command.ts";
import { COMMON_OPTIONS } from "./commands/shared_options.ts";
import { POLICIES } from "./policy_manifest.ts";
import { wrapItem, wrapText } from "./render/wrap_text.ts";

/** Widest column of names; longer names have a line of their own. */
const NAME_COLUMN = 32;

/** Least width of a description in narrow terminals. */
const NARROWEST = 8;

/** Help of the whole tool: its purpose, the commands, next steps. */
export function toolHelp(version: string, commands: readonly Command[], width: number): string {
  return [
    ...wrapText(`tilewright ${version}: layouts, L1 and time of TTNN graphs, without hardware`, width),
    "",
    "Examples:",
    ...columnsOf([
      ["tilewright optimize model.mlir", "choose layouts, print the per-op table"],
      ["tilewright optimize model.mlir -o out.mlir", "and write the optimized IR"],
      ["tilewright simulate out.mlir", "time and L1 of the layouts as written"],
      ["tilewright diff before.mlir after.mlir", "what changed and what it costs"],
    ], width),
    "",
    "Commands:",
    ...columnsOf(commands.map(({ name, summary }) => [name, summary]), width),
    "",
    ...wrapText("Run 'tilewright COMMAND --help' for examples and options of one command.", width),
    "",
  ].join("\n");
}

/** Help of one command: examples first, then options by group. */
export function commandHelp(command: Command, width: number): string {
  const lines = [...wrapText(command.summary, width), "", "Examples:"];
  for (const example of examplesOf(command)) {
    const about = wrapText(example.description, width - 6).map((line) => `      ${line}`);
    lines.push(`  tilewright ${example.command}`, ...about);
  }
  const usage = `Usage: tilewright ${command.name} ${command.positionals} [options]`.replace(/ {2,}/g, " ");
  lines.push("", ...wrapItem(usage, width));
  for (const [title, specs] of optionGroups(command.options)) {
    lines.push(
      "",
      `${title}:`,
      ...columnsOf(specs.map((spec) => [optionUsage(spec), optionDescription(spec)]), width),
    );
  }
  for (const note of command.notes ?? []) lines.push("", ...wrapText(note, width));
  return lines.join("\n") + "\n";
}

/** Options by group: those of the command first, those of every command last. */
export function optionGroups(
  options: readonly OptionSpec[],
): readonly (readonly [title: string, options: readonly OptionSpec[]])[] {
  const groups = Map.groupBy(options, groupOf);
  const shared = Object.values(OPTION_GROUPS);
  const first = [OWN, ...shared].flatMap((title) => {
    const found = groups.get(title);
    groups.delete(title);
    return found === undefined ? [] : [[title, found] as const];
  });
  return [...first, ...groups, ["Options of every command", COMMON_OPTIONS]];
}

/** Title of a command's own options. */
const OWN = "Options";

function groupOf({ readBy, group }: OptionSpec): string {
  if (group !== undefined) return OPTION_GROUPS[group];
  if (readBy === undefined) return OWN;
  if (readBy.length === POLICIES.length) return "Options of every policy";
  if (readBy.length === 1) return `Options of the policy ${readBy[0]}`;
  return readBy.includes("beam-cost") ? "Options of pass-based policies" : "Options of chain policies";
}

/** Names on the left, their descriptions wrapped on the right; long names have a line of their own. */
function columnsOf(rows: readonly (readonly [name: string, description: string])[], width: number): string[] {
  const fitting = rows.map(([name]) => name.length).filter((length) => length <= NAME_COLUMN);
  const column = Math.min(Math.max(0, ...fitting), Math.max(8, width - 40));
  const rest = Math.max(NARROWEST, width - column - 4);
  const table = new Table<RowType>().indent(2).padding(2)
    .columns([{ minWidth: column, maxWidth: column }, { minWidth: rest, maxWidth: rest }]);
  for (const [name, description] of rows) {
    if (name.length <= column) table.push([name, description]);
    else table.push([new Cell(name).colSpan(2)], ["", description]);
  }
  return table.toString().split("\n").map((line) => line.trimEnd());
}

/** An option as written, for example `-o, --output FILE`. */
export function optionUsage(spec: OptionSpec): string {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const value = spec.kind === "boolean" ? "" : ` ${spec.value ?? spec.name.toUpperCase()}`;
  const no = spec.default === true ? "[no-]" : "";
  return `${short}--${no}${spec.name}${value}`;
}

/** Description with allowed values, default and, unless every policy reads it, the policies that do. */
export function optionDescription(spec: OptionSpec): string {
  const { choices: allowed = [] } = spec;
  const isInValue = allowed.length === 0 || spec.value === allowed.join("|");
  const choices = isInValue ? "" : ` [${allowed.join(", ")}]`;
  const standard = spec.default === true ? "on" : spec.default;
  const fallback = standard === undefined || standard === false ? "" : ` (default ${standard})`;
  const readers = spec.readBy === undefined || spec.readBy.length === POLICIES.length
    ? ""
    : `; read by ${spec.readBy.join(", ")}`;
  return `${spec.description}${choices}${fallback}${readers}`;
}
