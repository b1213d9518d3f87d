import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createTemporaryAuthority, type WorkloadCertificate } from '../control/ca/temporary-authority.ts';
import type { GateSecrets } from './gates.ts';
import type { GateCase } from './gauge-case.ts';

/** Keys, certificates and tokens of one run; nothing of them outlives it. */
export interface GateIdentities {
  readonly secrets: GateSecrets;
  /** Of the clients, by SPIFFE ID. */
  readonly certificates: Readonly<Record<string, WorkloadCertificate>>;
  /** The case with the token that it asks for. */
  readonly withToken: (one: GateCase) => GateCase;
  close(): Promise<void>;
}

/** Makes what these cases need; the authorities' roots are below the folder. */
export async function createGateIdentities(folder: string, cases: readonly GateCase[]): Promise<GateIdentities> {
  const authority = createTemporaryAuthority(folder);
  const strange = createTemporaryAuthority(join(folder, 'strange'));
  const close = async (): Promise<void> => {
    await authority.close();
    await strange.close();
  };
  try {
    const wanted = new Set(cases.flatMap(({ connection }) => connection.tls?.identities ?? []));
    const certificates: Record<string, WorkloadCertificate> = {};
    for (const identity of wanted) certificates[identity] = await authority.issue(identity);
    const server = await authority.issue('spiffe://cluster.local/ns/gauge/sa/server');
    const strangeRoot = (await strange.issue('spiffe://strange.example/ns/gauge/sa/x')).rootCertificate;
    const { tokenKey, withToken } = await createTokens(cases);
    return { secrets: { server, strangeRoot, tokenKey }, certificates, withToken, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createTokens(
  cases: readonly GateCase[],
): Promise<Pick<GateIdentities, 'withToken'> & Pick<GateSecrets, 'tokenKey'>> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const kid = 'meshpol-prove';
  const tokens = new Map<string, string>();
  for (const { token } of cases) {
    if (token === undefined) continue;
    const text = JSON.stringify(token.claims);
    if (tokens.has(text)) continue;
    tokens.set(text, await new SignJWT({ ...token.claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey));
  }
  const withToken = (one: GateCase): GateCase => {
    const { token, request } = one;
    if (token === undefined || request === undefined) return one;
    const put = (text: string): string =>
      text.replaceAll(token.placeholder, tokens.get(JSON.stringify(token.claims)) ?? '');
    const headers = request.headers.map(([name, value]) => [name, put(value)] as const);
    return { ...one, request: { ...request, path: put(request.path), headers } };
  };
  return { tokenKey: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }, withToken };
}
