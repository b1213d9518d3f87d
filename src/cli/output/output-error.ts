/** The output folder cannot be read or written, or holds what is not ours: the world's failure. */
export class OutputError extends Error {
  readonly code: 'output-not-ours' | 'output-unwritable';

  constructor(code: OutputError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
