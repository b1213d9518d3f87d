import { describe, expect, test } from 'vitest';
import { readMeshFile } from '../contracts/mesh-file.ts';
import { readOriginsFile } from '../contracts/origins-file.ts';
import { analyse } from './analyse.ts';
import { compile } from './compile.ts';
import type { AnalyseInput } from './input.ts';
import type { MeshSnapshot } from './snapshot.ts';

const mesh = {
  path: 'mesh.yaml',
  text: `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {containers: [{name: web, image: web}]}
status: {podIP: 10.77.0.2}
`,
};
const policies = {
  path: 'policies.yaml',
  text: `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  portLevelMtls: {8080: {mode: PERMISSIVE}}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: nobody, namespace: shop}
spec: {}
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec:
  host: web
  trafficPolicy: {connectionPool: {tcp: {maxConnections: 7}}}
  subsets: [{name: v1, labels: {version: v1}}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: web, namespace: shop}
spec: {hosts: [web], http: [{route: [{destination: {host: web}}]}]}
`,
};
const web = { namespace: 'shop', name: 'web' };
const names = (objects: readonly { readonly kind: string; readonly name: string }[] | undefined) =>
  objects?.map(({ kind, name }) => `${kind} ${name}`);

async function snapshotOf(input: AnalyseInput): Promise<MeshSnapshot> {
  const { snapshot, diagnostics } = await analyse(input);
  if (snapshot === undefined) throw new Error(JSON.stringify(diagnostics));
  return snapshot;
}

describe('analyse of the library', () => {
  test('says what a workload accepts, and the field that decided it', async () => {
    const snapshot = await snapshotOf({ files: [mesh, policies] });
    const inbound = snapshot.inbound(web);
    expect(inbound?.mtls).toMatchObject({
      mode: 'STRICT',
      decidedBy: [
        { kind: 'PeerAuthentication', name: 'default', field: 'spec.mtls.mode', file: policies.path, line: 4 },
      ],
    });
    expect(inbound?.ports).toMatchObject([{ port: 8080, mode: 'PERMISSIVE', decidedBy: [{ name: 'web', line: 11 }] }]);
    expect(names(inbound?.authorizationPolicies)).toEqual(['AuthorizationPolicy nobody']);
    expect(inbound?.requestAuthentications).toEqual([]);
    expect(snapshot.objects).toContain(inbound?.authorizationPolicies[0]);
    expect(inbound?.authorizationPolicies[0]).toMatchObject({ file: policies.path, line: 13, value: { spec: {} } });
  });

  test('says what a workload does towards each service', async () => {
    const outbound = (await snapshotOf({ files: [mesh, policies] })).outbound(web);
    const [service] = outbound?.services ?? [];
    expect(service).toMatchObject({ host: 'web.shop.svc.cluster.local', serviceMtls: { mode: 'STRICT' } });
    expect(
      service?.subsets.map(({ name, ports }) => [name, ports.map(({ port, traffic }) => [port, traffic])]),
    ).toEqual(['', 'v1'].map((name) => [name, [[80, { connectionPool: { tcp: { maxConnections: 7 } } }]]]));
    expect(service?.subsets[0]?.ports[0]?.decidedBy).toMatchObject([{ kind: 'DestinationRule', file: policies.path }]);
    expect(names(outbound?.virtualServices.map(({ object }) => object))).toEqual(['VirtualService web']);
  });

  test('gives the same mesh as compile, with a format number', async () => {
    const input = { files: [mesh, policies] };
    const [snapshot, compiled] = await Promise.all([snapshotOf(input), compile(input)]);
    expect(snapshot.format).toBe(1);
    expect(snapshot.mesh).toEqual(compiled.mesh);
    expect(readMeshFile(JSON.stringify(compiled.mesh)).workloads.map(({ name }) => name)).toEqual(['web']);
    const [proxy] = compiled.proxies ?? [];
    expect(readOriginsFile(JSON.stringify(proxy?.origins))).toEqual(proxy?.origins);
  });

  test('says which namespace is the root namespace, and why', async () => {
    expect((await snapshotOf({ files: [mesh] })).rootNamespace).toMatchObject({
      name: 'mesh-system',
      isDecided: false,
    });
    const named = await snapshotOf({ files: [mesh], rootNamespace: 'platform' });
    expect(named.rootNamespace).toMatchObject({ name: 'platform', isDecided: true });
    const [first = ''] = policies.text.split('---');
    const text = first.replaceAll('namespace: shop', 'namespace: istio-system').replaceAll('.mesh.io', '.istio.io');
    const decided = await snapshotOf({ files: [mesh, { path: 'root.yaml', text }] });
    expect(decided.rootNamespace).toMatchObject({ name: 'istio-system', isDecided: true });
    expect(decided.inbound(web)?.mtls.mode).toBe('STRICT');
  });

  test('knows no workload that the texts do not have', async () => {
    const snapshot = await snapshotOf({ files: [mesh] });
    expect(snapshot.inbound({ namespace: 'shop', name: 'wbe' })).toBeUndefined();
    expect(snapshot.outbound({ namespace: 'shop/web', name: '' })).toBeUndefined();
  });

  test('names a VirtualService with those that it delegates to', async () => {
    const text = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: outer, namespace: shop}
spec: {hosts: [web], http: [{match: [{uri: {prefix: /a}}], delegate: {name: inner}}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: inner, namespace: shop}
spec: {http: [{route: [{destination: {host: web}}]}]}
`;
    const variables = { PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE: 'true' };
    const snapshot = await snapshotOf({ files: [mesh, { path: 'routes.yaml', text }], variables });
    const [outer, inner] = ['outer', 'inner'].map((name) => snapshot.objects.find((object) => object.name === name));
    const [seen, ...others] = snapshot.outbound(web)?.virtualServices ?? [];
    expect(others).toEqual([]);
    expect(seen?.object).toBe(outer);
    expect(seen?.delegates).toEqual([inner]);
  });

  test('shows nothing of a Secret', async () => {
    const text = `apiVersion: v1
kind: Secret
metadata: {name: key, namespace: shop}
type: Opaque
stringData: {password: opensesame}
`;
    const snapshot = await snapshotOf({ files: [mesh, { path: 'secret.yaml', text }] });
    expect(names(snapshot.objects)).toContain('Secret key');
    expect(JSON.stringify(snapshot)).not.toContain('opensesame');
  });

  test('gives no snapshot when a text has an error, and reports all errors at once', async () => {
    const wrong = (path: string) => ({ path, text: 'apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\n' });
    const { snapshot, diagnostics } = await analyse({ files: [mesh, wrong('a.yaml'), wrong('b.yaml')] });
    expect(snapshot).toBeUndefined();
    expect(new Set(diagnostics.map(({ place }) => place?.file))).toEqual(new Set(['a.yaml', 'b.yaml']));
    await expect(analyse({ files: [mesh, mesh] })).rejects.toThrow('analyse: two texts have the path "mesh.yaml"');
  });
});
