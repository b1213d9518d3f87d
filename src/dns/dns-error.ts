/** The port cannot be had, or nobody answered a query. */
export type DnsErrorCode = 'dns-bind-failed' | 'dns-upstream-failed';

/** The world failed; the message is one line and tells no name that was asked for. */
export class DnsError extends Error {
  override readonly name = 'DnsError';
  readonly code: DnsErrorCode;

  constructor(code: DnsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
