// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from "node:sqlite";
import { join } from "@std/path";
import { clusterDescription } from "../../pipeline/visualizer/cluster_description.ts";
import { VISUALIZER_TABLES, visualizerStatements } from "../../pipeline/visualizer/schema.ts";
import { type DatabaseRows, visualizerRows } from "../../pipeline/visualizer/visualizer_report.ts";
import { deviceLog, perfCsv } from "../../sim/export/perf_csv.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import type { Workbench } from "../../pipeline/load.ts";
import type { Plan } from "../../lib/plan/plan.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import type { Host } from "../host.ts";
import { cannotWrite } from "../write_output.ts";
import config from "../../deno.json" with { type: "json" };

/** Where ttnn-visualizer looks for the places of chips. */
const MESH_FILE = "physical_chip_mesh_coordinate_mapping.yaml";

/** A simulated program for a report. */
export interface Visualized {
  readonly input: string;
  readonly workbench: Workbench;
  readonly plan: Plan | undefined;
  readonly timeline: Timeline;
}

/**
 * Writes the two reports of ttnn-visualizer: `FOLDER/db.sqlite` with `config.json` and the chips of the machine,
 * and `FOLDER/perf` in the profiler's format.
 *
 * @throws {DiagnosticError} if the folder cannot be written to
 */
export async function writeVisualizer(
  host: Host,
  folder: string,
  { input, workbench: { binding, device }, plan, timeline }: Visualized,
): Promise<void> {
  const perf = join(folder, "perf");
  await host.makeFolder(perf);
  const rows = visualizerRows(binding.graph, plan, timeline, chipDescription(device));
  writeDatabase(join(folder, "db.sqlite"), rows);
  const about = { report_name: `${input} (simulated by Tilewright ${config.version} for ${device.name})` };
  await host.writeText(join(folder, "config.json"), `${JSON.stringify(about, null, 2)}\n`);
  const { cluster, mesh } = clusterDescription(device.mesh, chipDescription(device));
  // JSON is YAML.
  await host.writeText(join(folder, "cluster_descriptor.yaml"), `${JSON.stringify(cluster)}\n`);
  await host.writeText(join(folder, MESH_FILE), `${JSON.stringify(mesh)}\n`);
  const tool = `tilewright ${config.version}`;
  await host.writeText(join(perf, "ops_perf_results.csv"), perfCsv(timeline, { tool, device }));
  await host.writeText(join(perf, "profile_log_device.csv"), deviceLog(device));
}

function writeDatabase(path: string, rows: DatabaseRows): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw cannotWrite(path, error);
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // One transaction: every statement on its own would wait for the disk.
    database.exec("BEGIN");
    for (const statement of visualizerStatements()) database.exec(statement);
    for (const [table, cells] of Object.entries(rows)) {
      const [first = []] = cells;
      const columns = VISUALIZER_TABLES.get(table)?.map((column) => column.split(" ")[0]).join(", ") ?? "";
      const insert = database.prepare(
        `INSERT INTO ${table} (${columns}) VALUES (${first.map(() => "?").join(", ")})`,
      );
      for (const row of cells) insert.run(...row);
    }
    database.exec("COMMIT");
  } catch (error) {
    throw cannotWrite(path, error);
  } finally {
    database?.close();
  }
}
