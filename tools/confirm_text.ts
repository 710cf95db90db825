// SPDX-License-Identifier: Apache-2.0
import { type BackendPlace, findBackend } from "../cli/backend/environment.ts";
import { UsageError } from "../cli/command.ts";
import { denoHost } from "../cli/deno_host.ts";
import { verdictWords } from "../cli/render/confirmation.ts";
import { askBackend } from "../cli/run/confirm/ask.ts";
import { confirmationOf } from "../pipeline/confirm/confirmation.ts";
import type { MockBoard } from "../pipeline/confirm/job.ts";
import { predictOps } from "../pipeline/confirm/prediction.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { pythonProgramOf } from "../pipeline/python_program.ts";

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

/** What the backend finds wrong with a TTNN text as it is written; `undefined` if it runs as declared. */
export async function faultOf(
  place: BackendPlace,
  { name, text, device }: { readonly name: string; readonly text: string; readonly device: MockBoard },
): Promise<string | undefined> {
  const workbench = loadModule(text, { device, fileName: name });
  const program = pythonProgramOf(workbench.module, workbench, { title: name, standIns: true });
  const runs = await askBackend(denoHost, place, program, device);
  const confirmation = confirmationOf(program, predictOps(workbench, 0.95), runs);
  if (confirmation.verdict === "confirmed") return undefined;
  const [first] = confirmation.ops.filter(({ state }) => state !== "runs");
  return `${verdictWords(confirmation)}; ${first?.name} (op ${first?.op} of @${first?.function}): ${
    first?.words ?? first?.differences[0]?.theirs ?? first?.state
  }`;
}
