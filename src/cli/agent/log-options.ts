import { createLog, type Log, type LogLevel, writeStdout } from '../../agent/log/log.ts';
import { openLogFile, openRotatingFile, type WriteLine } from '../../agent/log/log-file.ts';
import { UsageError } from '../failure.ts';
import { didYouMean } from './values.ts';

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

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'fatal', 'none'];

/** Scopes of the specification; the agent has one for now. */
const scopes: readonly string[] = [
  ...['all', 'authorization', 'cache', 'caclient', 'configmapcontroller', 'default', 'cloudca', 'model', 'sds'],
  ...['secretfetcher', 'stsclient', 'stsserver', 'token', 'validation', 'vault'],
];

/** The log that the flags ask for; `UsageError` for a scope or level that is not there, AgentError for a file. */
export function logOf(flags: LogFlags): Log {
  const level = levelOf(flags.log_output_level);
  const stackLevel = levelOf(flags.log_stacktrace_level ?? 'default:none', '--log_stacktrace_level', 'none');
  const namesCaller = callersOf(flags.log_caller ?? '');
  const writers = [...new Set(flags.log_target ?? ['stdout'])].map(writerOf);
  if (flags.log_rotate) writers.push(rotatingFile(flags.log_rotate, flags));
  const write = (line: string): void => {
    for (const writer of writers) writer(line);
  };
  return createLog({ isJson: flags.log_as_json === true, level, namesCaller, stackLevel, write });
}

/** The level of the default scope: the last entry wins, and `all` ends the list. */
export function levelOf(text: string, flag = '--log_output_level', usual: LogLevel = 'info'): LogLevel {
  let level = usual;
  for (const entry of text.split(',')) {
    const [scope = '', name] = entry.includes(':') ? entry.split(':', 2) : ['default', entry];
    if (!levels.includes(name as LogLevel) || entry.split(':').length > 2) {
      throw new UsageError(`${flag}: "${entry}" is no level (${levels.join(', ')})${didYouMean(name ?? '', levels)}`);
    }
    checkScope(scope, flag);
    level = name as LogLevel;
    if (scope === 'all') break;
  }
  return level;
}

function callersOf(text: string): boolean {
  const names = text.split(',').filter((name) => name !== '');
  for (const name of names) checkScope(name, '--log_caller');
  return names.length > 0;
}

/** Messages have the default scope for now: what is asked for another one would have no effect. */
function checkScope(scope: string, flag: string): void {
  if (!scopes.includes(scope)) throw new UsageError(`${flag}: unknown scope "${scope}"${didYouMean(scope, scopes)}`);
  if (scope !== 'default' && scope !== 'all') throw new UsageError(`not supported yet: ${flag} for the scope ${scope}`);
}

function writerOf(target: string): WriteLine {
  if (target === 'stdout') return writeStdout;
  if (target === 'stderr') return (line) => void process.stderr.write(line);
  return openLogFile(target);
}

const mebibyte = 1_048_576;

/** The specification's default size, 104857600 "megabytes", is 100 MiB in bytes, so sizes over 1048576 are taken for bytes. */
function rotatingFile(path: string, flags: LogFlags): WriteLine {
  const size = flags.log_rotate_max_size || 100;
  const maxBytes = size > mebibyte ? size : size * mebibyte;
  const { log_rotate_max_backups: maxBackups = 1000, log_rotate_max_age: maxAgeDays = 30 } = flags;
  return openRotatingFile({ path, maxBytes, maxBackups, maxAgeDays });
}
