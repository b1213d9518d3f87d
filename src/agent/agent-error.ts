import { WorldFailure } from '../lib/failure.ts';

export type AgentErrorCode =
  | 'envoy-not-found'
  | 'envoy-too-old'
  | 'config-write-failed'
  | 'config-invalid'
  | 'admin-unreachable'
  | 'admin-bind-failed'
  | 'listener-bind-failed'
  | 'interception-mode-mismatch'
  | 'sds-bind-failed'
  | 'cert-unreadable'
  | 'cert-unwritable'
  | 'status-bind-failed'
  | 'sts-bind-failed'
  | 'already-running'
  | 'log-unwritable';

/** The world failed; the message says what to do where that is known. */
export class AgentError extends WorldFailure<AgentErrorCode> {}
