// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { SearchLog } from "./search_log.ts";

/** A log over gauges that a test sets. */
function openLog() {
  const gauges: { workUs: number; incumbentUs: number | undefined; boundUs: number | undefined } = {
    workUs: 0,
    incumbentUs: undefined,
    boundUs: undefined,
  };
  const log = new SearchLog({
    work: {
      get microseconds() {
        return gauges.workUs;
      },
    },
    incumbentUs: () => gauges.incumbentUs,
    boundUs: () => gauges.boundUs,
  });
  return { gauges, log };
}

Deno.test("work and changes of a step that interrupts another one are its own", () => {
  const { gauges, log } = openLog();
  log.during("eliminate", () => {
    gauges.workUs += 10;
    gauges.incumbentUs = 100;
    gauges.boundUs = 80;
    log.during("beams", () => {
      gauges.workUs += 5;
      gauges.incumbentUs = 90;
    });
    gauges.workUs += 1;
    gauges.boundUs = 85;
  });
  const [eliminate, beams] = log.steps;
  assertEquals([eliminate?.workUs, eliminate?.savedUs, eliminate?.raisedUs], [11, 0, 5]);
  assertEquals([eliminate?.incumbentUs, eliminate?.boundUs], [90, 85]);
  assertEquals([beams?.workUs, beams?.savedUs, beams?.raisedUs], [5, 10, 0]);
});

Deno.test("a step that runs twice has one record, and work between steps is not recorded", () => {
  const { gauges, log } = openLog();
  log.during("beams", () => gauges.workUs += 2);
  gauges.workUs += 100;
  log.during("beams", () => gauges.workUs += 3);
  assertEquals(log.steps.map(({ step, runs, workUs }) => [step, runs, workUs]), [["beams", 2, 5]]);
});

Deno.test("a step that does not run has the first reason, one that ran has none", () => {
  const { log } = openLog();
  log.skip("addresses", "budget spent");
  log.skip("addresses", "does not apply");
  log.during("beams", () => {});
  log.skip("beams", "left out");
  assertEquals(log.steps.map(({ skipped }) => skipped), ["budget spent", undefined]);
});
