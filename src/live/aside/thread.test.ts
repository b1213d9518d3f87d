import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settingsOf } from '../../config/settings-of.ts';
import { ReplacedCompilation } from '../../contracts/compile-result.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { GoodState, ProxyInputs } from '../proxy-inputs.ts';
import { CompileThread } from './thread.ts';

/** Asks for the keys of an issuer that is named after the thread, and ends its compilation with the answer as a problem. */
const asking = `
const { parentPort, threadId } = require('node:worker_threads');
parentPort.on('message', (message) => {
  if (message.type === 'compile') {
    parentPort.postMessage({ type: 'question', question: { name: 'keys', rules: [{ issuer: String(threadId) }] } });
  } else {
    parentPort.postMessage({ type: 'result', number: 1, result: { problems: [JSON.stringify([threadId, message])] } });
  }
});
`;

const good: GoodState = {
  ...{ files: [], saysSettings: false, outputLength: 0, goodSecrets: [], rootBefore: undefined },
  ...{ addresses: [], folders: [] },
  fixed: {
    settings: settingsOf({ environment: {} }, new DiagnosticBag()).settings,
    host: { memoryLimitBytes: undefined, addresses: [], labels: {}, annotations: {}, metadata: {} },
    ...{ templates: undefined, bootstrap: {}, readsGatewayApi: false, texts: [] },
  },
};

/** Ends its compilation with its limits as a problem. */
const tellingLimits = `
const { parentPort, resourceLimits } = require('node:worker_threads');
parentPort.on('message', () => {
  parentPort.postMessage({ type: 'result', number: 1, result: { problems: [JSON.stringify(resourceLimits)] } });
});
`;

describe('CompileThread', () => {
  let folder: string;
  const inputs: ProxyInputs = {
    ...{ settings: { environment: {} }, policies: [], watched: [], templateFile: undefined },
    ...{ identity: { namespace: 'a', name: 'b', ip: undefined, domain: undefined }, role: 'sidecar' },
    ...{ fallbackSecret: '', keySets: { fetch: async () => {}, find: () => ({ text: '' }) } },
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'thread-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('gives the answer to a question to the thread that has asked, and to no later one', async () => {
    const program = join(folder, 'program.cjs');
    writeFileSync(program, asking);
    const asked: { readonly issuer: string | undefined; readonly answer: () => void }[] = [];
    const keySets: ProxyInputs['keySets'] = {
      fetch: (rules) =>
        new Promise((answer) => {
          asked.push({ issuer: rules[0]?.issuer, answer });
        }),
      find: ({ issuer }) => ({ text: `keys of ${issuer}` }),
    };
    const thread = new CompileThread({ ...inputs, keySets }, good, { program, replacedMs: 0 });
    const isAsked = (times: number) => expect.poll(() => asked.length).toBe(times);
    const newer = new AbortController();
    const first = thread.compile(newer.signal);
    await isAsked(1);
    newer.abort();
    await expect(first).rejects.toThrow(ReplacedCompilation);
    const second = thread.compile();
    await isAsked(2);
    for (const { answer } of asked) answer();
    const result = await second;
    await thread.close();
    const [problem = ''] = 'problems' in result ? result.problems : [];
    const [threadId, { answer }] = JSON.parse(problem);
    expect(answer.keys).toEqual([{ text: `keys of ${threadId}` }]);
    expect(asked.map(({ issuer }) => issuer)).toContain(String(threadId));
  });

  test.each([undefined, 64])(
    'bounds the young part of the heap of its thread, with a limit of the whole of %s MiB',
    async (heapMiB) => {
      const program = join(folder, 'program.cjs');
      writeFileSync(program, tellingLimits);
      const thread = new CompileThread(inputs, good, { program, heapMiB });
      const result = await thread.compile();
      await thread.close();
      const [limits = ''] = 'problems' in result ? result.problems : [];
      const { maxYoungGenerationSizeMb, maxOldGenerationSizeMb } = JSON.parse(limits);
      expect(maxYoungGenerationSizeMb).toBeLessThanOrEqual(24);
      if (heapMiB !== undefined) expect(maxOldGenerationSizeMb).toBe(heapMiB);
    },
  );
});
