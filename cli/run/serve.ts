// SPDX-License-Identifier: Apache-2.0
import { OpModelPipe } from "../../pipeline/op_model_pipe/pipe.ts";
import { findDevice } from "../choose_device.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";

/** Runs `serve`. */
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
  if (options.flag("stats")) {
    const { answers, remembered, unreadable } = pipe.statistics;
    const perSecond = answering > 0 ? `, ${Math.round(answers / answering * 1000)} a second` : "";
    host.stderr.write(
      `${answers} lines answered${perSecond}; ${remembered} remembered, ${unreadable} unreadable\n`,
    );
  }
  return EXIT.ok;
}
