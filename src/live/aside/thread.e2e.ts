import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { doublingPartials } from '../../cli/agent/testing/hostile-inputs.ts';
import { denyPath, podMesh } from '../../cli/agent/testing/sample-mesh.ts';
import { type CompileResult, ReplacedCompilation } from '../../contracts/compile-result.ts';
import type { ProxyInputs } from '../proxy-inputs.ts';
import { CompileThread, type ThreadOptions } from './thread.ts';

const program = resolve(import.meta.dirname, '../../../dist/agent-compile.cjs');

describe('the thread that compiles', () => {
  let folder: string;
  let thread: CompileThread;
  /** Issuers of the rules whose keys the thread has asked for, a list a question. */
  let asked: (string | undefined)[][] = [];
  const keySets = {
    fetch: async (rules: readonly { readonly issuer?: string }[]) => void asked.push(rules.map(({ issuer }) => issuer)),
    find: ({ issuer }: { readonly issuer?: string }) =>
      issuer === 'known' ? { text: '{"keys":[{"kid":"of-the-agent"}]}' } : { reason: 'nobody answers' },
  };
  const put = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

  const threadOf = (options: ThreadOptions, templateFile?: string): CompileThread => {
    const inputs: ProxyInputs = {
      settings: { environment: {} },
      policies: [folder],
      watched: [],
      templateFile,
      identity: { namespace: 'foo', name: 'httpbin', ip: '10.1.0.1', domain: undefined },
      role: 'sidecar',
      fallbackSecret: 'none',
      keySets,
    };
    return new CompileThread(inputs, undefined, { program, ...options });
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'thread-'));
    await put('mesh.yaml', podMesh('10.1.0.1'));
    await put('p.yaml', denyPath('/first'));
    asked = [];
    thread = threadOf({ heapMiB: 64 });
  });
  afterEach(async () => {
    await thread.close();
    await rm(folder, { recursive: true });
  });

  const filesOf = (result: CompileResult) => {
    if (!('files' in result)) throw new Error(JSON.stringify(result));
    return result;
  };

  test('gives what compiling here gives, and texts that are asked for later', async () => {
    const { files, accept } = filesOf(await thread.compile());
    expect(files.listeners.text).toContain('"exact": "/first"');
    expect([...files.beside.keys()]).toContain('origins.json');
    accept?.();
    await put('p.yaml', denyPath('/second'));
    const next = filesOf(await thread.compile());
    expect(next.changes).toEqual({ added: [], changed: ['AuthorizationPolicy foo/p'], removed: [] });
    expect(await files.beside.get('origins.json')).toContain('p.yaml');
    next.accept?.();
    // Once a later one is in force nobody asks for these.
    expect(await files.beside.get('origins.json')).toBeUndefined();
    expect(await next.files.beside.get('origins.json')).toContain('p.yaml');
  });

  test('asks the agent for the keys of the policies in force, once a compilation', async () => {
    const rules = ['known', 'unknown'].map((issuer) => `{issuer: ${issuer}, jwksUri: "https://k.test/${issuer}"}`);
    const policy = (namespace: string) => `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: ${namespace}}
spec: {jwtRules: [${rules.join(', ')}]}
`;
    await put('tokens.yaml', `${policy('foo')}---\n${policy('bar').replaceAll('known', 'foreign')}`);
    const { files, warnings } = filesOf(await thread.compile());
    expect(asked).toEqual([['known', 'unknown']]);
    expect(files.listeners.text).toContain('of-the-agent');
    expect(warnings.join('\n')).toMatch(/"unknown".*nobody answers/);
  });

  test('is given up when it needs too much memory; the next one knows the last valid inputs, and renews their keys', async () => {
    const rule = '{issuer: known, jwksUri: "https://k.test/known"}';
    const tokens =
      'apiVersion: security.mesh.io/v1\nkind: RequestAuthentication\nmetadata: {name: tokens, namespace: foo}';
    await put('tokens.yaml', `${tokens}\nspec: {jwtRules: [${rule}]}\n`);
    filesOf(await thread.compile()).accept?.();
    await put('q.yaml', Array.from({ length: 50_000 }, (_, i) => `---\n${denyPath(`/${i}`, `q${i}`)}`).join(''));
    expect(await thread.compile()).toEqual({
      problems: [
        expect.stringMatching(
          /^compiling needs more memory than there is for it \(64 MiB\); make the inputs smaller or simpler; the largest of 4 files \(\d+ MiB\): \S+q\.yaml \(\d+ MiB\), /,
        ),
      ],
    });
    asked = [];
    const renewed = await thread.renew();
    const listeners = renewed && filesOf(renewed).files.listeners.text;
    for (const text of ['of-the-agent', '"exact": "/first"']) expect(listeners).toContain(text);
    expect(asked).toEqual([['known']]);
    await put('q.yaml', 'kind: List\nitems: []\n');
    await put('p.yaml', '');
    const { files, held } = filesOf(await thread.compile());
    expect(held?.objects).toMatchObject([{ kind: 'AuthorizationPolicy', namespace: 'foo', name: 'p' }]);
    expect(files.listeners.text).toContain('"exact": "/first"');
  });

  test('ends a long compilation that newer inputs replace, and the next one only at its bound, so that constant changes cannot keep all from ending', async () => {
    await thread.close();
    // The thread that follows an ended one starts and reads within the limit, on a busy machine too.
    thread = threadOf({ limitMs: 2_000, replacedMs: 100 }, join(folder, 'templates'));
    await mkdir(join(folder, 'templates/partials'), { recursive: true });
    const first = filesOf(await thread.compile());
    first.accept?.();
    await put('templates/clusters.json.hbs', '{{> d0}}');
    for (const [name, text] of Object.entries(doublingPartials())) await put(`templates/partials/${name}.hbs`, text);
    const newer = AbortSignal.abort();
    await expect(thread.compile(newer)).rejects.toThrow(ReplacedCompilation);
    expect(await thread.compile(newer)).toEqual({
      problems: [
        expect.stringMatching(/^compiling takes longer than \d+ s; make the inputs smaller or simpler; the largest/),
      ],
    });
    await put('p.yaml', denyPath('/second'));
    await rm(join(folder, 'templates/clusters.json.hbs'));
    expect(filesOf(await thread.compile()).files.listeners.text).toContain('"exact": "/second"');
    // What the thread of the first compilation kept is gone with it.
    expect(await first.files.beside.get('origins.json')).toBeUndefined();
  });

  test('passes on that the inputs cannot be read, with message and cause', async () => {
    await rm(folder, { recursive: true });
    const result = await thread.compile();
    expect(result).toMatchObject({ failure: { message: `cannot read "${folder}"`, cause: expect.any(Error) } });
    await mkdir(folder);
  });
});
