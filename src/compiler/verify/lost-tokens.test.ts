import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { canonicalMessage } from '../../envoy/api/canonical.ts';
import type { Json } from '../../testing/edited-sample.ts';
import {
  byDefault,
  chainIR,
  forward,
  httpIR,
  jwtIR,
  listenerIR,
  proxyIR,
  routeIR,
  routesIR,
  virtualHostIR,
} from '../../testing/ir.ts';
import { clusterIR } from '../../testing/ir-clusters.ts';
import type { JwtAuthnIR } from '../ir/jwt-authn.ts';
import type { HttpPolicyFilterIR } from '../ir/policy-filter.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import type { RbacIR } from '../ir/rbac.ts';
import { createRenderer } from '../render/render.ts';
import { type EnvoyConfig, messageTypes } from '../render/resource.ts';
import { withResources } from '../render/testing/with-resources.ts';
import { verify } from './verify.ts';

/** A sidecar whose only chain carries HTTP after these filters. */
function proxyWith(...policyFilters: readonly HttpPolicyFilterIR[]): ProxyIR {
  const http = httpIR('r', { policyFilters });
  const routes = [routesIR('r', virtualHostIR('all', ['*'], [routeIR('default', forward('c'))]))];
  const listeners = [listenerIR('l', 15006, { filterChains: [chainIR('chain', http)] })];
  return proxyIR({ inbound: { listeners, routes, clusters: [clusterIR('c')] } });
}

/** What `verify` says when the manager's filters are edited as a template could write them. */
function told(proxy: ProxyIR, edit: (filters: Json[]) => void): string[] {
  const bag = new DiagnosticBag();
  const config = createRenderer().render(proxy, bag) as EnvoyConfig;
  const listeners = config.listeners.map((resource) => {
    const json: Json = structuredClone(resource.json);
    edit(json.filter_chains[0].filters[0].typed_config.http_filters);
    return { ...resource, json: canonicalMessage(messageTypes.listener, json).json };
  });
  verify(proxy, withResources(config, { listeners }), bag);
  return bag.all.map(({ code, message }) => `${code}: ${message}`).filter((text) => text.includes('listener "l"'));
}

const rich = jwtIR({
  audiences: ['a'],
  headers: [{ name: 'x-token', prefix: 'Value ' }],
  params: ['t'],
  cookies: ['c'],
  payloadHeader: 'x-payload',
  claimHeaders: [{ header: 'x-sub', claim: 'sub' }],
});
const second = { ...(jwtIR().providers[0] ?? never()), name: 'origins-1', issuer: undefined, origins: byDefault };
const two: JwtAuthnIR = { ...rich, providers: [...rich.providers, second] };

function never(): never {
  throw new Error('jwtIR has one provider');
}

const config = (edit: (config: Json) => void) => (filters: Json[]) => edit(filters[0].typed_config);
const provider = (edit: (provider: Json) => void) => config(({ providers }) => edit(providers['origins-0']));
const requirements = (edit: (list: Json[]) => void) =>
  config(({ rules }) => edit(rules[0].requires.requires_any.requirements));

