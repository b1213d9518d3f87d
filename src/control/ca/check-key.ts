import type { KeyObject } from 'node:crypto';

const curves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1']);
const shortestModulus = 2_048;
/** Longer ones cost every peer, and us at each check. */
const longestModulus = 8_192;

const smallestExponent = 65_537n;
/** Longer ones stop us for tens of milliseconds at each check, and what Go and BoringSSL read ends about here. */
const largestExponent = 2n ** 31n - 1n;

/** Why a key is too weak for a certificate; undefined for RSA from 2048 bits on, P-256 and P-384. */
export function keyProblem(key: KeyObject): string | undefined {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = 'none' } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      if (modulusLength < shortestModulus)
        return `its RSA key has ${modulusLength} bits, fewer than ${shortestModulus}`;
      if (modulusLength > longestModulus) return `its RSA key has ${modulusLength} bits, more than ${longestModulus}`;
      if (publicExponent < smallestExponent) return `the exponent of its RSA key is smaller than ${smallestExponent}`;
      return publicExponent > largestExponent || publicExponent % 2n === 0n
        ? `the exponent of its RSA key is even or larger than ${largestExponent}`
        : undefined;
    case 'ec':
      return curves.has(namedCurve) ? undefined : `its key is on the curve ${namedCurve}, not on P-256 or P-384`;
    default:
      return `its key is of type ${key.asymmetricKeyType}, not RSA or ECDSA`;
  }
}
