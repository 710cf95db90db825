// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { testChipWithGrid } from "../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { type LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { coresOf, type DeviceProgram } from "../programs/program.ts";
import { circularBufferPeak } from "../programs/circular_buffer.ts";
import { createOpModel } from "./create_op_model.ts";
import type { OpConstraints, OpModel } from "./op_model.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { definitionOf, knownOps } from "../ops/op_book.ts";
import { ANY_QUESTION, layoutIfAny } from "./testing/any_question.ts";
import { ruleOf } from "./rule_book.ts";
import { configKey } from "../op_config/config_key.ts";
import { signatureKey } from "./structural_key.ts";

const GRIDS = [[8, 7], [11, 10], [5, 1], [1, 1], [8, 8]] as const;

function modelWithGrid([rows, columns]: readonly [number, number]): OpModel {
  return createOpModel({ chip: testChipWithGrid(rows, columns), layouts: new LayoutTable() });
}

const square = tensorOf([64, 64]);
const image = tensorOf([1, 1, 1024, 64]);
const heads = tensorOf([1, 8, 64, 64]);
const windowAttributes = {
  batch_size: integerAttribute(1),
  input_height: integerAttribute(32),
  input_width: integerAttribute(32),
  in_channels: integerAttribute(64),
  out_channels: integerAttribute(64),
  channels: integerAttribute(64),
  kernel_size: integersAttribute([3, 3]),
  stride: integersAttribute([1, 1]),
  padding: integersAttribute([1, 1]),
  dilation: integersAttribute([1, 1]),
};

const LINE = {
  input_length: integerAttribute(1024),
  kernel_size: integerAttribute(3),
  stride: integerAttribute(1),
  dilation: integerAttribute(1),
};

/** A small legal use of an op: operands enough for any rule, shapes that fit most. */
function sampleSignature(name: string): OpSignature {
  const plain = name.replace("ttnn.", "");
  const operand: TensorShape = /conv|pool/.test(plain)
    ? image
    : /heads|sdpa|attention|cache/.test(plain)
    ? heads
    : square;
  const counts: readonly [RegExp, number][] = [
    [/^(where|clamp_tensor|embedding_bw|scatter|.*attention.*|sdpa.*|flash.*|rotary.*)$/, 3],
    [/^(relu|.*_scalar|softmax|sum|mean|max|min)$/, 1],
    [
      /^(add|subtract|multiply|divide|maximum|minimum|eq|ne|lt|le|gt|ge|.*tensor|remainder|atan2|bitwise_(and|or|xor))$/,
      2,
    ],
    [
      /^(logical_(and|or|xor|left_shift|right_shift)|gelu_bw|matmul|linear|conv.*|embedding|gather|.*cache|sampling)$/,
      2,
    ],
    [/^(full|zeros|ones|empty|arange|constant|rand)$/, 0],
    [/^adamw$/, 4],
  ];
  const count = counts.find(([pattern]) => pattern.test(plain))?.[1] ?? 1;
  const attributes = {
    ...windowAttributes,
    dimension: integerAttribute(-1),
    dim: integerAttribute(-1),
    dim0: integerAttribute(0),
    dim1: integerAttribute(1),
    dim_arg: integersAttribute([-1]),
    permutation: integersAttribute([1, 0]),
    begins: integersAttribute([0, 0]),
    ends: integersAttribute([64, 64]),
    step: integersAttribute([1, 1]),
    padding: /pool|conv/.test(plain) ? windowAttributes.padding : integersAttribute([0, 32, 0, 32]),
    repeat_dims: integersAttribute([2, 1]),
    num_heads: integerAttribute(2),
    repeats: integerAttribute(2),
    k: integerAttribute(32),
    scale_factor: integerAttribute(2),
    scatter_dim: integerAttribute(-1),
    all_gather_dim: integerAttribute(-1),
    ...plain === "conv1d" ? LINE : {},
    ...plain === "prod" ? { dim_arg: integerAttribute(-1) } : {},
  };
  return signatureOf(name, new Array<TensorShape>(count).fill(operand), [operand], attributes);
}

