import type { JwtRule } from './request-authentication.ts';

/** Keys that tokens of one rule are verified with, or why there are none. The same keys are the same object. */
export type KeySetAnswer =
  | {
      /** A JSON Web Key Set (RFC 7517) of public keys alone, as it goes into the configuration. */
      readonly text: string;
      readonly reason?: undefined;
    }
  | {
      readonly text?: undefined;
      /** Completes "the keys … are not at hand:". */
      readonly reason: string;
    };

/** Key sets that somebody has read and checked before compiling: the compiler opens no file and no connection. */
export interface KeySets {
  find(rule: Pick<JwtRule, 'issuer' | 'jwksUri' | 'jwks'>): KeySetAnswer;
}

const nobodyRead: KeySetAnswer = { reason: 'nobody has read them' };

/** No key set is at hand: each token is refused. */
export const noKeySets: KeySets = { find: () => nobodyRead };
