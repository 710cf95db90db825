// SPDX-License-Identifier: Apache-2.0

/**
 * A thread of the command line, started by {@linkcode Host.startThread}.
 *
 * @module
 */

import { serveBench } from "./bench_thread.ts";

serveBench();
