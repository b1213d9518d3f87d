import { WorldFailure } from '../lib/failure.ts';

/** What fails between us and a Consul server or agent. */
export type ConsulErrorCode =
  /** A file of its token, certificate or roots cannot be read, or holds none. */
  | 'consul-credentials-unusable'
  /** No answer: no connection, a broken one, a time-out. */
  | 'consul-unreachable'
  /** An answer that is none: text that does not parse, of another shape, without an index, or too old. */
  | 'consul-answer-unusable'
  /** A status other than 200, such as 500 while no leader is elected, or 403 for a token without the right. */
  | 'consul-refused';

export class ConsulError extends WorldFailure<ConsulErrorCode> {}
