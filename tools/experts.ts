// SPDX-License-Identifier: Apache-2.0

/**
 * Writes docs/experts.md: published device times of hand-tuned models (published:expert-times) beside what `auto` decides
 * for the same network as more may change: layouts, then op configs, then weights in bfp8, then LoFi. Takes minutes.
 *
 * Usage: `deno task experts [WORD]`; with a word only rows of models whose names contain it are made anew
 *
 * @module
 */

import { join } from "@std/path";
import { opSignatures } from "../lib/graph/signature.ts";
import type { DataType } from "../lib/layout/data_type.ts";
import type { LayoutId } from "../lib/layout/layout_table.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import { DEFAULT_PASS_OPTIONS, type PassOptions } from "../lib/passes/pass_options.ts";
import { readPolicyOptions } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { type Optimized, optimizeModule } from "../pipeline/optimize.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import { bertLarge } from "../testdata/zoo/bert_base.ts";
import { llama8bDecode } from "../testdata/zoo/llama_3_2_1b.ts";
import { mobilenetV2 } from "../testdata/zoo/mobilenet_v2.ts";
import { resnet50 } from "../testdata/zoo/resnet50.ts";
import { segformerB0 } from "../testdata/zoo/segformer_block.ts";
import { unet } from "../testdata/zoo/unet.ts";
import { vitB } from "../testdata/zoo/vit_b.ts";
import { markdownTable } from "../sim/audit/markdown_section.ts";
import { asWritten, BY_HAND, type HandTuned } from "./hand_tuned.ts";
import { ROOT } from "./steps.ts";

/** A published time of a hand-tuned model. */
interface ExpertTime {
  readonly model: string;
  readonly device: string;
  /** Of one inference on the device, µs: the sum of kernel times, or one second over the published rate. */
  readonly us: number;
  /** What it was measured with. */
  readonly formats: string;
  readonly measured: string;
  /** Whether activations are bfp8. */
  readonly narrowsActivations: boolean;
  /** What differs besides, in words: what the rest of the distance is made of. */
  readonly rest: string;
  /** The same network at the same batch. */
  readonly text: string;
}

/** A network with its published times: device, µs, and what they were measured as. */
interface ExpertNetwork extends Omit<ExpertTime, "device" | "us" | "measured"> {
  readonly times: readonly (readonly [device: string, us: number, measured: string])[];
}

const RESNET50 = {
  formats: "all bfp8, LoFi, input folded on the device",
  narrowsActivations: true,
  rest:
    "the image has four channels and is folded on the device, so that the stem reads windows of 4x4 from shards; here it reads 7x7, batch 16 on n150 in slices of DRAM (2.0 ms)",
};

const VIT = {
  formats: "activations and weights bfp8",
  narrowsActivations: true,
  rest: "attention is two products and a softmax in place, in shards; norms and softmax have program configs",
};

/** Networks, each with what the hand-written programs do besides (`published:expert-times`). */
const NETWORKS: readonly ExpertNetwork[] = [
  {
    ...RESNET50,
    model: "ResNet-50, batch 16",
    text: resnet50(16),
    times: [["n150", 2526, "6,335 images/s, 2026"], ["p150", 1508, "10,610 images/s, 2026"]],
  },
  {
    ...RESNET50,
    model: "ResNet-50, batch 32",
    text: resnet50(32),
    times: [["p150", 2469, "12,960 images/s, 2026"]],
  },
  { ...VIT, model: "ViT-B, batch 8", text: vitB(12, 8), times: [["n150", 5517, "1,450 images/s, 2026"]] },
  {
    ...VIT,
    model: "ViT-B, batch 10",
    text: vitB(12, 10),
    times: [["p150", 2703, "3,700 images/s end to end, 2026"]],
  },
  {
    model: "BERT-large, sequence 384, batch 8",
    formats: "all bfp8, LoFi",
    narrowsActivations: true,
    rest: "attention is two products and a softmax in place with scale and mask, in shards",
    text: bertLarge(),
    times: [["n150", 23_529, "340 sequences/s, 2024"]],
  },
  {
    model: "U-Net 480x640, batch 1",
    formats: "weights bfp8, LoFi, activations bf16",
    narrowsActivations: false,
    rest: "the channels of the image come last",
    text: unet(1),
    times: [["n150", 4975, "201 images/s, 2026"], ["p150", 2500, "400 images/s, 2026"]],
  },
  {
    model: "MobileNetV2, batch 10",
    formats: "all bfp8, LoFi",
    narrowsActivations: true,
    rest: "the image arrives in shards",
    text: mobilenetV2(10),
    times: [["n150", 2681, "3,730 images/s, 2026"]],
  },
  {
    model: "SegFormer-b0, 512x512",
    formats: "weights bf16, keys, values and scores bfp8",
    narrowsActivations: false,
    rest: "attention in shards, with keys, values and scores in bfp8",
    text: segformerB0(),
    times: [["n150", 7576, "132 images/s end to end, 2026"], ["p150", 2551, "392 images/s, 2026"]],
  },
];

