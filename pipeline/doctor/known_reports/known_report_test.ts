// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { isKnownOp } from "../../../lib/ops/op_book.ts";
import { PYTHON_OPS } from "../python_ops.ts";
import { wordsIn } from "./fingerprint.ts";
import { readReports } from "./known_report.ts";

/** Dialects and frameworks whose ops reports name. */
const DIALECT =
  /^(?:ttnn|ttir|ttcore|ttkernel|ttmetal|d2m|stablehlo|sdy|tosa|linalg|arith|aten|torch|onnx)\.[\w.]+$/;

/** Backward ops, and calls of ttnn that are no ops of the dialect or of its Python list. */
const OTHER_CALLS =
  /_bw$|^ttnn\.(?:create_sharded_memory_config|experimental\.unified_routed_expert_ffn|from_torch|generic|to_torch)$/;

const reports = readReports();

Deno.test("reports are in order, none stands twice, and their months are past", () => {
  const order = reports.map(({ thread }) =>
    [thread.replace(/#.*/, ""), Number(thread.replace(/.*#/, ""))] as const
  );
  order.forEach(([repository, number], index) => {
    const [before = "", last = 0] = order[index - 1] ?? [];
    assert(before < repository || before === repository && last <= number, `${repository}#${number}`);
  });
  for (
    const key of [
      ({ message, symptom = "" }: typeof reports[number]) => wordsIn(message ?? symptom).join(" "),
      ({ cause }: typeof reports[number]) => cause,
    ]
  ) {
    const keys = reports.map((report) => `${report.thread} ${key(report)}`);
    assertEquals(keys.filter((one, index) => keys.indexOf(one) !== index), []);
  }
  assertEquals(reports.filter(({ date }) => date < "2022-01" || date > "2026-11"), []);
});

Deno.test("reports name ops that exist", () => {
  const ofPython = new Set(PYTHON_OPS.values());
  const unknown = reports.flatMap(({ ops }) => ops).filter((op) =>
    !DIALECT.test(op) ||
    op.startsWith("ttnn.") && !isKnownOp(op) && !ofPython.has(op) && !OTHER_CALLS.test(op)
  );
  assertEquals([...new Set(unknown)], []);
});

Deno.test("messages have no paths, addresses or large numbers; causes and remedies are whole and short", () => {
  const wrong = reports.filter(({ message, symptom, cause, remedies }) => {
    const said = message ?? symptom ?? "";
    return (message === undefined) === (symptom === undefined) ||
      /\/home\/|\b0x[\da-f]{4,}|(?<![\w.])\d{6,}|Traceback|backtrace/.test(said) || said.length > 500 ||
      !/^[\w\x60"'(].{20,400}\.$/.test(cause) ||
      remedies.some((remedy) => !/^.{8,260}$/.test(remedy) || /\.$/.test(remedy)) ||
      [said, cause, ...remedies].some((text) => text !== text.replace(/\s+/g, " ").trim());
  });
  assertEquals(wrong, []);
});
