// SPDX-License-Identifier: Apache-2.0
import { auditLayers, type LayerAudit, type NamedProfile } from "../../../sim/audit/profiles/audit_layers.ts";
import { LAYERS_HEADING, layerSection } from "../../../sim/audit/profiles/layer_report.ts";
import { getMeasuredDevice } from "../../../sim/microbenchmarks/measured_device.ts";
import { type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { printAnswer } from "../../print_answer.ts";
import { renderLayerAudit } from "../../render/cost_model_audit.ts";
import { readProfiles, writeSection } from "./read_data.ts";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { host, options } = invocation;
  const input = options.texts("data");
  if (input.length === 0) {
    throw new UsageError("Option --data FOLDER is needed: it holds the profiles, *.jsonl");
  }
  const profiles: NamedProfile[] = [];
  for (const path of input) profiles.push(...await readProfiles(host, path));
  const audit = auditLayers(profiles, getMeasuredDevice);
  await writeSection(invocation, LAYERS_HEADING, layerSection(audit));
  return printAnswer(
    invocation,
    () => ({ input, device: null, summary: summaryOf(audit), ...audit }),
    (style) => renderLayerAudit(audit, style),
  );
}

/** Sums over all profiles, in µs on the device; the gaps between programs are only in the single rows. */
function summaryOf({ layers, unknown }: LayerAudit) {
  const sum = (key: "measuredUs" | "predictedUs") => layers.reduce((total, layer) => total + layer[key], 0);
  return {
    profiles: layers.length,
    unknownChips: unknown.length,
    measuredUs: sum("measuredUs"),
    predictedUs: sum("predictedUs"),
  };
}
