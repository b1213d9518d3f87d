/** Scopes of the specification; `all` is none of them. What the agent has no use for is accepted and stays silent. */
export const logScopes = [
  'authorization',
  'cache',
  'caclient',
  'cloudca',
  'configmapcontroller',
  'default',
  'model',
  'sds',
  'secretfetcher',
  'stsclient',
  'stsserver',
  'token',
  'validation',
  'vault',
] as const;
/** What a message is about. */
export type LogScope = (typeof logScopes)[number];

/** From the gravest on; `none` lets nothing through. */
export const logLevels = ['none', 'fatal', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** How the messages of one scope are treated. */
export interface ScopeOptions {
  readonly level: LogLevel;
  /** Names the place in the code that each message comes from: `agent/reload.ts:12`. */
  readonly namesCaller?: boolean;
  /** Least level of messages that carry a stack trace; none when absent. */
  readonly stackLevel?: LogLevel;
}

/** Whether a message of `level` is grave enough for `least`. */
export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return logLevels.indexOf(level) <= logLevels.indexOf(least);
}
