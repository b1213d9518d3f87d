import { describe, expect, test } from 'vitest';
import type { AuthorizationRule } from '../../../policy/authorization-policy.ts';
import * as make from '../../../testing/objects.ts';
import { rulesOf } from './authorization.ts';
import { anyPort } from './chain-ports.ts';
import { condition, lowered, source } from './testing/written-rule.ts';

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
    const rules = rulesOf([policy], 'ALLOW', { carries: 'http', ports: anyPort, trustDomains: ['td'] }, 'pre-');
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
