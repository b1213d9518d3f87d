import { RE2JS } from 're2js';
import { isAddress, isHostAndPort, splitHostAndPort } from './address.ts';
import type { ProxySettings, Settings } from './settings.ts';

type Refuse = (field: keyof ProxySettings, name: string, value: string, expected: string) => void;

/** Where a proxy reports to, and what of its statistics is kept: what Envoy would refuse only when it starts. */
export function checkReports({ proxy, accessLogService }: Settings, refuse: Refuse): void {
  const { tracer, statsdAddress, metricsServiceAddress, accessLogServiceAddress } = proxy;
  const server = (field: keyof ProxySettings, name: string, address: string): void => {
    if (!isHostAndPort(address)) refuse(field, name, address, 'host:port');
  };
  if (tracer !== undefined) server('tracer', `tracing.${tracer.kind}.address`, tracer.address);
  if (statsdAddress !== '' && !isAddressAndPort(statsdAddress)) {
    refuse(
      'statsdAddress',
      'statsdUdpAddress',
      statsdAddress,
      'an IP address and a port: Envoy looks no name up for it',
    );
  }
  if (metricsServiceAddress !== '')
    server('metricsServiceAddress', 'envoyMetricsService.address', metricsServiceAddress);
  if (accessLogServiceAddress !== '' || accessLogService) {
    server('accessLogServiceAddress', 'envoyAccessLogService.address', accessLogServiceAddress);
  }
  for (const regex of proxy.statsInclusionRegexps) {
    if (!isRe2(regex))
      refuse('statsInclusionRegexps', 'proxyStatsMatcher.inclusionRegexps', regex, 'an RE2 expression');
  }
}

function isAddressAndPort(text: string): boolean {
  return isHostAndPort(text) && isAddress(splitHostAndPort(text).host);
}

/** With `{pod_ip}` an address stands for it. */
function isRe2(regex: string): boolean {
  try {
    RE2JS.compile(regex.replaceAll('{pod_ip}', '10\\.0\\.0\\.1'));
    return true;
  } catch {
    // The library gives no reason that Envoy's users know.
    return false;
  }
}
