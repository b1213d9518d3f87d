import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';

const pod = (name: string, ip: string, namespace = 'foo'): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${name}}}
spec: {serviceAccountName: ${name}, containers: [{name: app}]}
status: {podIP: ${ip}}
---
`;
const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: foo}
spec: {selector: {app: httpbin}, clusterIP: 10.96.0.1, ports: [{name: http, port: 8000, targetPort: 80}]}
---
${pod('httpbin', '10.0.0.1')}${pod('sleep', '10.0.0.2')}${pod('bare', '10.0.0.3', 'legacy')}apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: only, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  rules:
  - from: [{source: {principals: [cluster.local/ns/foo/sa/sleep]}}]
    to: [{operation: {methods: [GET]}}]
`;

const entry = {
  ...{ method: 'POST', path: '/info', protocol: 'HTTP/1.1', authority: 'httpbin:8000', user_agent: 'curl' },
  ...{ response_code: 403, response_code_details: 'rbac_access_denied_matched_policy[none]' },
  ...{
    downstream_local_address: '10.0.0.1:80',
    downstream_remote_address: '10.0.0.2:4000',
    upstream_cluster: 'inbound|80||',
  },
  ...{ requested_server_name: 'outbound_.8000_._.httpbin.foo.svc.cluster.local' },
  downstream_peer_uri_san: 'spiffe://cluster.local/ns/foo/sa/sleep',
};
const text =
  '[2026-11-27T10:00:00.000Z] "GET /info HTTP/1.1" 200 - via_upstream - "-" 0 19 3 1 "-" "curl" "7b1c" "httpbin" "10.0.0.1:80" ' +
  'inbound|80|| 127.0.0.6:1 10.0.0.1:80 10.0.0.2:4000 outbound_.8000_._.httpbin.foo.svc.cluster.local default';

describe('meshpol explain --log-line', () => {
  let folder: string;
  let input: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-line-'));
    input = join(folder, 'mesh.yaml');
    writeFileSync(input, mesh);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Exit code, outputs and verdict; a line has blanks, so that the command line is a list of words. */
  async function explain(line: string, ...others: readonly string[]) {
    const words = ['explain', input, '--log-line', line, ...others];
    const answer = await run(words);
    return { ...answer, first: answer.out.split('\n')[0] };
  }

  test("follows the request of a server's line from its client's sidecar", async () => {
    const { code, out, error, first } = await explain(JSON.stringify(entry));
    expect([code, error]).toEqual([0, '']);
    expect(first).toMatch(/^403 rbac_access_denied_matched_policy\[none\] \(AuthorizationPolicy foo\/only/);
    expect(out).toContain('foo/sleep, client: listener 0.0.0.0_8000');
    expect(out).toContain(
      'one condition short of ns[foo]-policy[only]-rule[0]: method is "GET"; the request has method "POST"',
    );
    expect(out).toContain('\nlogged: 403 rbac_access_denied_matched_policy[none], which agrees with the prediction\n');
    expect(out).toContain(
      '  - the line does not tell headers of the request but user-agent: it has no others, and no token\n',
    );
  });

  test('takes the identity of the workload with the address, where the format does not tell it, and says so', async () => {
    const { out, first } = await explain(text);
    expect(first).toBe('reaches foo/httpbin');
    expect(out).toContain(
      "  - the line does not tell the client's identity: it is that of foo/sleep, which has its address\n",
    );
  });

  test.each<[string, object, RegExp]>([
    [
      "a client's line",
      {
        downstream_local_address: '10.96.0.1:8000',
        upstream_cluster: 'outbound|8000||httpbin.foo.svc.cluster.local',
        requested_server_name: null,
        downstream_peer_uri_san: null,
      },
      /^403 rbac.*\n {2}foo\/sleep, client/,
    ],
    [
      'a client known by its identity alone',
      { downstream_remote_address: '10.4.4.4:1', method: 'GET' },
      /^reaches foo\/httpbin\n {2}foo\/sleep, client/,
    ],
    [
      'a client without a proxy',
      { downstream_remote_address: '10.0.0.3:1', requested_server_name: null, downstream_peer_uri_san: null },
      /^403 rbac.*\n {2}foo\/httpbin, server[\s\S]*the client's address 10\.0\.0\.3 is that of legacy\/bare/,
    ],
    [
      'a client outside the mesh',
      { downstream_remote_address: '192.0.2.9:1', requested_server_name: null, downstream_peer_uri_san: null },
      /^403 rbac[\s\S]*the client's address 192\.0\.2\.9 is outside the mesh/,
    ],
  ])('finds %s', async (_, changed, expected) => {
    expect((await explain(JSON.stringify({ ...entry, ...changed }))).out).toMatch(expected);
  });

  test('says that the line does not agree with the prediction', async () => {
    const { out } = await explain(
      JSON.stringify({ ...entry, response_code: 200, response_code_details: 'via_upstream', method: 'PUT' }),
    );
    // A server's sidecar that denies says so itself, but the client's proxy has it from upstream.
    expect(out).toContain('logged: 200 via_upstream, which the prediction does not have');
    const json = await explain(JSON.stringify(entry), '--format', 'json');
    expect(JSON.parse(json.out)).toMatchObject({ logged: { status: 403, isPredicted: true } });
  });

  test('takes what the options say in place of the line', async () => {
    const { first } = await explain(JSON.stringify(entry), '--method', 'GET');
    expect(first).toBe('reaches foo/httpbin');
    const outside = await explain(
      JSON.stringify(entry),
      '--method',
      'GET',
      '--from',
      'outside',
      '--to',
      'httpbin.foo:8000',
    );
    expect(outside.first).toMatch(/^403 /);
  });

  test('reads the format of the mesh configuration', async () => {
    const path = join(folder, 'mesh-config.yaml');
    writeFileSync(
      path,
      `accessLogFile: /dev/stdout\naccessLogFormat: '%REQ(:METHOD)% %REQ(:PATH):9% to %DOWNSTREAM_LOCAL_ADDRESS% from %DOWNSTREAM_REMOTE_ADDRESS%'\n`,
    );
    const line = 'GET /info to 10.0.0.1:80 from 10.0.0.3:77';
    expect((await explain(line, '--meshConfig', path)).first).toMatch(/^403 /);
    const cut = await explain(line.replace('/info', '/12345678'), '--meshConfig', path);
    expect([cut.code, cut.error]).toEqual([
      2,
      expect.stringContaining('does not tell the whole path of the request: add --path'),
    ]);
  });

  test.each<[string, string]>([
    ['nonsense', 'has none of the known formats'],
    [JSON.stringify({ ...entry, downstream_local_address: null }), 'does not tell where the connection went'],
    [JSON.stringify({ ...entry, downstream_remote_address: null }), 'does not tell where the client is'],
    [
      JSON.stringify({
        ...entry,
        downstream_local_address: '10.4.4.4:80',
        downstream_peer_uri_san: null,
        downstream_remote_address: '10.5.5.5:1',
      }),
      'neither 10.5.5.5 nor 10.4.4.4 is an address of the input: add --from and --to',
    ],
  ])('refuses %s', async (line, message) => {
    const { code, error } = await explain(line);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });
});
