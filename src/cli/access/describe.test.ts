import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';

const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: foo}
spec:
  selector: {app: httpbin}
  clusterIP: 10.96.0.1
  ports: [{name: http, port: 8000, targetPort: 80}, {name: tcp-db, port: 3306}]
---
apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: foo, labels: {app: httpbin}}
spec: {serviceAccountName: httpbin, containers: [{name: app}]}
status: {podIP: 10.0.0.1}
---
apiVersion: v1
kind: Pod
metadata: {name: bare, namespace: legacy, labels: {app: bare}}
spec: {containers: [{name: app}]}
status: {podIP: 10.0.0.2}
---
apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {app: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.3}
---
`;
const policies = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: mesh-system}
spec:
  mtls: {mode: STRICT}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: httpbin, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  mtls: {mode: PERMISSIVE}
  portLevelMtls:
    3306: {mode: STRICT}
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  jwtRules: [{issuer: "https://i.example", audiences: [a], fromCookies: [token], jwksUri: "https://i.example/keys"}]
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: reads, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  rules:
  - from: [{source: {principals: [cluster.local/ns/foo/sa/sleep]}}]
    to: [{operation: {methods: [GET], ports: ["80"]}}]
    when: [{key: "request.headers[x-a]", notValues: [b]}]
  - to: [{operation: {ports: ["3306"]}}]
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: no-admin, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  action: DENY
  rules:
  - to: [{operation: {paths: [/admin*], ports: ["80"]}}]
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: tried, namespace: foo, annotations: {mesh.io/dry-run: "true"}}
spec: {selector: {matchLabels: {app: httpbin}}, action: DENY, rules: [{}]}
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: httpbin, namespace: foo}
spec:
  host: httpbin
  trafficPolicy: {tls: {mode: DISABLE}}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: foo}
spec:
  selector: {app: edge}
  servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]
`;
const all = mesh + policies;
const lineOf = (part: string): number => all.split('\n').findIndex((line) => line.includes(part)) + 1;

/** The lines of one part of the text, without their indentation. */
function part(out: string, title: string): readonly string[] {
  const [, rest = ''] = out.split(`\n${title}:\n`);
  const [lines = ''] = rest.split('\n\n');
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => line.trim());
}

