import type { RequestAuthentication } from '../../policy/request-authentication.ts';

/** The issuers whose tokens are verified anywhere in the mesh. */
export class Issuers {
  readonly #all: ReadonlySet<string>;

  constructor(issuers: Iterable<string>) {
    this.#all = new Set(issuers);
  }

  static of(policies: readonly RequestAuthentication[]): Issuers {
    return new Issuers(policies.flatMap(({ spec }) => (spec.jwtRules ?? []).map(({ issuer }) => issuer ?? '')));
  }

  has(issuer: string): boolean {
    return this.#all.has(issuer);
  }

  /**
   * Whether a request principal, which is `<issuer>/<subject>`, names an issuer alone. What has a star may match; where
   * nothing can be a subject (`name`, `https://name`), reading refuses the value.
   */
  isWithoutSubject(principal: string): boolean {
    if (principal.includes('*')) return false;
    const slash = principal.lastIndexOf('/');
    if (slash === -1 || principal.slice(0, slash + 1).endsWith('://')) return false;
    if (slash === principal.length - 1) return true;
    return this.has(principal) && !this.has(principal.slice(0, slash));
  }
}
