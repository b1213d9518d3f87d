import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdmissionThread, type AdmissionThreadOptions } from './admission-thread.ts';

/** Answers each review with its text. */
const echo = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ question }) => {
  const { id, text } = question;
  parentPort.postMessage({ id, reply: { status: 200, body: text, told: undefined } });
});
`;

/** Wants to know about the class or the namespace that the text of a review names, and answers with what it was told. */
const asking = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ question }) => {
  const { id, text, webhook, serving, namespaceLabels } = question;
  const known = serving ?? namespaceLabels;
  if (known !== undefined) return parentPort.postMessage({ id, reply: { status: 200, body: JSON.stringify(known) } });
  if (webhook === 'inject') return parentPort.postMessage({ id, wants: text });
  parentPort.postMessage({ id, missing: { classes: [text], gateways: [] } });
});
`;

/** Puts off reviews whose text begins with `advice` until they may be examined, and numbers its answers. */
const numbering = `const { parentPort } = require('node:worker_threads');
let number = 0;
parentPort.on('message', ({ question }) => {
  const { id, text, serving, wasPutOff } = question;
  if (text.startsWith('advice') && !wasPutOff && serving === undefined) return parentPort.postMessage({ id, canWait: true });
  number += 1;
  parentPort.postMessage({ id, reply: { status: 200, body: JSON.stringify([text, number, serving ?? 'examined']) } });
});
`;

describe('a thread that judges objects', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'admission-thread-'));
    await writeFile(join(folder, 'echo.cjs'), echo);
    await writeFile(join(folder, 'asking.cjs'), asking);
    await writeFile(join(folder, 'numbering.cjs'), numbering);
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

  /** A thread that asks about objects, which says so. */
  const askingThread = (options: Partial<AdmissionThreadOptions> = {}) => {
    const lines: string[] = [];
    const thread = new AdmissionThread({
      ...{
        program: join(folder, 'asking.cjs'),
        revision: 'default',
        labelsOf: async () => undefined,
        longestMs: 60_000,
      },
      ...{
        log: { error: (message: string, fields?: object) => void lines.push(`${message}: ${JSON.stringify(fields)}`) },
      },
      ...options,
    });
    const ask = async (webhook: 'validate' | 'inject' = 'validate') =>
      JSON.parse((await thread.ask('a', { webhook, text: 'own', location: {} })).body);
    return { thread, lines, ask };
  };

  test('is told who serves an object, and that nobody knows where nobody can be asked', async () => {
    const known = { classes: [{ name: 'own', spec: { controllerName: 'a' } }], gateways: [] };
    const names: unknown[] = [];
    const servingOf = async (asked: object) => {
      names.push(asked);
      return known;
    };
    const knowing = askingThread({ servingOf });
    const alone = askingThread();
    try {
      expect([await knowing.ask(), names]).toEqual([known, [{ classes: ['own'], gateways: [] }]]);
      expect(await alone.ask()).toBe('unknown');
    } finally {
      await knowing.thread.close();
      await alone.thread.close();
    }
  });

  test('goes on where a look-up fails, of which the log tells', async () => {
    const fails = () => Promise.reject(new TypeError('no metadata'));
    const { thread, lines, ask } = askingThread({ servingOf: fails, labelsOf: fails });
    try {
      expect(await ask()).toBe('unknown');
      await expect(ask('inject')).rejects.toThrow('nothing is known of the namespace "own" yet');
      expect(lines).toEqual([
        expect.stringMatching(/^who serves an object of the Gateway API could not be found: .*TypeError: no metadata/),
        expect.stringMatching(/^the labels of a namespace could not be found: .*TypeError: no metadata/),
      ]);
    } finally {
      await thread.close();
    }
  });

  /** What becomes of reviews of these texts, which come at once from one address. */
  const answersTo = async (texts: readonly string[], longestPutOffMs: number) => {
    const { thread } = askingThread({ program: join(folder, 'numbering.cjs'), longestPutOffMs });
    try {
      const asked = texts.map((text) => thread.ask('a', { webhook: 'validate', text, location: {} }));
      return (await Promise.all(asked)).map(({ body }) => JSON.parse(body) as [string, number, string]);
    } finally {
      await thread.close();
    }
  };
  const policies = (count: number) => Array.from({ length: count }, (_, i) => `policy ${i}`);

  test('answers what came after an object that is only advised before it', async () => {
    expect(await answersTo(['advice', ...policies(40)], 60_000)).toEqual([
      ['advice', 41, 'examined'],
      ...policies(40).map((text, i) => [text, i + 1, 'examined']),
    ]);
  });

  test('examines no object that is only advised where others wait for longer than it may', async () => {
    const [advice, ...others] = await answersTo(['advice', ...policies(40)], 0);
    expect(advice).toEqual(['advice', expect.any(Number), 'unknown']);
    expect(advice?.[1]).toBeLessThan(41);
    expect(others.map(([, , found]) => found)).toEqual(policies(40).map(() => 'examined'));
  });

  test('examines 16 objects of an address that are only advised, and no more that come with them', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => `advice ${i}`);
    const found = (await answersTo(texts, 60_000)).map(([, , said]) => said);
    expect(found.slice(0, 18)).toEqual([...Array(16).fill('examined'), 'unknown', 'unknown']);
  });

  test('answers no review that it would learn about after it was closed', async () => {
    let tell = (_: 'unknown'): void => undefined;
    let wasAsked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      wasAsked = resolve;
    });
    const servingOf = () => {
      wasAsked();
      return new Promise<'unknown'>((resolve) => {
        tell = resolve;
      });
    };
    const { thread, ask } = askingThread({ servingOf });
    const answer = expect(ask()).rejects.toThrow('meshd stops');
    await isAsked;
    await thread.close();
    tell('unknown');
    await answer;
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
