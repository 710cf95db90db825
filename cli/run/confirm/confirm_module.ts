// SPDX-License-Identifier: Apache-2.0
import { type Confirmation, confirmationOf } from "../../../pipeline/confirm/confirmation.ts";
import { askedOps, MOCK_BOARDS, type MockBoard, mockBoardOf } from "../../../pipeline/confirm/job.ts";
import { predictOps } from "../../../pipeline/confirm/prediction.ts";
import type { Workbench } from "../../../pipeline/load.ts";
import { pythonProgramOf } from "../../../pipeline/python_program.ts";
import type { BackendPlace } from "../../backend/environment.ts";
import { UsageError } from "../../command.ts";
import type { Host } from "../../host.ts";
import { baseName, type Progress } from "../../progress.ts";
import { pythonTitle } from "../../python_text.ts";
import { askBackend } from "./ask.ts";

export interface ConfirmedModule {
  readonly workbench: Workbench;
  readonly file: string;
  /** `--tensor-l1-usage-cap` */
  readonly cap: number;
}

/**
 * Runs a module on the real backend and pairs the facts with our own replay.
 *
 * @throws {UsageError} if no mock device can be opened for its device
 * @throws {DiagnosticError} if the backend does not start, or ends between two ops
 */
export async function confirmModule(
  host: Host,
  place: BackendPlace,
  { workbench, file, cap }: ConfirmedModule,
  progress: Progress,
): Promise<Confirmation> {
  const board = boardOf(workbench);
  const title = pythonTitle(file, workbench.device.name);
  const program = pythonProgramOf(workbench.module, workbench, { title, standIns: true });
  const asked = askedOps(program).length;
  const say = (done: number): void => progress.stage(`${baseName(file)}: op ${done} of ${asked} on ${board}`);
  say(0);
  const runs = await askBackend(host, place, program, board, say);
  return confirmationOf(program, predictOps(workbench, cap), runs);
}

/**
 * The board on which a device is confirmed.
 *
 * @throws {UsageError} if no mock device can be opened for it
 */
export function boardOf({ device: { name }, mesh }: Workbench): MockBoard {
  const chips = mesh.reduce((product, axis) => product * axis.chips, 1);
  const board = mockBoardOf(name, chips);
  if (board !== undefined) return board;
  throw new UsageError(
    `Cannot open a mock device of ${name}${chips > 1 ? ` with ${chips} chips` : ""}; boards: ${
      MOCK_BOARDS.join(", ")
    }`,
  );
}
