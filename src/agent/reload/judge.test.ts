import { describe, expect, test } from 'vitest';
import type { NamedObject } from '../../contracts/named-object.ts';
import { type FragmentFields, type OriginsFile, originsFormat } from '../../contracts/origins-file.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { fileOf } from '../../testing/resource-files.ts';
import { judge } from './judge.ts';
import { formatSuspects, suspectsNamedIn } from './suspects.ts';

const policy = (name: string, line = 1): NamedObject => ({
  kind: 'AuthorizationPolicy',
  namespace: 'foo',
  name,
  file: `${name}.yaml`,
  line,
});

/** Listener `in` with one filter a policy, cluster `up`, route `r`: each text stands for what is in it. */
function files(texts: { in: Readonly<Record<string, string>>; up?: string; r?: string }): ProxyFiles {
  const { in: filters, up = 'up', r = 'r' } = texts;
  const by = (path: string, object: NamedObject): FragmentFields => ({
    path,
    decidedBy: [{ field: 'spec', file: '', ...object }],
    overrode: [],
  });
  const origins: OriginsFile = {
    format: originsFormat,
    listeners: {
      in: [by('', policy('service')), ...Object.keys(filters).map((name, i) => by(`filters[${i}].text`, policy(name)))],
    },
    routes: { r: [by('', policy('route'))] },
    clusters: { up: [by('', policy('cluster'))] },
  };
  return {
    bootstrap: {},
    clusters: fileOf({ name: 'up', text: up }),
    listeners: fileOf(
      { name: 'in', filters: Object.values(filters).map((text) => ({ text })) },
      { name: 'other', rds: { route_config_name: 'r' } },
    ),
    routes: new Map([['r.json', fileOf({ name: 'r', text: r })]]),
    beside: new Map([['origins.json', JSON.stringify(origins)]]),
  };
}

const before = files({ in: { one: '1', two: '2' } });

/** Envoy as it would be, had it no names to tell. */
const refusesBad = async (config: object): Promise<{ ok: boolean; message: string }> => {
  const ok = !JSON.stringify(config).includes('BAD');
  return { ok, message: ok ? '' : 'a value is bad' };
};

describe('judge', () => {
  test('has nothing to say of what Envoy accepts', async () => {
    expect(await judge(before, files({ in: { one: '1', two: '3' } }), refusesBad)).toBeUndefined();
  });

  test('names nobody for a resource whose name every object of JavaScript has', async () => {
    const clusters = fileOf({ name: 'constructor', text: 'BAD' });
    const next = { ...before, clusters };
    expect(await judge(before, next, refusesBad)).toEqual({ message: 'a value is bad', suspects: [] });
  });

  test.each<[string, ProxyFiles, string]>([
    ['the changed filter of a listener', files({ in: { one: '1', two: 'BAD' } }), 'two'],
    ['a filter that came before the others', files({ in: { new: 'BAD', one: '1', two: '2' } }), 'new'],
    ['a route, beside a changed listener and cluster', files({ in: { one: '1x' }, up: 'x', r: 'BAD' }), 'route'],
    ['a cluster, beside a changed listener and route', files({ in: { one: '1x' }, up: 'BAD', r: 'x' }), 'cluster'],
  ])('finds who made %s', async (_what, next, name) => {
    expect(await judge(before, next, refusesBad)).toEqual({ message: 'a value is bad', suspects: [policy(name)] });
  });
});

describe('suspectsNamedIn', () => {
  test('looks at the changed resources that the message names, and at all changed ones when it names none', async () => {
    const next = files({ in: { one: '1', two: '2x' }, r: 'x' });
    expect(await suspectsNamedIn('in: no', before, next)).toEqual([policy('two')]);
    expect((await suspectsNamedIn('no', before, next)).map(({ name }) => name)).toEqual(['route', 'two']);
    expect(await suspectsNamedIn('in: no', before, before)).toEqual([]);
  });

  test('looks at who made a new resource too, not only at who made its parts', async () => {
    const none = { ...before, listeners: fileOf() };
    expect((await suspectsNamedIn('in: cannot bind', none, before)).map(({ name }) => name)).toEqual([
      'one',
      'service',
      'two',
    ]);
  });

  test('does not suspect who decided the same as somebody else, and still does', async () => {
    const alike = files({ in: { one: '1', two: '1', three: '3' } });
    const next = files({ in: { one: '1', two: '1', three: '3x' } });
    expect(await suspectsNamedIn('in: no', alike, next)).toEqual([policy('three')]);
  });
});

describe('formatSuspects', () => {
  test('names objects with their places, five at most', () => {
    expect(formatSuspects([])).toBe('');
    expect(formatSuspects([policy('a', 3), { kind: 'Namespace', namespace: '', name: 'n' }])).toBe(
      ' (from AuthorizationPolicy foo/a, a.yaml:3; Namespace n)',
    );
    expect(formatSuspects(Array.from({ length: 6 }, () => policy('a')))).toMatch(/; and others\)$/);
  });
});
