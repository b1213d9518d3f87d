/**
 * Where the stand-in's x coordinate comes from: the first SHA-256 of this sentence, a blank and a counter (decimal, from
 * 0) that is the x of a point of P-256. The counter turned out to be 0. Of the two y the even one is taken.
 */
export const standInSentence = 'This key verifies nothing: nobody knows its private half.';

/** The `kid` that no token of an issuer bears by accident. */
export const standInKid = 'verifies-nothing';

/**
 * The key set in force while an issuer's own cannot be had: every token is answered 401, requests without one pass as
 * they do otherwise. A point whose x is a hash is one that nobody made from a private key. It stays a well-formed public
 * key because Envoy refuses a listener with an empty set or a point off the curve, and it is asymmetric because a
 * constant symmetric key would let anybody sign.
 */
export const standInKeySet = JSON.stringify({
  keys: [
    {
      kty: 'EC',
      kid: standInKid,
      alg: 'ES256',
      crv: 'P-256',
      x: 'TOAm0MaCZIQrEm9lJmqV9EuwNA4dWRLKgcnGU_1x84o',
      y: 'wPylwWty60akfdh-EfDR_CuIWSPXj5t5F-2g682s0aI',
    },
  ],
});
