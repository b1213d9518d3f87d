import { WorldFailure } from '../lib/failure.ts';

/** What fails between us and a Kubernetes API server. */
export type KubernetesErrorCode =
  /** The kubeconfig, or what a pod gets of its cluster, cannot be read or says something that is not supported. */
  | 'cluster-access-unusable'
  /** A token, certificate or credential plugin gives nothing. */
  | 'credentials-unusable'
  /** No answer: no connection, a broken one, a time-out. */
  | 'api-unreachable'
  /** Not asked, as it was asked often enough. */
  | 'api-spared'
  /** An answer that is none: text that does not parse, a list without a revision. */
  | 'api-answer-unusable'
  /** An error that the API server tells; see `ApiRefusal`. */
  | 'api-refused';

export class KubernetesError extends WorldFailure<KubernetesErrorCode> {}

/** An error response of the API server, with the fields of its `Status` object. */
export class ApiRefusal extends KubernetesError {
  /** Of HTTP. */
  readonly status: number;
  /** Such as `NotFound` or `Expired`; empty where something before the server answered. */
  readonly reason: string;
  /** After so long the server wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(
    what: string,
    answer: { status: number; reason: string; message: string; retryAfterMs?: number | undefined },
  ) {
    super(
      'api-refused',
      `${what}: the API server answered ${answer.status}${answer.message && ` (${answer.message})`}`,
    );
    this.status = answer.status;
    this.reason = answer.reason;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** Whether the API server no longer has the requested revision (410), also if a watch reports that in an event. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiRefusal && (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone');
}
