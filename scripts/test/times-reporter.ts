import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import type { FileTimes } from './times.ts';

/** A reporter of Vitest that writes the times of each test file, as JSON, to the file that TEST_TIMES names. */
export default class TimesReporter implements Reporter {
  #startedAt = 0;
  readonly #files: FileTimes[] = [];

  onTestRunStart(): void {
    this.#startedAt = performance.now();
  }

  onTestModuleEnd(module: TestModule): void {
    const { prepareDuration, environmentSetupDuration, collectDuration, setupDuration, duration } = module.diagnostic();
    const seconds = (prepareDuration + environmentSetupDuration + collectDuration + setupDuration + duration) / 1_000;
    const endedAt = (performance.now() - this.#startedAt) / 1_000;
    const { cpuSeconds } = module.meta();
    const { relativeModuleId: file, project } = module;
    this.#files.push({
      file,
      project: project.name,
      seconds,
      startedAt: endedAt - seconds,
      endedAt,
      ...(cpuSeconds !== undefined && { cpuSeconds }),
    });
  }

  onTestRunEnd(): void {
    if (process.env.TEST_TIMES) writeFileSync(process.env.TEST_TIMES, JSON.stringify(this.#files));
  }
}
