import { describe, expect, test } from 'vitest';
import * as make from '../../../testing/objects.ts';
import type { PermissionIR, PrincipalIR } from '../../ir/rbac.ts';
import type { StringMatchIR } from '../../ir/string-match.ts';
import type { AuthorizationAction, AuthorizationRule, Condition, Source } from '../../policy/authorization-policy.ts';
import { authorizationFilter, rulesOf } from './authorization.ts';

type Expression = PermissionIR | PrincipalIR;

/** One line for a permission or principal, so that tables can be read. */
function written(term: Expression): string {
  switch (term.kind) {
    case 'any':
      return 'any';
    case 'all':
      return `(${term.of.map(written).join(' & ')})`;
    case 'some':
      return `(${term.of.map(written).join(' | ')})`;
    case 'not':
      return `!${written(term.of)}`;
    case 'header':
      return `${term.name} ${text(term.match)}`;
    case 'path-template':
      return `template ${term.template}`;
    case 'destination-port':
      return `port ${term.port}`;
    case 'destination-ip':
    case 'direct-remote-ip':
    case 'remote-ip':
      return `${term.kind} ${term.cidr}`;
    case 'claim':
    case 'metadata':
      return `${term.path.join('.')}${term.inList ? '[]' : ''} ${text(term.match)}`;
    default:
      return `${term.kind} ${text(term.match)}`;
  }
}

function text(match: StringMatchIR | 'present'): string {
  return match === 'present' ? match : `${match.kind}${match.ignoreCase ? '-i' : ''} ${match.value}`;
}

interface Options {
  readonly action?: AuthorizationAction;
  readonly carries?: 'http' | 'tcp';
  readonly trustDomains?: readonly string[];
}

/** What one rule of `shop/p` becomes: permission and principal. */
function lowered(rule: AuthorizationRule, options: Options = {}): string[] {
  const { action = 'ALLOW', carries = 'http', trustDomains = ['td'] } = options;
  const policy = make.authorizationPolicy('shop/p', { action, rules: [rule] });
  return rulesOf([policy], action, { carries, trustDomains }).flatMap(({ permission, principal }) => [
    written(permission),
    written(principal),
  ]);
}

const source = (fields: Source): AuthorizationRule => ({ from: [{ source: fields }] });
const condition = (key: string, value: string): AuthorizationRule => ({ when: [{ key, values: [value] }] });

describe('identities', () => {
  test.each<[Source, string, string]>([
    [{ principals: ['td/ns/a/sa/b'] }, 'identity exact spiffe://td/ns/a/sa/b', 'identity exact spiffe://td/ns/a/sa/b'],
    [{ principals: ['td/ns/a/*'] }, 'identity prefix spiffe://td/ns/a/', 'identity prefix spiffe://td/ns/a/'],
    [{ principals: ['*/ns/a/sa/b'] }, 'identity suffix /ns/a/sa/b', 'identity suffix /ns/a/sa/b'],
    [{ principals: ['*'] }, 'identity prefix spiffe://', 'identity present'],
    [{ namespaces: ['a.b'] }, 'identity prefix spiffe://td/ns/a.b/', 'identity contains /ns/a.b/'],
    [{ namespaces: ['a*'] }, 'identity prefix spiffe://td/ns/a', 'identity contains /ns/a'],
    [{ namespaces: ['*a'] }, '(identity prefix spiffe://td/ns/ & identity contains a/sa/)', 'identity contains a/sa/'],
    [{ namespaces: ['*'] }, 'identity prefix spiffe://', 'identity present'],
    [{ serviceAccounts: ['b'] }, 'identity exact spiffe://td/ns/shop/sa/b', 'identity suffix /ns/shop/sa/b'],
    [{ serviceAccounts: ['a/b'] }, 'identity exact spiffe://td/ns/a/sa/b', 'identity suffix /ns/a/sa/b'],
    [{ trustDomains: ['td'] }, 'identity prefix spiffe://td/', 'identity prefix spiffe://td/'],
    [{ trustDomains: ['*.d'] }, 'identity regex spiffe://[^/]*\\.d/ns/.*', 'identity contains .d/ns/'],
    [{ ipBlocks: ['10.1.2.3/8'] }, 'direct-remote-ip 10.0.0.0/8', 'direct-remote-ip 10.0.0.0/8'],
    [{ remoteIpBlocks: ['::1'] }, 'remote-ip ::1/128', 'remote-ip ::1/128'],
  ])('%j', (fields, giving, taking) => {
    expect(lowered(source(fields))).toEqual(['any', giving]);
    expect(lowered(source(fields), { action: 'DENY' })).toEqual(['any', taking]);
  });

  test('negated turn their sense around', () => {
    expect(lowered(source({ notNamespaces: ['a'] }))).toEqual(['any', '!identity contains /ns/a/']);
    expect(lowered(source({ notNamespaces: ['a'] }), { action: 'DENY' })).toEqual([
      'any',
      '!identity prefix spiffe://td/ns/a/',
    ]);
  });

  test.each([
    ['td/ns/a/sa/b', '(identity exact spiffe://td/ns/a/sa/b | identity exact spiffe://old/ns/a/sa/b)'],
    ['old/ns/a/*', '(identity prefix spiffe://td/ns/a/ | identity prefix spiffe://old/ns/a/)'],
    ['cluster.local/ns/a/sa/b', '(identity exact spiffe://td/ns/a/sa/b | identity exact spiffe://old/ns/a/sa/b)'],
    ['other/ns/a/sa/b', 'identity exact spiffe://other/ns/a/sa/b'],
    ['*/ns/a/sa/b', 'identity suffix /ns/a/sa/b'],
  ])('principal %s holds in every domain that the mesh trusts', (principal, expected) => {
    const options = { trustDomains: ['td', 'old'] };
    expect(lowered(source({ principals: [principal] }), options)).toEqual(['any', expected]);
  });
});

