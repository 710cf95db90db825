// SPDX-License-Identifier: Apache-2.0
import { computeConfigText } from "../../lib/dialect/compute_config_text.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import { LayoutWordError, parseLayoutWords } from "../../lib/layout/parse_layout_words.ts";
import { DEFAULT_TILE, type TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { defaultComputeConfig } from "../../lib/op_config/default_compute_config.ts";
import { definitionOf, isKnownOp, knownOps } from "../../lib/ops/op_book.ts";
import {
  type FixedLayout,
  type PricedImpl,
  priceImpls,
  type PriceList,
} from "../../pipeline/price/price_op.ts";
import { guessedKernels } from "../../pipeline/prepared_module.ts";
import { readFormat, readOp, tensorWords, UnreadableOp } from "../../pipeline/price/read_op.ts";
import type { Device } from "../../sim/devices/device.ts";
import { findDevice } from "../choose_device.ts";
import { didYouMean } from "../closest.ts";
import { EXIT, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import { PRICED_OPERANDS } from "../commands/price.ts";
import { bandOf } from "../../sim/timeline/error_band.ts";
import { printAnswer } from "../print_answer.ts";
import { createProgress } from "../progress.ts";
import { refuseImpossibleLayout } from "../refuse_layout.ts";
import { renderDiagnostic } from "../render/diagnostics.ts";
import { listedImpls, renderPriceList } from "../render/price_list.ts";
import { topRows } from "../row_options.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const [name = "", ...operands] = positionals;
  const op = readOpOfCommand(name, operands, options);
  for (let operand = op.operands.length; operand < PRICED_OPERANDS; operand++) {
    if (options.given(`in${operand}`)) {
      throw new UsageError(
        `Option --in${operand} has no meaning: ${op.name} has ${op.operands.length} operands`,
      );
    }
  }
  const devices: Device[] = [];
  for (const word of (options.text("device") ?? "").split(",")) {
    devices.push(await findDevice(host, word.trim()));
  }
  const request = {
    op,
    inputs: op.operands.map((_, operand) => fixedLayout(options, `in${operand}`)),
    output: fixedLayout(options, "out"),
  };
  const progress = createProgress(host);
  const lists = await refuseImpossibleLayout(() =>
    devices.map((device): PriceList => {
      progress.stage(`pricing ${op.name} on ${device.name}`);
      return priceImpls(request, device);
    })
  );
  for (const finding of devices.flatMap(guessedKernels)) host.stderr.once(renderDiagnostic(finding));
  const given = new Set(options.texts("attr").map((text) => text.slice(0, text.indexOf("=")).trim()));
  for (const attribute of op.attributes.unasked().filter((attribute) => given.has(attribute))) {
    host.stderr.write(
      `warning: --attr ${attribute} has no effect: neither the legality nor the time of ${op.name} depends on it\n`,
    );
  }
  const top = topRows(options);
  printAnswer(
    { host, options },
    () => documentOf(op, lists, top),
    (style) => lists.map((list) => renderPriceList(op, list, style, top)).join("\n"),
  );
  return lists.every(({ impls }) => impls.length > 0) ? EXIT.ok : EXIT.finding;
}

function readOpOfCommand(name: string, operands: readonly string[], options: Options) {
  const full = name.includes(".") ? name : `ttnn.${name}`;
  if (!isKnownOp(full)) {
    const names = knownOps().map((definition) => definition.name.replace(/^ttnn\./, ""));
    throw new UsageError(
      `Unknown op '${name}'${
        didYouMean(name.replace(/^ttnn\./, ""), names, "'tilewright ops' lists the known ones")
      }`,
    );
  }
  try {
    const dataType = readFormat(options.text("dtype") ?? "bf16");
    const weights = options.text("weights");
    const fidelity = options.text("fidelity");
    return readOp({
      definition: definitionOf(full),
      operands,
      results: options.texts("result"),
      attributes: [
        ...fidelity === undefined
          ? []
          : [`compute_config=${fidelityConfig(fidelity, full, dataType, options)}`],
        ...options.texts("attr"),
      ],
      dataType,
      weights: weights === undefined ? dataType : readFormat(weights),
    });
  } catch (error) {
    if (error instanceof UnreadableOp) throw new UsageError(`Cannot price it: ${error.message}`);
    throw error;
  }
}

/** A compute config that differs from the backend's default in its fidelity alone. */
function fidelityConfig(mathFidelity: string, op: string, dataType: DataType, options: Options): string {
  const weights = options.text("weights");
  // Of a default the chip determines only the fidelity.
  const known = defaultComputeConfig({
    op,
    operands: [dataType, weights === undefined ? dataType : readFormat(weights)],
    result: dataType,
    architecture: "wormhole_b0",
  });
  return computeConfigText({ ...known, mathFidelity });
}

function fixedLayout(options: Options, option: string): FixedLayout | undefined {
  const text = options.text(option);
  if (text === undefined) return undefined;
  return (tensor, chip) => {
    try {
      return parseLayoutWords(text, { ...tensor, tile: DEFAULT_TILE }, chip.workerGrid, chip.dramBanks);
    } catch (error) {
      if (!(error instanceof LayoutWordError)) throw error;
      throw new UsageError(`Option --${option} ${error.message}; write for example l1/height_sharded/8x8`);
    }
  };
}

function documentOf(op: ReturnType<typeof readOpOfCommand>, lists: readonly PriceList[], top: number) {
  const words = (tensors: typeof op.operands) =>
    tensors.map((tensor) => tensor === undefined ? null : tensorWords(tensor));
  const [only, ...more] = lists;
  return {
    schema: "tilewright.price/1",
    input: null,
    device: only !== undefined && more.length === 0 ? only.device.name : null,
    summary: {
      op: op.name,
      legal: lists.every(({ impls }) => impls.length > 0),
      quickest: quickestOf(lists),
    },
    op: op.name,
    operands: words(op.operands),
    results: words(op.results),
    devices: lists.map(({ device, impls, refused, questions, exhaustive }) => ({
      device: device.name,
      questions,
      exhaustive,
      ways: listedImpls(impls, top).map(implJson),
      refused: refused.slice(0, top),
    })),
  } as const;
}

/** The fastest candidate on any of the chips; `null` if none has a price. */
function quickestOf(lists: readonly PriceList[]) {
  const [quickest] = lists.flatMap(({ device, impls }) =>
    impls.filter(({ estimate }) => estimate.unknown === undefined).slice(0, 1).map(({ estimate }) => ({
      device: device.name,
      us: estimate.microseconds,
    }))
  ).toSorted((a, b) => a.us - b.us);
  return quickest ?? null;
}

function implJson({ inputs, outputs, config, estimate, operandL1Bytes, l1PeakBytes, hinted }: PricedImpl) {
  const { unknown, microseconds, relativeError, bound, cores } = estimate;
  const words = (layouts: readonly (TtnnLayout | undefined)[]) =>
    layouts.map((layout) => layout === undefined ? null : describeLayout(layout));
  return {
    inputs: words(inputs),
    outputs: words(outputs),
    config: config ?? null,
    predicted: unknown === undefined ? { us: microseconds, ...bandOf(microseconds, relativeError) } : null,
    unpriced: unknown ?? null,
    bound,
    cores,
    operandL1Bytes,
    l1PeakBytes,
    hinted,
  };
}
