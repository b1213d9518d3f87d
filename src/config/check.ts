import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { isHostAndPort } from './address.ts';
import { checkReports } from './check-reports.ts';
import { boundPorts } from './proxy-ports.ts';
import type { Settings } from './settings.ts';
import { isOwnTrustDomain } from './trust-domain.ts';

const hourMs = 3_600_000;

/** Rules that hold for the merged settings, wherever their values came from; each mistake is reported with its origin. */
export function checkSettings(settings: Settings, bag: DiagnosticBag): void {
  checkTrustDomains(settings, bag);
  checkProxy(settings, bag);
}

/** A trust domain becomes part of identity matchers, so its characters are checked (SPIFFE ID, section 2.1). */
function checkTrustDomains({ trustDomain, trustDomainAliases, origins }: Settings, bag: DiagnosticBag): void {
  const check = (value: string, setting: string): void => {
    if (isOwnTrustDomain(value)) return;
    bag.report('invalid-trust-domain', undefined, { value, origin: origins[setting]?.detail ?? setting });
  };
  check(trustDomain, 'trustDomain');
  for (const alias of trustDomainAliases) check(alias, 'trustDomainAliases');
}

/** What the schema of ProxyConfig cannot say: durations and addresses as Istio validates them, and ports that differ. */
function checkProxy(settings: Settings, bag: DiagnosticBag): void {
  const { proxy, origins } = settings;
  const refuse = (field: keyof typeof proxy, name: string, value: string, expected: string): void => {
    const origin = origins[`proxy.${field}`]?.detail ?? 'the default';
    bag.report('invalid-proxy-setting', undefined, { name, value, origin, expected });
  };
  const durations = {
    drainDurationMs: 'drainDuration',
    terminationDrainDurationMs: 'terminationDrainDuration',
  } as const;
  for (const [field, name] of Object.entries(durations) as [keyof typeof durations, string][]) {
    const value = proxy[field];
    if (value % 1000 === 0 && value <= hourMs) continue;
    refuse(field, name, `${value / 1000}s`, 'whole seconds, at most 1h');
  }
  if (!isHostAndPort(proxy.discoveryAddress))
    refuse('discoveryAddress', 'discoveryAddress', proxy.discoveryAddress, 'host:port');
  checkReports(settings, refuse);
  const taken = boundPorts(settings);
  const admin = proxy.adminPort;
  if (taken.has(admin)) refuse('adminPort', 'proxyAdminPort', String(admin), 'a port that Envoy does not listen on');
  const status = proxy.statusPort;
  if (status === admin) refuse('statusPort', 'statusPort', String(status), 'another port than proxyAdminPort');
  else if (taken.has(status))
    refuse('statusPort', 'statusPort', String(status), 'a port that Envoy does not listen on');
}
