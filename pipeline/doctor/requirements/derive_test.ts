// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../../testing/corpus.ts";
import { readAnswers } from "../../backend_answers/read_answers.ts";
import { readRuntimeLog } from "../runtime_log.ts";
import { textOf } from "../remedy.ts";
import { requirementOfCondition } from "./condition_requirement.ts";
import { type CppExpression, readCpp, spelled } from "./cpp_expression.ts";
import { deriveFrom } from "./derive.ts";
import { type Comparator, negated, type Requirement, type Term } from "./requirement.ts";
import { requirementOfWords } from "./sentence_requirement.ts";
import { holds, valuesIn } from "./values.ts";

const NAME = fc.constantFrom("a", "input_tensor_a", "operation_attributes", "program_config");

/** Paths, numbers and operators as conditions of ttnn have them. */
const { expression: EXPRESSION } = fc.letrec<{ expression: CppExpression; path: CppExpression }>((tie) => ({
  path: fc.tuple(
    NAME,
    fc.array(fc.tuple(fc.constantFrom("x", "dtype", "padded_shape", "value"), fc.boolean()), {
      maxLength: 3,
    }),
    fc.option(fc.integer({ min: -4, max: 3 }), { nil: undefined }),
  )
    .map(([root, members, index]): CppExpression => ({
      kind: "path",
      steps: [
        { name: root },
        ...members.map(([name, isCalled]) => isCalled ? { name, called: [] } : { name }),
        ...(index === undefined ? [] : [{ name: "[]", index: { kind: "number", value: index } } as const]),
      ],
    })),
  expression: fc.oneof(
    { maxDepth: 4 },
    tie("path"),
    fc.nat(99).map((value): CppExpression => ({ kind: "number", value })),
    tie("path").map((of): CppExpression => ({ kind: "not", of })),
    fc.tuple(
      fc.constantFrom("||", "&&", "==", "!=", "<", "<=", "+", "*", "%"),
      tie("expression"),
      tie("expression"),
    )
      .map(([operator, left, right]): CppExpression => ({ kind: "binary", operator, left, right })),
  ),
}));

Deno.test("a condition is read as what it is spelled from, and no text stops the reader", () => {
  fc.assert(fc.property(EXPRESSION, (expression) => {
    assertEquals(readCpp(spelled(expression)), expression);
    requirementOfCondition(spelled(expression));
  }));
  const words = fc.array(
    fc.constantFrom(
      "must",
      "be",
      "(",
      ")",
      "[3]",
      "the",
      "input",
      "shape",
      "32",
      "==",
      "%",
      "match",
      "device",
      "or",
      "TILE",
      "only",
    ),
    { maxLength: 14 },
  );
  fc.assert(fc.property(fc.oneof(fc.string(), words.map((list) => list.join(" "))), (text) => {
    deriveFrom({ words: text, condition: text, ops: undefined, numbers: [] });
    deriveFrom({ words: text, condition: undefined, ops: ["ttnn.matmul"], numbers: [] });
  }));
});

const value = (name: string): Term => ({ kind: "operand", name, aspect: "value" });
const COMPARISONS: readonly Comparator[] = ["==", "!=", "<", "<=", ">", ">="];
const COMPARED = fc.constantFrom(...COMPARISONS).map((comparison): Requirement => ({
  kind: "compares",
  comparison,
  left: value("a"),
  right: value("b"),
}));
const MULTIPLE = fc.boolean().map((isOne): Requirement => ({
  kind: "multiple",
  whole: value("a"),
  part: value("b"),
  isOne,
}));
const LEAF = fc.oneof(COMPARED, MULTIPLE);
const REQUIREMENT = fc.oneof(
  LEAF,
  fc.tuple(
    fc.constantFrom("either" as const, "both" as const),
    fc.array(LEAF, { minLength: 1, maxLength: 3 }),
  )
    .map(([kind, parts]): Requirement => ({ kind, parts })),
);

Deno.test("the opposite of a requirement holds exactly where it does not", () => {
  fc.assert(
    fc.property(
      REQUIREMENT,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      (asked, a, b) => {
        const values = (term: Term): number | undefined =>
          term.kind === "operand" ? term.name === "a" ? a : b : undefined;
        const opposite = negated(asked);
        assert(opposite !== undefined);
        assertEquals(holds(opposite, values), !holds(asked, values));
      },
    ),
  );
});

/** What is derived from a check without an op. */
function derived(condition: string | undefined, words: string, ops?: readonly string[]): string {
  const told = deriveFrom({ condition, words, ops, numbers: [] });
  return told === undefined ? "" : told.remedies.map(textOf).join("\n");
}

