import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { GateRequest } from '../../testing/inbound-gate.ts';

/** Whoever makes tokens: a key pair whose public half is to be published. */
export interface Issuer {
  readonly name: string;
  /** JSON Web Key Set. */
  readonly keySet: string;
  /** A token with these claims beside `iss`; valid for an hour unless they say otherwise. */
  token(claims?: object, header?: object): Promise<string>;
  /** The same with any header: libraries refuse to sign some that an attacker would. */
  oddToken(claims: object, header: object): Promise<string>;
}

/** A fresh issuer; the same key signs all of its tokens. */
export async function createIssuer(name: string, kid = 'k1'): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    name,
    keySet: JSON.stringify({ keys: [{ kid, ...(await exportJWK(publicKey)) }] }),
    token: (claims = {}, header = { kid }) =>
      new SignJWT({ iss: name, sub: 'alice', exp: nowS() + 3600, ...claims })
        .setProtectedHeader({ alg: 'ES256', ...header })
        .sign(privateKey),
    oddToken: async (claims, header) => {
      const payload = { iss: name, sub: 'alice', exp: nowS() + 3600, ...claims };
      const text = unsigned({ alg: 'ES256', kid, ...header }, payload).slice(0, -1);
      const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
      const signature = await crypto.subtle.sign(algorithm, privateKey, Buffer.from(text));
      return `${text}.${Buffer.from(signature).toString('base64url')}`;
    },
  };
}

/** Unix time in whole seconds, as tokens tell it. */
export function nowS(): number {
  return Math.floor(Date.now() / 1000);
}

/** A token of these parts that nobody signed. */
export function unsigned(header: object, claims: object, signature = ''): string {
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...parts, signature].join('.');
}

/** A request with a token in the usual place. */
export const bearer = (token: string): GateRequest => ({ headers: [['authorization', `Bearer ${token}`]] });

/** A RequestAuthentication of namespace `a` with these rules, as JSON text, which is YAML. */
export function tokenPolicy(name: string, ...jwtRules: readonly object[]): string {
  const metadata = { name, namespace: 'a' };
  return JSON.stringify({
    apiVersion: 'security.mesh.io/v1',
    kind: 'RequestAuthentication',
    metadata,
    spec: { jwtRules },
  });
}
