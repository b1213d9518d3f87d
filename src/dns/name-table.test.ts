import { encode, type RecordType } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import { MeshNames } from './mesh-names.ts';
import { answerFromTable } from './name-table.ts';
import { addressesOf, read } from './testing/dns-client.ts';
import { queryOf, zoneName, zoneOf } from './testing/sample-zone.ts';

const zone = zoneOf([
  zoneName('web.shop.svc.cluster.local', { addresses: ['10.0.0.1'] }),
  zoneName('api.example.org', { addresses: ['10.0.0.2'] }),
  zoneName('static.example.org', { addresses: [] }),
  zoneName('*.wild.example', { addresses: [] }),
  zoneName('two.global', { namespace: 'other', addresses: ['10.0.0.3'] }),
  zoneName('two.global', { namespace: 'bank', addresses: ['10.0.0.4'], isOfCluster: false }),
]);

/** What the agent answers by itself in the namespace `bank`; undefined: it asks somebody else. */
function heard(name: string, type: RecordType): string | undefined {
  const query = queryOf(encode({ type: 'query', id: 0, questions: [{ type, name }] }));
  const answer = answerFromTable({ zone, namespace: 'bank' }, query, new MeshNames(['cluster.local', 'global']));
  if (answer === undefined) return undefined;
  const { rcode } = read(answer);
  return [rcode, ...addressesOf(read(answer))].join(' ');
}

describe('answerFromTable', () => {
  test.each<[string, RecordType, string | undefined]>([
    ['web.shop.svc.cluster.local', 'A', 'NOERROR 10.0.0.1'],
    ['web.shop.svc.cluster.local', 'AAAA', 'NOERROR'],
    ['web.shop.svc.cluster.local', 'MX', 'NOERROR'],
    ['no.shop.svc.cluster.local', 'A', 'NXDOMAIN'],
    // Of several services the one of the own namespace.
    ['two.global', 'A', 'NOERROR 10.0.0.4'],
    ['api.example.org', 'A', 'NOERROR 10.0.0.2'],
    ['api.example.org', 'AAAA', 'NOERROR'],
    // What a ServiceEntry says nothing about, public DNS knows.
    ['api.example.org', 'MX', undefined],
    ['www.example.org', 'A', undefined],
    // Nor does one that has no address at the moment.
    ['static.example.org', 'A', undefined],
    ['x.wild.example', 'AAAA', undefined],
  ])('says of %s %s: %s', (name, type, expected) => {
    expect(heard(name, type)).toBe(expected);
  });
});
