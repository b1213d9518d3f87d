import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMeshCa } from '../testing/certificates.ts';
import { DnsLog } from './dns-log.ts';
import { FrameReader, frame } from './frames.ts';
import { MeshNames, meshSuffixes } from './mesh-names.ts';
import { readMeshRoots } from './mesh-roots.ts';
import { followResolvConf, parseResolvConf } from './resolv-conf.ts';
import { backoffMs } from './tls-upstream.ts';

describe('meshSuffixes', () => {
  test.each([
    ['cluster.local', undefined, ['cluster.local', 'global']],
    ['cluster.local', 'foo.svc.cluster.local', ['cluster.local', 'global']],
    ['cluster.local', 'foo.svc.corp.example', ['cluster.local', 'corp.example', 'global']],
    ['corp.example', '', ['corp.example', 'global']],
    ['cluster.local', 'service.consul', ['cluster.local', 'global']],
  ])('of %s with a proxy in %s are %j', (clusterDomain, proxyDomain, expected) => {
    expect(meshSuffixes(clusterDomain, proxyDomain)).toEqual(expected);
  });
});

describe('MeshNames', () => {
  const names = new MeshNames(['Cluster.Local.', 'global']);
  test.each([
    ['a.svc.cluster.local', true],
    ['cluster.local', true],
    ['a.global', true],
    ['xcluster.local', false],
    ['local', false],
    ['a.global.com', false],
    ['', false],
  ])('has %s: %s', (name, expected) => {
    expect(names.has(name.split('.'))).toBe(expected);
  });

  test('does not take a label that holds dots for a suffix', () => {
    expect(names.has(['a.cluster.local'])).toBe(false);
  });
});

describe('parseResolvConf', () => {
  test.each([
    ['nameserver 10.0.0.10\nnameserver 10.0.0.11\n', ['10.0.0.10', '10.0.0.11']],
    ['# nameserver 1.1.1.1\n;nameserver 1.1.1.1\nsearch a b\nnameserver\t::1 \noptions ndots:5', ['::1']],
    ['nameserver fe80::1%eth0\nnameserver dns.example\n', ['fe80::1%eth0']],
    ['nameserver 10.0.0.10\nnameserver 10.0.0.10\n', ['10.0.0.10']],
    ['search a\n', ['127.0.0.1']],
    ['', ['127.0.0.1']],
  ])('finds the servers of %j', (text, expected) => {
    expect(parseResolvConf(text)).toEqual(expected.map((address) => ({ address, port: 53 })));
  });
});

describe('FrameReader', () => {
  test.each([1, 2, 3, 7, 100])('finds messages in chunks of %i octets', (size) => {
    const messages = [Buffer.from('one'), Buffer.alloc(0), Buffer.from('three')];
    const stream = Buffer.concat(messages.map(frame));
    const reader = new FrameReader();
    const found: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) found.push(...reader.push(stream.subarray(at, at + size)));
    expect(found.map(String)).toEqual(messages.map(String));
  });
});

describe('backoffMs', () => {
  test.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [6, 16_000, 32_000],
    [7, 16_500, 33_000],
    [2_000, 16_500, 33_000],
  ])('after %i failures is between %i and %i ms', (failures, least, most) => {
    expect([backoffMs(failures, 1_000, 0), backoffMs(failures, 1_000, 1)]).toEqual([least, most]);
  });
});

describe('files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dns-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  test('readMeshRoots gives the roots of a file, and never none', async () => {
    const { rootCertificate } = await createMeshCa();
    expect(await readMeshRoots(await write('good.pem', rootCertificate))).toBe(rootCertificate);
    for (const text of ['', 'text', '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n']) {
      await expect(readMeshRoots(await write('bad.pem', text))).rejects.toThrow(/holds no certificate$/);
    }
    await expect(readMeshRoots(join(folder, 'absent.pem'))).rejects.toThrow(/cannot read .* \(ENOENT\)$/);
  });

  test('followResolvConf reads the file again, and keeps what it knows while the file is away', async () => {
    const path = await write('resolv.conf', 'nameserver 10.0.0.1\n');
    const [always, seldom] = [followResolvConf(path, 0), followResolvConf(path)];
    const one = [{ address: '10.0.0.1', port: 53 }];
    expect([await always(), await seldom()]).toEqual([one, one]);
    await rm(path);
    expect(await always()).toEqual(one);
    await write('resolv.conf', 'nameserver 10.0.0.2\n');
    expect([await always(), await seldom()]).toEqual([[{ address: '10.0.0.2', port: 53 }], one]);
    expect(await followResolvConf(join(folder, 'absent'))()).toEqual([]);
  });
});

describe('DnsLog', () => {
  test('logs failures with the same reason at intervals, with the reason and without the name', () => {
    const lines: unknown[] = [];
    const log = new DnsLog({ info: () => undefined, warn: (...line) => lines.push(line) });
    for (let n = 0; n < 3; n++) log.failed('a name', new Error('no answer', { cause: new Error('refused') }));
    log.failed('a name of the mesh', new Error('no connection'));
    expect(lines).toEqual([
      ['DNS: a name could not be resolved, the client hears SERVFAIL', { reason: 'no answer: refused' }],
      ['DNS: a name of the mesh could not be resolved, the client hears SERVFAIL', { reason: 'no connection' }],
    ]);
  });
});
