import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Sidecar } from '../../policy/sidecar.ts';
import * as make from '../../testing/objects.ts';
import { createAnalyser } from '../analyse.ts';
import { analysed, type Extra, importing, sidecarMesh } from './testing/sidecar-bench.ts';

const all = ['ratings.b', 'reviews.b', 'web.a'];

describe('Sidecars', () => {
  const ofRoot = importing('mesh-system/default', ['./*']);

  test('that select the workload override that of its namespace, which overrides that of the root namespace', () => {
    const selecting = importing('a/front', ['~/*'], { workloadSelector: { labels: { tier: 'front' } } });
    const { hosts } = analysed([ofRoot, importing('a/default', ['b/*']), selecting]);
    expect([hosts('a/client'), hosts('a/web'), hosts('b/reviews')]).toEqual([
      [],
      ['ratings.b', 'reviews.b'],
      ['ratings.b', 'reviews.b'],
    ]);
  });

  test('leave to the next less specific one what they do not say', () => {
    const strict = { outboundTrafficPolicy: {} };
    const selecting = make.sidecar('a/front', { workloadSelector: { labels: { tier: 'front' } }, ...strict });
    const { scopeOf, hosts } = analysed([ofRoot, selecting]);
    expect(hosts('a/client')).toEqual(['web.a']);
    expect(scopeOf('a/client').outboundTrafficPolicy).toBe('REGISTRY_ONLY');
    expect(scopeOf('a/web').outboundTrafficPolicy).toBeUndefined();
  });

  test('with a selector in the root namespace select nothing elsewhere', () => {
    const selecting = importing('mesh-system/front', ['~/*'], { workloadSelector: { labels: { tier: 'front' } } });
    const { hosts, said } = analysed([selecting]);
    expect(hosts('a/client')).toEqual(all);
    expect(said).toEqual([expect.stringContaining('selector-without-workload: Sidecar "mesh-system/front"')]);
  });

  test('do not hold for gateways', () => {
    const gateway = make.pod({ name: 'a/edge', labels: {} }, '10.0.0.9', {
      containers: [{ name: 'mesh-proxy', args: ['proxy', 'router'] }],
    });
    expect(analysed([gateway, importing('a/s', ['~/*'])]).hosts('a/edge')).toEqual(all);
  });

  test('that hold for the same clients: the oldest is in force, and a warning names the others', () => {
    const at = (name: string, createdAt: number, hosts: readonly string[], spec: Partial<Sidecar['spec']> = {}) => ({
      ...importing(name, hosts, spec),
      createdAt,
    });
    const front = { workloadSelector: { labels: { tier: 'front' } } };
    const { hosts, said } = analysed([
      at('a/younger', 2, ['*/*']),
      at('a/older', 1, ['./*']),
      at('a/front-younger', 2, ['*/*'], front),
      at('a/front-older', 1, ['~/*'], front),
    ]);
    expect([hosts('a/client'), hosts('a/web')]).toEqual([[], ['web.a']]);
    expect(said).toEqual([
      expect.stringMatching(/^competing-scope-policies: Sidecar "a\/younger" is ignored: "a\/older" applies to all of/),
      expect.stringMatching(/^competing-workload-policies: Sidecar "a\/front-younger" is ignored on "a\/client"/),
    ]);
  });
});

describe('what the proxy itself calls', () => {
  const toReviews = make.virtualService('a/web', {
    hosts: ['web'],
    http: [{ route: [{ destination: { host: 'reviews.b.svc.cluster.local' } }] }],
  });

  test('is in the scope where an imported route names it, and not by a route that is not imported', () => {
    const { hosts, routes } = analysed([toReviews, importing('a/s', ['./*'])]);
    expect([hosts('a/client'), routes('a/client')]).toEqual([['reviews.b', 'web.a'], ['web']]);
    const other = analysed([toReviews, importing('a/s', ['b/ratings.b.svc.cluster.local'])]);
    expect([other.hosts('a/client'), other.routes('a/client')]).toEqual([['ratings.b'], []]);
  });

  test('is in the scope where it is an external authorizer', () => {
    const service = 'b/ratings.b.svc.cluster.local';
    const authorizer = { protocol: 'http', service, port: 80 } as NonNullable<
      Settings['extensionProviders'][number]['authorizer']
    >;
    const settings = { extensionProviders: [{ name: 'z', authorizer }] } as unknown as Partial<Settings>;
    expect(analysed([importing('a/s', ['~/*'])], settings).hosts('a/client')).toEqual(['ratings.b']);
  });

  test('follows the routes when these change', () => {
    const analyse = createAnalyser(defaultSettings);
    const hostsWith = (objects: Extra) => {
      const snapshot = analyse([...sidecarMesh, importing('a/s', ['./*']), ...objects], new DiagnosticBag());
      const client = snapshot?.topology.workloads.find(({ name }) => name === 'client');
      if (snapshot === undefined || client === undefined) throw new Error('no snapshot');
      return snapshot.effective.outbound(snapshot.scopeOf(client));
    };
    expect(hostsWith([toReviews]).length).toBe(2);
    const without = hostsWith([]);
    expect(without.length).toBe(1);
    expect(hostsWith([])).toBe(without);
  });
});
