import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh as mesh } from './testing/httpbin-mesh.ts';

const policy = (rule: string, action = 'ALLOW'): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: only, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  action: ${action}
  rules:
  - ${rule}
`;
const tokens = `---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  jwtRules:
  - issuer: "https://i.example"
    jwksUri: "https://i.example/keys"
    outputClaimToHeaders: [{header: x-team, claim: groups}]
`;
/** A gateway that takes `/api` off the path, and rules there about the path before and after. */
const edge = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {app: edge}}
spec: {serviceAccountName: edge, containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.9}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: gw, namespace: foo}
spec: {selector: {app: edge}, servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: api, namespace: foo}
spec:
  hosts: ["*"]
  gateways: [gw]
  http: [{match: [{uri: {prefix: /api/}}], rewrite: {uri: /}, route: [{destination: {host: httpbin, port: {number: 8000}}}]}]
---
${['original /api/admin', 'rewritten /admin']
  .map((each) => {
    const [name, path] = each.split(' ');
    const rule = `to: [{operation: {paths: [${path}], methods: [POST]}}]`;
    return policy(rule, 'DENY').replace('name: only', `name: ${name}`).replace('app: httpbin', 'app: edge');
  })
  .join('---\n')}`;
const fromSleep = 'explain - --from foo/sleep --to httpbin:8000';
const short = '  one condition short of ns[foo]-policy[only]-rule[0]: ';

