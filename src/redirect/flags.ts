/** One flag of `istio-iptables`; each has a variable: its name in capitals, `-` as `_`. */
export interface RedirectFlag {
  /** Long name, without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What the value is called in the help; undefined for a flag that is on or off. */
  readonly value?: string;
  /** In force when neither flag nor variable says anything; a text that says so itself is left out. */
  readonly usual?: string;
  readonly description: string;
  /** Read where the flag's own variable is not set. */
  readonly otherVariables?: readonly string[];
}

/** The specification's flags, then the two that injected command lines of the field use too. */
export const redirectFlags = [
  {
    name: 'proxy-port',
    short: 'p',
    value: 'port',
    usual: '15001',
    description: 'port of the proxy for outbound connections',
  },
  {
    name: 'inbound-capture-port',
    short: 'z',
    value: 'port',
    usual: '15006',
    description: 'port of the proxy for inbound connections',
  },
  {
    name: 'mesh-inbound-interception-mode',
    short: 'm',
    value: 'mode',
    usual: 'REDIRECT',
    otherVariables: ['INTERCEPTION_MODE'],
    description: 'REDIRECT, or TPROXY, which keeps the source address of callers; INTERCEPTION_MODE is read too',
  },
  {
    name: 'mesh-inbound-ports',
    short: 'b',
    value: 'ports',
    usual: '',
    description: 'inbound ports and ranges (8000:8999) to redirect; *: all but 22; empty: none',
  },
  {
    name: 'mesh-local-exclude-ports',
    short: 'd',
    value: 'ports',
    usual: '',
    description: 'inbound ports not to redirect; only with -b "*"',
  },
  {
    name: 'mesh-service-cidr',
    short: 'i',
    value: 'cidrs',
    usual: '',
    description: 'destination ranges of outbound connections to redirect; *: all; empty: none',
  },
  {
    name: 'mesh-service-exclude-cidr',
    short: 'x',
    value: 'cidrs',
    usual: '',
    description: 'destination ranges not to redirect',
  },
  {
    name: 'mesh-local-outbound-ports-exclude',
    short: 'o',
    value: 'ports',
    usual: '',
    description: 'outbound ports not to redirect',
  },
  {
    name: 'cluster-virt-interfaces',
    short: 'k',
    value: 'names',
    usual: '',
    description: 'network interfaces of virtual machines, whose connections are redirected as outbound',
  },
  {
    name: 'proxy-uid',
    short: 'u',
    value: 'ids',
    usual: '',
    description:
      'user ids of the proxy, whose connections are not redirected (default: the id of the user PROXY_USER, else 1337)',
  },
  {
    name: 'proxy-gid',
    short: 'g',
    value: 'ids',
    usual: '',
    description: 'group ids of the proxy, whose connections are not redirected (default: as --proxy-uid)',
  },
  {
    name: 'mesh-inbound-tproxy-mark',
    short: 't',
    value: 'mark',
    usual: '1337',
    description: 'packet mark of TPROXY; the next higher number is used too',
  },
  {
    name: 'mesh-inbound-tproxy-route-table',
    short: 'r',
    value: 'table',
    usual: '133',
    description: 'routing table of TPROXY',
  },
  {
    name: 'dry-run',
    short: 'n',
    description: 'print what would run in a network namespace without these rules, and change nothing',
  },
  {
    name: 'restore-format',
    short: 'f',
    description: 'print rules as input of iptables-restore (the default); --restore-format=false: as iptables commands',
  },
  { name: 'skip-rule-apply', description: 'change no rules; useful with --run-validation' },
  { name: 'run-validation', description: 'check the rules with a test connection; exit code 126 if it fails' },
  {
    name: 'iptables-probe-port',
    value: 'port',
    usual: '15002',
    description: 'port of the test connection of --run-validation',
  },
  { name: 'probe-timeout', value: 'duration', usual: '5s', description: 'timeout of --run-validation' },
  {
    name: 'mesh-outbound-ports',
    short: 'q',
    value: 'ports',
    usual: '',
    description: 'outbound ports to redirect, whatever the destination',
  },
  {
    name: 'inbound-tunnel-port',
    short: 'e',
    value: 'port',
    usual: '',
    description: 'inbound port that the proxy serves itself and that is not redirected; empty: none',
  },
] as const satisfies readonly RedirectFlag[];

export type RedirectFlagName = (typeof redirectFlags)[number]['name'];

/** A value and what gave it: `--proxy-port`, `PROXY_PORT` or `default`. */
export interface Setting {
  readonly source: string;
  readonly text: string;
}

export type RedirectSettings = Readonly<Record<RedirectFlagName, Setting>>;

/** The variable that stands for a flag. */
export function variableOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/** What gave a value, as messages name it; its flag where nothing did. */
export function sourceOf(settings: RedirectSettings, name: RedirectFlagName): string {
  const { source } = settings[name];
  return source === 'default' ? `--${name}` : source;
}

/** Given flag before variable before default; a variable that is empty counts as unset, a flag that is empty does not. */
export function settle(
  flags: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): RedirectSettings {
  const settings = redirectFlags.map((flag: RedirectFlag): readonly [string, Setting] => {
    const given = flags[flag.name];
    if (given !== undefined) return [flag.name, { source: `--${flag.name}`, text: given }];
    for (const source of [variableOf(flag.name), ...(flag.otherVariables ?? [])]) {
      const text = environment[source];
      if (text !== undefined && text !== '') return [flag.name, { source, text }];
    }
    return [flag.name, { source: 'default', text: flag.usual ?? (flag.name === 'restore-format' ? 'true' : 'false') }];
  });
  return Object.fromEntries(settings) as RedirectSettings;
}
