/** Values beside a message. */
export type ControlFields = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Where the control plane's messages go: whole lines, never a token or a key. */
export interface ControlLog {
  debug(message: string, fields?: ControlFields): void;
  info(message: string, fields?: ControlFields): void;
  warn(message: string, fields?: ControlFields): void;
  error(message: string, fields?: ControlFields): void;
}

/** Milliseconds of Unix time, handed in so that tests can jump. */
export type Clock = () => number;
