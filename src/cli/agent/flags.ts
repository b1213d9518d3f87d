import { type Command, Option } from 'commander';
import { UsageError } from '../../lib/usage-error.ts';
import { type RedirectFlag, redirectFlags, variableOf } from '../../redirect/flags.ts';
import { collectPath, parsePath } from '../options.ts';
import { wholeNumber } from './values.ts';

/** Flags that take no value; Go's form `--flag=false` is accepted too. */
const booleanFlags: ReadonlySet<string> = new Set([
  '--log_as_json',
  '--disableInternalTelemetry',
  '--short',
  '--print-config',
]);

/** Those of redirection, whose false is said by `--no-flag`: a variable may say true. */
const redirectSwitches: ReadonlyMap<string, string> = new Map(
  redirectFlags.flatMap((flag: RedirectFlag) => {
    if (flag.value !== undefined) return [];
    const long = [`--${flag.name}`, flag.name] as const;
    return flag.short === undefined ? [long] : [long, [`-${flag.short}`, flag.name] as const];
  }),
);

/** Adds the logging flags that every command of the specification has. */
export function addLoggingFlags(command: Command): Command {
  return command
    .optionsGroup('Logging:')
    .option('--log_as_json', 'format the log as JSON (default: off)')
    .option(
      '--log_caller <scopes>',
      'scopes whose messages name the line of the source that they come from, separated by commas (default: none)',
      '',
    )
    .option(
      '--log_output_level <levels>',
      'lowest level that is logged, as scope:level, separated by commas; all:level: of every scope; level alone: of the scope default',
      'default:info',
    )
    .option('--log_rotate <path>', 'additional log file, which is rotated by size (default: none)', parsePath, '')
    .option('--log_rotate_max_age <days>', 'days after which a rotated file is deleted; 0: never', wholeNumber, 30)
    .option('--log_rotate_max_backups <count>', 'number of rotated files to keep; 0: all', wholeNumber, 1000)
    .option(
      '--log_rotate_max_size <megabytes>',
      'size at which the file is rotated, in megabytes; a value over 1048576 is in bytes',
      wholeNumber,
      104857600,
    )
    .option(
      '--log_stacktrace_level <levels>',
      'lowest level that is logged with a stack trace, in the same form',
      'default:none',
    )
    .option(
      '--log_target <path>',
      'destination of the log: stdout, stderr or a file; may be repeated (default: [stdout])',
      collectPath,
      undefined,
    );
}

const redirectVariables = `
A flag that is not given has the value of the environment variable in [brackets]. Variables without a flag:
  PROXY_USER   name of the user that the proxy runs as (default: mesh-proxy)
  DNS_CAPTURE  if not empty, DNS queries over UDP are redirected to port 15013 of loopback, where a DNS server of your own must listen
  DNS_AGENT    if not empty, DNS queries over UDP and TCP are redirected to port 15053 of loopback, where pilot-agent proxy answers`;

/** Adds the flags of `istio-iptables`; their defaults are settled later, since a variable comes before them. */
export function addRedirectFlags(command: Command): Command {
  command.optionsGroup('Redirection:');
  for (const flag of redirectFlags as readonly RedirectFlag[]) addRedirectFlag(command, flag);
  return command.addHelpText('after', redirectVariables);
}

/** Adds the one flag of `istio-clean-iptables`. */
export function addCleanFlags(command: Command): Command {
  return addRedirectFlag(command, {
    name: 'dry-run',
    short: 'n',
    description: 'print what would run, and change nothing',
  });
}

function addRedirectFlag(command: Command, { name, short, value, usual, description }: RedirectFlag): Command {
  const names = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
  const text = usual === undefined || usual === '' ? description : `${description} (default: ${usual})`;
  command.option(names, `${text} [${variableOf(name)}]`);
  return value === undefined ? command.addOption(new Option(`--no-${name}`).hideHelp()) : command;
}

/**
 * Turns `--flag=true` into `--flag`, and leaves `--flag=false` out, for flags that take no value. `UsageError` for a
 * value that is neither. What stands behind `--` is no flag.
 */
export function foldBooleans(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const folded = flags.flatMap((argument) => {
    const [, name = '', value = ''] = /^(--?[\w-]+)=(.*)$/.exec(argument) ?? [];
    const redirectSwitch = redirectSwitches.get(name);
    if (!booleanFlags.has(name) && redirectSwitch === undefined) return [argument];
    if (/^(1|t|T|TRUE|true|True)$/.test(value)) return [name];
    if (!/^(0|f|F|FALSE|false|False)$/.test(value))
      throw new UsageError(`${name}: "${value}" is neither true nor false`);
    return redirectSwitch === undefined ? [] : [`--no-${redirectSwitch}`];
  });
  return [...folded, ...argv.slice(flags.length)];
}
