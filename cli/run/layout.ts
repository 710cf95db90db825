// SPDX-License-Identifier: Apache-2.0
import { drawingsSvg } from "../../lib/layout/render/drawing_svg.ts";
import { layoutPage } from "../../lib/layout/render/layout_page.ts";
import { metalUnits, ttnnUnits } from "../../lib/layout/render/layout_units.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { type ExitCode, type Invocation, UsageError } from "../command.ts";
import { printAnswer } from "../print_answer.ts";
import { refuseImpossibleLayout } from "../refuse_layout.ts";
import { formatBytes } from "../render/format.ts";
import { layoutJson, layoutText } from "../render/layout_report.ts";
import { readLayoutQuestion } from "./layout/question.ts";
import { answerLayoutQuestion } from "./layout/answer.ts";

export function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  return refuseImpossibleLayout(async () => {
    const chip = chipDescription(getDevice(options.text("device") ?? "n150"));
    const question = readLayoutQuestion(positionals[0] ?? "", options, chip);
    const answer = answerLayoutQuestion(question, chip);
    const indexMap = question.layout.kind === "metal" ? question.layout.written?.indexMapResults ?? 0 : 0;
    if (indexMap > 0) {
      host.stderr.write(
        `remark: the index map of ${indexMap} results is not part of the text; places are those before it\n`,
      );
    }
    const l1Bytes = chip.l1Size - chip.l1UnreservedBase;
    if (answer.inL1 && answer.bytesPerNode > l1Bytes) {
      host.stderr.write(
        `remark: ${formatBytes(answer.bytesPerNode)} on a core are more than its ${
          formatBytes(l1Bytes)
        } of L1\n`,
      );
    }
    const svg = options.text("svg");
    if (svg !== undefined) {
      if (answer.elements !== undefined) {
        throw new UsageError(
          "Cannot draw shards that are not boxes: the layout's map uses one dim in several results",
        );
      }
      await host.writeText(svg, drawingsSvg(answer.drawings, answer.title, answer.attribute));
    }
    const html = options.text("html");
    if (html !== undefined) {
      const { shape, layout, devices } = question;
      const units = layout.kind === "metal"
        ? metalUnits(shape, layout.metal, { workerGrid: chip.workerGrid, devices })
        : ttnnUnits(shape, layout.ttnn, chip);
      await host.writeText(html, layoutPage(units, answer.title, answer.attribute));
    }
    return printAnswer(
      { host, options },
      () => layoutJson(answer, chip.name),
      ({ width }) => layoutText(answer, width),
    );
  });
}
