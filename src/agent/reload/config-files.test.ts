import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
      ['clusters: both old same', 'listeners routes: both new same', `${everything}: new new same`, 'new new same'],
    ],
    [
      'a route to another cluster, and a listener',
      { upstream: web },
      { upstream: db, httpPort: 5 },
      [
        'clusters: both old old',
        'routes: both new old',
        'listeners routes: both new new',
        `${everything}: new new new`,
        'new new new',
      ],
    ],
  ])(
    'waits for what the next files refer to, and no more often: a change of %s',
    async (_name, before, next, steps) => {
      expect(await stepsOf(sample(before), sample(next))).toEqual(steps);
    },
  );
});