describe('the filter that verifies tokens', () => {
  test('is found as it was rendered', () => {
    expect(told(proxyWith(two), () => {})).toEqual([]);
    expect(told(proxyWith(), () => {})).toEqual([]);
  });

  test.each<[string, (filters: Json[]) => void]>([
    ['the filter', (filters) => filters.shift()],
    ['the filter by a switch', ([filter]) => Object.assign(filter, { disabled: true })],
    ['a provider', config(({ providers }) => delete providers['origins-1'])],
    [
      'a provider that is not its',
      config(({ providers }) => Object.assign(providers, { mine: providers['origins-1'] })),
    ],
    ['the issuer', provider((json) => delete json.issuer)],
    ['the audiences', provider((json) => delete json.audiences)],
    ['an audience more', provider((json) => json.audiences.push('b'))],
    ['the keys', provider((json) => Object.assign(json.local_jwks, { inline_string: '{"keys":[{"kty":"oct"}]}' }))],
    ['a header', provider((json) => delete json.from_headers)],
    ['the prefix of a header', provider((json) => delete json.from_headers[0].value_prefix)],
    ['a parameter', provider((json) => delete json.from_params)],
    ['a cookie', provider((json) => delete json.from_cookies)],
    ['that the token is taken out', provider((json) => Object.assign(json, { forward: true }))],
    ['the header of the payload', provider((json) => delete json.forward_payload_header)],
    ['the header of a claim', provider((json) => delete json.claim_to_headers)],
    ['the place of the claims', provider((json) => Object.assign(json, { payload_in_metadata: 'x' }))],
    ['the place of the header', provider((json) => delete json.header_in_metadata)],
    ['another place of the header', provider((json) => Object.assign(json, { header_in_metadata: 'payload' }))],
    ['lists in claims', provider((json) => delete json.normalize_payload_in_metadata)],
    ['the sharp end of a token', provider((json) => delete json.clock_skew_seconds)],
    ['the rule', config((json) => delete json.rules)],
    ['the rule for all paths but one', config(({ rules }) => rules.unshift({ match: { path: '/open' } }))],
    ['the rule for most paths', config(({ rules }) => Object.assign(rules[0].match, { prefix: '/api' }))],
    ['the rule for most methods', config(({ rules }) => Object.assign(rules[0].match, { headers: [{ name: 'x' }] }))],
    ['the rule by no requirement', config(({ rules }) => delete rules[0].requires)],
    ['a provider that is required', requirements((list) => list.shift())],
    ['requests without a token', requirements((list) => list.pop())],
    ['that a bad token is refused', requirements((list) => list.push({ allow_missing_or_failed: {} }))],
    ['the same, in camel case', requirements((list) => list.push({ allowMissingOrFailed: {} }))],
    ['that tokens are verified', requirements((list) => list.push({ extract_only_without_validation: {} }))],
    [
      'the audiences by a requirement',
      requirements((list) => list.push({ provider_and_audiences: { provider_name: 'origins-0' } })),
    ],
    ['the secrecy of the query', config((json) => delete json.strip_failure_response)],
    ['preflights', config((json) => delete json.bypass_cors_preflight)],
  ])('does not lose %s unnoticed', (_name, edit) => {
    const messages = told(proxyWith(two), edit);
    expect(messages[0]).toMatch(/^template-lost-rule: /);
  });

  test('is not left without the access rule right behind it', () => {
    const rule = {
      name: 'ns[]-policy[x]',
      permission: { kind: 'any' },
      principal: { kind: 'any' },
      origins: byDefault,
    };
    const refused = { kind: 'rbac', action: 'DENY', policies: [rule], shadow: undefined, origins: byDefault } as RbacIR;
    const proxy = proxyWith(two, refused);
    expect(told(proxy, () => {})).toEqual([]);
    expect(told(proxy, (filters) => filters.splice(1, 1))).toEqual([
      expect.stringContaining('the access filters are jwt-authn, not jwt-authn, rbac'),
    ]);
    expect(told(proxy, (filters) => filters.unshift(...filters.splice(1, 1)))).toEqual([
      expect.stringContaining('the access filters are rbac, jwt-authn, not jwt-authn, rbac'),
    ]);
  });

  test('is not added where no rule asks for it', () => {
    const [filter] = filtersOf(proxyWith(rich));
    expect(told(proxyWith(), (filters) => filters.unshift(structuredClone(filter)))).toEqual([
      expect.stringContaining('no rule asks for the filter that verifies tokens'),
    ]);
  });
});

function filtersOf(proxy: ProxyIR): Json[] {
  let found: Json[] = [];
  told(proxy, (filters) => {
    found = filters;
  });
  return found;
}
