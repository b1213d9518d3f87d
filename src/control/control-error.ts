import { WorldFailure } from '../lib/failure.ts';

export type ControlErrorCode =
  | 'authority-unusable'
  | 'authority-unwritable'
  | 'listen-failed'
  | 'server-certificate-unusable'
  | 'token-keys-unusable';

/** The world failed around the control plane; the message names the place. */
export class ControlError extends WorldFailure<ControlErrorCode> {}
