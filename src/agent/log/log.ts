import { pino } from 'pino';
import type { PlainLog } from '../../lib/log.ts';
import { boundedLine, consoleLine, jsonLine, type LineParts, longestLine } from './line.ts';
import { isAtLeast, type LogLevel, type LogScope, type ScopeOptions } from './scope.ts';

export type { LogLevel } from './scope.ts';
/**
 * The agent's own messages: whole lines only, never key material. Control characters are escaped, so that nothing that is
 * told about can look like a message of its own.
 */
export interface Log extends PlainLog {
  /** The same log for messages of another scope. */
  scope(name: LogScope): Log;
}

export interface LogOptions extends ScopeOptions {
  /** `--log_as_json`: one object a line, else tab-separated text. */
  readonly isJson: boolean;
  /** Scopes that are treated otherwise than the options above say. */
  readonly scopes?: ReadonlyMap<LogScope, ScopeOptions>;
  /** Takes one whole line, newline included. */
  readonly write: (line: string) => void;
}

/** A log in the forms of the specification's agent; it starts in the scope `default`. */
export function createLog(options: LogOptions): Log {
  const { isJson, write } = options;
  const form = isJson ? jsonLine : consoleLine;
  const clock = createClock();
  const logger = pino(
    {
      base: null,
      level: 'debug',
      timestamp: () => `,"time":"${utcMicroseconds(clock())}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['authorization', 'token', 'privateKey', 'key'],
    },
    { write: (line) => write(boundedLine(JSON.parse(line) as LineParts, form)) },
  );
  return scopedLog('default', options, (level, fields, message) =>
    // What is cut anyway is not escaped first.
    logger[level](fields, message.slice(0, 2 * longestLine)),
  );
}

type SaidLevel = Exclude<LogLevel, 'none' | 'fatal'>;
type Say = (level: SaidLevel, fields: object, message: string) => void;

function scopedLog(scope: LogScope, options: LogOptions, say: Say): Log {
  const { level, namesCaller = false, stackLevel = 'none' } = options.scopes?.get(scope) ?? options;
  const name = scope === 'default' ? {} : { scope };
  const at = (own: SaidLevel): Log['info'] => {
    if (!isAtLeast(own, level)) return () => {};
    const hasStack = isAtLeast(own, stackLevel);
    const tell: Log['info'] = (message, fields = {}) => {
      const frames = namesCaller || hasStack ? framesAbove(tell) : [];
      const trace = { ...(namesCaller && { caller: callerOf(frames) }), ...(hasStack && { stack: frames.join('\n') }) };
      say(own, { ...fields, ...name, ...trace }, message);
    };
    return tell;
  };
  return {
    saysDebug: isAtLeast('debug', level),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    scope: (other) => scopedLog(other, options, say),
  };
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

/** A monotonic clock that differs more from the wall clock than this was left behind by somebody who set that one. */
const setMs = 20;

/**
 * Milliseconds since 1970 with a fraction: the clock of the wall gives none, so the monotonic one counts from it, and
 * again from it after it was set (a machine that boots with a wrong time, or that slept).
 */
function createClock(): () => number {
  let offset = performance.timeOrigin;
  return () => {
    const monotonic = performance.now();
    const wall = Date.now();
    if (Math.abs(offset + monotonic - wall) > setMs) offset = wall - monotonic;
    return offset + monotonic;
  };
}

/** UTC with six digits. */
function utcMicroseconds(now: number): string {
  const micros = Math.floor((now % 1) * 1000);
  return `${new Date(now).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}
