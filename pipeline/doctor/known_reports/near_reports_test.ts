// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { chipDescription } from "../../../sim/devices/device.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { explainFailure } from "../explain_failure.ts";
import { failuresIn } from "../testing/answers.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { type KnownReport, readReports } from "./known_report.ts";
import { reportsNear, ReportTable } from "./near_reports.ts";

/** Threads and nearness of what is told of a text. */
function toldOf(text: string): readonly string[] {
  return failuresIn(text).flatMap((failure) =>
    reportsNear(failure, text).map(({ thread, nearness }) => `${thread}: ${nearness}`)
  );
}

/** A report with what matters for a test; no two have a word of their causes in common. */
function report(
  thread: string,
  message: string,
  ops: readonly string[],
  more: Partial<KnownReport> = {},
): KnownReport {
  const cause = ["one", "two", "three"].map((word) => word + thread.replace(/\W/g, "")).join(" ");
  return { thread, date: "2026-01", ops, message, cause, remedies: [`do ${cause}`], state: "open", ...more };
}

const RUNTIME_ARGS =
  "1024 unique+common runtime args targeting kernel reader_concat_stick_layout_interleaved_start_id on (x=3,y=5) are too large. Max allowable is 341";

Deno.test("numbers, paths, lines, prefixes of loggers and line breaks do not matter to a report", () => {
  const thread = "tenstorrent/tt-metal#30683: the same check on the same op";
  const at = (path: string, line: number): string =>
    `TT_FATAL @ ${path}/tt_metal/impl/program/program.cpp:${line}: tt::exception\ninfo:\n${RUNTIME_ARGS}`;
  const spelled = [
    `y = ttnn.concat(tensors, dim=1)\n${RUNTIME_ARGS}`,
    `y = ttnn.concat(tensors, dim=1)\nE   RuntimeError: ${at("/proj_sw/w", 12)}`,
    `y = ttnn.concat(tensors, dim=1)\n2026-05-08 12:56:00.123 | critical | Always | ${
      at("/x", 9_999)
    }\nbacktrace:\n --- f()`,
    `y = ttnn.concat(tensors, dim=1)\n${RUNTIME_ARGS.replaceAll(" are", "\nE   are").replace("1024", "271")}`,
  ];
  for (const text of spelled) assertEquals(toldOf(text)[0], thread, text);
});

Deno.test("the report of every row is found by its own message with other numbers, or another one of its cause is", () => {
  const rows = readReports();
  const table = new ReportTable(rows);
  const found = rows.filter(({ thread, message, symptom = "", ops, where }) => {
    const said = (message ?? symptom).replaceAll(/\bN\b/g, "4711");
    return table.near(fingerprintOf(said, where, ops), said)
      .some((near) => near.thread === thread || near.others.includes(thread));
  });
  // Others are of messages with many causes.
  assert(found.length > rows.length * 0.85, `${found.length} of ${rows.length}`);
});

Deno.test("where a message is of many ops, the op decides, or nothing is told", () => {
  const full = "Out of Memory: Not enough space to allocate N B L1 buffer across N banks";
  const table = new ReportTable([
    report("a/a#1", full, ["ttnn.conv2d"]),
    report("a/a#2", full, ["ttnn.concat"]),
    report("a/a#3", full, []),
    report("a/a#4", full.replace("L1", "DRAM"), ["ttnn.conv2d"]),
    ...["ttnn.add", "ttnn.pad", "ttnn.sort", "ttnn.mean"].map((op, index) =>
      report(`a/b#${index}`, "a mask is given", [op])
    ),
  ]);
  const told = (message: string, ...ops: string[]) =>
    table.near(fingerprintOf(message, undefined, ops), message).map(({ thread }) => thread);
  assertEquals(told(full, "ttnn.conv2d"), ["a/a#1"]);
  assertEquals(told(full, "ttnn.concat"), ["a/a#2"]);
  assertEquals(told(full.replace("L1", "DRAM"), "ttnn.conv2d"), ["a/a#4"]);
  assertEquals(told(full, "ttnn.matmul"), []);
  assertEquals(told(full), []);
});

Deno.test("the op at which a given program fails decides as the one of the message does", () => {
  const [failure] = failuresIn(
    "Statically allocated circular buffers in program 3 clash with L1 buffers on core range [(x=0,y=0) - (x=7,y=7)]. " +
      "L1 buffer allocated at 520192 and static circular buffer region ends at 871744",
  );
  assert(failure !== undefined);
  const told = (op?: string) =>
    explainFailure(failure, chipDescription(getDevice("n150")), "", { op }).reports?.map(({ thread }) =>
      thread
    );
  assertEquals(told(), []);
  assertEquals(told("ttnn.slice"), ["tenstorrent/tt-metal#53319"]);
});

