import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveDns } from '../dns/serve.ts';
import { addressesOf, ask } from '../dns/testing/dns-client.ts';
import { eventually } from '../testing/eventually.ts';
import { freePort } from '../testing/free-ports.ts';
import { ServingBench } from './testing/serving-bench.ts';

const service = (name: string, spec: string, metadata = ''): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop${metadata}}
spec: {${spec}, ports: [{name: http, port: 80}]}
`;
const pod = (name: string, ip: string, ready = 'True'): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: db}}
spec: {hostname: ${name}, subdomain: db, containers: [{name: app, ports: [{containerPort: 80}]}]}
status: {podIP: ${ip}, conditions: [{type: Ready, status: "${ready}"}]}
`;
const entry = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: api, namespace: shop}
spec: {hosts: [api.global], ports: [{number: 80, name: http}], resolution: DNS, endpoints: [{address: x.example}]}
`;
const mesh = [
  service('web', 'clusterIP: 10.96.0.1'),
  service('secret', 'clusterIP: 10.96.0.2', ', annotations: {networking.mesh.io/exportTo: "."}'),
  service('db', 'clusterIP: None, selector: {app: db}'),
  entry,
];
const caller = `apiVersion: v1
kind: Pod
metadata: {name: caller, namespace: shop}
spec: {serviceAccountName: a, containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: 127.0.0.1}
`;
const sidecar = `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: default, namespace: shop}
spec: {egress: [{hosts: [./secret.shop.svc.cluster.local]}]}
`;
const any = { host: '127.0.0.1', port: 0 };
const host = (name: string): string => `${name}.shop.svc.cluster.local`;

describe('DNS of meshd', () => {
  let bench: ServingBench;
  beforeEach(async () => {
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', [...mesh, pod('db-0', '10.0.0.1')].join('---\n'));
  });
  afterEach(() => bench.close());

  const start = async (dns: Parameters<ServingBench['start']>[0] & object = {}): Promise<void> => {
    await bench.start({ dns: { plain: any, tls: any, isUsual: { plain: false, tls: false } }, ...dns });
  };
  const port = (): number => bench.control.dnsPorts.plain ?? 0;
  const addresses = async (name: string): Promise<unknown> => {
    const heard = await ask(port(), name);
    return heard.rcode === 'NOERROR' ? addressesOf(heard) : heard.rcode;
  };

  test('follows the services, and each endpoint of a headless one', async () => {
    await start();
    await eventually(async () => expect(await addresses(host('web'))).toEqual(['10.96.0.1']));
    expect(await addresses(host('db'))).toEqual(['10.0.0.1']);
    expect(await addresses(host('db-0.db'))).toEqual(['10.0.0.1']);
    await bench.put('mesh.yaml', [...mesh, pod('db-0', '10.0.0.1', 'False'), pod('db-1', '10.0.0.2')].join('---\n'));
    await eventually(async () => expect(await addresses(host('db'))).toEqual(['10.0.0.2']));
    expect(await addresses(host('db-0.db'))).toBe('NXDOMAIN');
    await bench.put('mesh.yaml', mesh.slice(1).join('---\n'));
    await eventually(async () => expect(await addresses(host('web'))).toBe('NXDOMAIN'));
    expect(await addresses(host('db'))).toEqual([]);
    expect(await bench.metric('meshd_dns_names')).toBe('3');
    expect(await bench.metric('meshd_dns_queries_count{transport="udp",outcome="missing"}')).toBe('2');
  });

  test('keeps the names where an object becomes invalid', async () => {
    await start();
    await eventually(async () => expect(await addresses(host('web'))).toEqual(['10.96.0.1']));
    await bench.put('mesh.yaml', [...mesh.slice(1), service('web', 'clusterIP: [broken')].join('---\n'));
    await eventually(() => expect(bench.logged('error')).toContain('the inputs have errors'));
    expect(await addresses(host('web'))).toEqual(['10.96.0.1']);
  });

  test('tells an agent, which shows its certificate, the names that its namespace may know; others what everybody may', async () => {
    await start();
    await eventually(async () => expect(await addresses(host('web'))).toEqual(['10.96.0.1']));
    expect(await addresses(host('secret'))).toBe('NXDOMAIN');
    expect(await addresses('api.global')).toEqual([]);
    const roots = await readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
    const heard = async (account: string | undefined, name: string): Promise<unknown> => {
      const identity = account === undefined ? undefined : await bench.identity(account);
      const pair = identity && { certificateChain: identity.certificate, privateKey: identity.privateKey };
      const agent = await serveDns({
        ...{ addresses: ['127.0.0.1'], port: await freePort(), meshSuffixes: ['cluster.local', 'global'] },
        meshServer: {
          ...{ host: '127.0.0.1', port: bench.control.dnsPorts.tls ?? 0, readRoots: async () => roots },
          readPair: async () => pair,
        },
        ...{ servers: async () => [], log: { info: () => undefined, warn: () => undefined } },
      });
      try {
        const { rcode, ...rest } = await ask(agent.port, name);
        return rcode === 'NOERROR' ? addressesOf({ rcode, ...rest }) : rcode;
      } finally {
        await agent.close();
      }
    };
    expect(await heard('shop/a', host('secret'))).toEqual(['10.96.0.2']);
    expect(await heard('bank/a', host('secret'))).toBe('NXDOMAIN');
    expect(await heard(undefined, host('secret'))).toBe('NXDOMAIN');
    expect(await heard('bank/a', 'api.global')).toEqual([expect.stringMatching(/^240\.240\./)]);
    expect(await heard(undefined, host('web'))).toEqual(['10.96.0.1']);

    // Of the account `a` at this address there is one workload, whose Sidecar imports one service.
    await bench.put('mesh.yaml', [...mesh, caller, sidecar].join('---\n'));
    await eventually(async () => expect(await heard('shop/a', host('web'))).toBe('NXDOMAIN'));
    expect(await heard('shop/a', host('secret'))).toEqual(['10.96.0.2']);
    expect(await heard('shop/b', host('web'))).toEqual(['10.96.0.1']);
    expect(await heard('shop/b', host('secret'))).toEqual(['10.96.0.2']);
  });

  test('does not start where an address that was asked for cannot be had, and starts without a usual one', async () => {
    await start();
    const { plain = 0, tls = 0 } = bench.control.dnsPorts;
    const other = await ServingBench.create();
    try {
      const taken = { plain: { ...any, port: plain }, tls: { ...any, port: tls } };
      const asked = other.start({ dns: { ...taken, isUsual: { plain: false, tls: true } } });
      await expect(asked).rejects.toThrow(`cannot serve DNS on 127.0.0.1 port ${plain}`);
      await other.start({ dns: { ...taken, isUsual: { plain: true, tls: true } } });
      expect(other.control.dnsPorts).toEqual({ plain: undefined, tls: undefined });
      expect(other.logged('warn')).toMatch(/cannot serve DNS on .* Set DNS_ADDR to another address/);
      expect(other.logged('warn')).toMatch(/cannot serve DNS over TLS on .* --dnsTlsAddr/);
    } finally {
      await other.close();
    }
  });
});