describe('meshpol describe', () => {
  test('says for each port in one sentence who is let in', async () => {
    const { code, out } = await run('describe foo/httpbin -', all);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^foo\/httpbin: Pod, with a sidecar, spiffe:\/\/cluster\.local\/ns\/foo\/sa\/httpbin, at 10\.0\.0\.1\n/,
    );
    const [http, tcp, ...others] = part(out, 'who is let in');
    expect(http).toBe(
      'port 80 (httpbin.foo.svc.cluster.local:8000): HTTP requests of any client with mutual TLS of the mesh or in plain ' +
        'text; a token, if there is one, must be valid and of https://i.example; each request that matches rule 1 (to paths ' +
        '/admin* and ports 80) is denied; the request must match rule 3 (from principals cluster.local/ns/foo/sa/sleep, to methods ' +
        'GET and ports 80, when request.headers[x-a] is not b)',
    );
    expect(tcp).toBe(
      'port 3306 (httpbin.foo.svc.cluster.local:3306): connections of any client with mutual TLS of the mesh; the ' +
        'connection must match rule 4 (port 3306)',
    );
    const refusals = ['request', 'connection'].map((what) =>
      expect.stringContaining(`nobody: ALLOW policies apply, and no rule of theirs can match a ${what} here`),
    );
    expect(others).toEqual(refusals);
  });

  test('says that a rule about requests denies every connection where it has no other condition', async () => {
    const rule = policies.replace('paths: [/admin*], ports: ["80"]', 'paths: [/admin*]');
    const { out } = await run('describe foo/httpbin -', mesh + rule);
    expect(part(out, 'who is let in')).toContainEqual(
      expect.stringContaining(
        'every connection is denied by rule 1 (to paths /admin*): its conditions about HTTP requests are ignored for connections',
      ),
    );
  });

  test('names what decided mutual TLS for each port, and what it overrode', async () => {
    const { out } = await run('describe foo/httpbin -', all);
    const own = `PeerAuthentication foo/httpbin spec.mtls.mode, -:${lineOf('mtls: {mode: PERMISSIVE}')}`;
    expect(part(out, 'mutual TLS')).toEqual([
      `port 3306: STRICT, by PeerAuthentication foo/httpbin spec.portLevelMtls["3306"].mode, -:${lineOf('3306: {mode')}; overrides ${own}`,
      `all other ports: PERMISSIVE, by ${own}; overrides PeerAuthentication mesh-system/default spec.mtls.mode, -:${lineOf('mtls: {mode: STRICT}')}`,
    ]);
  });

  test('lists tokens, and access rules in the order in which they are read, with file and line', async () => {
    const { out } = await run('describe foo/httpbin -', all);
    expect(part(out, 'tokens')).toEqual([
      `issuer https://i.example, audience a, in cookie token, by RequestAuthentication foo/tokens spec.jwtRules[0], -:${lineOf('jwtRules')}`,
    ]);
    const rules = part(out, 'access rules, in the order in which they are read').filter((line) => /^\d/.test(line));
    const [first, second, third, fourth] = ['rules: [{}]', 'paths: [/admin*]', 'principals', 'ports: ["3306"]'].map(
      lineOf,
    );
    expect(rules).toEqual([
      expect.stringMatching(/^1\. DENY AuthorizationPolicy foo\/no-admin/),
      `2. DENY AuthorizationPolicy foo/tried spec.rules[0], -:${first}, a dry run: counted and logged, not enforced`,
      `3. ALLOW AuthorizationPolicy foo/reads spec.rules[0], -:${third}`,
      `4. ALLOW AuthorizationPolicy foo/reads spec.rules[1], -:${fourth}`,
    ]);
    expect(rules[0]).toContain(`-:${second}`);
  });

  test('lists where requests go that arrive and that leave', async () => {
    const { out } = await run('describe foo/httpbin -', all);
    expect(part(out, 'routes in')).toEqual([
      'httpbin.foo.svc.cluster.local:8000 (http): port 80 of the application',
      'httpbin.foo.svc.cluster.local:3306 (tcp): port 3306 of the application',
    ]);
    const place = `DestinationRule foo/httpbin spec.trafficPolicy.tls.mode, -:${lineOf('trafficPolicy')}`;
    expect(part(out, 'routes out')).toEqual([
      `httpbin.foo.svc.cluster.local:8000: {"tls":{"mode":"DISABLE"}}, by ${place}`,
      `httpbin.foo.svc.cluster.local:3306: {"tls":{"mode":"DISABLE"}}, by ${place}`,
    ]);
  });

  test('says of a workload without a proxy that nothing is enforced', async () => {
    const { code, out } = await run('describe legacy/bare -', all);
    expect(code).toBe(0);
    expect(part(out, 'who is let in')).toEqual([
      'all ports: any client, in plain text: the workload has no proxy, so no policy is enforced',
    ]);
    expect(part(out, 'mutual TLS, not enforced')[0]).toMatch(/^all ports: STRICT/);
  });

  test('describes a gateway by its servers', async () => {
    const { code, out } = await run('describe foo/edge -', all);
    expect(code).toBe(0);
    expect(out).toMatch(/^foo\/edge: Pod, a gateway, /);
    expect(part(out, 'who is let in')).toEqual(['port 80: HTTP requests of any client in plain text']);
    expect(out).not.toContain('mutual TLS:');
  });

  test('says that connections go around the sidecar at excluded ports', async () => {
    const name = 'traffic.sidecar.mesh.io/excludeInboundPorts';
    const excluded = all.replace(
      'labels: {app: httpbin}}\nspec: {serviceAccountName',
      `labels: {app: httpbin}, annotations: {${name}: "3306"}}\nspec: {serviceAccountName`,
    );
    const { out } = await run('describe foo/httpbin -', excluded);
    expect(part(out, 'who is let in')[1]).toMatch(/: any client: connections go around the sidecar/);
  });

  test('prints JSON', async () => {
    const { out } = await run('describe foo/httpbin - --format json', all);
    expect(JSON.parse(out)).toMatchObject({
      format: 1,
      workload: { namespace: 'foo', name: 'httpbin' },
      role: 'sidecar',
      entrances: [{ port: 80 }, { port: 3306 }, { letsIn: [{}, {}].map(() => expect.any(String)) }],
      mtls: [{ port: 3306, mode: 'STRICT' }, { mode: 'PERMISSIVE' }],
      rules: [{ action: 'DENY' }, { isDryRun: true }, { action: 'ALLOW' }, { action: 'ALLOW' }],
    });
  });

  test.each([
    ['describe foo/nobody -', 2, 'the input has no workload foo/nobody; it has foo/edge, foo/httpbin, legacy/bare'],
    ['describe nobody -', 2, 'expected NAMESPACE/WORKLOAD first, then the inputs'],
    ['describe foo/httpbin', 2, 'no inputs: name files or folders'],
    ['describe', 2, "missing required argument 'WORKLOAD'"],
  ])('refuses "%s" with %i', async (line, expected, message) => {
    const { code, error } = await run(line, all);
    expect([code, error]).toEqual([expected, expect.stringContaining(message)]);
  });

  test('prints the errors of invalid inputs, and exits with 1', async () => {
    const { code, out, error } = await run('describe foo/httpbin -', all.replace('STRICT', 'STRIKT'));
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain('STRIKT');
  });
});
