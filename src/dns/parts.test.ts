import { describe, expect, test } from 'vitest';
import { FrameReader, frame } from './frames.ts';
import { MeshNames, meshSuffixes } from './mesh-names.ts';
import { parseResolvConf } from './resolv-conf.ts';
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
