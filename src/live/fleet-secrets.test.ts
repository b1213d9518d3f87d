import { describe, expect, test } from 'vitest';
import type { FleetOutcome } from './fleet-outcome.ts';
import { newFleet } from './testing/given-fleet.ts';

describe('a fleet with Secrets of gateways', () => {
  const edge = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: a, labels: {app: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.9}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: a}
spec:
  selector: {app: edge}
  servers:
  - {port: {number: 8443, name: https, protocol: HTTPS}, hosts: [shop.example.com], tls: {mode: SIMPLE, credentialName: shop}}
  - {port: {number: 8080, name: http, protocol: HTTP}, hosts: [shop.example.com]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: edge, namespace: a}
spec: {hosts: [shop.example.com], gateways: [edge], http: [{directResponse: {status: 200}}]}
`;
  const pem = (label: string): string => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`;
  const secret = (label: string, authorities?: string): string => {
    const [certificate, key] = [pem('CERTIFICATE'), pem(label)].map(btoa);
    const head = 'apiVersion: v1\nkind: Secret\nmetadata: {name: shop, namespace: a}\n';
    const more = authorities === undefined ? '' : `, ca.crt: "${btoa(authorities)}"`;
    return `${head}data: {tls.crt: ${certificate}, tls.key: ${key}${more}}\n`;
  };
  const good = secret('PRIVATE KEY');
  const locked = secret('ENCRYPTED PRIVATE KEY');

  const outcomeOf = async (...versions: readonly string[]) => {
    const fleet = newFleet();
    let outcome: FleetOutcome | undefined;
    for (const [i, text] of versions.entries())
      outcome = await fleet.take(
        [
          { path: 'mesh.yaml', text: edge },
          { path: 'shop.yaml', text },
        ],
        `v${i}`,
      );
    const proxy = outcome?.outcomes.get('a/edge');
    const config = proxy && ('config' in proxy ? proxy.config : proxy.frozen);
    const kept = fleet.objects.find(({ kind }) => kind === 'Secret')?.document.value;
    return {
      isFrozen: proxy !== undefined && 'frozen' in proxy,
      listeners: config?.listeners.map(({ name }) => name).filter((name) => name.includes('8')),
      faults: proxy?.faults.map(({ object }) => object?.kind),
      isLocked: JSON.stringify(kept).includes(btoa(pem('ENCRYPTED PRIVATE KEY'))),
    };
  };

  test('closes only the server of one that was never good, and the gateway is not frozen', async () => {
    const [closed, open] = [await outcomeOf(locked), await outcomeOf(good)];
    expect(closed).toEqual({ ...open, isLocked: true });
    expect(open).toMatchObject({ isFrozen: false, faults: [], isLocked: false });
    expect(open.listeners).toHaveLength(2);
  });

  /** Of another team, which names the same pair for mutual TLS. */
  const mutual = `---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: other, namespace: b}
spec:
  selector: {app: edge}
  servers: [{port: {number: 8444, name: https-2, protocol: HTTPS}, hosts: [b.example.com], tls: {mode: MUTUAL, credentialName: shop}}]
`;

  test('closes only the server that needs CAs from a Secret that never had any', async () => {
    expect(await outcomeOf(good, good + mutual)).toMatchObject({ isFrozen: false, faults: [] });
    expect((await outcomeOf(good, good + mutual)).listeners).toHaveLength(3);
  });

  test('keeps the last valid CAs of a Secret that become invalid, and none that are removed', async () => {
    const [root, without] = [secret('PRIVATE KEY', pem('CERTIFICATE')) + mutual, good + mutual];
    const broken = secret('PRIVATE KEY', 'none') + mutual;
    const empty = secret('PRIVATE KEY', '') + mutual;
    expect(await outcomeOf(root, broken)).toMatchObject({ isFrozen: false, faults: ['Secret'] });
    expect(await outcomeOf(root, without)).toMatchObject({ isFrozen: false, faults: [] });
    expect(await outcomeOf(root, empty)).toMatchObject({ isFrozen: false, faults: [] });
    expect(await outcomeOf(root, without, broken)).toMatchObject({ isFrozen: false, faults: [] });
  });

  test('keeps the last valid version of a Secret that becomes invalid, and uses the next valid one', async () => {
    expect(await outcomeOf(good, locked)).toMatchObject({ isFrozen: false, faults: ['Secret'], isLocked: false });
    expect(await outcomeOf(locked, good)).toMatchObject({ isFrozen: false, faults: [], isLocked: false });
  });
});
