import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { type SampleProxy, sampleFiles } from '../testing/sample-proxy.ts';
import { ConfigFiles } from './config-files.ts';

describe('ConfigFiles', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'config-files-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const files = (origins: string): ProxyFiles => ({
    ...sampleFiles({ configPath: folder, adminPort: 1, httpPort: 2, body: '' }),
    beside: new Map([['origins.json', origins]]),
  });
  const origins = async (): Promise<[text: string, inode: number]> => {
    const path = join(folder, 'origins.json');
    return [await readFile(path, 'utf8'), (await stat(path)).ino];
  };

  test('writes what lies beside the configuration only when it differs', async () => {
    const config = new ConfigFiles(folder);
    await config.writeAll(files('{"a": 1}'));
    await config.complete();
    const first = await origins();
    await config.writeBeside(files('{"a": 1}'));
    expect(await origins()).toEqual(first);
    await config.writeBeside(files('{"a": 2}'));
    expect((await origins())[0]).toBe('{"a": 2}');
  });

  test('leaves to a later moment what Envoy can start without, and writes that once', async () => {
    const config = new ConfigFiles(folder);
    const listeners = (): Promise<string> => readFile(join(folder, 'listeners.json'), 'utf8');
    await config.writeAll(files('{}'), { holdsListeners: true });
    expect(JSON.parse(await listeners())).toMatchObject({ resources: [] });
    await expect(origins()).rejects.toThrow('ENOENT');
    await config.complete();
    expect([await listeners(), (await origins())[0]]).toEqual([files('{}').listeners.text, '{}']);
    const before = await origins();
    await config.complete();
    expect(await origins()).toEqual(before);
  });

  test('writes all of it again after a change that was given up', async () => {
    const config = new ConfigFiles(folder);
    await config.writeAll(files('{"a": 1}'));
    await config.complete();
    await rm(join(folder, 'origins.json'));
    await config.restore(files('{"a": 1}'));
    expect((await origins())[0]).toBe('{"a": 1}');
  });

  test('leaves no text of another configuration beside one whose own texts are lost', async () => {
    const config = new ConfigFiles(folder);
    await config.writeAll(files('{"a": 1}'));
    await config.complete();
    const lost = { keys: () => ['origins.json'], get: () => Promise.resolve(undefined) };
    await config.writeBeside({ ...files(''), beside: lost });
    await expect(origins()).rejects.toThrow('ENOENT');
    await config.writeBeside(files('{"a": 1}'));
    expect((await origins())[0]).toBe('{"a": 1}');
  });

  const sample = (changes: Partial<SampleProxy>): ProxyFiles =>
    sampleFiles({ ...{ configPath: folder, adminPort: 1, httpPort: 2, body: 'one' }, ...changes });
  const [web, db] = [
    { name: 'web', port: 3 },
    { name: 'db', port: 4 },
  ];

  /** What each wait of a change is for, and of which state clusters, routes and listeners are then and at the end. */
  const stepsOf = async (before: ProxyFiles, next: ProxyFiles): Promise<readonly string[]> => {
    const config = new ConfigFiles(folder);
    await config.writeAll(before);
    await config.complete();
    const routesOf = ({ routes }: ProxyFiles): string => routes.get('app.json')?.text ?? '';
    const state = async (): Promise<string> => {
      const states = [
        ['clusters.json', before.clusters.text, next.clusters.text],
        ['routes/app.json', routesOf(before), routesOf(next)],
        ['listeners.json', before.listeners.text, next.listeners.text],
      ].map(async ([name = '', old, fresh]) => {
        const text = await readFile(join(folder, name), 'utf8');
        if (text === fresh) return old === fresh ? 'same' : 'new';
        return text === old ? 'old' : 'both';
      });
      return (await Promise.all(states)).join(' ');
    };
    const steps: string[] = [];
    const replacement = await config.prepare(before, next);
    await replacement.run(async (expected) => {
      steps.push(`${Object.keys(expected).sort().join(' ')}: ${await state()}`);
    });
    return [...steps, await state()];
  };

  const everything = 'clusters listeners routes';
  test.each<[string, Partial<SampleProxy>, Partial<SampleProxy>, readonly string[]]>([
    ['nothing', {}, {}, [`${everything}: same same same`, 'same same same']],
    [
      'a cluster alone',
      { upstream: web },
      { upstream: { ...web, port: 5 } },
      [`${everything}: new same same`, 'new same same'],
    ],
    ['a route alone', {}, { body: 'two' }, [`${everything}: same new same`, 'same new same']],
    ['a listener alone', {}, { httpPort: 5 }, [`${everything}: same same new`, 'same same new']],
    [
      'a route and a listener',
      {},
      { body: 'two', httpPort: 5 },
      ['routes: same new old', `${everything}: same new new`, 'same new new'],
    ],
    [
      'a route, to a cluster that is new',
      {},
      { upstream: db },
      ['clusters: new old same', `${everything}: new new same`, 'new new same'],
    ],
    [
      'a route, to another cluster',
      { upstream: web },
      { upstream: db },
      ['clusters: both old same', `${everything}: both new same`, 'both new same'],
    ],
    [
      'a route to another cluster, and a listener',
      { upstream: web },
      { upstream: db, httpPort: 5 },
      ['clusters: both old old', 'routes: both new old', `${everything}: both new new`, 'both new new'],
    ],
  ])(
    'waits for what the next files refer to, and no more often: a change of %s',
    async (_name, before, next, steps) => {
      expect(await stepsOf(sample(before), sample(next))).toEqual(steps);
    },
  );

  describe('with clusters that go', () => {
    let config: ConfigFiles;
    let expected: (string | undefined)[];
    const none = sample({});
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      expected = [];
      config = new ConfigFiles(folder, 2_000);
      await config.writeAll(sample({ upstream: web }));
      await config.complete();
    });
    afterEach(() => void vi.useRealTimers());
    const clusters = async (): Promise<unknown> =>
      JSON.parse(await readFile(join(folder, 'clusters.json'), 'utf8')).resources.map(
        ({ name }: { name: string }) => name,
      );
    const take = async (before: ProxyFiles, next: ProxyFiles): Promise<void> => {
      await (await config.prepare(before, next)).run(async ({ clusters: version }) => void expected.push(version));
      const { version_info } = JSON.parse(await readFile(join(folder, 'clusters.json'), 'utf8'));
      expect(expected.at(-1)).toBe(version_info);
    };
    const remove = async (files: ProxyFiles, ms: number): Promise<void> => {
      vi.advanceTimersByTime(ms);
      await config.removeLeft(files);
    };

    test('keeps them for their time, each for its own, and whatever else changes', async () => {
      await take(sample({ upstream: web }), sample({ upstream: db }));
      expect([await clusters(), config.leavesInMs]).toEqual([['db', 'web'], 2_000]);
      await remove(sample({ upstream: db }), 1_500);
      await take(sample({ upstream: db }), none);
      expect([await clusters(), config.leavesInMs]).toEqual([['db', 'web'], 500]);
      await take(none, sample({ body: 'two' }));
      await remove(sample({ body: 'two' }), 500);
      expect([await clusters(), config.leavesInMs]).toEqual([['db'], 1_500]);
      await remove(sample({ body: 'two' }), 1_500);
      expect([await clusters(), config.leavesInMs]).toEqual([[], undefined]);
    });

    test('keeps one for good that comes back, as it is then', async () => {
      await take(sample({ upstream: web }), none);
      const again = sample({ upstream: { ...web, port: 9 } });
      await take(none, again);
      expect([await clusters(), config.leavesInMs]).toEqual([['web'], undefined]);
      await remove(again, 5_000);
      expect(await readFile(join(folder, 'clusters.json'), 'utf8')).toBe(again.clusters.text);
    });

    test('keeps deleted clusters when a change is given up, and gives none of them to an Envoy that starts', async () => {
      await take(sample({ upstream: web }), none);
      const replacement = await config.prepare(none, sample({ upstream: db }));
      await expect(replacement.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      await config.restore(none);
      expect([await clusters(), config.leavesInMs]).toEqual([['web'], 2_000]);
      await config.writeAll(none);
      expect([await clusters(), config.leavesInMs]).toEqual([[], undefined]);
    });

    test('keeps trying to remove clusters when clusters.json cannot be written', async () => {
      await take(sample({ upstream: web }), none);
      await rm(folder, { recursive: true });
      await writeFile(folder, '');
      await expect(remove(none, 2_000)).rejects.toThrow('cannot write');
      expect(config.leavesInMs).toBe(0);
    });
  });
});
