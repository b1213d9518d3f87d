import type { JsonObject } from '../../../source/document.ts';

/** What of a review a test sets. */
export interface ReviewParts {
  readonly object?: JsonObject;
  readonly oldObject?: JsonObject;
  readonly operation?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
}

/** A review as an API server sends it. */
export function reviewOf({ object, oldObject, operation = 'CREATE', uid = 'u-1', ...rest }: ReviewParts): JsonObject {
  const of = object ?? oldObject ?? {};
  const [version = '', group = ''] = String(of.apiVersion).split('/').reverse();
  const { namespace = '' } = (of.metadata ?? {}) as { readonly namespace?: string };
  const request = {
    ...{ uid, operation, namespace, object: object ?? null, oldObject: oldObject ?? null },
    kind: { group, version, kind: String(of.kind) },
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', ...rest, request };
}
