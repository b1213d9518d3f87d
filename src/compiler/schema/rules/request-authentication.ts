import type { JwtRule, RequestAuthentication } from '../../policy/request-authentication.ts';
import type { Report, Rule } from '../rule.ts';
import { keysOf } from '../texts.ts';

/** Validation of RequestAuthentication beyond its schema. */
export const requestAuthenticationRules: readonly Rule<RequestAuthentication>[] = [checkIssuers, checkKeySets];

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
