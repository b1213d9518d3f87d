/** Values beside a message. */
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Where a room's messages go: whole lines, never a token or a key. */
export interface PlainLog {
  /** False: what is told at this level goes nowhere, so that nothing has to be made for it. */
  readonly saysDebug?: boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
