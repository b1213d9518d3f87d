import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import type { Failure } from './failures.ts';

/** A reporter of Vitest that writes what failed, as JSON, to the file that TEST_FAILURES names: tests, hooks, files that do not load, and errors outside of tests. */
export default class FailuresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failures = [...modules.flatMap(ofModule), ...unhandled.map((error) => failure('outside of tests', [error]))];
    if (process.env.TEST_FAILURES) writeFileSync(process.env.TEST_FAILURES, JSON.stringify(failures));
  }
}

function ofModule(module: TestModule): Failure[] {
  const { relativeModuleId: file } = module;
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  const tests = [...module.children.allTests('failed')];
  return [
    ...(module.errors().length > 0 ? [failure(file, module.errors())] : []),
    ...suites.map((suite) => failure(`${file} > ${suite.fullName}`, suite.errors())),
    ...tests.map((test) => failure(`${file} > ${test.fullName}`, test.result().errors ?? [])),
  ];
}

function failure(what: string, errors: readonly { readonly message: string; readonly stack?: string }[]): Failure {
  return {
    what,
    errors: errors.map(({ message, stack }) => ({ message, at: stack?.split('\n').find(isOurs)?.trim() })),
  };
}

function isOurs(line: string): boolean {
  return /^\s*at /.test(line) && !line.includes('node_modules') && !line.includes('node:');
}
