import type { Settings } from '../config/settings.ts';
import { metricsPort, readinessPort } from '../lib/proxy-addresses.ts';
import { compareStrings } from '../lib/sort.ts';
import type { InjectionAnnotations } from './annotations.ts';

/** The user, and the group, that the proxy runs as; redirection leaves their connections alone. */
export const proxyId = 1337;

/** Arguments of the container that redirects a pod's traffic to its proxy: `pilot-agent istio-iptables` with its flags. */
export function redirectionArgs(annotations: InjectionAnnotations, settings: Settings): readonly string[] {
  const { proxyListenPort, proxyInboundListenPort, proxy } = settings;
  const traffic = (name: 'excludeInboundPorts' | 'excludeOutboundIPRanges' | 'excludeOutboundPorts') =>
    annotations[`traffic.sidecar.mesh.io/${name}`];
  const inbound = annotations['traffic.sidecar.mesh.io/includeInboundPorts']?.trim() ?? '*';
  const mode = annotations['sidecar.mesh.io/interceptionMode'] ?? proxy.interceptionMode;
  const bypassing = new Set([proxy.statusPort, readinessPort, metricsPort].map(String));
  for (const port of listOf(traffic('excludeInboundPorts'))) bypassing.add(port);
  const flags: readonly (readonly [flag: string, value: string])[] = [
    ['-p', proxyListenPort === 15_001 ? '' : String(proxyListenPort)],
    ['-z', proxyInboundListenPort === 15_006 ? '' : String(proxyInboundListenPort)],
    ['-u', String(proxyId)],
    ['-g', String(proxyId)],
    ['-m', mode],
    ['-b', inbound],
    // Without effect where ports are listed.
    ['-d', inbound === '*' ? [...bypassing].sort((a, b) => Number(a) - Number(b) || compareStrings(a, b)).join() : ''],
    ['-i', annotations['traffic.sidecar.mesh.io/includeOutboundIPRanges']?.trim() ?? '*'],
    ['-x', listOf(traffic('excludeOutboundIPRanges')).join()],
    ['-o', listOf(traffic('excludeOutboundPorts')).join()],
    ['-q', listOf(annotations['traffic.sidecar.mesh.io/includeOutboundPorts']).join()],
    ['-k', listOf(annotations['traffic.sidecar.mesh.io/kubevirtInterfaces']).join()],
  ];
  // An empty list of what is captured says that nothing is.
  const isSaid = ([flag, value]: readonly [string, string]): boolean => value !== '' || flag === '-b' || flag === '-i';
  return ['istio-iptables', ...flags.filter(isSaid).flat()];
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