Deno.test("circular buffers of every op are whole, non-negative and below L1 on one core and on full grids", () => {
  let answered = 0;
  for (const grid of GRIDS) {
    const model = modelWithGrid(grid);
    for (const name of knownOps().map((op) => op.name)) {
      const op = sampleSignature(name);
      for (const memory of ["dram", "l1", "dram-rm"] as const) {
        const inputs = op.operands.map((type) =>
          type === undefined ? undefined : layoutOf(model, type, memory)
        );
        for (
          const hint of [
            undefined,
            layoutOf(model, op.results[0] ?? square, "dram"),
            layoutOf(model, op.results[0] ?? square, "l1"),
          ]
        ) {
          const answer = model.queryOpConstraints(op, inputs, hint, undefined, Number.NEGATIVE_INFINITY);
          if (answer.status === "invalid") {
            assert(answer.message.length > 10 && answer.rule.includes("/") && answer.source.length > 0);
            continue;
          }
          answered++;
          for (
            const bytes of [
              answer.cbPeakBytes,
              answer.tensorL1PeakBytes,
              answer.l1PeakBytes,
              answer.outputL1Bytes,
            ]
          ) {
            assert(Number.isInteger(bytes) && bytes >= 0, `${name} ${memory}: ${bytes}`);
          }
          assert(answer.cbPeakBytes <= model.chip.l1Size, `${name}: ${answer.cbPeakBytes}`);
          assert(answer.cores >= 0 && answer.cores <= grid[0] * grid[1], `${name}: ${answer.cores} cores`);
          assert(answer.l1PeakBytes <= answer.cbPeakBytes + answer.tensorL1PeakBytes, name);
        }
      }
    }
  }
  assert(answered > GRIDS.length * 300, `only ${answered} queries were legal`);
});

Deno.test("cores, circular buffers and programs of an answer are those that the simulator is given", () => {
  const memories = ["dram", "l1", "dram-rm", "hs 2x1", "ws 1x2", "bs 2x2"] as const;
  let answered = 0;
  for (const grid of GRIDS) {
    for (const { name } of knownOps()) {
      const op = sampleSignature(name);
      for (const memory of memories) {
        const asked = modelWithGrid(grid);
        const inputs = inputLayouts(asked, op, memory);
        if (inputs === undefined) continue;
        const answer = asked.queryOpConstraints(op, inputs, undefined, undefined, Number.NEGATIVE_INFINITY);
        if (answer.status === "invalid") continue;
        answered++;
        const { outputLayouts, config, programs } = answer;
        const given = asked.programs(op, inputs, outputLayouts, config);
        // Who chose the blocks of a product is no part of what runs.
        const givenPrograms = given.status === "known" ? given.programs : [];
        assertEquals(givenPrograms.map(asRun), programs.map(asRun), `${name} ${memory}`);
        assertEquals(answer.cores, coresOf({ status: "known", programs }), `${name} ${memory}`);
        assertEquals(
          answer.cbPeakBytes,
          circularBufferPeak({ programs }),
          `${name} ${memory}`,
        );
      }
    }
  }
  assert(answered > GRIDS.length * 200, `only ${answered} queries were legal`);
});

/** A program without the note of who chose its blocks. */
function asRun(program: DeviceProgram): DeviceProgram {
  if (program.kind !== "matmul") return program;
  const { byBackend: _, ...rest } = program;
  return rest;
}

/** Layouts of all operands; `undefined` where the grid has no room for the shards. */
function inputLayouts(model: OpModel, op: OpSignature, memory: string): (LayoutId | undefined)[] | undefined {
  try {
    return op.operands.map((type) => type === undefined ? undefined : layoutOf(model, type, memory));
  } catch (error) {
    assert(error instanceof RangeError);
    return undefined;
  }
}

Deno.test("more L1 never turns a valid answer into out of memory", () => {
  const chip = testChipWithGrid(8, 8);
  const sizes = [400_000, 700_000, 1_000_000, 1_499_136];
  for (const name of knownOps().map((op) => op.name)) {
    const op = sampleSignature(name);
    let wasValid = false;
    for (const l1Size of sizes) {
      const model = createOpModel({ chip: { ...chip, l1Size }, layouts: new LayoutTable() });
      const inputs = op.operands.map((type) => type === undefined ? undefined : layoutOf(model, type, "l1"));
      const answer = model.queryOpConstraints(op, inputs, undefined, undefined);
      if (wasValid) assert(answer.status === "valid", `${name} at ${l1Size}`);
      wasValid ||= answer.status === "valid";
    }
  }
});

Deno.test("extra live bytes only ever turn valid into out of memory, at one threshold", () => {
  fc.assert(fc.property(fc.nat({ max: 1_500_000 }), fc.nat({ max: 200_000 }), (extra, more) => {
    const model = modelWithGrid([8, 8]);
    const type = tensorOf([512, 512]);
    const l1 = layoutOf(model, type, "l1");
    const op = signatureOf("ttnn.add", [type, type], [type]);
    const before = model.queryOpConstraints(op, [l1, l1], l1, undefined, extra);
    const after = model.queryOpConstraints(op, [l1, l1], l1, undefined, extra + more);
    if (before.status === "invalid") {
      assertEquals(before.failure, "out_of_memory");
      assertEquals(after.status, "invalid");
    }
  }));
});

