import { parseAllDocuments } from 'yaml';
import type { HttpRequest } from '../../access/request.ts';
import type { TokenBox } from '../generated-tokens.ts';

type Claims = Readonly<Record<string, unknown>>;

/** A rule of a RequestAuthentication. */
export interface TokenRule {
  readonly issuer: string;
  readonly audiences?: readonly string[];
  readonly fromHeaders?: readonly { readonly name: string; readonly prefix?: string }[];
  readonly fromParams?: readonly string[];
  readonly fromCookies?: readonly string[];
  readonly outputClaimToHeaders?: readonly { readonly header: string }[];
}

/** The rules about tokens in the policies of a workload. */
export function tokenRulesIn(policies: string): readonly TokenRule[] {
  return parseAllDocuments(policies)
    .map((document) => document.toJS() as { readonly kind?: string; readonly spec?: { jwtRules?: TokenRule[] } } | null)
    .flatMap((object) => (object?.kind === 'RequestAuthentication' ? (object.spec?.jwtRules ?? []) : []));
}

/** Whether a token with these claims is of the issuer of a rule, and for one of its audiences. */
export function takes({ issuer, audiences }: TokenRule, { iss, aud }: Claims): boolean {
  if (iss !== issuer) return false;
  return audiences === undefined || [aud].flat().some((one) => audiences.map(bare).includes(bare(String(one))));
}

/** Envoy compares audiences without scheme and last slash. */
function bare(audience: string): string {
  return audience.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/** By issuer, claims that its first rule takes; the issuers in the order of the rules. */
export function validClaims(rules: readonly TokenRule[]): ReadonlyMap<unknown, Claims> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const all = rules.map(({ issuer, audiences }): readonly [unknown, Claims] => [
    issuer,
    { iss: issuer, sub: 'told', exp, ...(audiences !== undefined && { aud: audiences[0] }) },
  ]);
  return new Map(all.filter(([issuer], i) => all.findIndex(([other]) => other === issuer) === i));
}

/** The request with a token of these claims, where the rule of its issuer looks first, and with no other; without claims, with none. */
export async function withClaims(
  request: HttpRequest,
  claims: Claims | undefined,
  rules: readonly TokenRule[],
  sign: TokenBox['sign'],
): Promise<HttpRequest> {
  const carriers = new Set([
    'authorization',
    'cookie',
    ...rules.flatMap(({ fromHeaders = [] }) => fromHeaders.map(({ name }) => name)),
  ]);
  const headers = request.headers.filter(([name]) => !carriers.has(name.toLowerCase()));
  const path = request.path.replaceAll(/(access_token|token)=[^&]*/g, 'none');
  if (claims === undefined) return { ...request, headers, path };
  const rule = rules.find((one) => takes(one, claims)) ?? rules[0];
  const token = await sign(claims);
  const [header] = rule?.fromHeaders ?? [];
  if (header !== undefined) {
    return { ...request, path, headers: [...headers, [header.name, `${header.prefix ?? ''}${token}`]] };
  }
  const [parameter] = rule?.fromParams ?? [];
  if (parameter !== undefined) {
    return { ...request, headers, path: `${path}${path.includes('?') ? '&' : '?'}${parameter}=${token}` };
  }
  const [cookie] = rule?.fromCookies ?? [];
  if (cookie !== undefined) return { ...request, path, headers: [...headers, ['cookie', `${cookie}=${token}`]] };
  return { ...request, path, headers: [...headers, ['authorization', `Bearer ${token}`]] };
}
