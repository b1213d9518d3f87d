import type { Fragment } from '../../envoy/api/fragment.ts';
import type { JwtAuthnIR, JwtProviderIR } from '../ir/jwt-authn.ts';
import type { HttpConnectionIR } from '../ir/listener.ts';
import { expectList, expectValue, type Lose, texts } from './expect.ts';

const jwtAuthn = 'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication';

/** The filter that verifies tokens: its providers, none fewer and none more, and that a bad token never passes. */
export function tokenLosses(connection: Fragment, { policyFilters }: HttpConnectionIR, lose: Lose): void {
  const all = connection.at('http_filters');
  const found = all.items.filter((filter) => filter.at('typed_config').type === jwtAuthn);
  const wanted = policyFilters.filter((filter): filter is JwtAuthnIR => filter.kind === 'jwt-authn');
  for (const extra of found.slice(wanted.length)) lose(extra, 'no rule asks for the filter that verifies tokens');
  for (const [i, ir] of wanted.entries()) {
    const filter = found[i];
    if (filter === undefined) lose(all, 'the filter that verifies tokens is missing');
    else filterLosses(filter, ir, lose);
  }
}

function filterLosses(filter: Fragment, ir: JwtAuthnIR, lose: Lose): void {
  expectValue(filter.at('disabled'), false, lose, false);
  const config = filter.at('typed_config');
  const providers = config.at('providers');
  const wanted = ir.providers.map(({ name }) => name);
  const found = Object.keys((providers.value as object | undefined) ?? {});
  expectList(providers, found, wanted, lose);
  for (const provider of ir.providers) {
    if (found.includes(provider.name)) providerLosses(providers.at(provider.name), provider, lose);
  }
  requirementLosses(config, wanted, lose);
  expectValue(config.at('strip_failure_response'), ir.stripFailureResponse, lose, false);
  expectValue(config.at('bypass_cors_preflight'), true, lose, false);
}

const neverRefuses = new Set(['allow_missing_or_failed', 'extract_only_without_validation']);

/** One rule for every path: any provider is enough, and so is no token; a token that fails is not. */
function requirementLosses(config: Fragment, providers: readonly string[], lose: Lose): void {
  for (const field of ['requirement_map', 'filter_state_rules']) {
    if (config.at(field).exists) lose(config.at(field), `no rule asks for ${field}`);
  }
  const rules = config.at('rules');
  const [rule] = rules.items;
  if (rule === undefined || rules.items.length > 1) {
    lose(rules, `there are ${rules.items.length} rules for tokens, not one`);
    return;
  }
  expectValue(rule.at('match', 'prefix'), '/', lose);
  for (const field of rule.at('match').fields) {
    if (field !== 'prefix') lose(rule.at('match', field), `no rule asks for a match of ${field}`);
  }
  const requirements = rule.at('requires', 'requires_any', 'requirements');
  const open = requirements.items.find((item) => item.fields.some((field) => neverRefuses.has(field)));
  if (open !== undefined) {
    lose(open, `a token that fails passes (${open.fields.join()})`);
    return;
  }
  const found = requirements.items.map((item) => {
    const name = item.at('provider_name').value;
    return typeof name === 'string' && item.fields.length === 1 ? name : item.fields.join();
  });
  expectList(requirements.exists ? requirements : rule, found, [...providers, 'allow_missing'], lose);
}

function providerLosses(json: Fragment, ir: JwtProviderIR, lose: Lose): void {
  expectValue(json.at('issuer'), ir.issuer, lose);
  expectTexts(json.at('audiences'), ir.audiences, lose);
  const keySet = json.at('local_jwks', 'inline_string');
  if (keySet.value !== ir.keySet) lose(keySet.exists ? keySet : json, 'the key set is not that of its rule');
  if (json.at('remote_jwks').exists) lose(json.at('remote_jwks'), 'no rule asks for remote_jwks');
  expectPairs(json.at('from_headers'), ['name', 'value_prefix'], ir.headers.map(pairOfHeader), lose);
  expectTexts(json.at('from_params'), ir.params, lose);
  expectTexts(json.at('from_cookies'), ir.cookies, lose);
  expectValue(json.at('forward'), ir.forward, lose, false);
  expectValue(json.at('forward_payload_header'), ir.payloadHeader, lose);
  const claims = ir.claimHeaders.map(({ header, claim }): Pair => [header, claim]);
  expectPairs(json.at('claim_to_headers'), ['header_name', 'claim_name'], claims, lose);
  // Where access rules look for the claims.
  expectValue(json.at('payload_in_metadata'), 'payload', lose);
  // Where the filter behind looks for what this one leaves unread.
  expectValue(json.at('header_in_metadata'), ir.headerKey, lose);
  const spaced = json.at('normalize_payload_in_metadata', 'space_delimited_claims');
  expectTexts(spaced, ir.spaceDelimitedClaims, lose);
  expectValue(json.at('clock_skew_seconds'), 1, lose);
}

type Pair = readonly [string, string];

function pairOfHeader({ name, prefix }: JwtProviderIR['headers'][number]): Pair {
  return [name, prefix];
}

function expectTexts(list: Fragment, wanted: readonly string[], lose: Lose): void {
  expectList(list, texts(list), wanted, lose);
}

function expectPairs(list: Fragment, [a, b]: Pair, wanted: readonly Pair[], lose: Lose): void {
  const found = list.items.map((item) => JSON.stringify([item.at(a).value ?? '', item.at(b).value ?? '']));
  expectList(
    list,
    found,
    wanted.map((pair) => JSON.stringify(pair)),
    lose,
  );
}
