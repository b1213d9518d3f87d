import type { NodeWarnings } from '../../agent/life/node-warnings.ts';
import { createLog, type Log } from '../../agent/log/log.ts';
import type { RotateOptions } from '../../agent/log/log-file.ts';
import { type LogScope, logScopes, type ScopeOptions } from '../../agent/log/scope.ts';
import { type LogTarget, type LogTargets, openTargets } from '../../agent/log/targets.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { parseCallers, parseLevels } from './log-levels.ts';

/** The logging flags; one that is absent has its default. */
export interface LogFlags {
  readonly log_as_json?: boolean;
  readonly log_caller?: string;
  readonly log_output_level: string;
  readonly log_rotate?: string;
  readonly log_rotate_max_age?: number;
  readonly log_rotate_max_backups?: number;
  readonly log_rotate_max_size?: number;
  readonly log_stacktrace_level?: string;
  readonly log_target?: readonly string[];
}

/** A log with what its files need. */
export interface OpenLog extends Pick<LogTargets, 'reopen' | 'onLost'> {
  readonly log: Log;
}

/**
 * The log that the flags ask for, which also tells the warnings of Node; `UsageError` for a scope, level or target that
 * cannot be, AgentError for a file.
 */
export function openLog(flags: LogFlags, warnings?: NodeWarnings): OpenLog {
  const scopes = scopesOf(flags);
  const targets = (flags.log_target ?? ['stdout']).map(parseTarget);
  const rotate = flags.log_rotate ? [{ path: flags.log_rotate, rotate: rotateOptions(flags) }] : [];
  const { write, reopen, onLost } = openTargets([...targets, ...rotate]);
  const log = createLog({ isJson: flags.log_as_json === true, level: 'info', scopes, write });
  warnings?.onWarning((text) => log.warn('Node warns', { text }));
  return { log, reopen, onLost };
}

/** The same for a command that is soon done. */
export function logOf(flags: LogFlags, warnings?: NodeWarnings): Log {
  return openLog(flags, warnings).log;
}

function scopesOf(flags: LogFlags): ReadonlyMap<LogScope, ScopeOptions> {
  const levels = parseLevels(flags.log_output_level, '--log_output_level', 'info');
  const stackLevels = parseLevels(flags.log_stacktrace_level ?? 'none', '--log_stacktrace_level', 'none');
  const callers = parseCallers(flags.log_caller ?? '', '--log_caller');
  return new Map(
    logScopes.map((scope) => [
      scope,
      {
        level: levels.get(scope) ?? 'info',
        stackLevel: stackLevels.get(scope) ?? 'none',
        namesCaller: callers.has(scope),
      },
    ]),
  );
}

/** A stream, a path, or a path as `file:` URL; what looks like another URL is none of them. */
function parseTarget(text: string): LogTarget {
  if (text === 'stdout' || text === 'stderr') return text;
  if (text === '') throw new UsageError('--log_target: a path is expected, or stdout, or stderr');
  const [, scheme] = /^([a-z][a-z\d+.-]*):/i.exec(text) ?? [];
  if (scheme === undefined) return { path: text };
  if (scheme.toLowerCase() !== 'file') throw new UsageError(`--log_target: "${text}" is no file: URL`);
  const url = new URL(text);
  if (url.host !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(`--log_target: "${text}" has more than a path`);
  }
  return { path: decodeURIComponent(url.pathname) };
}

const mebibyte = 1_048_576;

/** The specification's default size, 104857600 "megabytes", is 100 MiB in bytes, so sizes over 1048576 are taken for bytes. */
function rotateOptions(flags: LogFlags): RotateOptions {
  const size = flags.log_rotate_max_size || 100;
  const maxBytes = size > mebibyte ? size : size * mebibyte;
  const { log_rotate_max_backups: maxBackups = 1000, log_rotate_max_age: maxAgeDays = 30 } = flags;
  return { maxBytes, maxBackups, maxAgeDays };
}