Deno.test("numbers that a remedy gives fulfil the check", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4096 }), fc.integer({ min: 2, max: 128 }), (whole, part) => {
      fc.pre(whole % part !== 0);
      const text = derived(
        "program_config.out_block_h % program_config.out_subblock_h == 0",
        `out_block_h (${whole}) must be divisible by out_subblock_h (${part})`,
      );
      const wholes = /out_block_h = ([\d or]+) instead/.exec(text)?.[1]?.split(" or ").map(Number) ?? [];
      const parts = /out_subblock_h = ([\d, or]+) instead/.exec(text)?.[1]?.split(/, | or /).map(Number) ??
        [];
      assert(wholes.length > 0 && parts.length > 0, text);
      assert(wholes.every((number) => number > 0 && number % part === 0), text);
      assert(parts.every((number) => whole % number === 0), text);
    }),
  );
});

Deno.test("numbers count only with which the check would have failed", () => {
  const asked = requirementOfCondition("a_rows == b_rows");
  assert(asked?.kind === "compares");
  const pair = (words: string): readonly (number | undefined)[] =>
    [asked.left, asked.right].map(valuesIn(asked, words));
  assertEquals(pair("rows differ: 96 and 64"), [96, 64]);
  assertEquals(pair("rows differ (in 2 of 2 tensors)"), [undefined, undefined]);
  const shard = derived(
    "physical_height == physical_shard_height",
    "Shard height 64 must match physical height 256 for width sharded",
  );
  assert(shard.includes("is 256 where it is 64"), shard);
  const shapes = requirementOfCondition("a.logical_shape()[-1] == b.logical_shape()[-2]");
  assert(shapes?.kind === "compares");
  const extents = valuesIn(shapes, "got Shape([1, 96, 100]) and Shape([1, 64, 32])");
  assertEquals([extents(shapes.left), extents(shapes.right)], [100, 64]);
  // A label in words is of the name that it spells in full, not of one that it ends in.
  const labelled = requirementOfCondition("channels % num_cores_channels == 0");
  assert(labelled?.kind === "multiple");
  const parts = valuesIn(labelled, "Channels: 1088, num core channels: 7");
  assertEquals([parts(labelled.whole), parts(labelled.part)], [1088, 7]);
});

/** Conditions and sentences that ask for the same. */
const PAIRS: readonly (readonly [condition: string, words: string])[] = [
  ["x.layout() == Layout::TILE", "x must be in TILE layout"],
  ["x.layout() != Layout::TILE", "x must not be in TILE layout"],
  [
    "x.dtype() == DataType::BFLOAT16 || x.dtype() == DataType::FLOAT32",
    "x dtype must be BFLOAT16 or FLOAT32",
  ],
  ["x.memory_config().memory_layout() == TensorMemoryLayout::INTERLEAVED", "x must be interleaved"],
  ["x.is_sharded()", "x must be sharded"],
  ["!x.is_sharded()", "x must not be sharded"],
  ["x.storage_type() == StorageType::DEVICE", "x must be on device"],
  ["num_links > 0", "num_links must be greater than 0"],
  ["num_links % 2 == 0", "num_links must be a multiple of 2"],
  ["num_links <= 4", "num_links cannot exceed 4"],
  ["num_links.has_value()", "num_links is required"],
  ["!num_links.has_value()", "num_links cannot be specified when nothing is gathered"],
];

Deno.test("words ask for what their condition does", () => {
  const unnamed = (text: string): string =>
    text.replace(/\bthe x\b|\boperand x\b/g, "x").replace(/\nor another case.*/, "");
  for (const [condition, words] of PAIRS) {
    const [coded, said] = [derived(condition, ""), derived(undefined, words)].map(unnamed);
    assert(coded !== "" && coded === said, `${condition}: ${coded}\n${words}: ${said}`);
  }
});

Deno.test("a result is asked for in the call, an operand is converted before it", () => {
  for (
    const [condition, result, operand] of [
      ["TENSOR.dtype() == DataType::BFLOAT16", "dtype = bf16 in the call", "a typecast of"],
      [
        "TENSOR.memory_config().memory_layout() == TensorMemoryLayout::INTERLEAVED",
        "memory_config = interleaved in the call",
        "a to_memory_config of",
      ],
      ["TENSOR.layout() == Layout::TILE", "the result in TILE", "a to_layout of"],
    ] as const
  ) {
    assert(derived(condition.replace("TENSOR", "output_tensor"), "").startsWith(result));
    assert(derived(condition.replace("TENSOR", "input_tensor"), "").startsWith(operand));
  }
  assert(derived("args.output_mem_config.is_sharded()", "").startsWith("memory_config = sharded"));
  assert(derived("args.memory_config.is_sharded()", "").startsWith("memory_config = sharded"));
});

