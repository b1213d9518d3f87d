import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { StatusAnswer } from '../../control/debug/answers.ts';
import { startDebugServer } from '../../control/debug/debug-server.ts';
import { eventually } from '../../testing/eventually.ts';
import { type DebugOptions, runProxies, runStatus, runWhy } from './debug-commands.ts';

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

describe('meshd why --watch', () => {
  test('goes on while a meshd that has just started knows no proxy yet', async () => {
    const [written, stop]: [string[], AbortController] = [[], new AbortController()];
    let known: object | undefined = { format: 1, proxy: 'foo/web', state: 'current', faults: [], resources: [] };
    const socket = await serveText(() =>
      known === undefined ? [404, '{"error":"there is no such proxy"}'] : [200, JSON.stringify(known)],
    );
    const io = { write: async (text: string) => void written.push(text), stop: stop.signal, everyMs: 5 };
    const watching = runWhy('foo/web', undefined, { socket: [socket], watch: true }, io);
    await eventually(() => expect(written).toHaveLength(1));
    const answer = known;
    known = undefined;
    await eventually(() => expect(written.at(-1)).toContain('the mesh has no proxy foo/web'));
    known = answer;
    await eventually(() => expect(written.at(-1)).toContain('foo/web has the configuration of the current inputs'));
    stop.abort();
    expect(await watching).toBe(0);
  });
});

describe('a socket of another program', () => {
  test.each(['hello', 'null', '[]', '{}', '{"format":2}'])('that answers %s is none of meshd', async (body) => {
    const options = { socket: [await serveText(() => [200, body])] };
    const io = { write: async () => undefined, stop: new AbortController().signal };
    const reason = /what answers at ".*" is no meshd, or one of another version/;
    await expect(runStatus(options, io)).rejects.toThrow(reason);
    await expect(runProxies(options, io)).rejects.toThrow(reason);
    await expect(runWhy('foo/web', undefined, options, io)).rejects.toThrow(reason);
  });
});

/** A server on a Unix socket that gives the same status and text to each request; its path. */
async function serveText(answer: () => readonly [number, string]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'other-'));
  const server = createServer((_request, response) => {
    const [status, body] = answer();
    response.writeHead(status).end(body);
  });
  const socket = join(folder, 'it.sock');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });
  return socket;
}