const EXPERTS: readonly ExpertTime[] = NETWORKS.flatMap(({ times, ...network }) =>
  times.map(([device, us, measured]) => ({ ...network, device, us, measured }))
);

/**
 * Decoding: the published time of a step, divided by its 32 layers, beside one layer of ours. The product with the
 * table of tokens at the end of a step is therefore a part of the published time alone.
 */
const DECODERS: readonly ExpertTime[] = [["n150", 38_460, 26.0], ["p150", 30_210, 33.1]].map(
  ([device, us, rate]) => ({
    model: "Llama 3.1 8B, 32 users",
    device: String(device),
    us: Number(us) / 32,
    formats: "FF1/3 bfp4, FF2, attention and cache bfp8",
    measured: `${rate} tokens/s per user end to end, 2026, a 32nd`,
    narrowsActivations: false,
    rest:
      "FF1 and FF3 in bfp4, caches in bfp8; the published time holds host, transfer and the choice of a token",
    text: llama8bDecode(),
  }),
);

/** Published times of models that the zoo has not, or not at the published batch. */
const ABSENT = ["YOLOv8", "SDXL", "Llama 3.2, decode with batch 32", "Falcon-7B", "Whisper"];

/** What may change, one after the other. */
type Ladder = readonly (readonly [name: string, free: string, passes: Partial<PassOptions>])[];

const LADDER: Ladder = [
  ["layouts", "layouts", {}],
  ["+ configs", "layouts,configs", {}],
  ["+ bfp8 weights", "layouts,configs", { weightDtype: "bfp_bf8" }],
  ["+ LoFi", "layouts,configs", { weightDtype: "bfp_bf8", computeConfig: { mathFidelity: "lofi" } }],
];

/** The same where products of one row of tiles take the time, whose weights may lie over the banks of DRAM. */
const DECODING: Ladder = LADDER.flatMap(([name, free, passes], rung) => {
  const freed = rung === 0 ? free : `${free},weights`;
  return rung === 1 ? [[name, free, passes], ["+ weights", freed, passes]] : [[name, freed, passes]];
});

const auto = getPolicy("auto");

function decided(expert: ExpertTime, free: string, passes: Partial<PassOptions>): Optimized {
  const workbench = loadModule(expert.text, {
    device: expert.device,
    passes: { ...DEFAULT_PASS_OPTIONS, ...passes },
  });
  return optimizeModule(workbench, auto, readPolicyOptions(new Map([["free", free]])));
}

/** The time of a plan; a plan that does not run or fit has none. */
function timeOf({ memory, timeline }: Optimized): string {
  return memory.verdict.status === "fits" ? ms(timeline.inference.totalUs) : "does not run";
}

/** The µs that the plan's ops would save with all bf16 tensors in bfp8, in their layouts and configs. */
function savedInBfp8({ workbench: { opModel, cost }, graph, timeline }: Optimized): number {
  const narrowed = <Typed extends { readonly dataType: DataType }>(typed: Typed | undefined) =>
    typed?.dataType === "bf16" ? { ...typed, dataType: "bfp_bf8" as const } : typed;
  const idOf = (layout: TtnnLayout | undefined): LayoutId | undefined =>
    layout === undefined
      ? undefined
      : opModel.layouts.intern(layout.tile === undefined ? layout : narrowed(layout) ?? layout);
  let saved = 0;
  for (const { name, role, steps } of timeline.functions) {
    const fn = graph.functions.find((candidate) => candidate.name === name);
    if (role !== "inference" || fn === undefined) continue;
    const signatures = opSignatures(fn);
    for (const { kind, id, inputLayouts, outputLayouts, config, estimate } of steps) {
      const signature = kind === "op" ? signatures[id] : undefined;
      if (signature === undefined) continue;
      const { microseconds, unknown } = cost.getOpRuntime(
        {
          ...signature,
          operands: signature.operands.map(narrowed),
          results: signature.results.map(narrowed),
        },
        inputLayouts.map(idOf),
        outputLayouts.map(idOf),
        config,
      );
      if (unknown === undefined) saved += Math.max(0, estimate.microseconds - microseconds);
    }
  }
  return saved;
}

/** What hand-written programs do that the plan does not, with its predicted saving where it has a price. */
function distanceOf(optimized: Optimized, { narrowsActivations }: ExpertTime): string {
  const { advice, backendAdvice, timeline: { inference } } = optimized;
  const share = (us: number): string => `${Math.round(100 * us / inference.totalUs)} %`;
  return [
    ...narrowsActivations ? [`activations in bfp8 ${share(savedInBfp8(optimized))}`] : [],
    ...advice.filter(({ freedom }) => freedom === "inputs" || freedom === "weights")
      .map(({ freedom, savedUs }) => `${freedom} ${share(savedUs)}`),
    ...backendAdvice.map(({ setting, savedUs }) =>
      savedUs === undefined ? `\`${setting}\`` : `\`${setting}\` ${share(savedUs)}`
    ),
  ].join(", ");
}