Deno.test("what an op computes for itself is no remedy", () => {
  assertEquals(derived("intermed0_tiles % block_size_tiles == 0", "Size of buffer (48) must fit"), "");
  assertEquals(derived("is_dim_last_idx", "is_dim_last_idx"), "");
  const either = derived("!use_mcast || args.groups == 1", "");
  assertEquals(either, "groups = 1");
});

Deno.test("two terms of one name are told apart, and what a product sums over is not padded", () => {
  const rule = deriveFrom({
    condition:
      "program_config.compute_with_storage_grid_size.x <= a.device()->compute_with_storage_grid_size().x",
    words: "",
    ops: undefined,
    numbers: [],
  })?.rule ?? "";
  assert(rule.includes("of program_config") && rule.includes("of the device"), rule);
  const quoted = derived(undefined, "x/softmax_op.cpp:94: input.dtype() == DataType::BFLOAT16");
  assert(quoted.includes("to bf16"), quoted);
  const products = ["a_shape[-1] == b_shape[-2]", "a_shape[i] == b_shape[i]"].map((one) =>
    derived(one, "", ["ttnn.matmul"])
  );
  assert(products[0]?.includes("transpose_a") && products[1]?.includes("ttnn.repeat"), products.join());
  assert(!products.join().includes("ttnn.pad"), products.join());
});

Deno.test("formats that only a function of the condition knows are those of the words", () => {
  const named = derived(
    "dtype_supported(bias->dtype())",
    "the op supports only BFLOAT16 and FLOAT32 for bias",
  );
  assert(named.startsWith("a typecast of the bias to bf16 or f32"), named);
});

Deno.test("a bound is kept by either side, and a shard is cut to what is computed", () => {
  const kernel = derived(undefined, "Kernel height 13 is greater than input height 12");
  assert(
    kernel.includes("of at least 13 (ttnn.pad)") && kernel.includes("or a smaller kernel height"),
    kernel,
  );
  const other = derived(undefined, "Kernel height 9 is greater than input height 2");
  assert(other.startsWith("the dimensions of the input in the order that the op reads"), other);
  const copied = derived("host_tensor.logical_shape() == device_tensor.logical_shape()", "");
  assert(copied.includes("capture the trace anew") && !copied.includes("ttnn.pad"), copied);
  const cut = derived("output_w == output_memory_config.shard_spec->shape[1]", "");
  assert(cut.startsWith("a shard of output whose width is output_w"), cut);
  assert(derived("args.padding[0] == 0", "").includes("a ttnn.pad of the operand before it"));
});

Deno.test("zeros are no padding where they change what the op computes", () => {
  const padded = (op: string): string => derived("input.logical_shape()[-1] % 32 == 0", "", [`ttnn.${op}`]);
  assert(padded("softmax").includes("-inf") && padded("group_norm").includes("mean and variance"));
  assert(!padded("relu").includes("zeros"));
});

Deno.test("sentences are read to where the reason begins, and kinds only where they are asked for", () => {
  const sides = requirementOfWords("Shard width 128 must match physical width 32 for height sharded");
  assertEquals(
    sides?.kind === "compares" &&
      [sides.left, sides.right].map((term) => term.kind === "operand" && term.aspect),
    [
      "shard_side",
      "extent",
    ],
  );
  for (
    const words of [
      "Shard page size must be aligned to 16B for L1 Tensor",
      "Program core grid must be contained in device grid",
      "wrong layout",
    ]
  ) {
    assertEquals(requirementOfWords(words)?.kind ?? "said", "said", words);
  }
});

Deno.test("of the refusals of the backend that were recorded with their condition, four of five are told with what to change", () => {
  const folder = join(PROJECT_ROOT, "testdata", "backend");
  const reasons = new Set<string>();
  for (const { name } of Deno.readDirSync(folder)) {
    if (!name.endsWith(".jsonl")) continue;
    for (const { answer } of readAnswers(name, Deno.readTextFileSync(join(folder, name))).rows) {
      if (!answer.ok && /\.[ch]pp: .* \| /.test(answer.reason)) reasons.add(answer.reason);
    }
  }
  const checks = [...reasons].flatMap(readRuntimeLog).flatMap((failure) =>
    // How many shards a grid has room for, its own subject tells.
    failure.kind === "failed_check" && failure.subject !== "shard_count" ? [failure] : []
  );
  const told = checks.map(deriveFrom).filter((one) => one !== undefined && one.remedies.length > 0);
  assert(checks.length > 50 && told.length * 5 > checks.length * 4, `${told.length} of ${checks.length}`);
});
