import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CompileProxy, type RenewKeys, ReplacedCompilation } from '../../contracts/compile-result.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { createAdminClient } from '../../envoy/admin.ts';
import { createLog } from '../log/log.ts';
import { sampleFiles } from '../testing/sample-proxy.ts';
import { ActiveConfig } from './active-config.ts';
import { ConfigFiles } from './config-files.ts';
import { Reloader, type ValidateConfig } from './reload.ts';

const sample = { configPath: '/run/proxy', adminPort: 1, httpPort: 2 };

interface Trial {
  readonly compile?: CompileProxy;
  readonly renew?: RenewKeys;
  readonly validate?: ValidateConfig;
  readonly serveSecrets?: (files: ProxyFiles) => void;
  /** Where the files are written. */
  readonly folder?: string;
}

describe('Reloader', () => {
  const first = sampleFiles({ ...sample, body: 'first' });
  const second = sampleFiles({ ...sample, body: 'second' });

  /** Without an Envoy: what gets as far as the files fails there. */
  function setUp({ compile, renew, validate, serveSecrets = () => {}, folder = '/dev/null' }: Trial) {
    const lines: string[] = [];
    const told: unknown[] = [];
    const reloader = new Reloader(new ActiveConfig({ files: first }), {
      compile: compile ?? (async () => ({ files: second, warnings: ['a warning\n1 warning in 1 of 1 file'] })),
      renew: renew ?? (async () => undefined),
      check: () => undefined,
      validate: validate ?? (async () => ({ ok: false, message: 'no' })),
      serveSecrets,
      files: new ConfigFiles(folder),
      admin: createAdminClient({ port: 1 }),
      log: createLog({ isJson: false, level: 'info', write: (line) => lines.push(line) }),
      signal: new AbortController().signal,
      observer: {
        debounced: () => {},
        started: () => told.push('started'),
        inForce: () => told.push('in force'),
        held: (objects) => told.push(['held', objects]),
        refused: (reason, objects) => told.push(['refused', reason, objects]),
      },
    });
    const count = (text: string): number => lines.join('').split(text).length - 1;
    return { reloader, told, lines, count };
  }

  test('keeps the last valid configuration when the environment fails in the middle of a change, and asks for another try', async () => {
    const validate = (): never => {
      throw new Error('EACCES: permission denied, mkdtemp');
    };
    const { reloader, told, count } = setUp({ validate });
    expect(await reloader.reload()).toBe(false);
    expect(reloader.current).toBe(first);
    expect(reloader.mustRetry).toBe(true);
    expect(count('EACCES: permission denied, mkdtemp')).toBe(1);
    expect(told).toEqual(['started', ['refused', 'world', []]]);
  });

  test('says once what stays wrong, and each warning once', async () => {
    const { reloader, told, count } = setUp({});
    for (let i = 0; i < 3; i++) await reloader.reload();
    expect(count('Envoy refuses it: no')).toBe(1);
    expect(count('a warning')).toBe(1);
    expect(told.filter((event) => event === 'started')).toHaveLength(3);
    expect(reloader.mustRetry).toBe(false);
  });

  test('says once, as an error, what is wrong with inputs though nothing is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reload-'));
    const alarm = 'p.yaml:1:1: error: no object [empty-file]\n1 error in 1 of 2 files';
    const { reloader, lines } = setUp({
      compile: async () => ({ files: first, warnings: [], alarms: [alarm] }),
      folder,
    });
    for (let i = 0; i < 2; i++) await reloader.reload();
    await rm(folder, { recursive: true });
    expect(lines.filter((line) => line.includes('empty-file'))).toEqual([
      expect.stringMatching(/\terror\tvalidation\t/),
    ]);
  });

  test('does not keep a bootstrap that Envoy refuses for the next start, where nothing else has changed', async () => {
    const bootstrap = { ...first.bootstrap, stats_flush_interval: '1s' };
    const { reloader, told, count } = setUp({
      compile: async () => ({ files: { ...first, bootstrap }, warnings: [] }),
    });
    await reloader.reload();
    expect(reloader.current).toBe(first);
    expect(told).toEqual(['started', ['refused', 'envoy-refused', []]]);
    expect(count('takes effect')).toBe(0);
  });

  test('logs that a bootstrap takes effect at the next start of Envoy, only if the bootstrap has changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reload-'));
    const bootstrap = { ...first.bootstrap, stats_flush_interval: '1s' };
    let next = { ...first, bootstrap };
    const { reloader, count } = setUp({
      compile: async () => ({ files: next, warnings: [] }),
      validate: async () => ({ ok: true, message: '' }),
      folder,
    });
    await reloader.reload();
    expect(count('the bootstrap has changed; that takes effect when the agent starts again')).toBe(1);
    next = { ...next };
    await reloader.reload();
    expect(count('takes effect')).toBe(1);
    await rm(folder, { recursive: true });
  });

  test('serves the secrets of what stays in force again when a change is refused', async () => {
    const served: ProxyFiles[] = [];
    const { reloader } = setUp({ serveSecrets: (files) => served.push(files) });
    await reloader.reload();
    expect(served).toEqual([second, first]);
  });

  test('says that the configuration is fixed once nothing is refused and no object is held any more', async () => {
    const objects = [{ kind: 'AuthorizationPolicy', namespace: 'a', name: 'b' }];
    const asBefore = { files: first, warnings: [] };
    const held = { ...asBefore, held: { objects, problem: 'no' } };
    const results = [{ problems: ['no'] }, held, held, asBefore, asBefore];
    const folder = await mkdtemp(join(tmpdir(), 'reload-'));
    const { reloader, lines } = setUp({ compile: async () => results.shift() ?? asBefore, folder });
    for (let i = 0; i < 5; i++) await reloader.reload();
    await rm(folder, { recursive: true });
    expect(lines.join('').match(/configuration .*/g)).toEqual([
      'configuration stays in force: no',
      'configuration unchanged',
      'configuration unchanged',
      'configuration mended, as it was before',
      'configuration unchanged',
    ]);
  });

  test('a compilation that newer inputs replaced is no refusal, and leaves everything as it was', async () => {
    let count = 0;
    const { reloader, told, lines } = setUp({
      compile: async () => {
        if (count++ === 0) throw new ReplacedCompilation('newer inputs are there');
        return { problems: ['no'] };
      },
    });
    expect(await reloader.reload(0)).toBe(false);
    expect([lines, told, reloader.mustRetry]).toEqual([[], ['started'], false]);
    await reloader.reload();
    expect(told).toEqual(['started', 'started', ['refused', 'invalid', []]]);
  });

  test('renews the keys of what is in force when inputs are refused, and says once where that fails', async () => {
    let answer: Awaited<ReturnType<RenewKeys>>;
    const renewed: unknown[] = [];
    const { reloader, count } = setUp({
      compile: async () => ({ problems: ['no'] }),
      renew: async () => {
        renewed.push(answer);
        return answer;
      },
    });
    const reload = async (now: typeof answer): Promise<unknown> => {
      answer = now;
      return [await reloader.reload(), reloader.mustRetry];
    };
    expect(await reload(undefined)).toEqual([false, false]);
    expect(await reload({ files: { ...first }, warnings: [] })).toEqual([false, false]);
    for (let i = 0; i < 2; i++) expect(await reload({ files: second, warnings: [] })).toEqual([false, true]);
    expect(renewed).toHaveLength(4);
    expect(count('a withdrawn key may still be accepted')).toBe(1);
    expect(reloader.current).toBe(first);
  });

  test('reports the invalid objects of a change that it refuses', async () => {
    const object = { kind: 'AuthorizationPolicy', namespace: 'a', name: 'b' };
    const { reloader, told } = setUp({ compile: async () => ({ problems: ['no'], objects: [object] }) });
    await reloader.reload();
    expect(told).toEqual(['started', ['refused', 'invalid', [object]]]);
  });
});