describe('tokens', () => {
  test.each([
    ['*', '(iss regex .+ & sub regex .+)'],
    ['https://i/s', '(iss exact https://i & sub exact s)'],
    ['https://i/*', '(iss exact https://i & sub regex .+)'],
    ['i/pre*', '(iss exact i & sub prefix pre)'],
    ['pre*', '(iss prefix pre & sub regex .+)'],
    ['*/s', '(iss regex .+ & sub exact s)'],
    ['*tail/s', '(iss suffix tail & sub exact s)'],
    ['*tail', '(iss regex .+ & sub suffix tail)'],
  ])('request principal %s', (value, expected) => {
    expect(lowered(source({ requestPrincipals: [value] }))).toEqual(['any', expected]);
    expect(lowered(condition('request.auth.principal', value))).toEqual(['any', expected]);
    expect(lowered(source({ notRequestPrincipals: [value] }), { action: 'DENY' })).toEqual(['any', `!${expected}`]);
  });

  test.each([
    ['request.auth.claims[groups]', 'groups[] exact v'],
    ['request.auth.claims[a][b.c]', 'a.b.c[] exact v'],
    ['request.auth.audiences', 'aud[] exact v'],
    ['request.auth.presenter', 'azp[] exact v'],
  ])('%s', (key, expected) => {
    expect(lowered(condition(key, 'v'))).toEqual(['any', expected]);
  });
});

describe('headers', () => {
  test.each([
    ['a.b', 'exact a.b', 'regex (.*,)?[ \\t]*a\\.b[ \\t]*(,.*)?'],
    ['a*', 'prefix a', 'regex (.*,)?[ \\t]*a.*'],
    ['*a', 'suffix a', 'regex .*a[ \\t]*(,.*)?'],
    ['*', 'present', 'present'],
    ['a*b', 'exact a*b', 'regex (.*,)?[ \\t]*a\\*b[ \\t]*(,.*)?'],
  ])(
    'with value %s are plain where they give and hold against lists and blanks where they take',
    (value, giving, taking) => {
      const rule = condition('request.headers[X-Role]', value);
      const negated: Condition = { key: 'request.headers[X-Role]', notValues: [value] };
      expect(lowered(rule)).toEqual(['any', `x-role ${giving}`]);
      expect(lowered(rule, { action: 'DENY' })).toEqual(['any', `x-role ${taking}`]);
      expect(lowered({ when: [negated] })).toEqual(['any', `!x-role ${taking}`]);
      expect(lowered({ when: [negated] }, { action: 'DENY' })).toEqual(['any', `!x-role ${giving}`]);
    },
  );

  test('are no headers where HTTP/2 makes them parts of the request', () => {
    expect(lowered(condition('request.headers[:method]', 'GET'), { action: 'DENY' })).toEqual([
      ':method exact-i GET',
      'any',
    ]);
    expect(lowered(condition('request.headers[Host]', 'a*'))).toEqual([':authority prefix-i a', 'any']);
  });
});

