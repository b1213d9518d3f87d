/** What is known of the workload before it has a certificate. */
export interface WorkloadNames {
  readonly trustDomain: string;
  /** POD_NAMESPACE; undefined: as the token says. */
  readonly namespace: string | undefined;
  /** SERVICE_ACCOUNT; undefined: as the token says. */
  readonly serviceAccount: string | undefined;
}

/** The identity to ask for, or the sentence that says why there is none. */
export type SpiffeIdAnswer =
  | { readonly spiffeId: string; readonly problem?: never }
  | { readonly problem: string; readonly spiffeId?: never };

/** A SPIFFE ID has at most this many bytes (SPIFFE-ID, section 2.3). */
const longestSpiffeId = 2048;

/**
 * `spiffe://<trust domain>/ns/<namespace>/sa/<service account>` from the variables, else from the claim `sub` of the
 * token, `system:serviceaccount:<namespace>:<name>`. The claim is not verified here and decides nothing but the request:
 * the CA gives a certificate only for what it has verified itself.
 */
export function workloadSpiffeId(names: WorkloadNames, tokenSubject: string | undefined): SpiffeIdAnswer {
  const fromToken = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(tokenSubject ?? '');
  const namespace = names.namespace ?? fromToken?.[1];
  const serviceAccount = names.serviceAccount ?? fromToken?.[2];
  if (namespace === undefined || serviceAccount === undefined) {
    return {
      problem:
        'the identity is not known: set POD_NAMESPACE and SERVICE_ACCOUNT, or give a token whose "sub" is system:serviceaccount:<namespace>:<name>',
    };
  }
  const [, tokenNamespace = namespace, tokenAccount = serviceAccount] = fromToken ?? [];
  if (tokenNamespace !== namespace || tokenAccount !== serviceAccount) {
    return {
      problem: `POD_NAMESPACE and SERVICE_ACCOUNT say "${namespace}/${serviceAccount}", the token is of "${tokenNamespace}/${tokenAccount}"`,
    };
  }
  for (const [what, segment] of [
    ['namespace', namespace],
    ['service account', serviceAccount],
  ] as const) {
    if (!isSegment(segment)) return { problem: `${JSON.stringify(segment)} cannot be the ${what} of a SPIFFE ID` };
  }
  const spiffeId = `spiffe://${names.trustDomain.toLowerCase()}/ns/${namespace}/sa/${serviceAccount}`;
  return spiffeId.length > longestSpiffeId
    ? { problem: 'the identity is longer than a SPIFFE ID may be' }
    : { spiffeId };
}

function isSegment(text: string): boolean {
  return /^[A-Za-z0-9._-]+$/.test(text) && text !== '.' && text !== '..';
}
