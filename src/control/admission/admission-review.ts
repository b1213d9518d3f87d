import { standardGroup } from '../../policy/gateway-api.ts';
import type { JsonObject, JsonValue } from '../../source/document.ts';

/** What an API server asks an admission webhook about (admission.k8s.io, v1 and v1beta1). */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly operation: string;
  /** Of the object, also where its own metadata does not say it yet; undefined: it has none. */
  readonly namespace: string | undefined;
  /** As it would be stored; undefined for a deletion. */
  readonly object: JsonObject | undefined;
  /** As it is stored; undefined for a creation. */
  readonly oldObject: JsonObject | undefined;
}

/** A request in its envelope: the answer has the same version. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

/** One reason of a refusal. */
export interface AdmissionCause {
  readonly field: string;
  readonly message: string;
}

/** Whether the object must not be refused: other programs may serve it. */
export function isOnlyAdvised({ kind }: Pick<AdmissionRequest, 'kind'>): boolean {
  return kind.group === standardGroup;
}

/** What is decided about an object. */
export interface Ruling {
  readonly isAllowed: boolean;
  /** Shown to whoever writes the object. */
  readonly warnings?: readonly string[];
  /** Of a refusal. */
  readonly message?: string;
  readonly causes?: readonly AdmissionCause[];
  /** Why an object that is allowed stays as it is; for the log. */
  readonly note?: string;
  /** RFC 6902, for an object that is allowed: it becomes another one, or is one already. */
  readonly patch?: readonly object[];
}

const versions: ReadonlySet<unknown> = new Set(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']);

/** Operations after which an object is stored. */
const changing: ReadonlySet<string> = new Set(['CREATE', 'UPDATE']);

/** The review of a text; what is missing or wrong in it, as words, where it is none. */
export function readReview(text: string): AdmissionReview | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `the body is not JSON: ${(error as Error).message}`;
  }
  if (!isObject(value) || value.kind !== 'AdmissionReview' || !versions.has(value.apiVersion)) {
    return 'the body is no AdmissionReview of admission.k8s.io/v1 or v1beta1';
  }
  const { apiVersion, request } = value;
  if (!isObject(request)) return 'the AdmissionReview has no request';
  const { uid, kind, operation, namespace, object, oldObject } = request;
  if (typeof uid !== 'string' || uid === '') return 'the request has no uid';
  if (!isObject(kind) || ![kind.group, kind.version, kind.kind].every((part) => typeof part === 'string')) {
    return 'the request does not say the kind of its object';
  }
  if (typeof operation !== 'string') return 'the request does not say its operation';
  if ([object, oldObject].some((each) => each !== undefined && each !== null && !isObject(each))) {
    return 'the object of the request is none';
  }
  if (changing.has(operation) && !isObject(object)) return `the request has the operation ${operation}, and no object`;
  return {
    apiVersion: String(apiVersion),
    request: {
      ...{ uid, operation, kind: kind as unknown as AdmissionRequest['kind'] },
      namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
      object: isObject(object) ? object : undefined,
      oldObject: isObject(oldObject) ? oldObject : undefined,
    },
  };
}

/** A status has room for more, but who reads it has not. */
const longestMessage = 8_000;
/** API servers drop all warnings beyond a length in all. */
const longestWarning = 256;
const mostWarnings = 12;

/** What the API server gets. */
export function answerOf({ apiVersion, request }: AdmissionReview, ruling: Ruling): object {
  const { isAllowed, warnings = [], message = '', causes = [], patch = [] } = ruling;
  return {
    apiVersion,
    kind: 'AdmissionReview',
    response: {
      uid: request.uid,
      allowed: isAllowed,
      ...(warnings.length > 0 && {
        warnings: warnings.slice(0, mostWarnings).map((text) => cut(text, longestWarning)),
      }),
      ...(isAllowed
        ? patch.length > 0 && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
        : { status: refusal(message, causes) }),
    },
  };
}

/** Not `Invalid`, of which kubectl shows the causes alone, and not who refuses. */
function refusal(message: string, causes: readonly AdmissionCause[]): object {
  return {
    ...{ status: 'Failure', code: 400, reason: 'BadRequest', message: cut(message, longestMessage) },
    details: {
      causes: causes.map((cause) => ({ reason: 'FieldValueInvalid', field: cause.field, message: cause.message })),
    },
  };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function isObject(value: unknown): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
