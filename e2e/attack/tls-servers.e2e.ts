import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import type { WireRequest } from '../../src/testbed/wire/exchange.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { outcomeOf, readingOf, wireRequest } from './attack.ts';
import { attackTopology, tlsPort } from './attacked-mesh.ts';
import { guardedHost, type TlsAttack, tlsAttacks } from './tls-attacks.ts';
import { createTlsServers, type TlsServers } from './tls-servers.ts';

describeMesh('several TLS servers on one gateway port', () => {
  let testbed: Testbed;
  let servers: TlsServers;
  beforeAll(async () => {
    servers = await createTlsServers();
    testbed = await createTestbed({ topology: attackTopology, policies: { 'tls.yaml': servers.policies } });
  });
  afterAll(() => testbed?.close());

  test('the guarded host answers nobody without its client certificate, and each attack as the table says', async () => {
    const sent = tlsAttacks.flatMap((attack) =>
      ([1, 2] as const).flatMap((version) => {
        const request = tlsRequest(attack, version, servers);
        return request === undefined ? [] : [{ attack, version: `http${version}` as const, request }];
      }),
    );
    const requests = sent.map(({ request }) => request);
    const answers = await testbed.exchange('legacy/attacker', requests);
    const seen: Record<string, string> = {};
    const expected: Record<string, string | undefined> = {};
    const unguarded: string[] = [];
    for (const [i, { attack, version }] of sent.entries()) {
      const { http1: _1, http2: _2, ...named } = attack;
      const name = `${version} ${JSON.stringify(named)}`;
      const answer = answers[i] ?? { status: 'none', body: '' };
      seen[name] = outcomeOf(answer, { shown: ({ host }) => host });
      expected[name] = attack[version];
      if (readingOf(answer)?.host === guardedHost && attack.client !== 'good') unguarded.push(name);
    }
    expect(unguarded).toEqual([]);
    expect(seen).toEqual(expected);
  });
});

function tlsRequest(attack: TlsAttack, version: 1 | 2, { clients }: TlsServers): WireRequest | undefined {
  const { sni: servername, client } = attack;
  const tls = client === undefined ? { servername } : { servername, ...clients[client] };
  return wireRequest(attack, version, { host: '10.77.0.20', port: tlsPort, authority: servername, tls });
}
