// SPDX-License-Identifier: Apache-2.0
import { replaceSection } from "../../../sim/audit/markdown_section.ts";
import { auditLayers, type LayerAudit, type NamedProfile } from "../../../sim/audit/profiles/audit_layers.ts";
import { LAYERS_HEADING, layerSection } from "../../../sim/audit/profiles/layer_report.ts";
import { getMeasuredDevice } from "../../../sim/microbenchmarks/measured_device.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { jsonOutput } from "../../json_output.ts";
import { renderLayerAudit } from "../../render/cost_model_audit.ts";
import { styleOf } from "../../render/style.ts";
import { readProfiles } from "./read_data.ts";

export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const folders = options.texts("data");
  if (folders.length === 0) {
    throw new UsageError("Option --data FOLDER is needed: it holds the profiles, *.jsonl");
  }
  const profiles: NamedProfile[] = [];
  for (const path of folders) profiles.push(...await readProfiles(host, path));
  const audit = auditLayers(profiles, getMeasuredDevice);
  const folder = options.text("report");
  if (folder !== undefined) {
    const path = `${folder}/accuracy.md`;
    await host.writeText(
      path,
      replaceSection(await host.readText(path), LAYERS_HEADING, layerSection(audit)),
    );
  }
  host.stdout.write(
    options.flag("json")
      ? jsonOutput({ input: folders, device: null, summary: summaryOf(audit), ...audit })
      : renderLayerAudit(audit, styleOf(host, options)),
  );
  return EXIT.ok;
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
