import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { createCompiler } from './compile.ts';
import type { EnvoyConfig } from './render/resource.ts';

/** A Deployment without pods, behind a service with the addresses. */
const mesh = (clusterIPs: readonly string[], podIP?: string): string => `
apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec:
  clusterIP: "${clusterIPs[0]}"
  clusterIPs: ${JSON.stringify(clusterIPs)}
  selector: {app: web}
  ports: [{name: http, port: 80}]
---
apiVersion: ${podIP === undefined ? 'apps/v1' : 'v1'}
${
  podIP === undefined
    ? `kind: Deployment
metadata: {name: web, namespace: foo}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}`
    : `kind: Pod
metadata: {name: web, namespace: foo, labels: {app: web}}
spec: {containers: [{name: app}]}
status: {podIP: "${podIP}"}`
}
`;

function compileWith(text: string, ...ips: readonly (string | undefined)[]): readonly EnvoyConfig[] {
  const compiler = createCompiler({ settings: defaultSettings });
  return ips.map((ip) => {
    const bag = new DiagnosticBag();
    const files = [{ path: 'mesh.yaml', text }];
    const config = compiler.compile(files, [{ namespace: 'foo', name: 'web', ip }], bag)?.configs[0];
    expect(bag.all.filter(({ severity }) => severity === 'error')).toEqual([]);
    return config as EnvoyConfig;
  });
}

interface Listener {
  readonly address: { readonly socket_address: { readonly address: string } };
  readonly additional_addresses?: readonly Pick<Listener, 'address'>[];
}

function addressesOf(config: EnvoyConfig | undefined, name: string): string[] {
  const listener = config?.listeners.find((resource) => resource.name === name)?.json as unknown as Listener;
  const { address, additional_addresses: others = [] } = listener;
  return [address, ...others.map((other) => other.address)].map((each) => each.socket_address.address);
}

function nodeIp(config: EnvoyConfig | undefined): string | undefined {
  const bootstrap = config?.bootstrap.json as { readonly node?: { readonly id: string } } | undefined;
  return bootstrap?.node?.id.split('~')[1];
}

describe('a workload without addresses', () => {
  test.each<[string, readonly string[], string | undefined, readonly string[], string]>([
    ['of the IPv6 address of its proxy', ['None'], '2001:DB8::7', ['::'], '2001:db8::7'],
    ['of the IPv4 address of its proxy', ['None'], '10.1.0.7', ['0.0.0.0'], '10.1.0.7'],
    ['of that address and of its services', ['10.96.0.1'], 'fd00::7', ['0.0.0.0', '::'], 'fd00::7'],
    ['of its services, when nobody knows an address', ['fd01::1'], undefined, ['::'], '::1'],
  ])('listens on the families %s', (_, clusterIPs, ip, listened, node) => {
    const [config] = compileWith(mesh(clusterIPs), ip);
    expect(addressesOf(config, 'virtualInbound')).toEqual(listened);
    expect(addressesOf(config, 'virtualOutbound')).toEqual(listened);
    expect(nodeIp(config)).toBe(node);
  });

  test('leaves a workload with addresses as the topology has it', () => {
    const [config] = compileWith(mesh(['None'], '10.1.0.1'), 'fd00::7');
    expect(addressesOf(config, 'virtualInbound')).toEqual(['0.0.0.0']);
    expect(nodeIp(config)).toBe('10.1.0.1');
  });

  test('compiles to the same objects again while the address stays', () => {
    const [first, second, moved] = compileWith(mesh(['None']), 'fd00::7', 'fd00::7', '10.1.0.7');
    expect(second).toBe(first);
    expect(addressesOf(moved, 'virtualInbound')).toEqual(['0.0.0.0']);
  });
});