describe('operations', () => {
  const noHost = ':authority exact  | :authority contains , | :authority contains @';
  const hostForms = (host: string) =>
    [`exact-i ${host}`, `prefix-i ${host}:`, `exact-i ${host}.`, `prefix-i ${host}.:`]
      .map((form) => `:authority ${form}`)
      .join(' | ');

  test.each([
    ['h.example', `(${hostForms('h.example')})`, `(${hostForms('h.example')} | ${noHost})`],
    ['h.example.', `(${hostForms('h.example')})`, `(${hostForms('h.example')} | ${noHost})`],
    ['h:80', '(:authority exact-i h:80 | :authority exact-i h.:80)', undefined],
    ['h*', ':authority prefix-i h', `(:authority prefix-i h | ${noHost})`],
    [
      '*.d',
      '(:authority suffix-i .d | :authority contains-i .d: | :authority suffix-i .d. | :authority contains-i .d.:)',
      undefined,
    ],
    ['*', ':authority present', 'any'],
  ])('host %s', (host, giving, taking) => {
    const rule = { to: [{ operation: { hosts: [host] } }] };
    expect(lowered(rule)).toEqual([giving, 'any']);
    if (taking !== undefined) expect(lowered(rule, { action: 'DENY' })).toEqual([taking, 'any']);
  });

  test.each([
    ['/a', 'path exact /a', 'path exact /a | path contains /..; | path contains /.;'],
    [
      '/a*',
      '(path prefix /a & !(path contains /..; | path contains /.;))',
      'path prefix /a | path contains /..; | path contains /.;',
    ],
    [
      '*.php',
      '(path suffix .php & !(path contains /..; | path contains /.;))',
      'path suffix .php | path contains /..; | path contains /.;',
    ],
    ['*', 'path prefix /', undefined],
    ['/', 'path exact /', 'path exact / | path exact // | path contains /..; | path contains /.;'],
    [
      '/a/{*}/b/{**}',
      '(template /a/*/b/** & !(path contains /..; | path contains /.;))',
      'path regex /a/[^/]+/b/.* | path contains /..; | path contains /.;',
    ],
    [
      '/a.b/{**}/c',
      '(template /a.b/**/c & !(path contains /..; | path contains /.;))',
      'path regex /a\\.b/.*/c | path contains /..; | path contains /.;',
    ],
    ['/a:b', 'path exact /a:b', 'path regex /a(?::|%3[aA])b | path contains /..; | path contains /.;'],
    [
      '/@me*',
      '(path prefix /@me & !(path contains /..; | path contains /.;))',
      'path regex /(?:@|%40)me.* | path contains /..; | path contains /.;',
    ],
    [
      '*%2Aé',
      '(path suffix %2Aé & !(path contains /..; | path contains /.;))',
      'path regex .*(?:\\*|%2[aA])(?:é|%[cC]3%[aA]9) | path contains /..; | path contains /.;',
    ],
    [
      '/a\\b%61',
      'path exact /a\\b%61',
      'path regex /a(?:\\\\|%5[cC]|/)b(?:a|%61) | path contains /..; | path contains /.;',
    ],
    [
      '/{*}/a!',
      '(template /*/a! & !(path contains /..; | path contains /.;))',
      'path regex /[^/]+/a(?:!|%21) | path contains /..; | path contains /.;',
    ],
  ])('path %s', (path, giving, taking) => {
    const rule = { to: [{ operation: { paths: [path] } }] };
    expect(lowered(rule)).toEqual([giving, 'any']);
    expect(lowered(rule, { action: 'DENY' })).toEqual([taking === undefined ? 'any' : `(${taking})`, 'any']);
  });

  test.each([
    ['GET', ':method exact GET', ':method exact-i GET'],
    ['*', ':method present', ':method present'],
  ])('method %s', (method, giving, taking) => {
    const rule = { to: [{ operation: { methods: [method] } }] };
    expect(lowered(rule)).toEqual([giving, 'any']);
    expect(lowered(rule, { action: 'DENY' })).toEqual([taking, 'any']);
  });

  test.each([
    ['destination.ip', '10.0.0.1', 'destination-ip 10.0.0.1/32'],
    ['destination.ip', '::ffff:10.0.0.1', 'destination-ip 10.0.0.1/32'],
    ['destination.ip', '::ffff:10.2.0.0/112', 'destination-ip 10.2.0.0/16'],
    ['destination.ip', '::/0', 'destination-ip ::/0'],
    ['destination.port', '080', 'port 80'],
    ['connection.sni', '*.Example', 'server-name suffix-i .Example'],
    ['experimental.envoy.filters.network.mysql_proxy[db.table]', '[update]', 'db.table[] exact update'],
  ])('%s', (key, value, expected) => {
    expect(lowered(condition(key, value))).toEqual([expected, 'any']);
  });
});

