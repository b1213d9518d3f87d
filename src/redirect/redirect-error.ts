import { WorldFailure } from '../lib/failure.ts';

/** Why redirection could not be set up or removed. */
export type RedirectErrorCode =
  | 'iptables-not-found'
  | 'iptables-failed'
  | 'iptables-locked'
  | 'net-admin-missing'
  | 'kernel-module-missing'
  | 'routing-failed'
  | 'redirect-interrupted';

/** The world's failure, with what to do about it in the message. */
export class RedirectError extends WorldFailure<RedirectErrorCode> {}
