// SPDX-License-Identifier: Apache-2.0
import type { Command, OptionSpec } from "./command.ts";
import { POLICIES } from "./policy_manifest.ts";
import { COMMON_OPTIONS } from "./parse_command_line.ts";

/** Help of the whole tool: what it is, the commands, where to go on. */
export function toolHelp(version: string, commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    `tilewright ${version}: layouts, L1 and time of TTNN graphs, without hardware`,
    "",
    "Examples:",
    "  tilewright optimize model.mlir                 choose layouts, print the per-op table",
    "  tilewright optimize model.mlir -o out.mlir     and write the optimized IR",
    "  tilewright simulate out.mlir                   time and L1 of the layouts as written",
    "  tilewright diff before.mlir after.mlir         what changed and what it costs",
    "",
    "Commands:",
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    "",
    "Run 'tilewright COMMAND --help' for examples and options of one command.",
    "",
  ].join("\n");
}

/** Help of one command: examples first, then options. */
export function commandHelp(command: Command): string {
  const lines = [`${command.summary}`, "", "Examples:"];
  for (const example of command.examples) {
    lines.push(`  tilewright ${example.command}`, `      ${example.description}`);
  }
  lines.push(
    "",
    `Usage: tilewright ${command.name} ${command.positionals} [options]`.replace(/ {2,}/g, " "),
    "",
    "Options:",
  );
  const rows = [...command.options, ...COMMON_OPTIONS].map((spec) => ({ left: optionUsage(spec), spec }));
  const width = Math.max(...rows.map((row) => row.left.length));
  for (const { left, spec } of rows) lines.push(`  ${left.padEnd(width)}  ${optionDescription(spec)}`);
  for (const note of command.notes ?? []) lines.push("", note);
  return lines.join("\n") + "\n";
}

/** An option as one writes it, for example `-o, --output FILE`. */
export function optionUsage(spec: OptionSpec): string {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const value = spec.kind === "boolean" ? "" : ` ${spec.value ?? spec.name.toUpperCase()}`;
  return `${short}--${spec.name}${value}`;
}

/** Description with allowed values, default and, where not every policy does, who reads it. */
export function optionDescription(spec: OptionSpec): string {
  const choices = spec.choices === undefined ? "" : ` [${spec.choices.join(", ")}]`;
  const fallback = spec.default === undefined || spec.default === false ? "" : ` (default ${spec.default})`;
  const readers = spec.readBy === undefined || spec.readBy.length === POLICIES.length
    ? ""
    : `; read by ${spec.readBy.join(", ")}`;
  return `${spec.description}${choices}${fallback}${readers}`;
}