describe('rules', () => {
  test('join fields by and, values and entries by or', () => {
    const rule: AuthorizationRule = {
      from: [{ source: { principals: ['td/a', 'td/b'], ipBlocks: ['10.0.0.0/8'] } }, { source: { namespaces: ['n'] } }],
      to: [{ operation: { methods: ['GET', 'PUT'], notPaths: ['/x'] } }, { operation: { ports: ['8080'] } }],
      when: [{ key: 'request.headers[x]', values: ['1'], notValues: ['2'] }],
    };
    expect(lowered(rule)).toEqual([
      '(((:method exact GET | :method exact PUT) & !(path exact /x | path contains /..; | path contains /.;)) | port 8080)',
      '((((identity exact spiffe://td/a | identity exact spiffe://td/b) & direct-remote-ip 10.0.0.0/8) | ' +
        'identity prefix spiffe://td/ns/n/) & (x exact 1 & !x regex (.*,)?[ \\t]*2[ \\t]*(,.*)?))',
    ]);
  });

  test('without anything match everything', () => {
    expect(lowered({})).toEqual(['any', 'any']);
  });

  test('carry the name that Envoy reports, in the order in which it tries them', () => {
    const policy = make.authorizationPolicy('shop/p', { rules: Array.from({ length: 11 }, () => ({})) });
    const rules = rulesOf([policy], 'ALLOW', { carries: 'http', trustDomains: ['td'] }, 'pre-');
    expect(rules.map(({ name }) => name).slice(0, 3)).toEqual(
      [0, 10, 1].map((index) => `pre-ns[shop]-policy[p]-rule[${index}]`).sort(),
    );
  });
});

describe('on TCP', () => {
  const paths = { operation: { paths: ['/a'] } };
  const ports = { operation: { ports: ['8080'], paths: ['/a'] } };

  test.each<[AuthorizationRule]>([
    [{ to: [paths] }],
    [{ to: [{ operation: { ports: ['8080'] } }, paths] }],
    [source({ requestPrincipals: ['*'] })],
    [condition('request.headers[x]', '1')],
  ])('an ALLOW rule with %j gives nothing', (rule) => {
    expect(lowered(rule, { carries: 'tcp' })).toEqual([]);
  });

  test.each<[AuthorizationRule, string, string]>([
    [{ to: [paths] }, 'any', 'any'],
    [{ to: [ports] }, 'port 8080', 'any'],
    [
      { to: [ports], from: [{ source: { notRequestPrincipals: ['*'], namespaces: ['n'] } }] },
      'port 8080',
      'identity contains /ns/n/',
    ],
    [{ to: [{ operation: { notPaths: ['/a'] } }, { operation: { ports: ['1'] } }] }, 'any', 'any'],
    [condition('request.auth.claims[a]', '1'), 'any', 'any'],
  ])('a DENY rule with %j denies more', (rule, permission, principal) => {
    expect(lowered(rule, { action: 'DENY', carries: 'tcp' })).toEqual([permission, principal]);
  });
});

describe('authorizationFilter', () => {
  const context = { carries: 'http', trustDomains: ['td'] } as const;
  const tried = { name: 'shop/tried', annotations: { 'mesh.io/dry-run': 'true' } };

  test('is there when a policy asks for the action, also when nothing can match', () => {
    const policy = make.authorizationPolicy('shop/p', {});
    expect(authorizationFilter([policy], 'ALLOW', context)).toMatchObject({ action: 'ALLOW', policies: [] });
    expect(authorizationFilter([policy], 'DENY', context)).toBeUndefined();
  });

  test('enforces nothing when every policy is only tried', () => {
    const filter = authorizationFilter([make.authorizationPolicy(tried, { rules: [{}] })], 'ALLOW', context);
    expect(filter?.policies).toBeUndefined();
    expect(filter?.shadow).toMatchObject({
      policies: [{ name: 'ns[shop]-policy[tried]-rule[0]' }],
      statPrefix: 'mesh_dry_run_allow_',
    });
  });

  test('keeps tried policies apart from those in force, and only logs for AUDIT', () => {
    const policies = [
      make.authorizationPolicy(tried, { action: 'AUDIT', rules: [{}] }),
      make.authorizationPolicy('shop/p', { action: 'AUDIT', rules: [{}] }),
    ];
    const filter = authorizationFilter(policies, 'AUDIT', context);
    expect(filter?.action).toBe('LOG');
    expect(filter?.policies?.map(({ name }) => name)).toEqual(['ns[shop]-policy[p]-rule[0]']);
    expect(filter?.shadow?.policies).toHaveLength(1);
  });
});
