import { pino } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'none';
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * The agent's own messages: whole lines only, never key material. Further lines of a message are indented, and control
 * characters are escaped, so that nothing that is told about can look like a message of its own.
 */
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
  /** Names the place in the code that each message comes from: `agent/reload.ts:12`. */
  readonly namesCaller?: boolean;
  /** Least level of messages that carry a stack trace; none when absent. */
  readonly stackLevel?: LogLevel;
  /** Takes one whole line, newline included. */
  readonly write: (line: string) => void;
}

/** From the gravest on. */
const order: readonly LogLevel[] = ['none', 'fatal', 'error', 'warn', 'info', 'debug'];

/**
 * A log in the console form of the specification's agent: time, level, caller, message, then `key=value` pairs,
 * tab-separated; a stack trace on lines of its own.
 */
export function createLog({ isJson, level, namesCaller = false, stackLevel = 'none', write }: LogOptions): Log {
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
  const at = (name: 'debug' | 'info' | 'warn' | 'error'): Log['info'] => {
    const hasStack = order.indexOf(name) <= order.indexOf(stackLevel);
    const say: Log['info'] = (message, fields = {}) => {
      const frames = namesCaller || hasStack ? framesAbove(say) : [];
      const trace = { ...(namesCaller && { caller: callerOf(frames) }), ...(hasStack && { stack: frames.join('\n') }) };
      logger[name]({ ...fields, ...trace }, message);
    };
    return say;
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** The calls that led to `callee`, the nearest first. */
function framesAbove(callee: Log['info']): string[] {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, callee);
  return (holder.stack ?? '').split('\n').slice(1);
}

/** Folder, file and line of the nearest call. */
function callerOf([frame = '']: readonly string[]): string {
  return /([^/(\s]+\/[^/]+:\d+):\d+\)?$/.exec(frame)?.[1] ?? 'unknown';
}

/** Writes to standard output; a reader that went away ends nothing. */
export function writeStdout(line: string): void {
  process.stdout.write(line);
}

function consoleLine({ level, time, caller, msg, stack, ...fields }: Record<string, unknown>): string {
  const pairs = Object.entries(fields).map(
    ([key, value]) => `${key}=${escaped(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const message = String(msg).split('\n').map(escaped).join('\n    ');
  const columns = [time, level, caller, message, pairs.length > 0 ? pairs.join(' ') : undefined];
  const line = columns.filter((column) => column !== undefined).join('\t');
  return `${line}\n${stack === undefined ? '' : `${stack}\n`}`;
}

/** As in JSON; with them the marks that turn the direction of writing around, and separators of lines. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** UTC with six digits; the clock of Node gives three, the rest comes from the monotonic one. */
function utcMicroseconds(): string {
  const now = performance.timeOrigin + performance.now();
  const micros = Math.floor((now % 1) * 1000);
  return `${new Date(now).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}
