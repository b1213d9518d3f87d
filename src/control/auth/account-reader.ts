import { reviewAccess } from '../../kubernetes/access-review.ts';
import type { KubernetesApi } from '../../kubernetes/api.ts';
import { KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import type { ReadClock } from '../../lib/clock.ts';
import { type Caller, isNamespace } from './caller.ts';
import { createKeptReviews } from './kept-reviews.ts';
import { type DebugReader, debugAudience, type ReaderAuthentication } from './reader.ts';
import { createTokenReview } from './token-review.ts';

/** Who sends a debug request, and what it asks about. */
export interface AccountQuestion {
  readonly token: string;
  /** Of the client. */
  readonly address: string;
  readonly query: URLSearchParams;
}

/** Authenticates a reader by a token of a service account. */
export type AuthenticateAccount = (question: AccountQuestion) => Promise<ReaderAuthentication>;

export interface AccountReaderParts {
  readonly api: Pick<KubernetesApi, 'ask'>;
  readonly clock: ReadClock;
  /** Never goes back. */
  readonly elapsedMs?: ReadClock;
}

/** What RBAC calls the state of the distribution; no object has this kind. */
const wish = { verb: 'get', group: 'debug.mesh.io', resource: 'proxies' } as const;
/** A right that is taken away counts for so long. */
const keptMs = 10_000;
const mostKept = 4_096;
/** Of one request. */
const mostNamespaces = 20;

/**
 * Authenticates readers by the API server of a cluster: a TokenReview tells the account of a token for `mesh-debug`, and a
 * SubjectAccessReview whether the account may `get` `proxies.debug.mesh.io`, in all namespaces or in those that the request
 * is about. Answers are kept for 10 s. Without an answer of the API server nobody is let in.
 */
export function createAccountReader({
  api,
  clock,
  elapsedMs = () => performance.now(),
}: AccountReaderParts): AuthenticateAccount {
  const review = createTokenReview({ api, clock, audiences: [debugAudience], isFirstParty: false });
  const authenticate = createKeptReviews({ review, clock, elapsedMs });
  const kept = new Map<string, { readonly isAllowed: boolean; readonly untilMs: number }>();
  const mayRead = async (account: Caller, namespace: string | undefined): Promise<boolean> => {
    const key = `${account.namespace}/${account.serviceAccount}/${namespace ?? ''}`;
    const known = kept.get(key);
    if (known !== undefined && elapsedMs() < known.untilMs) return known.isAllowed;
    const isAllowed = await reviewAccess(api, { account, ...wish, namespace });
    kept.delete(key);
    kept.set(key, { isAllowed, untilMs: elapsedMs() + keptMs });
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return isAllowed;
  };
  const namespacesOf = async (account: Caller, query: URLSearchParams): Promise<DebugReader['namespaces']> => {
    if (await mayRead(account, undefined)) return 'all';
    const asked = namespacesIn(query, account.namespace);
    const answers = await Promise.all(asked.map((namespace) => mayRead(account, namespace)));
    return new Set(asked.filter((_, i) => answers[i]));
  };
  return async ({ token, address, query }) => {
    const shown = await authenticate(token, address);
    if (shown.caller === undefined) return shown;
    const { namespace, serviceAccount } = shown.caller;
    try {
      const namespaces = await namespacesOf(shown.caller, query);
      return { reader: { subject: `system:serviceaccount:${namespace}:${serviceAccount}`, namespaces } };
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      return { problem: error.message, isOurFault: true };
    }
  };
}

/** Namespaces that a request is about: of its proxy or object, and those that `namespace` names; else that of the account. */
function namespacesIn(query: URLSearchParams, own: string): readonly string[] {
  const ofProxy = query.get('proxy')?.split('/')[0];
  const ofObject = query.get('resource')?.split('/')[1];
  const named = [ofProxy, ofObject, ...query.getAll('namespace')].filter(
    (name) => name !== undefined && isNamespace(name),
  );
  const all = [...new Set(named as readonly string[])].slice(0, mostNamespaces);
  return all.length === 0 ? [own] : all;
}
