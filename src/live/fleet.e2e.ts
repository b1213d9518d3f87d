import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../compiler/compile.ts';
import { isListening, type StaticEnvoy, startStaticEnvoy } from '../compiler/lower/testing/static-envoy.ts';
import type { EnvoyConfig } from '../compiler/render/resource.ts';
import { defaultSettings } from '../config/defaults.ts';
import { freePorts } from '../testing/free-ports.ts';
import { staticFormOf } from '../testing/static-form.ts';
import { Fleet } from './fleet.ts';
import { createKeySetGatherer } from './key-sets/gather.ts';

const pod = (name: string, args: string): string => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}
spec: {containers: [{name: app}, {name: mesh-proxy, args: [proxy, ${args}]}]}
status: {podIP: 127.0.0.1}
`;
const gateway = (port: number): string => `---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec: {selector: {app: edge}, servers: [{port: {name: http, number: ${port}, protocol: HTTP}, hosts: ["*"]}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: all, namespace: shop}
spec: {hosts: ["*"], gateways: [edge], http: [{directResponse: {status: 200, body: {string: through}}}]}
`;
const policy = (action: string): string => `---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: rules, namespace: shop}
spec: {action: ${action}, rules: [{to: [{operation: {paths: [/closed]}}]}]}
`;
const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

describe('a starting proxy whose policy was never good', () => {
  let folder: string;
  let ports: Readonly<Record<'web inbound' | 'web outbound' | 'edge', number>>;
  let envoys: readonly StaticEnvoy[] = [];

  /** A fleet that knows nothing yet starts the proxies under a policy with this action. */
  async function bringUp(workloads: readonly string[], action: string): Promise<void> {
    for (const envoy of envoys) await envoy.close();
    envoys = [];
    const settings = {
      ...defaultSettings,
      proxyInboundListenPort: ports['web inbound'],
      proxyListenPort: ports['web outbound'],
    };
    const compiler = () => createCompiler({ settings });
    const fleet = new Fleet({ settings, createCompiler: compiler, gatherer: createKeySetGatherer([]) });
    const text = [pod('web', 'sidecar'), pod('edge', 'router'), gateway(ports.edge), policy(action)].join('');
    const { outcomes } = await fleet.take([{ path: 'mesh.yaml', text }], 'v1');
    for (const workload of workloads) {
      const outcome = outcomes.get(`shop/${workload}`);
      if (outcome === undefined) throw new Error(`nothing for ${workload}`);
      const envoy = await startWith('config' in outcome ? outcome.config : outcome.frozen);
      envoys = [...envoys, envoy];
      for (const [name, port] of Object.entries(ports)) {
        if (name.startsWith(workload)) await envoy.until(() => isListening({ host: '127.0.0.1', port }));
      }
    }
  }

  /** All but the listeners of the bootstrap, whose ports others have on this machine. */
  async function startWith(config: EnvoyConfig): Promise<StaticEnvoy> {
    const form = staticFormOf(config) as { readonly static_resources: { listeners: { readonly name?: string }[] } };
    const { static_resources: resources } = form;
    const names = config.listeners.map(({ name }) => name);
    resources.listeners = resources.listeners.filter(({ name = '' }) => names.includes(name));
    return startStaticEnvoy(await mkdtemp(join(folder, `${config.workload}-`)), resources);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'denying-'));
    const [inbound = 0, outbound = 0, edge = 0] = await freePorts(3);
    ports = { 'web inbound': inbound, 'web outbound': outbound, edge };
    await bringUp(['web', 'edge'], 'DENI');
  });
  afterAll(async () => {
    for (const envoy of envoys) await envoy.close();
    await rm(folder, { recursive: true, force: true });
  });

  const table = [
    ['a request', request, false],
    ['bytes of no known protocol', 'neither this nor that\r\n', false],
    ['a connection that sends nothing', '', false],
    ['a TLS handshake', request, true],
  ] as const;
  const places = ['web inbound', 'web outbound', 'edge'] as const;
  test.each(table.flatMap((row) => places.map((place) => [place, ...row] as const)))(
    'opens its port (%s) and refuses %s without a byte',
    async (place, _name, bytes, isTls) => {
      expect(await ask(ports[place], bytes, isTls)).toBe('');
    },
  );

  test('answers once its policy is good', async () => {
    await bringUp(['edge'], 'DENY');
    expect(await ask(ports.edge, request, false)).toMatch(/^HTTP\/1.1 200 OK\r\n.*through$/s);
    expect(await ask(ports.edge, request.replace('/ ', '/closed '), false)).toMatch(/^HTTP\/1.1 403 /);
  });
});

/** What comes back before the connection ends. */
function ask(port: number, bytes: string, isTls: boolean): Promise<string> {
  const target = { host: '127.0.0.1', port };
  const socket = isTls ? connectTls({ ...target, rejectUnauthorized: false }) : connect(target);
  return new Promise((resolve) => {
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    // However it ends.
    socket.on('error', () => undefined);
    socket.on(isTls ? 'secureConnect' : 'connect', () => {
      answer += isTls ? 'secured' : '';
      if (bytes !== '') socket.write(bytes);
    });
    socket.on('close', () => resolve(answer));
  });
}
