import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdmissionThread } from './admission-thread.ts';

/** Answers each review with its text. */
const echo = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ question }) => {
  const { id, text } = question;
  parentPort.postMessage({ id, reply: { status: 200, body: text, told: undefined } });
});
`;

describe('a thread that judges objects', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'admission-thread-'));
    await writeFile(join(folder, 'echo.cjs'), echo);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('is not taken for slow when the whole process stood still while it answered', async () => {
    const lines: string[] = [];
    const thread = new AdmissionThread({
      ...{ program: join(folder, 'echo.cjs'), revision: 'default', longestMs: 1_000, labelsOf: async () => undefined },
      log: { error: (message) => void lines.push(message) },
    });
    const ask = (text: string) => thread.ask('a', { webhook: 'validate', text, location: {} });
    try {
      await expect(loaded(ask)).resolves.toBe('loaded');
      // Timers come next, before the answer, which is there.
      const answer = await new Promise<string>((done, fail) => {
        setImmediate(() => {
          ask('an object').then(({ body }) => done(body), fail);
          standStill(1_500);
        });
      });
      expect([answer, lines]).toEqual(['an object', []]);
    } finally {
      await thread.close();
    }
  });
});

/** A machine may be so busy that the thread is not there in time. */
async function loaded(ask: (text: string) => Promise<{ readonly body: string }>): Promise<string> {
  for (let left = 100; ; left -= 1) {
    try {
      return (await ask('loaded')).body;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
