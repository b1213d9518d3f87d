/** One `--jwks ISSUER=FILE`. */
export interface KeySetOption {
  readonly issuer: string;
  readonly path: string;
}
