import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { lint } from './lint.ts';

const policy = (name: string, spec: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;

/** The hints of one code about documents of one file. */
function hintsOf(code: string, trustDomain: string, ...documents: readonly string[]): readonly (string | undefined)[] {
  const bag = new DiagnosticBag();
  const objects = createObjectReader()([{ path: 'a.yaml', text: documents.join('---\n') }], bag);
  const snapshot = createAnalyser({ ...defaultSettings, trustDomain })(objects, bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all));
  return lint(snapshot)
    .findings.filter((finding) => finding.code === code)
    .map(({ hint }) => hint);
}

describe('the hint of a finding', () => {
  const principal = (value: string) => policy('a', `{rules: [{from: [{source: {principals: ["${value}"]}}]}]}`);

  test.each([
    ['cluster.local', 'cluser.local/ns/shop/sa/checkout', 'did you mean "cluster.local/ns/shop/sa/checkout"?'],
    ['mesh.example', 'mehs.example/ns/shop/*', 'did you mean "mesh.example/ns/shop/*"?'],
  ])('names the principal of trust domain %s that %s was meant to be', (trustDomain, value, hint) => {
    expect(hintsOf('untrusted-domain', trustDomain, principal(value))).toEqual([hint]);
  });

  test('asks for the form of a principal, or an alias, where the trust domain is quite another one', () => {
    const hints = hintsOf('untrusted-domain', 'mesh.example', principal('other.example/ns/shop/sa/a'));
    expect(hints).toEqual([expect.stringContaining('trustDomainAliases')]);
  });

  test('tells to remove a DENY rule without a condition that makes an ALLOW policy useless, whatever its name', () => {
    const allow = policy('allow', '{rules: [{to: [{operation: {methods: [GET]}}]}]}');
    const hints = hintsOf(
      'everything-denied',
      'cluster.local',
      allow,
      policy('deny-rest', '{action: DENY, rules: [{}]}'),
    );
    expect(hints).toEqual([expect.stringMatching(/^remove the rule: /)]);
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
    ['/users/*/files/*', 'write "/users/{*}/files/{**}"'],
    ['/a/*/b', 'write "/a/{*}/b"'],
    ['/a*b', 'write "{*}" for one whole segment, and at the end "{**}" for any text; or list the paths'],
    ['/internal/.*/x.*', expect.stringMatching(/^paths are no regular expressions: list the paths/)],
  ])('writes the path %s as its author meant it', (path, hint) => {
    const rules = `{action: DENY, rules: [{to: [{operation: {paths: ["${path}"]}}]}]}`;
    expect(hintsOf('star-inside-path', 'cluster.local', policy('a', rules))).toEqual([hint]);
  });

  const modes = (selector: string, server: string, client: string): readonly string[] => [
    `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: a, namespace: shop}
spec: {${selector}mtls: {mode: ${server}}}
`,
    `apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
`,
    `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec: {host: web, trafficPolicy: {tls: {mode: ${client}}}}
`,
  ];
  test.each([
    ['selector: {matchLabels: {app: web}}, ', 'DISABLE', 'MESH_MUTUAL', /^write mode DISABLE here/],
    ['', 'DISABLE', 'MESH_MUTUAL', /^remove "tls", .* PERMISSIVE/],
    ['', 'STRICT', 'SIMPLE', /^remove "tls", .* or write mode MESH_MUTUAL$/],
    ['', 'STRICT', 'DISABLE', /^remove "tls", .* PeerAuthentication$/],
  ])(
    'of clients that %sservers in mode %s refuse with mode %s names what repairs the calls',
    (selector, server, client, hint) => {
      expect(hintsOf('client-tls-refused', 'cluster.local', ...modes(selector, server, client))).toEqual([
        expect.stringMatching(hint),
      ]);
    },
  );

  test.each([
    ['STRICT', /remove its selector/],
    ['PERMISSIVE', /^move it to the namespace of the workloads; workloads of the root namespace/],
  ])('of a selector in the root namespace with mode %s opens nothing', (mode, hint) => {
    const peer = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: a, namespace: mesh-system}
spec: {selector: {matchLabels: {app: a}}, mtls: {mode: ${mode}}}
`;
    expect(hintsOf('selector-in-root-namespace', 'cluster.local', peer)).toEqual([expect.stringMatching(hint)]);
  });

  test('of ConfigMaps that are skipped tells how to give the mesh configuration that one holds', () => {
    const map = (key: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {${key}: "x"}\n`;
    expect(hintsOf('skipped-kinds', 'cluster.local', map('mesh'), policy('a', '{}'))).toEqual([
      expect.stringContaining('--meshConfig'),
    ]);
    expect(hintsOf('skipped-kinds', 'cluster.local', map('other'), policy('a', '{}'))).toEqual([undefined]);
  });

  test.each([
    [
      ['ingress', 'ingress'],
      'did you mean the value "ingress"? The gateway workloads of the input have this label with that value',
    ],
    [['ingress', 'egress'], 'label the pods of the gateway as its selector says'],
  ])('of a Gateway that no workload serves names the one value of gateway workloads: %s', (labels, hint) => {
    const gateway = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: a, namespace: shop}
spec: {selector: {mesh: ingressgateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
`;
    const pods = labels.map(
      (label, i) => `apiVersion: v1
kind: Pod
metadata:
  name: gateway-${i}
  namespace: edge
  labels: {mesh: ${label}, sidecar.mesh.io/inject: "true"}
  annotations: {inject.mesh.io/templates: gateway}
spec: {containers: [{name: proxy, image: auto}]}
`,
    );
    expect(hintsOf('gateway-without-workload', 'cluster.local', gateway, ...pods)).toEqual([hint]);
  });

  test.each([
    ['https://accounts.example', 'write "https://accounts.example/*" for every subject of that issuer'],
    ['accounts', undefined],
    ['https://', undefined],
  ])('of the request principal %s adds the star of every subject where it is an issuer', (value, hint) => {
    const bag = new DiagnosticBag();
    const text = policy('a', `{rules: [{from: [{source: {requestPrincipals: ["${value}"]}}]}]}`);
    createObjectReader()([{ path: 'a.yaml', text }], bag);
    expect(bag.all.map((it) => it.hint)).toEqual([hint]);
  });

  test('of a rule for a service of another namespace tells to move it there, but from the root namespace', () => {
    const service = `apiVersion: v1
kind: Service
metadata: {name: reviews, namespace: books}
spec: {selector: {app: reviews}, ports: [{name: http, port: 80}]}
`;
    const rule = (namespace: string) => `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: ${namespace}}
spec: {host: reviews, trafficPolicy: {connectionPool: {tcp: {maxConnections: 1}}}}
`;
    const hints = ['config', 'mesh-system'].flatMap((namespace) =>
      hintsOf('host-of-other-namespace', 'cluster.local', service, rule(namespace)),
    );
    expect(hints).toEqual([
      expect.stringMatching(/^move the rule to namespace "books"/),
      'write "reviews.books.svc.cluster.local" if that service is meant',
    ]);
  });

  test('of a label without effect stands for the policies that are in force nowhere', () => {
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {mesh-injection: "true"}}\n';
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec: {containers: [{name: a}]}\n';
    const all = [namespace, pod, policy('a', '{}')];
    expect(hintsOf('injection-label-without-effect', 'cluster.local', ...all)).toHaveLength(1);
    expect(hintsOf('policy-in-force-nowhere', 'cluster.local', ...all)).toEqual([]);
    expect(hintsOf('policy-in-force-nowhere', 'cluster.local', ...all.slice(1))).toHaveLength(1);
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

  test('of a subset that is not declared names the one that begins so', () => {
    const text = `apiVersion: v1
kind: Service
metadata: {name: b, namespace: shop}
spec: {selector: {app: b}, ports: [{name: http, port: 80}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: shop}
spec: {hosts: [b], http: [{route: [{destination: {host: b, subset: v2}}]}]}
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: shop}
spec: {host: b, subsets: [{name: v1, labels: {v: "1"}}, {name: v2-canary, labels: {v: "2"}}]}
`;
    expect(hintsOf('subset-not-declared', 'cluster.local', text)).toEqual([expect.stringContaining('"v2-canary"')]);
  });

  test.each([
    ['the same identity', '[{from: [{source: {principals: ["a/ns/b/sa/c"]}}]}]', /^remove one of the two rules/],
    ['any identity', '[{to: [{operation: {methods: [GET]}}]}]', /^except in the DENY rule/],
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

  const exception = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: root, namespace: mesh-system}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: a, namespace: shop}
spec: {selector: {matchLabels: {app: a}}, mtls: {mode: STRICT}, portLevelMtls: {6380: {mode: DISABLE}}}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: a, namespace: shop}
spec: {selector: {app: a}, ports: [{name: tcp, port: 6380, targetPort: 6379}]}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop, labels: {app: a}}
spec: {containers: [{name: a}]}
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: shop}
spec: {host: a, trafficPolicy: {tls: {mode: DISABLE}}}
`;
  test('of plain text to a STRICT port names the exception whose port is that of the service', () => {
    const hints = hintsOf('plain-text-to-strict-port', 'cluster.local', exception);
    expect(hints).toEqual([expect.stringMatching(/exception for port 6380 .* write 6379 there/)]);
  });

  test('leaves an exception that switches nothing off to the finding about its port', () => {
    expect(hintsOf('port-level-of-service-port', 'cluster.local', exception)).toHaveLength(1);
    expect(hintsOf('disabled-below-strict', 'cluster.local', exception)).toEqual([]);
    const corrected = exception.replace('{6380:', '{6379:');
    expect(hintsOf('disabled-below-strict', 'cluster.local', corrected)).toHaveLength(1);
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
});
