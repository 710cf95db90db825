// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusTest, sharedData } from "../../testing/corpus.ts";
import { getMeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { readMeasurements } from "./audit_cost_model.ts";
import { decoderNamed } from "./decoder_architecture.ts";
import type { MeasuredRow } from "./measured_row.ts";
import { auditRows } from "./rows.ts";

corpusTest("decoders split over chips are predicted within 25 % on the mean", () => {
  const { models } = readMeasurements("measured-perf.json", sharedData("measured-perf.json"));
  const errors = models.filter(({ group, configuration }) => group === "e2e" && /\bTP\d/.test(configuration))
    .map(({ device, measured, predict }) => Math.abs(predict(getMeasuredDevice(device)) / measured - 1));
  assert(errors.length >= 4);
  assert(errors.reduce((sum, error) => sum + error, 0) / errors.length <= 0.25);
});

function row(device: string, model: string, batch: number): MeasuredRow {
  return {
    source: "",
    device,
    op: "llm_decode_e2e",
    shapes: { model, batch, kv_len: 128 },
    dtype: "",
    fidelity: "",
    grid: "",
    layouts: {},
    config: {},
    measured: { us: 40_000 },
    basis: "end-to-end demo (host)",
    group: "e2e",
    quality: "",
  };
}

function predicted(device: string, model: string, batch: number): number {
  const [modelled] = auditRows([row(device, model, batch)]);
  assert(modelled?.status === "modelled", model);
  return modelled.predict(getMeasuredDevice(modelled.device));
}

Deno.test("a decoder that keeps more bits takes longer, and so does one that gathers its sums", () => {
  const [qwen, mixtral] = ["Qwen2.5-7B TP2", "Mixtral-8x7B TP8"].map((name) =>
    decoderNamed(name)?.architecture
  );
  assertEquals([qwen?.formats.attention, qwen?.formats.gates, mixtral?.sums], [
    "bf16",
    "bfp_bf8",
    "gathered",
  ]);
  assert(predicted("n300", "Qwen2.5-7B TP2", 32) > predicted("n300", "Mistral-7B TP2", 32));
});

Deno.test("systems are known by their names, and copies of a model share the users", () => {
  const device = (name: string) => {
    const [modelled] = auditRows([row(name, "Llama-3.1-8B", 32)]);
    return modelled?.status === "modelled" ? modelled.device : modelled?.reason;
  };
  assertEquals(["T3000", "T3K", "LoudBox WH", "QuietBox BH", "p150x4"].map(device), [
    "n300",
    "n300",
    "n300",
    "p150-13x10",
    "p150-13x10",
  ]);
  assertEquals(device("Galaxy"), "the chip is not modelled");
  // 256 users on eight chips: 32 on each, but the host reads the logits of all.
  const host = 7 * 32 * 128_256 * getMeasuredDevice("n300").sampling.logitHost / 1000;
  const [one, eight] = [predicted("T3000", "Llama-3.1-8B", 32), predicted("T3000", "Llama-3.1-8B DP8", 256)];
  assert(Math.abs(eight - one - host) < 1e-6 * eight);
});
