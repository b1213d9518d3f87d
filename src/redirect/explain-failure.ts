import { type Capability, hasCapability } from './capabilities.ts';
import { RedirectError, type RedirectErrorCode } from './redirect-error.ts';
import type { CommandResult } from './run-command.ts';
import type { Step } from './step.ts';

interface Explanation {
  readonly stderr: RegExp;
  readonly code: RedirectErrorCode;
  readonly advice: string;
}

const explanations: readonly Explanation[] = [
  {
    stderr: /xtables lock/i,
    code: 'iptables-locked',
    advice: 'another program holds the lock of the packet filter; try again when it is done',
  },
  {
    stderr: /you must be root|Permission denied|Operation not permitted/i,
    code: 'net-admin-missing',
    advice: 'the capability NET_ADMIN is missing (for the legacy filter NET_RAW and root too)',
  },
  {
    stderr: /Failed to initialize nft: (?:Protocol|Operation) not supported|Address family not supported/i,
    code: 'kernel-module-missing',
    advice: 'the kernel lacks nf_tables, or this family of addresses (modprobe nf_tables, or load it on the node)',
  },
  {
    stderr: /IPv6 is disabled/i,
    code: 'routing-failed',
    advice:
      'IPv6 is off on lo and on elsewhere: set net.ipv6.conf.lo.disable_ipv6 to 0, or net.ipv6.conf.all.disable_ipv6 to 1',
  },
];

/** Kernel modules behind matches and targets, by the words of a rule that need them. */
const modules: readonly { readonly words: RegExp; readonly name: string }[] = [
  { words: /-m owner/, name: 'xt_owner' },
  { words: /-m comment/, name: 'xt_comment' },
  { words: /-m conntrack/, name: 'xt_conntrack' },
  { words: /-m mark|-j MARK/, name: 'xt_mark' },
  { words: /-m connmark|-j CONNMARK/, name: 'xt_connmark' },
  { words: /--dport/, name: 'xt_tcpudp' },
  { words: /-j REDIRECT/, name: 'xt_REDIRECT' },
  { words: /-j TPROXY/, name: 'xt_TPROXY' },
  { words: /-j [DS]NAT/, name: 'xt_nat' },
];

/**
 * The error for a command that did not end with 0: what failed, why if that is known, and the tool's own words. A
 * capability that this process lacks is named before modules: without it the tools say that tables do not exist.
 */
export function explainFailure(
  step: Step,
  { exitCode, stderr }: Omit<CommandResult, 'stdout'>,
  has: (name: Capability) => boolean = (name) => hasCapability(name, 'CapEff'),
): RedirectError {
  const words = stderr.trim().split('\n').slice(0, 5).join('; ');
  const known =
    explanations.find((explanation) => explanation.stderr.test(stderr)) ?? lackingCapability(step, stderr, has);
  const missing = missingModules(step, stderr);
  const owner = refusedOwner(step, stderr);
  const [code, advice] = known
    ? [known.code, known.advice]
    : owner !== undefined
      ? (['iptables-failed', `${owner} may not exist in this user namespace: map it (newuidmap, newgidmap)`] as const)
      : missing.length > 0
        ? ([
            'kernel-module-missing',
            `the kernel lacks one of: ${missing.join(', ')} (modprobe, or load it on the node)`,
          ] as const)
        : ([step.argv[0] === 'ip' ? 'routing-failed' : 'iptables-failed', undefined] as const);
  const end = exitCode === undefined ? 'did not end' : `ended with ${exitCode}`;
  const text = [`${step.argv.join(' ')} ${end}`, advice, words].filter((part) => part !== undefined && part !== '');
  return new RedirectError(code, text.join(': '));
}

/** The nft tools need NET_ADMIN, the legacy ones NET_RAW too. */
function lackingCapability(
  step: Step,
  stderr: string,
  has: (name: Capability) => boolean,
): Omit<Explanation, 'stderr'> | undefined {
  const needed = missingModules(step, stderr).length === 0 ? [] : (['NET_ADMIN', 'NET_RAW'] as const);
  const name = needed.find((one) => !has(one));
  return name && { code: 'net-admin-missing', advice: `the capability ${name} is missing` };
}

/** Modules that a failed restore may have lacked: those of its line, or of the table when the whole table is missing. */
function missingModules({ argv, input = '' }: Step, stderr: string): string[] {
  const table = /(?:initialize )(?:iptables |ip6tables )?table [`']?(\w+)/i.exec(stderr)?.[1];
  if (table !== undefined) return [`${argv[0]?.startsWith('ip6') ? 'ip6' : 'ip'}table_${table}`, 'nf_nat'];
  if (
    !/No such file or directory|No chain\/target\/match|Couldn't load|Extension .* not supported|missing kernel module/i.test(
      stderr,
    )
  )
    return [];
  const rule = failedLine(input, stderr);
  const named = modules.filter(({ words }) => words.test(rule) && !rule.startsWith('COMMIT')).map(({ name }) => name);
  return named.length > 0 ? named : modules.filter(({ words }) => words.test(input)).map(({ name }) => name);
}

/** The kernel takes an owner's id only if the user namespace maps it; all that it says is EINVAL. */
function refusedOwner({ input = '' }: Step, stderr: string): string | undefined {
  if (!/Invalid argument/i.test(stderr)) return undefined;
  const [, kind, id] = /--([ug]id)-owner (\d+)/.exec(failedLine(input, stderr)) ?? [];
  return kind && `${kind} ${id}`;
}

/** The line of the input that the tool names first. */
function failedLine(input: string, stderr: string): string {
  const line = Number(/line:? (\d+)/i.exec(stderr)?.[1] ?? 0);
  return input.split('\n')[line - 1] ?? '';
}