/** The kinds of ops that take most of the time, with their shares. */
function sharesOf({ functions, inference: { totalUs } }: Pick<Timeline, "functions" | "inference">): string {
  const us = new Map<string, number>();
  for (const { steps } of functions.filter(({ role }) => role === "inference")) {
    for (const { kind, name, deviceUs, gapUs } of steps) {
      const key = kind === "conversion" ? "copies of the plan" : `${definitionOf(name).costClass}`;
      us.set(key, (us.get(key) ?? 0) + deviceUs + gapUs);
    }
  }
  return [...us].sort(([, a], [, b]) => b - a).slice(0, 4)
    .map(([name, time]) => `${name} ${Math.round(100 * time / totalUs)} %`).join(", ");
}

function handTunedRow(hand: HandTuned): readonly string[] {
  const { inference, functions } = asWritten(hand);
  const steps = functions.filter(({ role }) => role === "inference").flatMap(({ steps }) => steps);
  const unsure = steps.filter(({ unchecked, refused, shortage }) =>
    (unchecked ?? refused ?? shortage) !== undefined
  );
  const { lowerUs, upperUs } = inference.band;
  return [
    hand.model,
    ms(hand.us),
    `${ms(inference.deviceUs)} (${ms(lowerUs)} to ${ms(upperUs)})`,
    (inference.deviceUs / hand.us).toFixed(2),
    sharesOf({ functions, inference }),
    hand.differs,
    `${unsure.length} of ${steps.length}`,
  ];
}

const HAND_TUNED =
  "model | published, ms | as written by hand, ms | against published | where its time goes | " +
  "where it differs from what was measured | ops that our op model refuses, cannot check, or does not fit into memory";

const ms = (us: number): string => (us / 1000).toFixed(2);

const PAGE = join(ROOT, "docs", "experts.md");

/** Rows of models whose names contain the argument are made anew, the others stay as the page has them; all without one. */
const [asked] = Deno.args;
const known = asked === undefined ? [] : (await Deno.readTextFile(PAGE)).split("\n");

/** The row that the page has of a model, with as many cells; `undefined` if it is to be made. */
function keptRow(model: string, device: string, cells: number): readonly string[] | undefined {
  if (asked === undefined || model.includes(asked)) return undefined;
  return known.map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim())).find((row) =>
    row[0] === model && row[1] === device && row.length === cells
  );
}

function makeRow(expert: ExpertTime, ladder: Ladder): readonly string[] {
  const plans = ladder.map(([name, free, passes]) => {
    const optimized = decided(expert, free, passes);
    const { totalUs } = optimized.timeline.inference;
    console.error(`${expert.model} ${expert.device} ${name} ${ms(totalUs)} ms`);
    return optimized;
  });
  const last = plans.at(-1);
  const distance = last === undefined ? "" : (last.timeline.inference.totalUs / expert.us).toFixed(2);
  return [
    expert.model,
    expert.device,
    `${ms(expert.us)} (${expert.measured})`,
    expert.formats,
    ...plans.map(timeOf),
    distance,
    last === undefined ? "" : sharesOf(last.timeline),
    last === undefined ? "" : distanceOf(last, expert),
    expert.rest,
  ];
}

function table(experts: readonly ExpertTime[], ladder: Ladder): string {
  const head = ["model", "chip", "expert, ms", "expert's formats", ...ladder.map(([name]) => name)];
  const behind =
    "against the expert | where the last plan's time goes | what it leaves out, and what that would save | " +
    "what else differs";
  const rows = experts.map((expert) =>
    keptRow(expert.model, expert.device, 8 + ladder.length) ?? makeRow(expert, ladder)
  );
  return markdownTable(`${head.join(" | ")} | ${behind}`, rows).join("\n");
}

const page = `# Plans beside hand-tuned models

\`deno task experts\` writes this page. Published times are sums of device kernel times, or one second over the
published device rate (\`published:expert-times\`, as of 2026); ours are predictions of \`auto\`, in ms per inference, as more
may change: layouts alone, then op configs (blocks, cores and buffers; the numbers stay), then weights in bfp8, then
LoFi. Inputs arrive in rows as PyTorch has them, so that our times hold the permutes and tilizes that an expert's
contract with the host leaves out; activations stay bf16, where experts have most in bfp8.

${table(EXPERTS, LADDER)}

One decode layer with a cache of 128 positions, whose weights may also lie over the banks of DRAM. The published step is 32 such layers
and the product with the table of tokens; a 32nd of it stands here:

${table(DECODERS, DECODING)}

## The experts' own plans

What the hand-written programs do on n150, as far as TTNN's dialect has words for it: the layouts, formats, program
configs and fidelities of their sources (\`published:expert-times\`) in \`testdata/hand_tuned\`, simulated as written. Times
of kernels alone, as published; the band is that of our prices.

${markdownTable(HAND_TUNED, BY_HAND.map(handTunedRow)).join("\n")}

Published times of these are not compared, most of them because the zoo has no such network:
${ABSENT.join("; ")}. The plans on Blackhole were not written down.
`;

await Deno.writeTextFile(PAGE, page);
await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", PAGE] }).output();
