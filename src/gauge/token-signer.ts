import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from 'jose';
import type { Signatures } from '../access/signatures.ts';

type Claims = Readonly<Record<string, unknown>>;
type PrivateKey = GenerateKeyPairResult['privateKey'];
type SignatureJudge = { of(keySet: string, token: string): Verdict | undefined };
type Verdict = NonNullable<ReturnType<Signatures['of']>>;

/** Signs tokens with claims that are assumed, with a key of its own. */
export class TokenSigner {
  /** JSON Web Key that verifies the tokens. */
  readonly publicKey: object;
  readonly #privateKey: PrivateKey;
  readonly #tokens = new Set<string>();

  private constructor(publicKey: object, privateKey: PrivateKey) {
    this.publicKey = publicKey;
    this.#privateKey = privateKey;
  }

  static async create(): Promise<TokenSigner> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    return new TokenSigner({ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }, privateKey);
  }

  /** The text of a token with exactly these claims. */
  async sign(claims: Claims): Promise<string> {
    const text = await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(this.#privateKey);
    this.#tokens.add(text);
    return text;
  }

  /** Its tokens are good by every key set, as the public key is in each; of others, what `others` say. */
  judge(others: Pick<Signatures, 'of'>): SignatureJudge {
    return { of: (keySet, token) => (this.#tokens.has(token) ? 'good' : others.of(keySet, token)) };
  }
}

const kid = 'meshpol-prove';
