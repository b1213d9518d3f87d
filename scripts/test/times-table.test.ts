import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { budget, type FileTimes, laterParts, type TestTimes } from './times.ts';
import {
  endToEndRows,
  folderOf,
  readTimes,
  type TimesRow,
  timesRows,
  unitRows,
  wholeRow,
  withTimes,
} from './times-table.ts';

const unit = (file: string, startedAt: number, seconds: number): FileTimes => ({
  file,
  project: 'unit',
  seconds,
  startedAt,
  endedAt: startedAt + seconds,
});
const endToEnd = (
  project: string,
  file: string,
  startedAt: number,
  seconds: number,
  cpuSeconds: number,
): FileTimes => ({
  ...unit(file, startedAt, seconds),
  project,
  cpuSeconds,
});

const times: TestTimes = {
  processors: 2,
  runs: [
    {
      name: 'all',
      seconds: 151,
      cpuSeconds: 110,
      files: [
        unit('src/lib/abort.test.ts', 0, 10),
        unit('src/agent/log/log.test.ts', 2, 10),
        endToEnd('e2e-apart', 'src/agent/run.e2e.ts', 12, 30, 20),
        endToEnd('e2e-apart', 'src/agent/log/log.e2e.ts', 13, 9, 5),
        endToEnd('e2e-apart', 'e2e/mesh/edge.e2e.ts', 22, 38, 15),
        endToEnd('e2e', 'src/redirect/rules.e2e.ts', 60, 40, 25),
        endToEnd('e2e-clusters', 'src/install/install.e2e.ts', 100, 20, 8),
        endToEnd('e2e-clusters-alone', 'e2e/cluster/canary.e2e.ts', 120, 30, 12),
      ],
    },
    { name: 'floor', seconds: 14, cpuSeconds: 19, files: [unit('src/lib/abort.test.ts', 1, 12)] },
  ],
};

const rows: readonly TimesRow[] = [
  { what: unitRows.all, files: 2, seconds: 12, fileSeconds: 20, cpuSeconds: 25 },
  { what: endToEndRows['e2e-apart'], files: 3, seconds: 48, fileSeconds: 77, cpuSeconds: 40 },
  { what: '`e2e/mesh`', files: 1, fileSeconds: 38, cpuSeconds: 15 },
  { what: '`src/agent`', files: 2, fileSeconds: 39, cpuSeconds: 25 },
  { what: endToEndRows.e2e, files: 1, seconds: 40, fileSeconds: 40, cpuSeconds: 25 },
  { what: '`src/redirect`', files: 1, fileSeconds: 40, cpuSeconds: 25 },
  { what: endToEndRows['e2e-clusters'], files: 2, seconds: 50, fileSeconds: 50, cpuSeconds: 20 },
  { what: '`e2e/cluster`', files: 1, fileSeconds: 30, cpuSeconds: 12 },
  { what: '`src/install`', files: 1, fileSeconds: 20, cpuSeconds: 8 },
  { what: unitRows.floor, files: 1, seconds: 12, fileSeconds: 12, cpuSeconds: 19 },
  { what: wholeRow, files: 9, seconds: 165, fileSeconds: 199, cpuSeconds: 129 },
];

describe('timesRows', () => {
  test('has a row for each kind of test, for each folder of end-to-end tests, and for all', () => {
    expect(timesRows(times)).toEqual(rows);
  });
});

describe('withTimes', () => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8');

  test('writes what readTimes reads, and nothing beside it', () => {
    const written = withTimes(page, rows);
    expect(readTimes(written)).toEqual(rows);
    expect(withTimes(written, readTimes(page))).toBe(page);
  });

  test('refuses a page that has no place for the table', () => {
    expect(() => withTimes('# A page\n', rows)).toThrow('no place for the times');
  });
});

test('CONTRIBUTING.md says what make test may take, and for which parts of the product', () => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8').replaceAll(/\s+/g, ' ');
  const cpuSeconds = budget.cpuSeconds.toLocaleString('en');
  expect(page).toContain(`\`make test\` may take ${budget.seconds / 60} minutes and ${cpuSeconds} CPU-seconds.`);
  expect(laterParts.filter((part) => !page.includes(part))).toEqual([]);
});

describe('the table of times in CONTRIBUTING.md', () => {
  const written = readTimes(readFileSync('CONTRIBUTING.md', 'utf8'));
  const kinds: readonly string[] = [...Object.values(unitRows), ...Object.values(endToEndRows), wholeRow];

  test('has the row of each kind of test, and folders of end-to-end tests', () => {
    const folders = new Set(globSync('{src,e2e}/**/*.e2e.ts').map((file) => `\`${folderOf(file)}\``));
    const names = written.map(({ what }) => what);
    // Empty until a run is written into it.
    expect([[], kinds.toSorted()]).toContainEqual(names.filter((name) => kinds.includes(name)).toSorted());
    expect(names.filter((name) => !kinds.includes(name) && !folders.has(name))).toEqual([]);
  });

  test('adds up, and keeps within what a run may take', () => {
    const none = { files: 0, seconds: 0, fileSeconds: 0, cpuSeconds: 0 };
    const whole = written.find(({ what }) => what === wholeRow) ?? none;
    const parts = written.filter(({ what }) => kinds.includes(what) && what !== wholeRow);
    for (const of of ['files', 'fileSeconds', 'cpuSeconds'] as const)
      expect(parts.reduce((sum, row) => sum + row[of], 0)).toBe(whole[of]);
    expect(whole.seconds).toBeLessThanOrEqual(budget.seconds);
    expect(whole.cpuSeconds).toBeLessThanOrEqual(budget.cpuSeconds);
  });
});
