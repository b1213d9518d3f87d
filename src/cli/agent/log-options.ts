import { createLog, type Log, type LogLevel, writeStdout } from '../../agent/log.ts';
import { UsageError } from '../failure.ts';

/** The logging flags that take effect now. */
export interface LogFlags {
  readonly log_as_json?: boolean;
  readonly log_output_level: string;
  readonly log_target?: readonly string[];
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'fatal', 'none'];

/** Scopes of the specification; the agent has one for now. */
const scopes: readonly string[] = [
  ...['all', 'authorization', 'cache', 'caclient', 'configmapcontroller', 'default', 'cloudca', 'model', 'sds'],
  ...['secretfetcher', 'stsclient', 'stsserver', 'token', 'validation', 'vault'],
];

/** The log that the flags ask for; `UsageError` for a scope, level or target that is not there. */
export function logOf(flags: LogFlags): Log {
  const writers = [...new Set(flags.log_target ?? ['stdout'])].map(writerOf);
  const write = (line: string): void => {
    for (const writer of writers) writer(line);
  };
  return createLog({ isJson: flags.log_as_json === true, level: levelOf(flags.log_output_level), write });
}

/** The level of the default scope: the last entry wins, and `all` ends the list. */
export function levelOf(text: string): LogLevel {
  let level: LogLevel = 'info';
  for (const entry of text.split(',')) {
    const [scope, name] = entry.includes(':') ? entry.split(':', 2) : ['default', entry];
    if (!levels.includes(name as LogLevel) || entry.split(':').length > 2) {
      throw new UsageError(`--log_output_level: "${entry}" is no level (${levels.join(', ')})`);
    }
    if (!scopes.includes(scope as string)) throw new UsageError(`--log_output_level: unknown scope "${scope}"`);
    if (scope === 'default' || scope === 'all') level = name as LogLevel;
    else throw new UsageError(`not supported yet: --log_output_level for the scope ${scope}`);
    if (scope === 'all') break;
  }
  return level;
}

function writerOf(target: string): (line: string) => void {
  if (target === 'stdout') return writeStdout;
  if (target === 'stderr') return (line) => void process.stderr.write(line);
  throw new UsageError(`not supported yet: --log_target other than stdout and stderr ("${target}")`);
}
