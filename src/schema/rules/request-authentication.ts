import type { JwtRule, RequestAuthentication } from '../../policy/request-authentication.ts';
import type { Report, Rule } from '../rule.ts';
import { keysOf } from '../texts.ts';
import { checkTargets } from './policy-targets.ts';

/** Validation of RequestAuthentication beyond its schema. */
export const requestAuthenticationRules: readonly Rule<RequestAuthentication>[] = [
  checkIssuers,
  checkKeySets,
  checkLocations,
  checkTargets,
];

/** Without issuer and address nothing says whose tokens are meant. */
function checkIssuers({ spec }: RequestAuthentication, report: Report): void {
  for (const [i, rule] of (spec.jwtRules ?? []).entries()) {
    if (!rule.issuer && !rule.jwksUri) report('missing-issuer', ['spec', 'jwtRules', i], {});
  }
}

function checkKeySets({ spec }: RequestAuthentication, report: Report): void {
  for (const [i, rule] of (spec.jwtRules ?? []).entries()) {
    const material = secretMaterialOf(rule);
    if (material === undefined) continue;
    // Not at the key set itself: a report shows the line that it points at.
    const place = rule.issuer === undefined ? [] : ['issuer'];
    report('private-key-in-jwks', ['spec', 'jwtRules', i, ...place], { material });
  }
}

/** Members that only private and symmetric keys have (RFC 7518 section 6). */
function secretMaterialOf({ jwks }: JwtRule): string | undefined {
  for (const key of keysOf(jwks ?? '') ?? []) {
    const { kty, d, k } = key as { readonly kty?: unknown; readonly d?: unknown; readonly k?: unknown };
    if (kty === 'oct' || k !== undefined) return 'symmetric key';
    if (d !== undefined) return 'private key';
  }
  return undefined;
}

/** A place that stands twice is likely a place that was forgotten. */
function checkLocations({ spec }: RequestAuthentication, report: Report): void {
  for (const [i, rule] of (spec.jwtRules ?? []).entries()) {
    const { fromHeaders = [], fromParams = [], fromCookies = [] } = rule;
    const lists = {
      // Names of headers have no case; the names of parameters and cookies do.
      fromHeaders: fromHeaders.map(({ name, prefix = '' }) => JSON.stringify([name.toLowerCase(), prefix])),
      fromParams,
      fromCookies,
    };
    for (const [field, places] of Object.entries(lists)) {
      for (const [j, place] of places.entries()) {
        if (places.indexOf(place) === j) continue;
        const name = fromHeaders[j]?.name;
        report('repeated-token-location', ['spec', 'jwtRules', i, field, j], {
          name: field === 'fromHeaders' && name !== undefined ? name : place,
          field,
        });
      }
    }
  }
}
