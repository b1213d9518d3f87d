import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { runs } from '../../testing/effort.ts';
import * as make from '../../testing/objects.ts';
import { createAnalyser } from '../analyse.ts';
import { matches, subsetOf } from '../topology/host.ts';
import type { EgressHost } from './egress-hosts.ts';
import { egressHosts } from './egress-hosts.ts';
import { serviceIndex } from './service-index.ts';

const namespace = fc.constantFrom('a', 'b', '*');
const name = fc.constantFrom(
  'api.example',
  'v2-api.example',
  'x.api.example',
  'example',
  'xexample',
  'api.example.org',
);
const host = fc.oneof(name, fc.constantFrom('*', '*.example', '*-api.example', '*.api.example', '*-x', '*.org'));
const entries = fc.array(fc.record({ namespace, host }), { maxLength: 8 });

const isOf = (wanted: string, owner: string): boolean => wanted === '*' || wanted === owner;

describe('entries of egress', () => {
  test('cover and meet hosts as each of them by itself does', () => {
    fc.assert(
      fc.property(entries, fc.constantFrom('a', 'b'), host, (hosts, owner, asked) => {
        const index = egressHosts(hosts);
        const some = (is: (a: string, b: string) => boolean): boolean =>
          hosts.some((entry) => isOf(entry.namespace, owner) && is(asked, entry.host));
        expect([index.covers(owner, asked), index.meets(owner, asked)]).toEqual([some(subsetOf), some(matches)]);
      }),
      runs(500),
    );
  });

  test('make superfluous what another one covers', () => {
    const all = ['a/*.example', 'a/api.example', '*/api.example', 'b/api.example', 'b/*.api.example'].map(entryOf);
    const left = all.filter((entry) => !egressHosts(all).isCovered(entry));
    expect(left.map(({ namespace: owner, host: own }) => `${owner}/${own}`)).toEqual([
      'a/*.example',
      '*/api.example',
      'b/*.api.example',
    ]);
  });
});

describe('an index of many services', () => {
  const hosts = Array.from({ length: 120 }, (_, i) => `${['s', 'v2-s'][i % 2]}${i}.zone${i % 3}.example`);
  const services = hosts.map((it, i) => make.serviceEntry(`${['a', 'b'][i % 2]}/e${i}`, { hosts: [it] }));
  const snapshot = createAnalyser(defaultSettings)(services, new DiagnosticBag());
  if (snapshot === undefined) throw new Error('the services are not valid');
  const index = serviceIndex(snapshot.topology);

  test.each([
    ['*/*.zone1.example', 40],
    ['a/*.zone1.example', 20],
    ['*/*-s11.zone2.example', 1],
    ['b/*.example', 60],
    ['*/*.org', 0],
  ])('finds those of "%s" without a look at all', (text, count) => {
    const entry = entryOf(text);
    const found = index.namesFor(entry);
    expect(found.length).toBeLessThanOrEqual(60);
    const own = found.filter((it) => isOf(entry.namespace, it.namespace) && subsetOf(it.host, entry.host));
    expect(own).toHaveLength(count);
  });

  test('finds the host that a mistyped one was meant to be', () => {
    expect(index.nearHost(entryOf('a/s10.zone1.exmaple'))).toBe('s10.zone1.example');
    expect(index.nearHost(entryOf('b/s10.zone1.exmaple'))).toBeUndefined();
  });
});

function entryOf(text: string): EgressHost {
  const [owner = '', own = ''] = text.split('/');
  return { namespace: owner, host: own };
}
