import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../../compiler/analyse.ts';
import { createObjectReader } from '../../compiler/read-objects.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { lint } from '../lint.ts';
import { partialInput } from '../partial-input.ts';
import { readExample } from '../testing/cases.ts';
import { hintsOf, policy } from '../testing/hints.ts';

describe('the hint of a finding about authorization', () => {
  const principal = (value: string) => policy('a', `{rules: [{from: [{source: {principals: ["${value}"]}}]}]}`);

  test.each([
    ['cluster.local', 'cluser.local/ns/shop/sa/checkout', 'did you mean "cluster.local/ns/shop/sa/checkout"?'],
    ['mesh.example', 'mehs.example/ns/shop/*', 'did you mean "mesh.example/ns/shop/*"?'],
  ])('names the principal of trust domain %s that %s was meant to be', (trustDomain, value, hint) => {
    expect(hintsOf('untrusted-domain', trustDomain, principal(value))).toEqual([hint]);
  });

  test.each([
    ['', 'the workload "web" has the account "default": give it one of its own (serviceAccountName)'],
    ['serviceAccountName: websvc, ', 'did you mean "websvc"?'],
  ])('of an account that only a workload is called after lets in no pods without one of their own: %j', (own, hint) => {
    const pod = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {sidecar.mesh.io/inject: "true"}}
spec: {${own}containers: [{name: app}]}
`;
    expect(hintsOf('unknown-service-account', 'cluster.local', pod, principal('cluster.local/ns/shop/sa/web'))).toEqual(
      [hint],
    );
  });

  const path = (value: string, action = 'ALLOW') =>
    policy('a', `{action: ${action}, rules: [{to: [{operation: {paths: ["${value}"]}}]}]}`);

  test.each([
    ['^/public/', 'paths are no regular expressions: write "/public/*"'],
    ['^/public$', 'paths are no regular expressions: write "/public"'],
    ['^/public/.*', 'paths are no regular expressions: write "/public/*"'],
    ['api/v1', 'write "/api/v1"'],
    ['/download?id=*', 'write "/download"'],
    ['https://a.example/b', 'write "/b"'],
    ['?id=1', undefined],
  ])('of the path %s, which no request has, names the one that is meant', (value, hint) => {
    expect(said(path(value))).toEqual([hint]);
  });

  test.each([
    ['/files/.*', 'ALLOW', /only paths that begin with "\/files\/\."$/],
    ['/files/.*', 'DENY', /only paths that begin with "\/files\/\."$/],
    ['*/files$', 'DENY', /only paths that end with "\/files\$"$/],
    ['/files/.+', 'DENY', /no request has this one: this DENY rule refuses nothing by it$/],
  ])('of an expression %s in the place of a path says what an %s rule does by it', (value, action, why) => {
    const bag = new DiagnosticBag();
    const objects = createObjectReader()([{ path: 'a.yaml', text: path(value, action) }], bag);
    const snapshot = createAnalyser(defaultSettings, partialInput)(objects, bag);
    const found = snapshot && lint(snapshot).findings.filter(({ code }) => code === 'expression-as-path');
    expect(found?.map((finding) => finding.why)).toEqual([expect.stringMatching(why)]);
  });

  test('asks for the form of a principal, or an alias, where the trust domain is quite another one', () => {
    const hints = hintsOf('untrusted-domain', 'mesh.example', principal('other.example/ns/shop/sa/a'));
    expect(hints).toEqual([expect.stringContaining('trustDomainAliases')]);
  });

  test.each([
    ['https://accounts.example', 'write "https://accounts.example/*" for every subject of that issuer'],
    ['accounts', undefined],
    ['https://', undefined],
  ])('of the request principal %s adds the star of every subject where it is an issuer', (value, hint) => {
    expect(said(policy('a', `{rules: [{from: [{source: {requestPrincipals: ["${value}"]}}]}]}`))).toEqual([hint]);
  });

  test('of a DENY rule without a condition that makes an ALLOW policy useless tells how the rest is refused, whatever its name', () => {
    const allow = policy('allow', '{rules: [{to: [{operation: {methods: [GET]}}]}]}');
    const hints = hintsOf(
      'everything-denied',
      'cluster.local',
      allow,
      policy('deny-rest', '{action: DENY, rules: [{}]}'),
    );
    expect(hints).toEqual([expect.stringContaining('remove "action" and "rules" ("spec: {}")')]);
  });

  test.each([
    [
      '{from: [{source: {requestPrincipals: ["*"]}}]}',
      /^in place of the condition name the clients.* lets everybody in/,
    ],
    ['{to: [{operation: {methods: [GET]}}]}', /^in place of the condition name the clients/],
    ['{from: [{source: {notNamespaces: [b]}}], to: [{operation: {methods: [GET]}}]}', /^in place of the condition/],
    [
      '{from: [{source: {namespaces: [b]}}], to: [{operation: {methods: [GET]}}]}',
      /same clients and ports: \["6379"\]/,
    ],
    ['{to: [{operation: {methods: [GET]}}], when: [{key: source.ip, values: [10.0.0.1]}]}', /same clients and ports/],
    ['{to: [{operation: {paths: [/risk.v1.Risk/Score]}}]}', /"grpc-…"/],
    ['{to: [{operation: {paths: [/risk]}}]}', /"http-…"/],
  ])('of the ALLOW rule %s for a port of TCP leaves the port closed', (rule, hint) => {
    expect(hintsOf('http-condition-on-tcp-port', 'cluster.local', redis, policy('a', ruleOf('ALLOW', rule)))).toEqual([
      expect.stringMatching(hint),
    ]);
  });

  test('of a DENY rule for a port of TCP tells to keep the condition for ports of HTTP', () => {
    const rule = ruleOf('DENY', '{to: [{operation: {paths: [/admin]}}]}');
    expect(hintsOf('http-condition-on-tcp-port', 'cluster.local', redis, policy('a', rule))).toEqual([
      expect.stringMatching(/^write the condition for ports of HTTP alone .* port 6379 name the clients/),
    ]);
  });

  test('of the condition destination.user tells what stands for it, for without it the rule holds for more', () => {
    const rules = '{rules: [{when: [{key: destination.user, values: [a]}]}]}';
    expect(said(policy('a', rules))).toEqual([
      expect.stringMatching(/^name the workloads of that account by "selector"/),
    ]);
  });

  test('asks for a name that says so where a DENY rule without a condition stands alone', () => {
    const hints = hintsOf('everything-denied', 'cluster.local', policy('a', '{action: DENY, rules: [{}]}'));
    expect(hints).toEqual([expect.stringContaining('a name with "deny"')]);
  });

  test.each(['deny-all', 'default', 'allow-nothing'])(
    'of an ALLOW rule that takes all in "%s" tells to remove the rules',
    (name) => {
      expect(hintsOf('allow-every-request', 'cluster.local', policy(name, '{rules: [{}]}'))).toEqual([
        expect.stringContaining('remove "rules"'),
      ]);
    },
  );

  test.each([
    ['the same identity', '[{from: [{source: {principals: ["a/ns/b/sa/c"]}}]}]', /^remove one of the two rules/],
    ['any identity', '[{to: [{operation: {methods: [GET]}}]}]', /^exempt from the DENY rule/],
  ])(
    'of an ALLOW rule within a DENY rule for %s names an exception that leaves the DENY rule something',
    (_, deny, hint) => {
      const allow = '{rules: [{from: [{source: {principals: ["a/ns/b/sa/c"]}}], to: [{operation: {methods: [GET]}}]}]}';
      const hints = hintsOf(
        'allow-within-deny',
        'a',
        policy('a', allow),
        policy('b', `{action: DENY, rules: ${deny}}`),
      );
      expect(hints).toEqual([expect.stringMatching(hint)]);
    },
  );

  test.each([
    ['/users/*/files/*', 'write "/users/{*}/files/{**}"'],
    ['/a/*/b', 'write "/a/{*}/b"'],
    ['/a*b', 'write "{*}" for one whole segment, and at the end "{**}" for any text; or list the paths'],
    ['/internal/.*/x.*', expect.stringMatching(/^paths are no regular expressions: list the paths/)],
  ])('writes the path %s as its author meant it', (path, hint) => {
    const rules = `{action: DENY, rules: [{to: [{operation: {paths: ["${path}"]}}]}]}`;
    expect(hintsOf('star-inside-path', 'cluster.local', policy('a', rules))).toEqual([hint]);
  });

  test.each([
    ['/users/[0-9]+/tokens', 'write "/users/{*}/tokens"'],
    ['/internal/.*', 'write "/internal/*"'],
    ['/orders$', 'write "/orders"'],
    ['/(a|b)/c', expect.stringMatching(/^list the paths/)],
  ])('of the expression %s writes the path that is meant', (path, hint) => {
    const rules = `{action: DENY, rules: [{to: [{operation: {paths: ["${path}"]}}]}]}`;
    expect(hintsOf('expression-as-path', 'cluster.local', policy('a', rules))).toEqual([hint]);
  });

  test.each([
    ['tcp', 0],
    ['http', 1],
  ])('of other spellings of a path is silent where the port of the rule is %s', (protocol, count) => {
    const service = `apiVersion: v1
kind: Service
metadata: {name: a, namespace: shop}
spec: {selector: {app: a}, ports: [{name: ${protocol}, port: 8080}]}
`;
    const deny = `{selector: {matchLabels: {app: a}}, action: DENY, rules: [{to: [{operation: {paths: [/x], ports: ["8080"]}}]}]}`;
    expect(hintsOf('other-spellings-of-path', 'cluster.local', service, policy('a', deny))).toHaveLength(count);
  });

  test('of an action without rules tells that it does nothing, and not to refuse what other policies allow', () => {
    expect(said(policy('deny-all', '{action: DENY}'))).toEqual([
      expect.stringMatching(/^to refuse whatever no ALLOW policy allows, remove "action"; .* also what ALLOW policies/),
    ]);
  });

  test.each([
    ['https://admin.example.com/a', 'write "admin.example.com"'],
    ['admin example', 'write a value that requests can have'],
    ['admin example", "b.example', 'write a value that requests can have, or remove this one'],
  ])(
    'of the host %s, which a DENY rule names in vain, writes the name alone, and leaves the rule a condition',
    (host, hint) => {
      expect(said(policy('a', `{action: DENY, rules: [{to: [{operation: {hosts: ["${host}"]}}]}]}`))).toEqual([hint]);
    },
  );

  test.each([
    ['from: [{source: {notPrincipals: ["*/ns/monitoring/*"]}}]', 'write notNamespaces: ["monitoring"]'],
    ['from: [{source: {principals: ["*/ns/monitoring/sa/*"]}}]', 'write namespaces: ["monitoring"]'],
    ['when: [{key: source.principal, notValues: ["*/ns/shop/*"]}]', 'write key: source.namespace, notValues: ["shop"]'],
    ['from: [{source: {principals: ["*/web*"]}}]', expect.stringMatching(/^name each identity/)],
  ])('of the identity with two stars in {%s} names the field for all of a namespace', (rule, hint) => {
    expect(said(policy('a', `{action: DENY, rules: [{${rule}}]}`))).toEqual([hint]);
  });

  test.each([
    ['when: [{key: "request.headers[x-user]", notValues: [""]}]', 'to ask that there is one write values: ["*"]'],
    ['when: [{key: "request.headers[x-user]", values: [""]}]', 'to ask that there is none write notValues: ["*"]'],
    ['from: [{source: {principals: [""]}}]', 'to ask that there is none write notPrincipals: ["*"]'],
    ['to: [{operation: {hosts: [""]}}]', 'write the value that is meant'],
  ])('of the empty text in {%s} says what stands for an absence', (rule, hint) => {
    expect(said(policy('a', `{rules: [{${rule}}]}`))).toEqual([hint]);
  });

  test('of a host with its port at a gateway proposes what holds here and in Istio', async () => {
    const { snapshot } = await readExample({ code: 'host-port-at-gateway', shape: 'deny' }, 'bad');
    const [found] = lint(snapshot).findings.filter(({ code }) => code === 'host-port-at-gateway');
    expect(found?.hint).toMatch(
      /^write both "admin\.example\.com" and "admin\.example\.com:\*", which hold here and in Istio/,
    );
  });
});

const redis = `apiVersion: v1
kind: Service
metadata: {name: redis, namespace: shop}
spec: {selector: {app: redis}, ports: [{name: tcp, port: 6379}]}
`;

const ruleOf = (action: string, rule: string): string =>
  `{selector: {matchLabels: {app: redis}}, action: ${action}, rules: [${rule}]}`;

function said(text: string): readonly (string | undefined)[] {
  const bag = new DiagnosticBag();
  createObjectReader()([{ path: 'a.yaml', text }], bag);
  return bag.all.map(({ hint }) => hint);
}
