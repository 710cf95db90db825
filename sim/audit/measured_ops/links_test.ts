// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { corpusTest, sharedData } from "../../../testing/corpus.ts";
import { getMeasuredDevice } from "../../microbenchmarks/measured_device.ts";
import { readMeasurements, TARGETS } from "../audit_cost_model.ts";
import type { AuditRow, RowModel } from "../row_model.ts";
import { isMeasuredOps, type MeasuredOp, parseMeasuredOps } from "./measured_op.ts";
import { measuredOpRows } from "./measured_op_rows.ts";

const GROUPS: readonly string[] = ["ccl", "ccl_fused", "fabric_bw", "fabric_latency"];

/** Rows of links and collectives with what each is predicted to take. */
function linkRows(): readonly { measured: MeasuredOp; model: RowModel; predicted: number }[] {
  const json = sharedData("measured-ops-2.json");
  assert(isMeasuredOps(json));
  return json.flatMap((entry) => {
    const [measured] = parseMeasuredOps("measured-ops-2.json", [entry]).rows;
    if (measured === undefined || !GROUPS.includes(measured.group)) return [];
    return readMeasurements("measured-ops-2.json", [entry]).models.map((model) => ({
      measured,
      model,
      predicted: model.predict(getMeasuredDevice(model.device)),
    }));
  });
}

corpusTest("links and collectives are predicted within their targets", () => {
  const rows = linkRows();
  for (const group of GROUPS) {
    const errors = rows.filter(({ model }) => model.group === group)
      .map(({ model, predicted }) => Math.abs(predicted / model.measured - 1));
    assert(errors.length >= 15, group);
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    assert(mean <= (TARGETS[group] ?? 0), `${group}: ${mean}`);
  }
});

/** Measured times closer than this are a tie: repeats of one collective differ by as much. */
const TIE = 0.04;

corpusTest(
  "topology, links, dimension and size of packets change the prediction as they change the measurement",
  () => {
    const rows = linkRows();
    const compared = new Map<string, number>();
    for (const [index, a] of rows.entries()) {
      for (const b of rows.slice(index + 1)) {
        if (a.model.group !== b.model.group || a.model.device !== b.model.device) continue;
        const names = [...new Set([...Object.keys(a.measured.params), ...Object.keys(b.measured.params)])];
        const differing = names.filter((name) =>
          JSON.stringify(a.measured.params[name]) !== JSON.stringify(b.measured.params[name])
        );
        const [name = "", ...others] = differing;
        if (others.length > 0 || !["topology", "links", "dim", "packet_bytes"].includes(name)) continue;
        const measured = Math.log(a.model.measured / b.model.measured);
        if (Math.abs(measured) < TIE) continue;
        compared.set(name, (compared.get(name) ?? 0) + 1);
        const predicted = Math.log(a.predicted / b.predicted);
        assert(measured * predicted > 0, `${a.model.configuration} against ${b.model.configuration}`);
      }
    }
    assertEquals([...compared.keys()].sort(), ["dim", "links", "packet_bytes", "topology"]);
  },
);

function row(
  group: string,
  chip: string,
  params: MeasuredOp["params"],
  measured: MeasuredOp["measured"],
): MeasuredOp {
  return { id: "x", group, chip, what: group, params, measured, source: "", note: "" };
}

function audited(measured: MeasuredOp): AuditRow {
  const [audit] = measuredOpRows([measured]);
  assert(audit !== undefined);
  return audit;
}

const BANDWIDTH = { value: 10, unit: "GB/s", quantity: "per link and direction" };

Deno.test("a row of the fabric is a stream of packets on the links of its machine", () => {
  const on = (chip: string, params: MeasuredOp["params"]) =>
    audited(row("fabric_bw", chip, params, BANDWIDTH));
  const line = on("machine: T3K (8 Wormhole)", { packet_bytes: 4096, topology: "Linear" });
  const ring = on("machine: T3K (8 Wormhole)", { packet_bytes: 4096, topology: "Ring" });
  assert(line.status === "modelled" && ring.status === "modelled");
  assertEquals(line.device, "t3000");
  const machine = getMeasuredDevice("t3000");
  assertAlmostEquals(line.predict(machine), 4096 / (machine.ethernet.packetOverhead + 4096 / 12.5), 1e-9);
  assertAlmostEquals(ring.predict(machine), 4096 / machine.ethernet.ringPacket, 1e-9);
});

Deno.test("an incomplete row is listed with the reason", () => {
  const reason = (measured: MeasuredOp) => {
    const audit = audited(measured);
    return audit.status === "excluded" ? audit.reason : "";
  };
  const params = { packet_bytes: 4096 };
  assertEquals(
    reason(row("fabric_bw", "machine: abacus", params, BANDWIDTH)),
    "the machine is not bundled",
  );
  assertEquals(
    reason(row("fabric_bw", "machine: T3K", {}, BANDWIDTH)),
    "the size of a packet is not in the row",
  );
  const time = { value: 900, unit: "ns", quantity: "round trip" };
  assertEquals(
    reason(row("fabric_latency", "machine: T3K", params, time)),
    "the number of hops is not in the row",
  );
});
