import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa } from '../testing/certificates.ts';
import { ConsulServer } from '../testing/consul/consul-server.ts';
import { eventually } from '../testing/eventually.ts';
import { ConsulApi } from './consul-api.ts';
import { ConsulCatalog } from './consul-catalog.ts';

describe.each(['1.8.7', '1.19.2'] as const)('ConsulCatalog on Consul %s', (release) => {
  let consul: ConsulServer;
  let folder: string;
  let catalog: ConsulCatalog | undefined;
  const problems: (string | undefined)[] = [];
  let changes: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-'));
    problems.length = 0;
    changes = 0;
  });
  afterEach(async () => {
    catalog?.close();
    await consul?.close();
    await rm(folder, { recursive: true });
  });

  function follow(files = {}, resetMs = 60_000, waitMs = 50_000): ConsulCatalog {
    const api = new ConsulApi({ id: 'consul', origin: consul.origin, allowsStale: false, files });
    const onState = ({ problem }: { problem: string | undefined }) => void problems.push(problem);
    catalog = new ConsulCatalog({ api, resetMs, waitMs, onState, onChange: () => void changes++ });
    catalog.start();
    return catalog;
  }
  const idsOf = (service: string) => catalog?.services.get(service)?.map(({ id, health }) => `${id} ${health}`);
  const until = (look: () => void): Promise<void> => eventually(look);

  test('takes what a server without its state lacks away once its agents had time to tell it', async () => {
    consul = await ConsulServer.start({ release });
    await consul.ready();
    await consul.register('web', 'web-1');
    await consul.register('api', 'api-1');
    follow({}, 4_000);
    await until(() => expect([idsOf('web'), idsOf('api')]).toEqual([['web-1 passing'], ['api-1 passing']]));
    await consul.kill();
    await until(() => expect(problems.at(-1)).toContain('Consul "consul", GET http://127.0.0.1:'));
    await consul.again(true);
    await consul.ready();
    await consul.register('web', 'web-2');
    await until(() => expect(idsOf('web')).toEqual(['web-1 passing', 'web-2 passing']));
    expect(idsOf('api')).toEqual(['api-1 passing']);
    await until(() => expect([idsOf('web'), idsOf('api')]).toEqual([['web-2 passing'], undefined]));
    expect(problems.at(-1)).toBeUndefined();
  });

  test('says that no leader is elected once the question that waits has ended, and keeps what it knows', async () => {
    const other = await ConsulServer.start({ release, servers: 2 });
    consul = await ConsulServer.start({ release, servers: 2, joins: other.memberPort });
    try {
      await consul.ready();
      await consul.register('web', 'web-1');
      follow({}, 60_000, 1_000);
      await until(() => expect(idsOf('web')).toEqual(['web-1 passing']));
      await other.kill();
      await eventually(() => expect(problems.at(-1)).toMatch(/the answer is 500/));
      expect(idsOf('web')).toEqual(['web-1 passing']);
    } finally {
      await other.close();
    }
  });

  test('makes no change of a check whose output alone differs', async () => {
    consul = await ConsulServer.start({ release });
    await consul.ready();
    await consul.register('web', 'web-1');
    follow();
    // The server registers itself a moment after it has a leader.
    await until(() => expect([catalog?.state.hasSynced, idsOf('consul')?.length]).toEqual([true, 1]));
    const before = changes;
    for (let i = 0; i < 5; i++) {
      const check = { Node: 'node-of-web-1', CheckID: 'check-of-web-1', Name: 'alive', ServiceID: 'web-1' };
      const Check = { ...check, Status: 'passing', Output: `looked ${i} times` };
      await consul.call('PUT', '/v1/catalog/register', { Node: 'node-of-web-1', Address: '10.1.0.1', Check });
    }
    await consul.register('last', 'last-1');
    await until(() => expect(idsOf('last')).toEqual(['last-1 passing']));
    expect(changes).toBe(before + 1);
  });

  test('takes a node out of service that is in maintenance, and a status that it does not know', async () => {
    consul = await ConsulServer.start({ release });
    await consul.ready();
    await consul.register('web', 'web-1');
    await consul.register('web', 'web-2');
    follow();
    await until(() => expect(idsOf('web')).toEqual(['web-1 passing', 'web-2 passing']));
    const Check = {
      Node: 'node-of-web-1',
      CheckID: '_node_maintenance',
      Name: 'Node Maintenance Mode',
      Status: 'critical',
    };
    await consul.call('PUT', '/v1/catalog/register', { Node: 'node-of-web-1', Address: '10.1.0.1', Check });
    await until(() => expect(idsOf('web')).toEqual(['web-1 critical', 'web-2 passing']));
  });

  test('needs the token and the certificate that the server asks for, and says what is missing', async () => {
    const { ca, certificate, key } = await writeCertificates(folder);
    const token = '5c2a1f0e-6d1e-4a57-9c3e-0c7d8a9b1e2f';
    const tokens = release === '1.8.7' ? { master: token } : { initial_management: token };
    const settings = { acl: { enabled: true, default_policy: 'deny', tokens } };
    consul = await ConsulServer.start({ release, settings, token, tls: { ca, certificate, key } });
    await consul.ready();
    // The leader makes the token that the settings name.
    await eventually(() => consul.register('web', 'web-1'), { interval: 100 });
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'no-such-token\n');
    follow({ roots: ca, certificate, key, token: tokenFile });
    await until(() => expect(problems.at(-1)).toMatch(/the answer is 403/));
    expect(catalog?.state.hasSynced).toBe(false);
    // Whoever replaces the token restarts nothing.
    await writeFile(tokenFile, `${token}\n`);
    await until(() => expect(idsOf('web')).toEqual(['web-1 passing']));
    catalog?.close();
    problems.length = 0;
    follow({ token: tokenFile });
    await until(() =>
      expect(problems.at(-1)).toMatch(/self-signed certificate|unable to verify|unable to get local issuer/),
    );
    catalog?.close();
    problems.length = 0;
    follow({ roots: ca, token: tokenFile });
    await until(() => expect(problems.at(-1)).toMatch(/certificate required|bad certificate/));
    catalog?.close();
    problems.length = 0;
    follow({ roots: ca, certificate, key, token: join(folder, 'gone') });
    await until(() => expect(problems.at(-1)).toContain('the token of Consul cannot be read'));
  });

  test('knows 1,000 services, and one of them that moves', async () => {
    consul = await ConsulServer.start({ release });
    await consul.ready();
    const names = Array.from({ length: 1_000 }, (_, i) => `s-${i}`);
    const left = [...names];
    const registerNext = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) await consul.register(name, `${name}-1`);
    };
    await Promise.all(Array.from({ length: 16 }, registerNext));
    follow();
    await until(() => expect(catalog?.state.hasSynced).toBe(true));
    // With the server's own.
    expect(catalog?.services.size).toBe(1_001);
    await consul.register('s-500', 's-500-1', { address: '10.9.9.9', status: 'critical' });
    await until(() =>
      expect(catalog?.services.get('s-500')?.[0]).toMatchObject({ address: '10.9.9.9', health: 'critical' }),
    );
  });
});

/** Paths of PEM files: a root, and a certificate of it for servers and clients on loopback. */
async function writeCertificates(folder: string): Promise<Record<'ca' | 'certificate' | 'key', string>> {
  const authority = await createMeshCa();
  const issued = await authority.issue('spiffe://cluster.local/ns/consul/sa/server', { addresses: ['127.0.0.1'] });
  const files = {
    ca: [join(folder, 'ca.pem'), authority.rootCertificate],
    certificate: [join(folder, 'certificate.pem'), issued.certificateChain],
    key: [join(folder, 'key.pem'), issued.privateKey],
  } as const;
  for (const [path, pem] of Object.values(files)) await writeFile(path, pem, { mode: 0o600 });
  return { ca: files.ca[0], certificate: files.certificate[0], key: files.key[0] };
}
