// SPDX-License-Identifier: Apache-2.0

/**
 * Writes what follows from the files in `lib/policy/policies`, so that a new policy is one file: the list of all
 * policies, and what the command line says of them without loading any.
 *
 * @module
 */

import { join } from "@std/path";
import type { Policy } from "../lib/policy/policy.ts";
import { BEAM_WIDTH, PASS_OPTIONS } from "../lib/policy/options.ts";
import type { PolicyOption } from "../lib/policy/policy_option.ts";
import { ROOT } from "./steps.ts";

const FOLDER = join(ROOT, "lib", "policy", "policies");
const LIST = "every_policy.ts";
const HEADER = "// SPDX-License-Identifier: Apache-2.0\n// Written by `deno task policies`; do not edit.\n";

/** The policies of the folder by the names of their files, in the order of {@linkcode Policy.rank}. */
async function readPolicies(): Promise<readonly (readonly [file: string, policy: Policy])[]> {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
    .filter((name) => name.endsWith(".ts") && !name.endsWith("_test.ts") && name !== LIST);
  const found = await Promise.all(files.map(async (file) => {
    const { policy }: { readonly policy: Policy } = await import(`file://${join(FOLDER, file)}`);
    return [file, policy] as const;
  }));
  return found.sort(([, a], [, b]) => a.rank - b.rank);
}

/** `lib/policy/policies/every_policy.ts`. */
function listText(files: readonly string[]): string {
  const entries = files.map((file) => {
    const name = file.replace(/\.ts$/, "").replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return { file, name };
  });
  const imports = entries.toSorted((a, b) => a.file < b.file ? -1 : 1)
    .map(({ file, name }) => `import { policy as ${name} } from "./${file}";`);
  return `${HEADER}import type { Policy } from "../policy.ts";
${imports.join("\n")}

/** Every policy of this folder, as lists name them. */
export const EVERY_POLICY: readonly Policy[] = [
${entries.map(({ name }) => `  ${name},`).join("\n")}
];
`;
}

/** An array with one entry per line; fields without a value are left out. */
function list(entries: readonly unknown[]): string {
  return `[\n${entries.map((entry) => `  ${JSON.stringify(entry)},\n`).join("")}]`;
}

/** `cli/policy_manifest.ts`. */
function manifestText(found: readonly (readonly [file: string, policy: Policy])[]): string {
  const policies = found.map(([, policy]) => policy);
  const options = new Map<string, PolicyOption<unknown>>();
  for (const option of [BEAM_WIDTH, ...PASS_OPTIONS, ...policies.flatMap((policy) => policy.options)]) {
    const known = options.get(option.name);
    if (known !== undefined && known !== option) {
      throw new Error(`Two options are called --${option.name}: define it once, in lib/policy/options.ts`);
    }
    options.set(option.name, option);
  }
  const entries = found.map(([file, { name, compilerName }]) => {
    const known = JSON.stringify({ name, compilerName }).slice(0, -1);
    return `  ${known},load: () => import("../lib/policy/policies/${file}" satisfies string)},\n`;
  });
  const specs = [...options.values()].map((option) => {
    const { name, kind, value, choices, default: fallback, description } = option;
    const readers = policies.filter((policy) => policy.options.some((own) => own.name === name));
    const readBy = readers.map((policy) => policy.name);
    return { name, kind, value, choices, default: fallback, description, readBy };
  });
  return `${
    HEADER.replace("\n", "\n// deno-fmt-ignore-file\n")
  }import type { OptionSpec, PolicyEntry } from "./command.ts";

/** Every policy, in the order of lists. */
export const POLICIES: readonly PolicyEntry[] = [\n${entries.join("")}];

/** Every option that a policy reads. */
export const POLICY_OPTIONS: readonly OptionSpec[] = ${list(specs)};
`;
}

/** `lib/policy/policy_facts.ts`. */
function factsText(policies: readonly Policy[]): string {
  const facts = policies.map(({ name, planKind, free, tellsGap }) => ({ name, planKind, free, tellsGap }));
  return `${
    HEADER.replace("\n", "\n// deno-fmt-ignore-file\n")
  }import type { PolicyFacts } from "./policy.ts";

/** Facts about every policy that do not need its code. */
export const POLICY_FACTS: readonly PolicyFacts[] = ${list(facts)};
`;
}

/** Paths below the project and their required text. */
export async function policyFiles(): Promise<ReadonlyMap<string, string>> {
  const found = await readPolicies();
  return new Map([
    [`lib/policy/policies/${LIST}`, listText(found.map(([file]) => file))],
    ["lib/policy/policy_facts.ts", factsText(found.map(([, policy]) => policy))],
    ["cli/policy_manifest.ts", manifestText(found)],
  ]);
}

if (import.meta.main) {
  const files = await policyFiles();
  for (const [path, text] of files) await Deno.writeTextFile(join(ROOT, path), text);
  console.log(`${[...files.keys()].join(", ")} written`);
}