Deno.test("the cache key changes with every part of a query", () => {
  const base = signatureOf("ttnn.softmax", [square], [square], { dimension: integerAttribute(-1) });
  const mutants: readonly OpSignature[] = [
    { ...base, name: "ttnn.relu" },
    { ...base, operands: [tensorOf([64, 96])] },
    { ...base, operands: [tensorOf([64, 64], "f32")] },
    { ...base, operands: [square, square] },
    { ...base, operands: [undefined] },
    { ...base, results: [tensorOf([32, 64])] },
    { ...base, results: [tensorOf([64, 64], "f32")] },
    { ...base, results: [] },
    { ...base, operandSegmentSizes: [1, 0, 0] },
    { ...base, attributes: new Map() },
    { ...base, attributes: new Map([["dimension", integerAttribute(-2)]]) },
    { ...base, attributes: new Map([["dim", integerAttribute(-1)]]) },
    {
      ...base,
      attributes: new Map([...base.attributes, ["numericStable", { kind: "bool", value: true } as const]]),
    },
    { ...base, attributes: new Map([["dimension", { kind: "float", value: -1, type: "si32" } as const]]) },
  ];
  const keys = [base, ...mutants].map(signatureKey);
  assertEquals(new Set(keys).size, keys.length);

  const config = { kind: "conv2d", conv2dConfig: { actBlockHOverride: 32 } } as const;
  assertEquals(configKey(config), configKey({ ...config, conv2dConfig: { actBlockHOverride: 32 } }));
  assertNotEquals(configKey(config), configKey({ kind: "conv2d", conv2dConfig: { actBlockHOverride: 64 } }));
  assertNotEquals(configKey(config), configKey({ ...config, computeConfig: { mathFidelity: "lofi" } }));
});

Deno.test("cached answers are the answers of a fresh model", () => {
  const names = ["ttnn.add", "ttnn.matmul", "ttnn.softmax", "ttnn.reshape", "ttnn.relu", "ttnn.nothing"];
  const memories = ["dram", "l1", "hs 2x1", "ws 1x2", "bs 2x2"];
  const shared = modelWithGrid([8, 8]);
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.constantFrom(...names),
          fc.constantFrom(...memories),
          fc.option(fc.constantFrom(...memories)),
        ),
        { maxLength: 30 },
      ),
      (queries) => {
        for (const [name, input, hint] of queries) {
          const op = sampleSignature(name);
          const ask = (model: OpModel) => {
            const layouts = op.operands.map((type) =>
              type === undefined ? undefined : layoutOf(model, type, input)
            );
            const wanted = hint === null ? undefined : layoutOf(model, square, hint);
            const answer = model.queryOpConstraints(op, layouts, wanted, undefined);
            return answer.status === "invalid" ? answer : {
              ...answer,
              outputLayouts: answer.outputLayouts.map((id) =>
                id === undefined ? undefined : model.layouts.get(id)
              ),
            };
          };
          assertEquals(ask(shared), ask(modelWithGrid([8, 8])));
        }
      },
    ),
    { numRuns: 60 },
  );
  const { queries, hits } = shared.statistics;
  assert(hits > 0 && hits < queries);
});

Deno.test("operands that a rule reads the same get the answer of a fresh model, refusals their own", () => {
  const memories = ["dram", "l1", "dram-rm", "hs 2x1", "hs 1x1", "hs-rm 2x1", "ws 1x2", "bs 2x2", "bs 1x2"];
  const hints = ["dram", "l1", "hs 2x1", "ws 1x2", "bs 2x2", "hs-rm 2x1"];
  const row = tensorOf([1, 64]);
  const names = knownOps().map((op) => op.name).filter((name) => sampleSignature(name).operands.length > 0);
  const models = new Map<string, OpModel>();
  const seen = new Set<OpConstraints>();
  let valid = 0;
  let shared = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...names.filter((name) => ruleOf(definitionOf(name)).readsOfOperand !== undefined)),
      fc.array(fc.constantFrom(...memories), { minLength: 3, maxLength: 3 }),
      fc.constantFrom(...hints),
      fc.boolean(),
      (name, inputs, hint, broadcasts) => {
        const like = sampleSignature(name);
        const operands = like.operands.map((operand, index) => broadcasts && index === 1 ? row : operand);
        const op = { ...like, operands };
        const ask = (model: OpModel) => {
          const layouts = operands.map((type, index) =>
            type === undefined ? undefined : layoutOf(model, type, inputs[index] ?? "dram")
          );
          const answer = model.queryOpConstraints(op, layouts, layoutOf(model, square, hint), undefined);
          if (answer.status === "invalid") return { answer, told: answer };
          const made = answer.outputLayouts.map((id) => id === undefined ? id : model.layouts.get(id));
          return { answer, told: { ...answer, outputLayouts: made } };
        };
        const key = `${name} ${broadcasts}`;
        const known = models.get(key) ?? modelWithGrid([8, 8]);
        models.set(key, known);
        const { answer, told } = ask(known);
        assertEquals(told, ask(modelWithGrid([8, 8])).told);
        if (answer.status === "invalid") return;
        valid++;
        if (seen.has(answer)) shared++;
        seen.add(answer);
      },
    ),
    { numRuns: 2000 },
  );
  assert(valid > 200 && shared > 50, `${shared} of ${valid} answers`);
});

