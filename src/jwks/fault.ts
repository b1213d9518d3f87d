/**
 * Why there is no key set (or no newer one): `url-refused` no usable http or https URL; `issuer-not-url` discovery of an
 * issuer that is none; `host-refused` an address that key sets may not come from; `host-unknown` no DNS answer;
 * `unreachable` no connection, or a broken one; `timed-out`; `status-refused` another status than 200;
 * `redirect-refused` too many, without a target, or from https to http; `answer-too-large`; `answer-invalid` not the
 * expected JSON; `issuer-mismatch` the discovery document is another issuer's; `keys-unusable` more keys than are looked
 * at, or Envoy refuses them; `keys-withdrawn` a well-formed set, maybe an empty one, without a usable key; `outdated` the
 * last valid set is too old; `closed` the resolver has ended.
 */
export type KeySetFaultCode =
  | 'url-refused'
  | 'issuer-not-url'
  | 'host-refused'
  | 'host-unknown'
  | 'unreachable'
  | 'timed-out'
  | 'status-refused'
  | 'redirect-refused'
  | 'answer-too-large'
  | 'answer-invalid'
  | 'issuer-mismatch'
  | 'keys-unusable'
  | 'keys-withdrawn'
  | 'outdated'
  | 'closed';

/** A reason as a value: one line of printable ASCII that never holds a body, a query or credentials. */
export interface KeySetFault {
  readonly code: KeySetFaultCode;
  readonly message: string;
}

interface KeySetErrorOptions extends ErrorOptions {
  readonly isTransient?: boolean;
  readonly retryAfter?: string | undefined;
}

/** The world failed on the way to a key set; inside this room only, callers get a `KeySetFault`. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
  readonly code: KeySetFaultCode;
  /** The same request may succeed a moment later. */
  readonly isTransient: boolean;
  /** The header `retry-after` of the answer. */
  readonly retryAfter: string | undefined;

  constructor(code: KeySetFaultCode, message: string, options: KeySetErrorOptions = {}) {
    super(message, options);
    this.retryAfter = options.retryAfter;
    this.code = code;
    this.isTransient = options.isTransient ?? transientCodes.has(code);
  }

  toFault(): KeySetFault {
    return { code: this.code, message: this.message };
  }
}

const transientCodes: ReadonlySet<KeySetFaultCode> = new Set(['host-unknown', 'unreachable', 'timed-out']);
const longest = 160;

/** Foreign text in quotes for a message: printable ASCII (else `\uXXXX`), cut after 160 characters. */
export function quoted(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}...` : text;
  return JSON.stringify(cut).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The URL without credentials, query and fragment, which may hold secrets, in quotes. */
export function quotedUrl(url: URL): string {
  return quoted(`${url.protocol}//${url.host}${url.pathname}`);
}