Deno.test("reports of one cause are told as one, and of many causes none", () => {
  const words = "number of blocks along the width must not exceed the columns of the compute grid";
  const near = (reports: readonly KnownReport[], text = words) =>
    new ReportTable([
      ...reports,
      ...Array.from({ length: 20 }, (_, index) => report(`b/b#${index}`, `other${index}`, [])),
    ])
      .near(fingerprintOf(words, undefined, ["ttnn.matmul"]), text);
  const of = (number: number, more: Partial<KnownReport> = {}) =>
    report(`a/a#${number}`, words, ["ttnn.matmul"], more);
  const cause = "The program config was made for a larger grid.";
  const [merged, ...none] = near([of(1, { cause }), of(2, { cause, date: "2026-03" })]);
  assertEquals([merged?.thread, merged?.others, none.length], ["a/a#2", ["a/a#1"], 0]);
  assertEquals(near([1, 2, 3, 4].map((number) => of(number))), []);
  // What stands around the message tells one of them.
  const harvested = of(5, { cause: "The harvested Galaxy has seven columns, which nobody expected." });
  const around = "a harvested Galaxy of seven columns, as nobody expected";
  assertEquals(
    near([...[1, 2, 3, 4].map((number) => of(number)), harvested], around).map(({ thread }) => thread),
    ["a/a#5"],
  );
});

Deno.test("a message that names other enums, or another op in its words, is another check", () => {
  const table = new ReportTable([
    report("a/a#1", "no core found at the location of the coordinates ETH in this grid", []),
    report(
      "a/a#2",
      "'ttnn.matmul' op Output shape dimension[N](N) does not match the expected output shape",
      ["ttnn.matmul"],
    ),
    ...Array.from({ length: 20 }, (_, index) => report(`b/b#${index}`, `other${index}`, [])),
  ]);
  const told = (message: string, ...ops: string[]) =>
    table.near(fingerprintOf(message, undefined, ops), message).map(({ nearness }) => nearness);
  assertEquals(told("no core found at the location of the coordinates ETH in this grid"), ["the same check"]);
  assertEquals(told("no core found at the location of the coordinates TENSIX in this grid"), []);
  const shape = (op: string) =>
    `'${op}' op Output shape dimension[3](8) does not match the expected output shape`;
  assertEquals(told(shape("ttnn.linear")), ["the same check on the same op"]);
  assertEquals(told(shape("ttnn.concat")), []);
});

Deno.test("nothing is told of texts that no report is of", () => {
  for (
    const text of [
      "TT_FATAL @ /x/ttnn/cpp/ttnn/operations/data_movement/pad/device/pad_op.cpp:2: a == b\ninfo:\nWidths differ",
      "PCC comparison failed. Calculated: pcc=0.91. Required: pcc=0.99",
      "TIMEOUT: device timeout, potential hang detected, the device is unrecoverable",
      "y = ttnn.matmul(a, b)\nTIMEOUT: device timeout, potential hang detected, the device is unrecoverable",
      "Bad StatusOr access: INTERNAL: Error code: 13",
      "Segmentation fault (core dumped)",
      "RuntimeError: bad optional access",
    ]
  ) assertEquals(toldOf(text), [], text);
});

Deno.test("any text is compared, and the same text gives the same reports", () => {
  const words = readReports().flatMap(({ message = "" }) => message.split(" "));
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 60 }), (parts) => {
      const failure = {
        kind: "failed_check",
        subject: "other",
        words: parts.join(" "),
        condition: undefined,
        file: undefined,
        ops: undefined,
        numbers: [],
      } as const;
      const near = reportsNear(failure, failure.words);
      assert(near.length <= 2);
      assertEquals(near, reportsNear(failure, failure.words));
    }),
  );
});

Deno.test("remedies of reports are left out where the text says that they are taken, as our own are", () => {
  const reset = (around: string) => {
    const text = `${around}\nTT_THROW: Device 3: Timed out while waiting for active ethernet core 25-17 to ` +
      "become active again. Try resetting the board.";
    return failuresIn(text).flatMap((failure) =>
      explainFailure(failure, chipDescription(getDevice("n150")), text).advice
    ).filter((one) => /reset .*\(tenstorrent\//.test(one)).length;
  };
  assertEquals([reset("after a board reset"), reset("at the first run") > 0], [0, true]);
});

Deno.test("a log of 10 MB takes no longer for its reports", () => {
  const [failure] = failuresIn(`y = ttnn.concat(tensors, dim=1)\n${RUNTIME_ARGS}`);
  assert(failure !== undefined);
  reportsNear(failure, "");
  const start = performance.now();
  for (
    const part of ["Executing operation of the model, and more of them\n", "a", "1", "/", 'File "', "ttnn."]
  ) {
    const log = part.repeat(10_000_000 / part.length);
    assertEquals(reportsNear(failure, log)[0]?.thread, "tenstorrent/tt-metal#30683");
  }
  assert(performance.now() - start < 2_000);
});
