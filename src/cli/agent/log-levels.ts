import { type LogLevel, type LogScope, logLevels, logScopes } from '../../agent/log/scope.ts';
import { nearest } from '../../lib/nearest.ts';
import { UsageError } from '../../lib/usage-error.ts';

const levelNames: readonly string[] = [...logLevels].reverse();
const scopeNames: readonly string[] = ['all', ...logScopes];

/**
 * Levels by scope, of a list of `scope:level`, or `level` for the scope `default`. Later entries win; `all:level` is for
 * every scope and ends the list. What is not named has `usual`. `UsageError` for names that are not there, also after `all`.
 */
export function parseLevels(text: string, flag: string, usual: LogLevel): ReadonlyMap<LogScope, LogLevel> {
  const levels = new Map<LogScope, LogLevel>(logScopes.map((scope) => [scope, usual]));
  const entries = text.split(',').map((entry) => parseEntry(entry, flag));
  for (const { scope, level } of entries) {
    for (const name of scope === 'all' ? logScopes : [scope]) levels.set(name, level);
    if (scope === 'all') break;
  }
  return levels;
}

/** Scopes of a list, or all of them. `UsageError` for one that is not there. */
export function parseCallers(text: string, flag: string): ReadonlySet<LogScope> {
  if (text === '') return new Set();
  return new Set(
    text.split(',').flatMap((name) => {
      const scope = scopeOf(name, flag);
      return scope === 'all' ? logScopes : [scope];
    }),
  );
}

function parseEntry(entry: string, flag: string): { readonly scope: LogScope | 'all'; readonly level: LogLevel } {
  const [first = '', second, ...others] = entry.split(':');
  if (others.length > 0) throw new UsageError(`${flag}: "${entry}" is no scope:level`);
  const level = second ?? first;
  if (!levelNames.includes(level)) throw new UsageError(unknown(flag, 'level', level, levelNames));
  return { scope: second === undefined ? 'default' : scopeOf(first, flag), level: level as LogLevel };
}

function scopeOf(name: string, flag: string): LogScope | 'all' {
  if (!scopeNames.includes(name)) throw new UsageError(unknown(flag, 'scope', name, scopeNames));
  return name as LogScope | 'all';
}

function unknown(flag: string, kind: string, name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  const advice = guess === undefined ? '' : `, did you mean "${guess}"?`;
  return `${flag}: unknown ${kind} "${name}"${advice} (${known.join(', ')})`;
}
