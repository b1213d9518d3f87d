import { WorldFailure } from '../lib/failure.ts';

/** The port cannot be had, or nobody answered a query. */
export type DnsErrorCode = 'dns-bind-failed' | 'dns-upstream-failed';

/** The world failed; the message is one line and tells no name that was asked for. */
export class DnsError extends WorldFailure<DnsErrorCode> {}
