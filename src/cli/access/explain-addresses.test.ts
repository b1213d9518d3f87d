import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh as mesh } from './testing/httpbin-mesh.ts';

describe('meshpol explain, by addresses that the input has or lacks,', () => {
  test('assumes an address for what has none in the input, and says so', async () => {
    const manifests = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: foo}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {serviceAccountName: web, containers: [{name: app}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadGroup
metadata: {name: vm, namespace: foo}
spec: {metadata: {labels: {app: vm}}, template: {serviceAccount: vm}}
`;
    const input = mesh.replace(/---\n$/, manifests);
    const { code, out } = await run('explain - --from foo/web --to httpbin:8000', input);
    expect([code, out.split('\n')[0]]).toEqual([0, 'reaches foo/httpbin']);
    expect(out).toContain('  - foo/web has no address in the input: 198.19.0.2 stands for it\n');
    const to = await run('explain - --from foo/vm --to web', input);
    expect([to.code, to.out.split('\n')[0]]).toEqual([0, 'reaches foo/web']);
    expect(to.out).toContain('inbound-80-mtls-http');
    const about = ['foo/vm has no address', 'foo/web has no address', 'Service foo/web has no address'];
    for (const text of about) expect(to.out).toContain(`  - ${text} in the input: 198.1`);
    const described = await run('describe foo/web -', input);
    expect(described.out).toMatch(/^foo\/web: Deployment, with a sidecar, .*, at 198\.19\.0\.2\n/);
  });

  test.each([
    ['apps/v1', 'Deployment', 'replicas: 0'],
    ['apps/v1', 'StatefulSet', 'replicas: 0'],
    ['batch/v1', 'Job', 'suspend: true'],
  ])('knows that of %s %s with %s there is no pod', async (apiVersion, kind, field) => {
    const manifests = (fields: string): string => `---
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: web, namespace: foo}
spec: {${fields}template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
`;
    const asked = (fields: string, to: string): ReturnType<typeof run> =>
      run(`explain - --from foo/sleep --to ${to}`, mesh.replace(/---\n$/, manifests(fields)));
    const { out, error } = await asked(`${field}, `, 'web');
    expect(out.split('\n')[0]).toMatch(/^503 no_healthy_upstream/);
    expect(error).toContain(
      `service "foo/web" has no endpoints: ${kind} "foo/web" has ${field} [service-without-endpoints]`,
    );
    expect((await asked('', 'web')).out).toMatch(/^reaches foo\/web\n/);
    const itself = await asked(`${field}, `, 'foo/web:80');
    expect([itself.code, itself.error]).toEqual([
      2,
      expect.stringContaining('workload foo/web has no pod in the input'),
    ]);
  });

  test('lets a request go to a host outside the mesh, whose address a name server tells', async () => {
    const entry = `---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: api, namespace: foo}
spec: {hosts: [api.example.com], location: MESH_EXTERNAL, resolution: DNS, ports: [{number: 80, name: http, protocol: HTTP}]}
`;
    const { code, out } = await run('explain - --from foo/sleep --to api.example.com', mesh.replace(/---\n$/, entry));
    expect([code, out.split('\n')[0]]).toEqual([0, 'reaches api.example.com:80']);
    expect(out).toContain('  - the host of --to resolves to 198.18.0.2, where no workload is\n');
  });

  test.each(['alias', 'alias.foo', 'alias.foo.svc.cluster.local', 'far.bar'])(
    'knows the host %s of a Service of type ExternalName by the service that it leads to',
    async (host) => {
      const service = (name: string, namespace: string, target: string): string => `---
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {type: ExternalName, externalName: ${target}}
`;
      const aliases =
        service('alias', 'foo', 'httpbin.foo.svc.cluster.local') + service('far', 'bar', 'alias.foo.svc.cluster.local');
      const { code, out } = await run(`explain - --from foo/sleep --to ${host}:8000`, mesh.replace(/---\n$/, aliases));
      expect([code, out.split('\n')[0]]).toEqual([0, 'reaches foo/httpbin']);
      expect(out).toContain('    route: default, by Service foo/httpbin spec.ports[0]');
    },
  );

  test('knows a host by the longest wildcard of a ServiceEntry', async () => {
    const entry = (name: string, host: string, port: number): string => `---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: foo}
spec: {hosts: ["${host}"], location: MESH_EXTERNAL, resolution: NONE, ports: [{number: ${port}, name: http, protocol: HTTP}]}
`;
    const input = mesh.replace(/---\n$/, entry('all', '*.example.com', 80) + entry('api', '*.api.example.com', 8080));
    const ask = (host: string): ReturnType<typeof run> => run(`explain - --from foo/sleep --to ${host}`, input);
    const { code, out } = await ask('www.example.com');
    expect([code, out.split('\n')[0]]).toEqual([0, 'reaches 198.18.0.2:80']);
    expect(out).toContain('route: default, by ServiceEntry foo/all spec.ports[0]');
    expect((await ask('a.api.example.com')).out).toContain('route: default, by ServiceEntry foo/api spec.ports[0]');
    const other = await ask('example.com');
    expect([other.code, other.error]).toEqual([2, expect.stringContaining('the input has no service "example.com"')]);
  });

  test('follows a request to a gateway, and takes no gateway for a client', async () => {
    const gateway = `---
apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {app: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.3}
`;
    const input = mesh.replace(/---\n$/, gateway);
    const { code, out } = await run('explain - --from outside --to foo/edge:80', input);
    expect([code, out.split('\n')[0]]).toEqual([
      0,
      '000 the connection is closed: the gateway has no listener on this port; curl exits with 7',
    ]);
    const ready = await run('explain - --from outside --to foo/edge:15021 --path /healthz/ready', input);
    expect(ready.out.split('\n')[0]).toMatch(/^unknown: .*port 15021, where the proxy itself answers/);
    const from = await run('explain - --from foo/edge --to httpbin:8000', input);
    expect([from.code, from.error]).toEqual([2, expect.stringContaining('foo/edge is a gateway')]);
  });
});
