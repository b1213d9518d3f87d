import { pino } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'none';
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** The agent's own messages: one line each, whole lines only, never key material. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LogOptions {
  /** `--log_as_json`: one object a line, else tab-separated text. */
  readonly isJson: boolean;
  readonly level: LogLevel;
  /** Takes one whole line, newline included. */
  readonly write: (line: string) => void;
}

/** A log in the console form of the specification's agent: time, level, message, then `key=value` pairs, tab-separated. */
export function createLog({ isJson, level, write }: LogOptions): Log {
  const logger = pino(
    {
      base: null,
      level: level === 'none' ? 'silent' : level,
      timestamp: () => `,"time":"${utcMicroseconds()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['authorization', 'token', 'privateKey', 'key'],
    },
    { write: isJson ? write : (line) => write(consoleLine(JSON.parse(line) as Record<string, unknown>)) },
  );
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
}

/** Writes to standard output; a reader that went away ends nothing. */
export function writeStdout(line: string): void {
  process.stdout.write(line);
}

function consoleLine({ level, time, msg, ...fields }: Record<string, unknown>): string {
  const pairs = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${[time, level, msg, ...(pairs.length > 0 ? [pairs.join(' ')] : [])].join('\t')}\n`;
}

/** UTC with six digits; the clock of Node gives three, the rest comes from the monotonic one. */
function utcMicroseconds(): string {
  const now = performance.timeOrigin + performance.now();
  const micros = Math.floor((now % 1) * 1000);
  return `${new Date(now).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}
