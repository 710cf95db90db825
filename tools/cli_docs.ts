// SPDX-License-Identifier: Apache-2.0

/**
 * Writes what follows from the command table: `docs/cli.md` and `docs/schema/config.json`. `cli_docs_test.ts` fails
 * where the files have another text.
 *
 * @module
 */

import { join } from "@std/path";
import { type Command, examplesOf, type OptionSpec } from "../cli/command.ts";
import { COMMANDS } from "../cli/command_table.ts";
import { optimize } from "../cli/commands/optimize.ts";
import { optionDescription, optionGroups, optionUsage } from "../cli/help.ts";
import { optionSchema } from "../cli/option_values.ts";
import { COMMON_OPTIONS } from "../cli/commands/shared_options.ts";
import { UNUSED_WORDS } from "../cli/option_layers.ts";
import { ROOT } from "./steps.ts";

/** Words of ttmlir-opt's pipelines that set options of ours. */
const ALIASES = optimize.options.flatMap(({ name, pipeline = [] }) =>
  name === "policy" ? [] : pipeline.map((word) => {
    const values = Object.entries(word.values).filter(([theirs]) => !["", "0", "1"].includes(theirs));
    const said = values.map(([theirs, ours]) => ` ${theirs} is ${ours},`).join("").slice(0, -1);
    return `- \`${word.name}\`: \`--${name}\`${said === "" ? "" : `;${said}`}`;
  })
);

const INTRODUCTION = `# Command line

<!-- Written by \`deno task docs:cli\` from the command table; do not edit. -->

\`tilewright COMMAND [FILE] [options]\`. FILE is TTNN or TTIR text (\`.mlir\`); \`-\`, or none, is standard input. Data
goes to standard output, progress and diagnostics to standard error; \`-o FILE\` writes what a command makes.

| exit code | meaning |
| --------- | ------- |
| 0 | ok |
| 1 | a finding: \`diff\` found a difference, \`lint\` an error, a plan does not run or does not fit |
| 2 | a usage error: command line, environment or configuration file |
| 3 | input that cannot be read, parsed or supported |
| 4 | an internal error |

Every option may also be set by an environment variable (\`--beam-width\` is \`TILEWRIGHT_BEAM_WIDTH\`) or in the nearest
\`tilewright.jsonc\`, in this order of precedence; \`--print-config\` shows the result and its origin. In the file,
options at the top apply to every command, those under a command's name to that command only
([schema](schema/config.json)):

\`\`\`jsonc
{
  "device": "p150", // for every command
  "optimize": { "policy": "beam" }
}
\`\`\`

Each policy reads some of the options. A flag that no policy of the run reads is an error that names the policies that
read it; the same option from the environment, the configuration file or a pasted pipeline, which serve more than one
run, is a warning.

\`--ttir-to-ttnn-runtime-pipeline\` also accepts \`memory-layout-analysis-policy\` (DFSharding,
GreedyL1Interleaved, BFInterleaved) and \`enable-greedy-optimizer\`: off selects the chain optimizer (\`df-sharding\`
unless a policy is named), as in tt-mlir; on selects \`beam\`, whatever the other option says. Of upstream's other
options these mean one of ours:

${ALIASES.join("\n")}

These are read and change nothing, for the reason given, which a warning repeats:

${[...UNUSED_WORDS].map(([name, reason]) => `- \`${name}\`: ${reason}`).join("\n")}

\`--json\` output is stable and described by the [schemas](schema/); everything but \`wallMs\` is the same on every run.
Text output is for people and may change.
`;

/** The text of `docs/cli.md`. */
function cliDocs(commands: readonly Command[]): string {
  const list = commands.map(({ name, summary }) => `- [\`${name}\`](#${name}): ${summary}`).join("\n");
  const shared = new Map(
    commands.flatMap(({ options }) => optionGroups(options).filter(([title]) => title !== "Options")),
  );
  const groups = [...shared].map(([title, options]) => `## ${title}\n\n${table(options)}`);
  return `${INTRODUCTION}\n${list}\n\n${commands.map(section).join("\n")}\n${groups.join("\n")}`;
}

/** The anchor that a heading gets. */
function anchor(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9 -]/g, "").replaceAll(" ", "-");
}

function section(command: Command): string {
  const examples = examplesOf(command).map(({ command: words, description, exitCode }) =>
    `# ${description}${exitCode === undefined ? "" : ` (exit code ${exitCode})`}\ntilewright ${words}`
  );
  const usage = `tilewright ${command.name} ${command.positionals} [options]`.replace(/ {2,}/g, " ");
  const notes = (command.notes ?? []).map((note) => `${note}\n\n`).join("");
  const groups = optionGroups(command.options);
  const [own] = groups.filter(([title]) => title === "Options");
  const others = groups.filter(([title]) => title !== "Options")
    .map(([title]) => `[${title.charAt(0).toLowerCase()}${title.slice(1)}](#${anchor(title)})`);
  const options = `${own === undefined ? "" : `${table(own[1])}\n`}Also: ${others.join("; ")}.\n`;
  return `## ${command.name}

${command.summary}.

\`\`\`sh
${examples.join("\n\n")}
\`\`\`

Usage: \`${usage}\`

${notes}${options}`;
}

function table(options: readonly OptionSpec[]): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const rows = options.map((spec) => `| \`${cell(optionUsage(spec))}\` | ${cell(optionDescription(spec))} |`);
  return `| option | meaning |\n| ------ | ------- |\n${rows.join("\n")}\n`;
}

/** The JSON schema of `tilewright.jsonc`. */
function configSchema(commands: readonly Command[]): Record<string, unknown> {
  const names = new Set(commands.map((command) => command.name));
  const shared = new Map<string, OptionSpec>();
  for (const command of commands) {
    for (const spec of command.options) if (!names.has(spec.name)) shared.set(spec.name, spec);
  }
  const settable = COMMON_OPTIONS.filter((spec) => spec.name === "color");
  const properties = (specs: Iterable<OptionSpec>) =>
    Object.fromEntries([...specs].map((spec) => [spec.name, optionSchema(spec)]));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "tilewright.jsonc",
    description: "Options of the tilewright command line; flags and environment variables are stronger",
    type: "object",
    properties: {
      $schema: { type: "string" },
      ...properties([...shared.values(), ...settable]),
      ...Object.fromEntries(commands.map((command) => [command.name, {
        description: `Options of ${command.name} alone`,
        type: "object",
        properties: properties([...command.options, ...settable]),
        additionalProperties: false,
      }])),
    },
    additionalProperties: false,
  };
}

/** Paths below the project and their required text. */
export function cliDocFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/cli.md", cliDocs(COMMANDS)],
    ["docs/schema/config.json", `${JSON.stringify(configSchema(COMMANDS), null, 2)}\n`],
  ]);
}

if (import.meta.main) {
  await Deno.mkdir(join(ROOT, "docs", "schema"), { recursive: true });
  for (const [path, text] of cliDocFiles()) await Deno.writeTextFile(join(ROOT, path), text);
  console.log(`${[...cliDocFiles().keys()].join(", ")} written`);
}