describe('meshpol explain', () => {
  test('joins the parts of a condition so that nobody reads "and" and "or" in the wrong order', async () => {
    const operations = '{operation: {methods: [GET], ports: ["80"]}}, {operation: {methods: [PUT]}}';
    const { out } = await run(`${fromSleep} --method POST`, mesh + policy(`to: [${operations}]`));
    expect(out).toContain(
      `${short}(method is "GET" and port 80) or method is "PUT"; the request has method "POST", port 80\n`,
    );
  });

  test('tells of a rule that denies only the choices that the request meets', async () => {
    const rule = 'to: [{operation: {methods: [GET, PUT]}}, {operation: {methods: [POST], ports: ["80"]}}]';
    const { out } = await run(`${fromSleep} --method POST`, mesh + policy(rule, 'DENY'));
    expect(out).toContain('\n  it matches: method is "POST" and port 80; the request has method "POST", port 80\n');
  });

  test('says which value a claim must have, and which it has', async () => {
    const texts = mesh + policy('when: [{key: "request.auth.claims[groups]", values: [dev]}]') + tokens;
    const wants = 'an element of claim groups is "dev" or claim groups is "dev"';
    const has = async (options: readonly string[]): Promise<string> => {
      const { out } = await run([...fromSleep.split(' '), ...options], texts);
      return out.split(`${short}${wants}; the request has `)[1]?.split('\n')[0] ?? out;
    };
    const claims = { iss: 'https://i.example', sub: 'me' };
    expect(await has(['--claims', JSON.stringify({ ...claims, groups: ['ops'] })])).toBe('claim groups ["ops"]');
    expect(await has(['--claims', JSON.stringify(claims)])).toBe('no claim groups');
    expect(await has([])).toBe('no token');
    const preflight = ['--header', 'origin: https://a.test', '--header', 'access-control-request-method: GET'];
    expect(await has(['--method', 'OPTIONS', ...preflight])).toBe(
      'no token: tokens of preflight requests are not read',
    );
  });

  test('says that a header comes from a claim, whatever the client sends', async () => {
    const texts = mesh + policy('when: [{key: "request.headers[x-team]", values: [dev]}]') + tokens;
    const { out } = await run([...fromSleep.split(' '), '--header', 'x-team: dev'], texts);
    expect(out).toContain(
      `${short}header x-team is "dev"; the request has no header x-team (it comes from claim groups of https://i.example alone)\n`,
    );
  });

  test('tells the client by the forwarding header that the proxy believes, and the peer by the connection', async () => {
    const source = (field: string): string => policy(`from: [{source: {${field}: [192.0.2.0/24]}}]`);
    const forwarded = [...fromSleep.split(' '), '--header', 'x-forwarded-for: 203.0.113.9'];
    const client = await run(forwarded, mesh + source('remoteIpBlocks'));
    expect(client.out).toContain(
      `${short}client address in 192.0.2.0/24; the request has client address 203.0.113.9\n`,
    );
    const peer = await run(forwarded, mesh + source('ipBlocks'));
    expect(peer.out).toMatch(/peer address in 192\.0\.2\.0\/24; the request has peer address (10|127)\.[\d.]+\n/);
  });

  test('takes the addresses of peer and client for one condition where no header tells them apart', async () => {
    const rule = policy('from: [{source: {ipBlocks: [10.0.0.0/8, 127.0.0.0/8], remoteIpBlocks: [192.0.2.0/24]}}]');
    const alone = await run(fromSleep, mesh + rule);
    expect(alone.out).toMatch(
      /peer address in .* and client address in 192\.0\.2\.0\/24; the request has peer address /,
    );
    const forwarded = await run([...fromSleep.split(' '), '--header', 'x-forwarded-for: 203.0.113.9'], mesh + rule);
    expect(forwarded.out).toContain(
      `${short}client address in 192.0.2.0/24; the request has client address 203.0.113.9\n`,
    );
  });

  test('names a rule that denies by what the request would have to change', async () => {
    const deny = policy('to: [{operation: {methods: [PUT]}}]', 'DENY').replace('name: only', 'name: never');
    const other = policy('to: [{operation: {paths: [/only]}}]', 'DENY').replace('name: only', 'name: other');
    const texts = [mesh, policy('to: [{operation: {methods: [GET, PUT]}}]'), deny, other].join('---\n');
    const { out } = await run(`${fromSleep} --method POST`, texts);
    expect(out).toContain(
      '  one condition short of being denied by ns[foo]-policy[never]-rule[0]: method is "PUT"; the request has method "POST"\n',
    );
    expect(out).not.toContain('policy[other]-rule[0]: ');
  });

  test('names a rule that denies by the server name where the client would have to begin with TLS', async () => {
    const rules = [
      policy('from: [{source: {principals: [cluster.local/ns/foo/sa/x]}}]'),
      policy('when: [{key: connection.sni, values: ["*"]}]', 'DENY').replace('name: only', 'name: named'),
    ];
    const outside = 'explain - --from 192.0.2.1 --to foo/httpbin:80';
    const { out } = await run(outside, mesh + rules.join('---\n'));
    expect(out).toMatch(/one condition short of being denied by ns\[foo\]-policy\[named\]-rule\[0\]: server name/);
  });

  test('tells which rules nearly deny by the request before its route changes it', async () => {
    const { out } = await run('explain - --from outside --to foo/edge:8080 --path /api/admin', mesh + edge);
    expect(out).toContain(
      '  one condition short of being denied by ns[foo]-policy[original]-rule[0]: method is "POST"; the request has method "GET"\n',
    );
    expect(out).not.toContain('policy[rewritten]');
  });

  test('says nothing of a rule that no request can meet', async () => {
    const rule = 'to: [{operation: {notPaths: ["*"], methods: [GET]}}]';
    const { out } = await run(fromSleep, mesh + policy(rule));
    expect(out).toContain('403 rbac_access_denied_matched_policy[none]');
    expect(out).not.toContain('one condition short');
  });

  test('takes what a rule asks of one property for one condition', async () => {
    const { out } = await run(
      `${fromSleep} --host a,b`,
      mesh + policy('to: [{operation: {hosts: [api.example.com]}}]'),
    );
    expect(out).toMatch(/one condition short of .*host matches ".+" and \(host is "api\.example\.com" or /);
  });
});
