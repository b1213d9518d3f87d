import type { KubernetesApi } from './api.ts';
import { KubernetesError } from './kubernetes-error.ts';

/** What a service account wants to do. */
export interface AccountWish {
  readonly account: { readonly namespace: string; readonly serviceAccount: string };
  readonly verb: 'get' | 'list';
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  /** Undefined: in all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined: with all objects of the namespace. */
  readonly name?: string;
}

interface Review {
  readonly status?: { readonly allowed?: unknown; readonly denied?: unknown };
}

const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const deadlineMs = 5_000;

/** Asks the API server whether an account may do something (`SubjectAccessReview`). `KubernetesError` where nobody knows now. */
export async function reviewAccess(
  api: Pick<KubernetesApi, 'ask'>,
  { account, verb, group, resource, namespace = '', name = '' }: AccountWish,
  signal?: AbortSignal,
): Promise<boolean> {
  const { namespace: of, serviceAccount } = account;
  const body = {
    ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' },
    spec: {
      user: `system:serviceaccount:${of}:${serviceAccount}`,
      // What the API server itself takes every account for.
      groups: ['system:serviceaccounts', `system:serviceaccounts:${of}`, 'system:authenticated'],
      resourceAttributes: { verb, group, version: '*', resource, namespace, name },
    },
  };
  const { status } = await api.ask<Review>({ method: 'POST', path, body, deadlineMs, signal });
  if (typeof status?.allowed !== 'boolean') {
    throw new KubernetesError('api-answer-unusable', `POST ${path}: the answer does not say what is allowed`);
  }
  return status.allowed && status.denied !== true;
}
