import { parseDuration } from '../lib/duration.ts';
import { agentDnsPort } from '../lib/proxy-addresses.ts';
import type { Family, InterceptionMode, RedirectConfig } from './config.ts';
import { warningsOf } from './config-warnings.ts';
import { type RedirectFlagName, type RedirectSettings, sourceOf } from './flags.ts';
import {
  type Complain,
  parseCidrs,
  parseCidrsOrAll,
  parseInterfaces,
  parsePort,
  parsePorts,
  parsePortsOrAll,
  parseWhole,
} from './parse-list.ts';
import { proxyOwners, type UserDatabase } from './user-database.ts';

/** What the machine says. */
export interface HostFacts {
  readonly database: UserDatabase;
  readonly families: readonly Family[];
}

/** Everything that one run of `istio-iptables` is to do. */
export interface RedirectRequest {
  readonly config: RedirectConfig;
  readonly isDryRun: boolean;
  readonly printsRestoreFormat: boolean;
  readonly skipsRules: boolean;
  readonly validates: boolean;
  readonly probePort: number;
  readonly probeTimeoutMs: number;
}

/** The request, and what is wrong: with a problem in it the request means nothing. */
export interface ParsedRequest {
  readonly request: RedirectRequest;
  /** One line each, which names the flag or variable and its value. */
  readonly problems: readonly string[];
  /** What is as it was asked for and has no effect, or one that may surprise. */
  readonly warnings: readonly string[];
}

/** DNS ports by the variable that asks for capture: the agent's own server wins. */
const dnsPorts = { DNS_AGENT: agentDnsPort, DNS_CAPTURE: 15013 } as const;

/** Settles flags and variables; looks at nothing else. */
export function parseRequest(
  settings: RedirectSettings,
  environment: Readonly<Record<string, string | undefined>>,
  host: HostFacts,
): ParsedRequest {
  const problems: string[] = [];
  const complain =
    (name: RedirectFlagName | 'PROXY_USER'): Complain =>
    (message) =>
      problems.push(`${name === 'PROXY_USER' ? name : sourceOf(settings, name)}: ${message}`);
  const read = <T>(name: RedirectFlagName, parse: (text: string, complain: Complain) => T): T =>
    parse(settings[name].text, complain(name));
  const { uids, gids } = proxyOwners(
    settings['proxy-uid'].text,
    settings['proxy-gid'].text,
    environment.PROXY_USER,
    host.database,
    complain,
  );
  const config: RedirectConfig = {
    mode: read('mesh-inbound-interception-mode', parseMode),
    families: host.families,
    proxyPort: read('proxy-port', parsePort) ?? 0,
    inboundPort: read('inbound-capture-port', parsePort) ?? 0,
    tunnelPort: settings['inbound-tunnel-port'].text === '' ? undefined : read('inbound-tunnel-port', parsePort),
    proxyUids: uids,
    proxyGids: gids,
    inboundPorts: read('mesh-inbound-ports', parsePortsOrAll),
    excludedInboundPorts: read('mesh-local-exclude-ports', parsePorts),
    outboundCidrs: read('mesh-service-cidr', parseCidrsOrAll),
    excludedOutboundCidrs: read('mesh-service-exclude-cidr', parseCidrs),
    outboundPorts: read('mesh-outbound-ports', parsePorts),
    excludedOutboundPorts: read('mesh-local-outbound-ports-exclude', parsePorts),
    virtualInterfaces: read('cluster-virt-interfaces', parseInterfaces),
    tproxyMark: read('mesh-inbound-tproxy-mark', parseMark),
    tproxyTable: read('mesh-inbound-tproxy-route-table', parseTable),
    dnsPort: environment.DNS_AGENT ? dnsPorts.DNS_AGENT : environment.DNS_CAPTURE ? dnsPorts.DNS_CAPTURE : undefined,
  };
  const request: RedirectRequest = {
    config,
    isDryRun: read('dry-run', parseBoolean),
    printsRestoreFormat: read('restore-format', parseBoolean),
    skipsRules: read('skip-rule-apply', parseBoolean),
    validates: read('run-validation', parseBoolean),
    probePort: read('iptables-probe-port', parsePort) ?? 0,
    probeTimeoutMs: read('probe-timeout', parseTimeout),
  };
  checkProxyPorts(config, (flag) => sourceOf(settings, flag), problems);
  return { request, problems, warnings: problems.length > 0 ? [] : warningsOf(config, settings) };
}

function parseMode(text: string, complain: Complain): InterceptionMode {
  if (text === 'TPROXY') return 'TPROXY';
  if (text !== '' && text !== 'REDIRECT') complain(`"${text}" is no mode, expected REDIRECT or TPROXY`);
  return 'REDIRECT';
}

function parseMark(text: string, complain: Complain): number {
  // The next number is a mark too.
  const mark = /^0x[0-9a-f]{1,8}$/i.test(text) ? Number(text) : parseWhole(text, 1, 0xfffffffe);
  if (mark !== undefined && mark >= 1 && mark <= 0xfffffffe) return mark;
  complain(`"${text}" is no packet mark, expected 1 to 4294967294`);
  return 0;
}

function parseTable(text: string, complain: Complain): number {
  const table = parseWhole(text, 1, 0xffffffff);
  if (table !== undefined && (table < 253 || table > 255)) return table;
  complain(`"${text}" is no routing table for this, expected 1 to 4294967295 without 253, 254 and 255`);
  return 0;
}

function parseBoolean(text: string, complain: Complain): boolean {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (!/^(0|f|F|FALSE|false|False)$/.test(text)) complain(`"${text}" is neither true nor false`);
  return false;
}

function parseTimeout(text: string, complain: Complain): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  complain(`"${text}" is no duration above 0, as 5s or 300ms`);
  return 0;
}

/** The proxy listens on each port of its own; 0 is one that was refused already. */
function checkProxyPorts(
  { proxyPort, inboundPort, tunnelPort }: RedirectConfig,
  name: (flag: RedirectFlagName) => string,
  problems: string[],
): void {
  const ports = [
    ['proxy-port', proxyPort],
    ['inbound-capture-port', inboundPort],
    ['inbound-tunnel-port', tunnelPort],
  ] as const;
  for (const [i, [flag, port]] of ports.entries()) {
    const other = port ? ports.slice(0, i).find((before) => before[1] === port) : undefined;
    if (other !== undefined)
      problems.push(`${name(flag)}: "${port}" is the port of ${name(other[0])} too, name another`);
  }
}
