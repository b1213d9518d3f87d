import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FetchedKeySets } from '../../live/key-sets/remote.ts';
import { eventually } from '../../testing/eventually.ts';
import { CompileSupervisor } from './compile-supervisor.ts';
import { Fleet } from './fleet.ts';

/** Tells what it is started with; the first one puts something in force. Each ends by a fault. */
const failing = `
const { parentPort, workerData: { good, readsState } } = require('node:worker_threads');
const told = (text) => parentPort.postMessage({ type: 'told', level: 'info', text });
told(JSON.stringify([readsState, good?.files.map(({ text }) => text) ?? null]));
if (readsState) {
  const rest = { version: 'v1', rootBefore: undefined, heldSince: [], frozen: [], denying: [], folders: [] };
  const change = { files: [{ path: 'a', text: 'first' }], removed: [], rest };
  parentPort.postMessage({ type: 'good', change });
}
setTimeout(() => { throw new Error('over'); }, 20);
`;

/** Asks for the keys of a rule, and tells the answer; answers that it is closed when it is told to. */
const asking = `
const { parentPort } = require('node:worker_threads');
const told = (text) => parentPort.postMessage({ type: 'told', level: 'info', text });
parentPort.on('message', ({ type, answer }) => {
  told(JSON.stringify(answer ?? type));
  if (type === 'close') parentPort.postMessage({ type: 'closed' });
});
parentPort.postMessage({ type: 'question', question: { name: 'keys', rules: [{ issuer: 'i', jwksUri: 'ftp://x' }] } });
`;

/** Tells the limits of its heap. */
const limited = `
const { parentPort, resourceLimits } = require('node:worker_threads');
parentPort.postMessage({ type: 'told', level: 'info', text: JSON.stringify(resourceLimits) });
`;

describe('CompileSupervisor', () => {
  let folder: string;
  let lines: string[];
  let supervisor: CompileSupervisor;
  let keySets: FetchedKeySets;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'supervisor-'));
    lines = [];
  });
  afterEach(async () => {
    await supervisor.close();
    keySets.close();
    rmSync(folder, { recursive: true });
  });

  const start = (text: string, heapMiB?: number): void => {
    const program = join(folder, 'program.cjs');
    writeFileSync(program, text);
    const nothing = (): void => {};
    const log = { debug: nothing, info: (line: string) => void lines.push(line), warn: nothing, error: nothing };
    keySets = new FetchedKeySets({ allowedHosts: [], log });
    supervisor = new CompileSupervisor({
      data: {
        source: { type: 'folder', folder },
        ...{ settings: { environment: {} }, trustDomain: 'a', gathersEndpoints: true },
        debounce: { afterMs: 1, maxMs: 1 },
      },
      fleet: new Fleet({ limits: { count: 1, bytes: 1 }, stepTimeoutMs: 1 }),
      ...{ log, keySets, program, heapMiB, pauseMs: 1 },
    });
  };

  test('hands the active inputs to the next thread, and drops a change that ends three threads in a row', async () => {
    start(failing);
    await eventually(() => expect(lines.length).toBeGreaterThanOrEqual(4));
    // What another program left is read once: it may be what the first thread ended of.
    expect(lines.slice(0, 4)).toEqual(['[true,null]', '[false,["first"]]', '[false,["first"]]', '[false,null]']);
  });

  test('answers requests for keys, and lets the thread write the active inputs before it ends', async () => {
    start(asking);
    await eventually(() => expect(lines).toHaveLength(1));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ name: 'keys', keys: [{ reason: expect.any(String) }] });
    await supervisor.close();
    expect(lines.at(-1)).toBe('"close"');
  });

  test.each([undefined, 64])(
    'bounds the young part of its thread, with a limit of the heap of %s MiB',
    async (heapMiB) => {
      start(limited, heapMiB);
      // It ends at once, and the next thread tells the same.
      await eventually(() => expect(lines).not.toHaveLength(0));
      const { maxYoungGenerationSizeMb, maxOldGenerationSizeMb } = JSON.parse(lines[0] ?? '');
      expect(maxYoungGenerationSizeMb).toBeLessThanOrEqual(24);
      if (heapMiB !== undefined) expect(maxOldGenerationSizeMb).toBe(heapMiB);
    },
  );
});
