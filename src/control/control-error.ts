export type ControlErrorCode =
  | 'authority-unusable'
  | 'authority-unwritable'
  | 'listen-failed'
  | 'server-certificate-unusable'
  | 'token-keys-unusable';

/** The world failed around the control plane; the message names the place. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly code: ControlErrorCode;

  constructor(code: ControlErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
