// SPDX-License-Identifier: Apache-2.0
import { type BackendPlace, findBackend } from "../cli/backend/environment.ts";
import { UsageError } from "../cli/command.ts";
import { denoHost } from "../cli/deno_host.ts";
import type { Progress } from "../cli/progress.ts";
import { verdictWords } from "../cli/render/confirmation.ts";
import { confirmModule } from "../cli/run/confirm/confirm_module.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { loadModule } from "../pipeline/load_module.ts";

/** The installed backend; `undefined`, which one line says, where there is none. */
export async function installedBackend(): Promise<BackendPlace | undefined> {
  try {
    return await findBackend(denoHost);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.log(`skipped: ${error.message}`);
    return undefined;
  }
}

/** Says nothing: several texts are confirmed at a time. */
const SILENT: Progress = { stage: () => {}, op: () => {} };

/** What the backend finds wrong with a TTNN text as it is written; `undefined` if it runs as declared. */
export async function faultOf(
  place: BackendPlace,
  { name, text, device }: { readonly name: string; readonly text: string; readonly device: string },
): Promise<string | undefined> {
  const workbench = loadModule(text, { device, fileName: name });
  const { tensorL1UsageCap: cap } = DEFAULT_POLICY_OPTIONS;
  const confirmation = await confirmModule(denoHost, place, { workbench, file: name, cap }, SILENT);
  if (confirmation.verdict === "confirmed") return undefined;
  const [first] = confirmation.ops.filter(({ state }) => state !== "runs");
  return `${verdictWords(confirmation)}; ${first?.name} (op ${first?.op} of @${first?.function}): ${
    first?.words ?? first?.differences[0]?.theirs ?? first?.state
  }`;
}
