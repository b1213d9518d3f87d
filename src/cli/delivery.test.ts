import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { messageTypes, type Resource } from '../compiler/render/resource.ts';
import { encodeMessage } from '../envoy/api/encode.ts';
import { versionOf } from '../output/served-versions.ts';
import { run } from './testing/run-meshpol.ts';
import { secondPod, topology } from './testing/shop-mesh.ts';

type Served = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

const cart = 'outbound|80||cart.shop.svc.cluster.local';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'served-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function served(text: string, form = 'json'): Promise<Served> {
  const path = join(folder, 'mesh.yaml');
  writeFileSync(path, [text, secondPod].join('---\n'));
  const { code, out, error } = await run(`compile ${path} --delivery ads --format ${form} --quiet`);
  expect([code, error]).toEqual([0, '']);
  return form === 'yaml' ? parseYaml(out) : JSON.parse(out);
}

describe('meshpol compile --delivery ads', () => {
  test('prints what each proxy is served, by type and name', async () => {
    const all = await served(topology);
    expect(Object.keys(all)).toEqual(['shop/cart', 'shop/web']);
    const { listeners, clusters, routes, endpoints } = all['shop/web'] ?? {};
    expect(Object.keys(listeners ?? {})).toEqual(['0.0.0.0_80', 'virtualInbound', 'virtualOutbound']);
    expect(Object.keys(clusters ?? {})).toContain(cart);
    expect(Object.keys(routes ?? {})).toContain('80');
    expect(endpoints).toEqual({ [cart]: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(await served(topology, 'yaml')).toEqual(all);
  });

  test('gives the same version wherever content is equal, and another to endpoints that are no longer ready', async () => {
    const before = await served(topology);
    expect(before['shop/cart']?.endpoints).toEqual(before['shop/web']?.endpoints);
    const after = await served(topology.replace('status: "True"', 'status: "False"'));
    expect(after['shop/web']?.endpoints?.[cart]).not.toBe(before['shop/web']?.endpoints?.[cart]);
    for (const list of ['listeners', 'clusters', 'routes']) {
      expect(after['shop/web']?.[list]).toEqual(before['shop/web']?.[list]);
      expect(after['shop/cart']?.[list]).toEqual(before['shop/cart']?.[list]);
    }
  });
});

test('a version is the first 64 bits of the SHA-256 of the message that is sent', () => {
  const json = { cluster_name: 'a', endpoints: [] };
  const resource: Resource = { type: 'endpoints', name: 'a', text: JSON.stringify(json), json, origins: [] };
  const digest = createHash('sha256').update(encodeMessage(messageTypes.endpoints, json)).digest();
  expect(versionOf(resource)).toBe(digest.subarray(0, 8).toString('hex'));
});