Deno.test("no question makes the op model throw", () => {
  const model = modelWithGrid([8, 7]);
  fc.assert(
    fc.property(
      ...ANY_QUESTION,
      (name, operands, results, hint, named) => {
        const op = signatureOf(name, operands.map(([type]) => type), results, named);
        const first = results[0];
        const wanted = hint === undefined || first === undefined
          ? undefined
          : layoutIfAny(model, first, hint);
        const answer = model.queryOpConstraints(
          op,
          operands.map(([type, memory]) => layoutIfAny(model, type, memory)),
          wanted,
          undefined,
        );
        if (answer.status === "invalid") return;
        assertEquals(answer.outputLayouts.length, results.length, name);
        for (
          const bytes of [answer.cbPeakBytes, answer.tensorL1PeakBytes, answer.l1PeakBytes, answer.cores]
        ) {
          assert(Number.isInteger(bytes) && bytes >= 0, `${name}: ${bytes}`);
        }
        const legal = wanted === undefined ? [] : [wanted];
        model.outputHints(op, legal);
        model.traits(op);
      },
    ),
    {
      numRuns: 4000,
      // Tensors without elements.
      examples: [
        [
          "ttnn.linear",
          [[{ shape: [0, 0, 0], dataType: "bf16" }, "dram"], [
            { shape: [0, 0, 0], dataType: "bf16" },
            "dram",
          ]],
          [{ shape: [], dataType: "bf16" }],
          "l1",
          {},
        ],
        [
          "ttnn.slice_static",
          [[{ shape: [0, 0], dataType: "bf16" }, "dram"]],
          [{ shape: [], dataType: "bf16" }],
          undefined,
          {},
        ],
        [
          "ttnn.collective_permute",
          [[{ shape: [0], dataType: "bf16" }, "dram-rm"]],
          [{ shape: [], dataType: "bf16" }],
          undefined,
          {},
        ],
      ],
    },
  );
});

Deno.test("every part of a question makes its own cache entry, live bytes do not", () => {
  const model = modelWithGrid([8, 8]);
  const op = signatureOf("ttnn.add", [square, square], [square]);
  const dram = layoutOf(model, square, "dram");
  const l1 = layoutOf(model, square, "l1");
  const config = { kind: "matmul", computeConfig: { mathFidelity: "hifi4" } } as const;
  const questions = [
    () => model.queryOpConstraints(op, [dram, dram], undefined, undefined),
    () => model.queryOpConstraints(op, [l1, dram], undefined, undefined),
    () => model.queryOpConstraints(op, [dram, l1], undefined, undefined),
    () => model.queryOpConstraints(op, [dram], undefined, undefined),
    () => model.queryOpConstraints(op, [dram, undefined], undefined, undefined),
    () => model.queryOpConstraints(op, [dram, dram], dram, undefined),
    () => model.queryOpConstraints(op, [dram, dram], l1, undefined),
    () => model.queryOpConstraints(op, [dram, dram], undefined, config),
    () => model.queryOpConstraints(op, [dram, dram], undefined, { kind: "norm" }),
  ];
  for (const ask of questions) ask();
  assertEquals(model.statistics, {
    queries: questions.length,
    hits: 0,
    firstAsked: questions.length,
    furtherOperands: 0,
  });
  for (const ask of questions) ask();
  assertEquals(model.statistics, {
    queries: 2 * questions.length,
    hits: questions.length,
    firstAsked: questions.length,
    furtherOperands: 0,
  });
  for (const extra of [0, 1, 1_000_000]) {
    model.queryOpConstraints(op, [dram, dram], undefined, undefined, extra);
  }
  model.queryOpConstraints({ ...op }, [dram, dram], undefined, {
    kind: "matmul",
    computeConfig: { mathFidelity: "hifi4" },
  });
  assertEquals(model.statistics, {
    queries: 2 * questions.length + 4,
    hits: questions.length + 4,
    firstAsked: questions.length,
    furtherOperands: 0,
  });
});
