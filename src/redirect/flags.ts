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
    description: 'REDIRECT, or TPROXY: the application sees who calls; also by INTERCEPTION_MODE',
  },
  {
    name: 'mesh-inbound-ports',
    short: 'b',
    value: 'ports',
    usual: '',
    description: 'inbound ports and ranges (8000:8999) to capture; * for all but 22; none when empty',
  },
  {
    name: 'mesh-local-exclude-ports',
    short: 'd',
    value: 'ports',
    usual: '',
    description: 'inbound ports that are left alone; takes effect with -b "*"',
  },
  {
    name: 'mesh-service-cidr',
    short: 'i',
    value: 'cidrs',
    usual: '',
    description: 'destinations of outbound connections to capture; * for all; none when empty',
  },
  {
    name: 'mesh-service-exclude-cidr',
    short: 'x',
    value: 'cidrs',
    usual: '',
    description: 'destinations that are left alone',
  },
  {
    name: 'mesh-local-outbound-ports-exclude',
    short: 'o',
    value: 'ports',
    usual: '',
    description: 'outbound ports that are left alone',
  },
  {
    name: 'cluster-virt-interfaces',
    short: 'k',
    value: 'names',
    usual: '',
    description: 'interfaces of guests, whose connections count as outbound',
  },
  {
    name: 'proxy-uid',
    short: 'u',
    value: 'ids',
    usual: '',
    description: "users whose connections are the proxy's own; default: the user PROXY_USER, else 1337",
  },
  {
    name: 'proxy-gid',
    short: 'g',
    value: 'ids',
    usual: '',
    description: "groups whose connections are the proxy's own; default: as --proxy-uid",
  },
  {
    name: 'mesh-inbound-tproxy-mark',
    short: 't',
    value: 'mark',
    usual: '1337',
    description: 'packet mark of TPROXY; the next number is used too',
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
    description: 'print what would run in a network namespace without our rules; run nothing',
  },
  {
    name: 'restore-format',
    short: 'f',
    description: 'print rules as input of iptables-restore (default); =false: as commands',
  },
  { name: 'skip-rule-apply', description: 'leave the rules as they are' },
  { name: 'run-validation', description: 'send a probe through the rules; exit code 126 when it fails' },
  { name: 'iptables-probe-port', value: 'port', usual: '15002', description: 'port of the probe' },
  { name: 'probe-timeout', value: 'duration', usual: '5s', description: 'time for the probe' },
  {
    name: 'mesh-outbound-ports',
    short: 'q',
    value: 'ports',
    usual: '',
    description: 'outbound ports to capture, whatever the destination',
  },
  {
    name: 'inbound-tunnel-port',
    short: 'e',
    value: 'port',
    usual: '',
    description: 'inbound port that the proxy serves itself and that is never captured; none when empty',
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
