// SPDX-License-Identifier: Apache-2.0

/**
 * A thread of the command line, what {@linkcode Host.startThread} starts.
 *
 * @module
 */

import { serveBench } from "./bench_thread.ts";

serveBench();
