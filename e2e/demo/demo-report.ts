/** What the demonstration prints. */
export interface DemoReport {
  say(line: string): void;
  /** A line with the time that has passed. */
  step(what: string): void;
  /** One cell of a table, what was expected and seen, and why. */
  cell(isAsExpected: boolean, what: string, expected: string, seen: string, reasons: readonly string[]): void;
}

/** Prints to standard output; time counts from now. */
export function createDemoReport(): DemoReport {
  const startedAt = performance.now();
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  return {
    say,
    step: (what) => say(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${what}`),
    cell: (isAsExpected, what, expected, seen, reasons) => {
      say(
        `  ${isAsExpected ? 'ok      ' : 'DIFFERS '} ${what.padEnd(46)}` +
          `expected ${expected.padEnd(20)}seen ${seen}`.trimEnd(),
      );
      for (const reason of reasons) say(`             ${reason}`);
    },
  };
}
