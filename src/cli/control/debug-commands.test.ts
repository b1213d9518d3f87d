import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StatusAnswer } from '../../control/debug/answers.ts';
import { startDebugServer } from '../../control/debug/debug-server.ts';
import { eventually } from '../../testing/eventually.ts';
import { type DebugOptions, runStatus } from './debug-commands.ts';

const answer: StatusAnswer = {
  ...{ format: 1, version: '1', startedAt: 0, notReady: undefined, known: 3, connected: 2, inStep: 2 },
  ...{ faulty: 0, frozen: 0, waiting: 0, refusedInputs: undefined, registry: [], election: undefined },
};

describe('meshd status --watch', () => {
  let folder: string;
  let socket: string;
  let connected: number;
  let asked: number;
  let written: string[];
  let stop: AbortController;
  let close: () => Promise<void>;

  const serve = async (): Promise<void> => {
    const status = (): StatusAnswer => {
      asked += 1;
      return { ...answer, connected };
    };
    const server = await startDebugServer({ path: socket, answers: { '/debug/status': status }, actions: {} });
    close = () => server.close();
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'watched-'));
    socket = join(folder, 'debug.sock');
    [connected, asked, written, stop] = [2, 0, [], new AbortController()];
    await serve();
  });
  afterEach(async () => {
    await close();
    await rm(folder, { recursive: true });
  });

  const watch = (options: Partial<DebugOptions> = {}): Promise<number> =>
    runStatus(
      { socket: [socket], watch: true, ...options },
      { write: async (text) => void written.push(text), stop: stop.signal, everyMs: 5 },
    );
  const until = (isTrue: () => boolean): Promise<void> => eventually(() => expect(isTrue()).toBe(true));

  test('writes once what stays as it is, and again whatever differs, until it is stopped', async () => {
    const watching = watch();
    await until(() => asked >= 5);
    expect(written).toEqual([expect.stringContaining('3 known, 2 connected')]);
    connected = 3;
    await until(() => written.length > 1);
    const then = asked;
    await until(() => asked >= then + 3);
    expect(written.slice(1)).toEqual([expect.stringMatching(/^\n.*\n {2}proxies {2}3 known, 3 connected/)]);
    stop.abort();
    expect(await watching).toBe(0);
  });

  test('says that meshd is away, goes on once it is back, and does not begin without it', async () => {
    const watching = watch({ json: true });
    await until(() => written.length === 1);
    const last = (): object => JSON.parse(written.at(-1) ?? '');
    await close();
    // A question that was on its way may end in another way first.
    await until(() => JSON.stringify(last()).startsWith('{"error":"no meshd answers at '));
    await serve();
    await until(() => !('error' in last()));
    expect(last()).toEqual(JSON.parse(written[0] ?? ''));
    stop.abort();
    expect(await watching).toBe(0);
    await close();
    await expect(watch()).rejects.toThrow('no meshd answers at');
  });
});
