/** A trust domain that a mesh can have: it becomes a part of identities (SPIFFE ID, section 2.1). */
export function isOwnTrustDomain(text: string): boolean {
  return /^[a-z0-9._-]{1,255}$/.test(text);
}
