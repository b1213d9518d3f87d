/** What an access rule asks of the source of a request, of the operation, or of one attribute. */
export type Fields = Readonly<Record<string, readonly string[]>>;

export interface Condition {
  readonly key: string;
  readonly values?: readonly string[];
  readonly notValues?: readonly string[];
}

export interface AccessRule {
  readonly from?: readonly { readonly source: Fields }[];
  readonly to?: readonly { readonly operation: Fields }[];
  readonly when?: readonly Condition[];
}

export type Action = 'ALLOW' | 'DENY' | 'AUDIT' | 'CUSTOM';

interface Selecting {
  readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> };
}

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** An AuthorizationPolicy as a test writes it. */
export interface AccessPolicy extends Named {
  readonly kind: 'AuthorizationPolicy';
  readonly spec: Selecting & {
    readonly action?: Action;
    readonly provider?: { readonly name: string };
    readonly rules?: readonly AccessRule[];
  };
}

/** What a RequestAuthentication accepts. */
export interface TokenRule {
  readonly issuer: string;
  readonly jwks: string;
  readonly audiences?: readonly string[];
  readonly fromHeaders?: readonly { readonly name: string; readonly prefix?: string }[];
  readonly fromParams?: readonly string[];
  readonly spaceDelimitedClaims?: readonly string[];
}

/** A RequestAuthentication as a test writes it. */
export interface TokenPolicy extends Named {
  readonly kind: 'RequestAuthentication';
  readonly spec: Selecting & { readonly jwtRules: readonly TokenRule[] };
}

/** Whether a policy is about a workload: of its namespace or of the whole mesh, and with labels that it has. */
export function isAbout(
  { metadata, spec }: AccessPolicy | TokenPolicy,
  workload: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> },
  rootNamespace: string,
): boolean {
  const wanted = Object.entries(spec.selector?.matchLabels ?? {});
  return (
    (metadata.namespace === workload.namespace || metadata.namespace === rootNamespace) &&
    wanted.every(([key, value]) => workload.labels[key] === value)
  );
}
