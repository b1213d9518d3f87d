import { parseAllDocuments } from 'yaml';
import type { Connection, HttpRequest } from '../../access/request.ts';
import type { SentCase } from '../../gauge/gauge-case.ts';
import type { Dice } from '../dice.ts';
import type { GaugedMesh } from '../gauged-mesh.ts';
import type { TokenBox } from '../generated-tokens.ts';
import { tryChanges } from './change.ts';
import type { Claim } from './claims.ts';
import { type TokenRule, takes, tokenRulesIn, validClaims, withClaims } from './tokens.ts';
import { readTold } from './words.ts';

/** The request of a claim, changed until its condition holds; undefined where no client can. */
export async function asTold(
  dice: Dice,
  { mesh, sent, isOfConnection, wants, has, denied }: Claim,
  { sign }: TokenBox,
): Promise<SentCase | undefined> {
  const { connection, request = noRequest } = sent;
  // To a server that expects bytes anything is sent, to one that expects HTTP no other.
  if (!/^[!-~]*$/.test(request.path)) return undefined;
  if (has.includes('tokens of preflight requests are not read')) return undefined;
  const { told, issuer, header } = toldOf(wants, has);
  const known = tokenRulesIn(mesh.policies);
  // Of several rules of one issuer, each with its own place for tokens, first those that write the header.
  const rank = (rule: (typeof known)[number]): number =>
    rule.issuer !== issuer ? 2 : rule.outputClaimToHeaders?.some((one) => one.header === header) ? 0 : 1;
  const rules = known.toSorted((a, b) => rank(a) - rank(b));
  // A token that was not taken is no start.
  const claims = has.includes('no token')
    ? undefined
    : claimsIn(request, issuer === undefined ? rules : rules.filter((rule) => rule.issuer === issuer));
  // A first token changes more than the header: rules may want that nobody is known by one.
  if (issuer !== undefined && claims === undefined) return undefined;
  const changed = tryChanges(
    {
      connection,
      request,
      role: mesh.role,
      isOfConnection,
      claims,
      validClaims: validClaims(rules),
    },
    readTold(told),
    denied.map(readTold),
    dice,
  );
  if (changed === undefined || !isSeen(mesh, has, connection, changed.connection)) return undefined;
  const isSame = changed.claims === claims;
  if (sent.request === undefined) return { connection: changed.connection };
  return {
    connection: changed.connection,
    request: isSame ? changed.request : await withClaims(changed.request, changed.claims, rules, sign),
  };
}

/** A header that comes from a claim alone is changed by the claim, in a token of that issuer. */
function toldOf(
  wants: string,
  has: string,
): { readonly told: string; readonly issuer?: string; readonly header?: string } {
  const found = /(header \S+) (?:"[^"]*" )?\(it comes from claim (\S+) of (\S+)[^)]* alone\)/.exec(has);
  if (found === null) return { told: wants };
  const [, header = '', claim = '', issuer = ''] = found;
  return { told: wants.replaceAll(header, `claim ${claim}`), issuer, header: header.replace('header ', '') };
}

const noRequest: HttpRequest = { method: 'GET', path: '/', authority: 'told.test', headers: [] };

/** Claims of the first token that one of these rules takes. */
function claimsIn(
  request: NonNullable<SentCase['request']>,
  rules: readonly TokenRule[],
): Readonly<Record<string, unknown>> | undefined {
  for (const [, payload = ''] of JSON.stringify(request).matchAll(/[\w-]+\.([\w-]+)\.[\w-]+/g)) {
    try {
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      if (rules.some((rule) => takes(rule, claims)) && typeof (claims.sub ?? '') === 'string') return claims;
    } catch {
      // Other words have dots, too.
    }
  }
  return undefined;
}

/** Whether the proxy takes the TLS of a client that is another one now, and looks at its certificate. */
function isSeen(
  { role, policies }: GaugedMesh,
  has: string,
  { tls, destination }: Connection,
  changed: Connection,
): boolean {
  if (changed.tls?.identities?.[0] === tls?.identities?.[0]) return true;
  if (tls !== undefined) return !has.includes('no certificate that was verified');
  return role === 'sidecar' && modeOf(policies, destination.port) !== 'DISABLE';
}

function modeOf(policies: string, port: number): string {
  const specs = parseAllDocuments(policies)
    .map((document) => document.toJS() as { readonly kind?: string; readonly spec?: PeerSpec } | null)
    .flatMap((object) => (object?.kind === 'PeerAuthentication' ? [object.spec ?? {}] : []));
  const own = specs.map(({ portLevelMtls }) => portLevelMtls?.[port]?.mode).find((mode) => mode !== undefined);
  return own ?? specs.map(({ mtls }) => mtls?.mode).find((mode) => mode !== undefined) ?? 'PERMISSIVE';
}

interface PeerSpec {
  readonly mtls?: { readonly mode: string };
  readonly portLevelMtls?: Readonly<Record<string, { readonly mode: string }>>;
}
