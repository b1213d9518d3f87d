import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { ReplayReport } from '../../../access/replay/replay-report.ts';
import { run } from '../../testing/run-meshpol.ts';
import { mesh } from './replayed-shop.ts';

/** Lines of a log in the JSON form. */
export const logOf = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Replays lines over the mesh of the shop, in a folder that is there for the tests of one `describe`. */
export function replayBench() {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'replay-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (name: string, text: string | Buffer): string => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  /** Exit code, error and report of lines under two sets of policies. */
  async function replay(before: string, after: string, lines: readonly object[] | string, ...others: string[]) {
    const old = write('old.yaml', `${mesh}${before}`);
    const next = write('new.yaml', `${mesh}${after}`);
    const log = write('access.log', typeof lines === 'string' ? lines : logOf(lines));
    const words = ['replay', next, '--old', old, '--log', log, '--format', 'json', ...others];
    const { code, out, error } = await run(words);
    return { code, error, report: (out === '' ? {} : JSON.parse(out)) as ReplayReport };
  }
  const verdictOf = async (before: string, after: string, line: object) => {
    const { report, error } = await replay(before, after, [line]);
    if (report.counts === undefined) return error;
    return Object.entries(report.counts).flatMap(([kind, count]) => (count > 0 ? [kind] : []))[0];
  };
  return { write, replay, verdictOf, folder: (): string => folder };
}
