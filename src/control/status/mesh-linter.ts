import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SettingsOptions } from '../../config/read.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import type { SourceFile } from '../../source/document.ts';

/** Input of the lint thread. */
export interface LintData {
  readonly files: readonly SourceFile[];
  readonly settings: SettingsOptions;
}

/** Result of lint for an object, or for the mesh. */
export interface LintFound {
  readonly code: string;
  readonly message: string;
  readonly span?: SourceSpan;
}

export interface MeshLinterOptions {
  readonly settings: SettingsOptions;
  readonly found: (findings: readonly LintFound[], files: readonly SourceFile[]) => void;
  readonly failed: (reason: string) => void;
}

/** The thread's program, which the build puts beside that of the compile thread. */
const ownProgram = join(import.meta.dirname, 'meshd-lint.cjs');

/** A mesh that changes all the time is looked at so often. */
const lintEveryMs = 5_000;

/** Lints the current mesh in a thread of its own, so that lint delays no change. */
export class MeshLinter {
  readonly #options: MeshLinterOptions;
  #isWanted = false;
  #files: readonly SourceFile[] | undefined;
  #linted: readonly SourceFile[] | undefined;
  #isRunning = false;

  constructor(options: MeshLinterOptions) {
    this.#options = options;
  }

  /** Whether somebody wants to know; one replica does. */
  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#run();
  }

  /** These files are in force, or were refused. */
  take(files: readonly SourceFile[]): void {
    this.#files = files;
    this.#run();
  }

  #run(): void {
    const files = this.#files;
    if (!this.#isWanted || this.#isRunning || files === undefined || files === this.#linted) return;
    this.#isRunning = true;
    this.#linted = files;
    const { settings, found, failed } = this.#options;
    const data: LintData = { files, settings };
    const worker = new Worker(ownProgram, { workerData: data });
    worker.on('message', (findings: readonly LintFound[]) => found(findings, files));
    worker.on('error', (error) => failed(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => {
      setTimeout(() => {
        this.#isRunning = false;
        this.#run();
      }, lintEveryMs);
    });
  }
}
