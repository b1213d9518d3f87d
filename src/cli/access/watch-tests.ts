import { countText } from '../../access/suite/result.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { countChanges } from '../../watch/survey.ts';
import { type PathsWatch, watchPaths } from '../../watch/watch.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import { explainFailure } from '../failure.ts';
import type { CliIo } from '../io.ts';
import type { TestOptions } from './test-options.ts';
import { runCases, type TestRun, tellRun } from './test-run.ts';
import { settingsFiles, surveyInputs } from './watched-inputs.ts';

/**
 * Runs the cases, and runs them again whenever what they are made of has changed, until a signal ends the process. Gives the
 * exit code of the last run.
 */
export async function watchTests(paths: readonly string[], options: TestOptions, io: CliIo): Promise<ExitCode> {
  if (paths.includes('-')) throw new UsageError('--watch needs files: standard input can be read once only');
  const watched = new WatchedTests(paths, options, io);
  const code = await io.untilStopped(
    (stop) => watched.follow(stop),
    (last) => last === undefined,
  );
  return code ?? exitCode.no;
}

class WatchedTests {
  readonly #paths: readonly string[];
  readonly #options: TestOptions;
  readonly #io: CliIo;
  /** All that was ever an input of a test, and the files of settings. */
  #watched: readonly string[];
  /** As it was before the last run read it. */
  #seen: Awaited<ReturnType<typeof surveyInputs>> | undefined;
  #last: TestRun | undefined;
  #ring: () => void = () => undefined;

  constructor(paths: readonly string[], options: TestOptions, io: CliIo) {
    this.#paths = paths;
    this.#options = options;
    this.#io = io;
    this.#watched = [...paths, ...settingsFiles(options)];
  }

  /** The code of the last run that came to its end; undefined where a signal came before any did. */
  async follow(stop: AbortSignal): Promise<ExitCode | undefined> {
    let rung = this.#nextRing();
    const watch = await watchPaths(this.#watched, { onChange: () => this.#ring() });
    stop.addEventListener('abort', () => this.#ring(), { once: true });
    let code: ExitCode | undefined;
    try {
      this.#seen = await surveyInputs(this.#watched, this.#options);
      while (!stop.aborted) {
        code = (await this.#run(watch, stop)) ?? code;
        if (stop.aborted) break;
        await this.#io.writeError('waiting for changes; Ctrl-C ends\n');
        for (let changed = 0; changed === 0 && !stop.aborted; changed = await this.#countChanged()) {
          await rung;
          rung = this.#nextRing();
        }
      }
      return code;
    } finally {
      watch.close();
    }
  }

  #nextRing(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve;
    });
  }

  /** How many files differ from what the last run read; they are what the next one reads. */
  async #countChanged(): Promise<number> {
    const now = await surveyInputs(this.#watched, this.#options);
    const changed = this.#seen === undefined ? 1 : countChanges(this.#seen, now);
    if (changed > 0) {
      this.#seen = now;
      await this.#io.writeError(`${changed} ${changed === 1 ? 'file has' : 'files have'} changed\n`);
    }
    return changed;
  }

  /** Undefined where a signal cut the run off. */
  async #run(watch: PathsWatch, stop: AbortSignal): Promise<ExitCode | undefined> {
    try {
      const run = await runCases(this.#paths, this.#options, this.#io, {
        stop,
        onInputs: (inputs) => this.#follow(inputs, watch),
      });
      if (run !== undefined && (run.isSound || this.#last === undefined)) {
        if (run.isSound) this.#last = run;
        return await tellRun(run, this.#options, this.#io);
      }
      await this.#tellLast();
      return exitCode.no;
    } catch (thrown) {
      if (stop.aborted) return undefined;
      const { text, code } = explainFailure(thrown, 'meshpol');
      if (code === exitCode.bug) throw thrown;
      await this.#io.writeError(text);
      await this.#tellLast();
      return code;
    }
  }

  async #tellLast(): Promise<void> {
    if (this.#last === undefined) return;
    await this.#io.writeError(`the last result stands: ${countText(this.#last.results)}\n`);
  }

  /** Watches further inputs, which the run is about to read. */
  async #follow(inputs: readonly string[], watch: PathsWatch): Promise<void> {
    const further = [...new Set(inputs)].filter((path) => !this.#watched.includes(path));
    if (further.length === 0) return;
    const found = await surveyInputs(further, this.#options);
    // What was seen before counts: the tests were read since.
    if (this.#seen !== undefined) {
      this.#seen = { ...this.#seen, entries: new Map([...found.entries, ...this.#seen.entries]) };
    }
    this.#watched = [...this.#watched, ...further];
    watch.follow(this.#watched);
  }
}
