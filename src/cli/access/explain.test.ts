import { describe, expect, test } from 'vitest';
import { coloursFor } from '../../lib/colours.ts';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh as mesh } from './testing/httpbin-mesh.ts';

const strict = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: foo}
spec: {mtls: {mode: STRICT}}
`;
const allow = (rule: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: only, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  rules:
  - ${rule}
`;
const tokens = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  jwtRules: [{issuer: "https://i.example", audiences: [a], jwksUri: "https://i.example/keys"}]
`;

const fromSleep = 'explain - --from foo/sleep --to httpbin:8000';
const lineOf = (part: string, text: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;
const firstLine = ({ out }: { readonly out: string }): string | undefined => out.split('\n')[0];

describe('meshpol explain', () => {
  test('says that a request reaches its workload, and by which chains and routes', async () => {
    const { code, out, error } = await run(`${fromSleep} --path /a`, mesh);
    expect([code, error]).toEqual([0, '']);
    expect(out).toContain('reaches foo/httpbin\n  foo/sleep, client: listener 0.0.0.0_8000\n');
    expect(out).toContain('filter chain: inbound-80-mtls-http');
    expect(out).toMatch(/\nassumed:\n {2}- every endpoint is healthy/);
  });

  test.each([
    ['green', 'reaches foo/httpbin', '32', mesh],
    ['red', '403 rbac_access_denied', '31', `${mesh}${allow('to: [{operation: {paths: [/only]}}]')}`],
  ])('writes its verdict in %s where there are colours: %s', async (_name, verdict, code, texts) => {
    const colours = coloursFor({ isTTY: true }, { TERM: 'xterm' });
    const { out } = await run(fromSleep, texts, {}, { colours });
    const plain = await run(fromSleep, texts);
    const [first = '', ...others] = plain.out.split('\n');
    expect(first).toContain(verdict);
    const expected = [`\x1b[${code}m${first}\x1b[39m`, ...others].join('\n');
    expect(out).toBe(expected.replace('\nassumed:\n', '\n\x1b[1massumed:\x1b[22m\n'));
    const json = await run(`${fromSleep} --format json`, texts, {}, { colours });
    expect(json.out).not.toContain('\x1b');
  });

  test('follows bytes to an address of a service, which no proxy has resolved, to an endpoint, as the node does', async () => {
    const asked = 'explain - --from foo/sleep --to httpbin:8000 --protocol tcp';
    const { out } = await run(asked, mesh);
    expect(out).toMatch(/^000 the connection is closed: bytes that are not HTTP/);
    expect(out).toContain('  foo/httpbin, server: listener virtualInbound\n');
    expect(firstLine(await run(asked, mesh + strict))).toMatch(
      /^000 the connection is closed: no filter chain takes it/,
    );
    const without = mesh.replace('selector: {app: httpbin}', 'selector: {app: nobody}');
    expect(firstLine(await run(asked, without))).toMatch(
      /^000 the connection is closed: the service has no endpoint \(/,
    );
    const other = await run('explain - --from foo/sleep --to httpbin:8001', mesh);
    expect(firstLine(other)).toMatch(/^000 the connection is closed: the service has no endpoint for port 8001;/);
  });

  test.each(['outside', 'foo/sleep'])('lets nobody to the ports of a proxy itself: from %s', async (from) => {
    const answer = await run(`explain - --from ${from} --to foo/httpbin:15006`, mesh);
    expect(firstLine(answer)).toMatch(/^000 the connection is closed: no_healthy_upstream.*exits with 52 or 56$/);
  });

  test.each(['__proto__', 'constructor'])('names a header %s as it is called', async (name) => {
    const rule = `when: [{key: "request.headers[${name}]", values: [a]}]`;
    const { out } = await run(`explain - --from foo/sleep --to httpbin.foo:8000`, mesh + allow(rule));
    expect(out).toContain(`header ${name} is "a"; the request has no header ${name}`);
  });

  test('says once that no filter chain matches, whatever number of them the same field decided', async () => {
    const { out } = await run('explain - --from spiffe://cluster.local/ns/x/sa/y --to httpbin.foo', mesh);
    expect(out.match(/filter chain: none matches, by .*/g)).toHaveLength(1);
  });

  test('names the policy, file and line that close the connection of a client outside the mesh', async () => {
    const { code, out } = await run('explain - --from outside --to httpbin.foo', `${mesh}${strict}`);
    expect(code).toBe(0);
    const place = `PeerAuthentication foo/default spec.mtls.mode, -:${lineOf('STRICT', mesh + strict)};`;
    expect(firstLine({ out })).toMatch(/^000 the connection is closed: .*exits with 56$/);
    expect(firstLine({ out })).toContain(place);
  });

  test('lets a client outside the mesh in that has a certificate of the mesh', async () => {
    const identity = 'spiffe://cluster.local/ns/foo/sa/sleep';
    const answer = await run(`explain - --from ${identity} --to httpbin.foo`, `${mesh}${strict}`);
    expect(firstLine(answer)).toBe('reaches foo/httpbin');
  });

  test('names the rule that denies, and for a rule of which one condition fails what it wants', async () => {
    const policy = allow('to: [{operation: {methods: [GET], paths: [/info]}}]');
    const { out } = await run(`${fromSleep} --method POST --path /x/../info`, mesh + policy);
    const place = `AuthorizationPolicy foo/only spec, -:${lineOf('selector: {matchLabels', mesh + policy)}`;
    expect(firstLine({ out })).toBe(`403 rbac_access_denied_matched_policy[none] (${place})`);
    expect(out).toContain(
      '  one condition short of ns[foo]-policy[only]-rule[0]: method is "GET"; the request has method "POST"\n',
    );
    expect(firstLine(await run(`${fromSleep} --path /x/../info`, mesh + policy))).toBe('reaches foo/httpbin');
    const denied = await run(`${fromSleep} --path /info`, mesh + policy.replace('rules:', 'action: DENY\n  rules:'));
    expect(firstLine(denied)).toContain(
      'matched_policy[ns[foo]-policy[only]-rule[0]] (AuthorizationPolicy foo/only spec.rules[0]',
    );
  });

  test('says which conditions of a DENY rule are met, or that a request is one condition short of it', async () => {
    const rule = allow('to: [{operation: {methods: [GET], paths: [/info]}}]').replace(
      'rules:',
      'action: DENY\n  rules:',
    );
    const denied = await run(`${fromSleep} --path /info`, mesh + rule);
    expect(denied.out).toContain(
      '\n  it matches: method is "GET"; the request has method "GET"\n  it matches: path is',
    );
    const { out } = await run(`${fromSleep} --path /info --method POST`, mesh + rule);
    expect(firstLine({ out })).toBe('reaches foo/httpbin');
    const short = 'ns[foo]-policy[only]-rule[0]: method is "GET"; the request has method "POST"';
    expect(out).toContain(`\n  one condition short of being denied by ${short}\n`);
    // Nearly every request is short of a rule with a single condition.
    const single = await run(`${fromSleep} --method POST`, mesh + rule.replace(', paths: [/info]', ''));
    expect(single.out).not.toContain('one condition short');
  });

  test.each([
    ['{"iss":"https://i.example","sub":"me","aud":"a"}', 'reaches foo/httpbin'],
    ['{"iss":"https://i.example","sub":"me","aud":["b","a"]}', 'reaches foo/httpbin'],
    ['{"iss":"https://i.example","sub":"you","aud":"a"}', '403 rbac_access_denied_matched_policy[none]'],
    [
      '{"iss":"https://i.example","sub":"me","aud":"b"}',
      '403 jwt_authn_access_denied{Audiences_in_Jwt_are_not_allowed}',
    ],
    [
      '{"iss":"https://other.example","sub":"me","aud":"a"}',
      '401 jwt_authn_access_denied{Jwt_issuer_is_not_configured}',
    ],
    ['{"iss":"https://i.example","sub":"me","aud":"a","exp":1}', '401 jwt_authn_access_denied{Jwt_is_expired}'],
  ])('judges a token with the claims %s', async (claims, verdict) => {
    const policy = allow('from: [{source: {requestPrincipals: ["https://i.example/me"]}}]');
    const answer = await run(`${fromSleep} --claims ${claims}`, `${mesh}${tokens}---\n${policy}`);
    expect(firstLine(answer)?.startsWith(verdict)).toBe(true);
  });

  test('reads a token that stands in the request, where the policy looks for one', async () => {
    const { code, out } = await run(`${fromSleep} --header authorization:Bearer=x`, mesh + tokens);
    expect([code, out.startsWith('reaches')]).toEqual([0, true]);
    const query = await run(`${fromSleep} --path /?access_token=x`, mesh + tokens);
    expect([query.code, firstLine(query)?.slice(0, 50)]).toEqual([
      0,
      '401 jwt_authn_access_denied{Jwt_is_not_in_the_form',
    ]);
  });

  test('prints JSON', async () => {
    const { out } = await run(`${fromSleep} --format json`, mesh);
    expect(JSON.parse(out)).toMatchObject({
      format: 1,
      ways: [{ outcome: { kind: 'reaches' }, target: { namespace: 'foo', name: 'httpbin' }, legs: [{}, {}] }],
    });
  });

  test.each([
    [`--from foo/nobody --to httpbin:8000`, 'the input has no workload foo/nobody; it has foo/httpbin, foo/sleep'],
    [`--from foo/sleep --to nothing`, 'the input has no service "nothing"'],
    [`--from outside --to foo/sleep`, 'workload foo/sleep has no ports: write one behind the name'],
    [
      `--from outside --to httpbin.foo:81`,
      'service httpbin.foo.svc.cluster.local has no port 81; it has 8000: write one of these behind the name',
    ],
    [`--from a/b/c --to httpbin`, 'expected NAMESPACE/WORKLOAD'],
    [`--from outside --to httpbin.foo --header x`, 'expected "NAME: VALUE"'],
    [`--from outside --to httpbin.foo --header x:a\r\ny:b`, 'expected "NAME: VALUE"'],
    [`--from outside --to httpbin.foo --header :path:/`, 'expected "NAME: VALUE"'],
    [`--from outside --to httpbin.foo --host httpbin.foo\r\nx:y`, 'no line breaks'],
    [`--from outside --to httpbin.foo --method GET\n/`, 'no space'],
    [`--from outside --to httpbin.foo --path /\0`, 'no line breaks'],
    [`--from outside --to httpbin.foo --claims 1`, 'expected a JSON object'],
    [`--from outside --to httpbin.foo --claims {"a":1,"a":1}`, 'expected a JSON object'],
    [`--to httpbin.foo`, "required option '--from <client>' not specified"],
  ])('refuses %s with 2', async (args, message) => {
    const { code, error } = await run(`explain - ${args}`, mesh);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    ['--header connection:close', /over HTTP\/2: .*"connection"/],
    ['--header x:Ā', /a character that is more than one byte/],
    ['--method CONNECT', /over HTTP\/2: .*CONNECT/],
  ])('says of a request with %s that it cannot be sent to Envoy, and why', async (options, why) => {
    // Envoy is not started for nothing.
    const args = `explain - --from outside --to httpbin.foo:8000 --protocol http2 ${options} --prove --envoy ${process.execPath}`;
    const { code, out, error } = await run(args, mesh);
    expect([code, error]).toEqual([1, '']);
    expect(out).toMatch(/not tried: foo\/httpbin, server: the request cannot be sent/);
    expect(out).toMatch(why);
  });

  test('escapes what would move the cursor in what the request has', async () => {
    const args = [...fromSleep.split(' '), '--header', 'x-a: b\u202ec'];
    const { out } = await run(args, `${mesh}${allow('when: [{key: "request.headers[x-a]", values: [b]}]')}`);
    expect(out).toContain(String.raw`b\u202ec`);
    expect(out).not.toContain('\u202e');
  });

  test('prints the errors of invalid inputs, and exits with 1', async () => {
    const { code, out, error } = await run(fromSleep, mesh + strict.replace('STRICT', 'STRIKT'));
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain('STRIKT');
  });
});
