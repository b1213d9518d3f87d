import type { SignatureVerdict } from '../signatures.ts';

/** What is known of the tokens of a request. */
export interface TokenJudge {
  /** Claims of a token that counts as verified, in place of those in the request. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** What the key sets say of the tokens in the request; a token that it says nothing of is `unmodelled`. */
  readonly signatures?: { of(keySet: string, token: string): SignatureVerdict | undefined } | undefined;
  /** Seconds since 1970. */
  readonly now: number;
}
