import { describe, expect, test } from 'vitest';
import type { WhyAnswer } from './answers.ts';
import type { DebugAnswers } from './debug-server.ts';
import { scopedAnswers } from './scoped-answers.ts';

const fault = (object: string | undefined): WhyAnswer['faults'][number] => {
  return { object, file: 'a.yaml', line: 1, isHeld: true, errors: ['unknown field "secret-word"'] };
};
const proxies = [{ proxy: 'foo/web' }, { proxy: 'bar/web' }, { proxy: 'foo-2/web' }];
const why = { format: 1, proxy: 'foo/web', state: 'frozen', resources: [] };
const faults = ['Gateway/foo/edge', 'AuthorizationPolicy/mesh-system/all', 'MeshConfig', undefined].map(fault);

const routes = ['foo', 'bar'].map((namespace) => {
  return { object: `VirtualService/${namespace}/far`, file: 'b.yaml', line: 4, destinations: ['secret-word.test'] };
});

const answers: DebugAnswers = {
  '/debug/status': () => ({ connected: 3 }),
  '/debug/syncz': () => ({ proxies }),
  '/debug/why': () => ({ ...why, faults, missing: { count: 2, objects: 2, routes } }),
  '/debug/config_dump': () => ({ listeners: [] }),
  '/debug/config_distribution': () => ({ version: '1', proxies }),
  '/debug/new': () => ({ all: true }),
};

describe('scopedAnswers', () => {
  const reader = { subject: 'ops', namespaces: new Set(['foo']) };
  const scoped = scopedAnswers(answers, reader);
  const ask = async (path: string, query = ''): Promise<unknown> => scoped[path]?.(new URLSearchParams(query));

  test('defines the scope of every debug answer', () => {
    expect(Object.keys(scoped).sort()).toEqual(
      ['config_distribution', 'config_dump', 'syncz', 'why'].map((name) => `/debug/${name}`),
    );
    expect(scopedAnswers(answers, { ...reader, namespaces: 'all' })).toBe(answers);
  });

  test('omits rows of other namespaces, also of those whose names begin alike', async () => {
    expect(await ask('/debug/syncz')).toEqual({ proxies: [{ proxy: 'foo/web' }] });
    const ofObject = await ask('/debug/config_distribution', 'resource=AuthorizationPolicy/foo/p');
    expect(ofObject).toEqual({ version: '1', proxies: [{ proxy: 'foo/web' }] });
  });

  test.each([
    ['/debug/config_dump', ''],
    ['/debug/config_dump', 'proxy='],
    ['/debug/config_dump', 'proxy=foo'],
    ['/debug/config_dump', 'proxy=/foo/web'],
    ['/debug/config_dump', 'proxy=bar/web&proxy=foo/web'],
    ['/debug/why', 'proxy=bar/foo'],
    ['/debug/config_distribution', 'resource=Namespace/foo'],
    ['/debug/config_distribution', 'resource=AuthorizationPolicy/bar/foo'],
    ['/debug/config_distribution', 'resource=AuthorizationPolicy/foo/p/q'],
    ['/debug/config_distribution', ''],
  ])('answers %s?%s as if there were nothing', async (path, query) => {
    expect(await ask(path, query)).toBeUndefined();
  });

  test('names a route of another namespace that leads to what is not there, without its destinations', async () => {
    const said = (await ask('/debug/why', 'proxy=foo/web')) as WhyAnswer;
    expect(said.missing?.routes.map(({ object, destinations }) => [object, destinations])).toEqual([
      ['VirtualService/foo/far', ['secret-word.test']],
      ['VirtualService/bar/far', []],
    ]);
  });

  test('names an invalid object of another namespace without its errors, which may quote it', async () => {
    const said = (await ask('/debug/why', 'proxy=foo/web')) as WhyAnswer;
    expect(said.faults.map(({ object, errors }) => [object, errors.length])).toEqual([
      ['Gateway/foo/edge', 1],
      ['AuthorizationPolicy/mesh-system/all', 0],
      ['MeshConfig', 0],
      [undefined, 0],
    ]);
  });
});
