// SPDX-License-Identifier: Apache-2.0
import { OpModelPipe } from "../../pipeline/op_model_pipe/pipe.ts";
import type { Device } from "../../sim/devices/device.ts";
import { findDevice } from "../choose_device.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";
import { jsonOutput } from "../json_output.ts";

export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const name = options.text("device");
  const device = name === undefined ? undefined : await findDevice(host, name);
  const pipe = new OpModelPipe(device, (remark) => host.stderr.write(`remark: ${remark}\n`));
  let answering = 0;
  for (const lines of host.readLines()) {
    const start = host.now();
    const replies = lines.map((line) => `${pipe.answerLine(line)}\n`).join("");
    answering += host.now() - start;
    host.stdout.write(replies);
  }
  if (options.flag("stats")) host.stderr.write(statistics(pipe, answering, options.flag("json"), device));
  return EXIT.ok;
}

/** Statistics as text or as a document; standard output belongs to the compiler. */
function statistics(
  pipe: OpModelPipe,
  answeringMs: number,
  isJson: boolean,
  device: Device | undefined,
): string {
  const { answers, remembered, unreadable } = pipe.statistics;
  const perSecond = answeringMs > 0 ? Math.round(answers / answeringMs * 1000) : undefined;
  if (isJson) {
    return jsonOutput({
      schema: "tilewright.serve/1",
      input: "-",
      device: device?.name ?? null,
      summary: { answers, remembered, unreadable, perSecond },
    });
  }
  const pace = perSecond === undefined ? "" : `, ${perSecond} a second`;
  return `${answers} lines answered${pace}; ${remembered} remembered, ${unreadable} unreadable\n`;
}
