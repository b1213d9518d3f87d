import type { Settings } from '../../../config/settings.ts';
import type { ListenerIR } from '../../ir/listener.ts';
import type { ClientScope } from '../../merge/effective.ts';
import { tcpProxy } from '../filters.ts';
import { clusterNames } from '../names.ts';
import { noOrigins } from '../origins.ts';
import { wildcardAddresses } from '../wildcard.ts';
import { catchAllChain } from './listener.ts';
import { unknownDestinations } from './unknown-destinations.ts';

/** Receives every redirected outbound connection and hands it to the listener of its original destination, if any. */
export function virtualOutbound(scope: ClientScope, settings: Settings): ListenerIR {
  const match = { transportProtocol: undefined, applicationProtocols: [], serverNames: [], destinationPrefixes: [] };
  const loopProtection = {
    name: 'virtualOutbound-blackhole',
    match: { ...match, destinationPort: settings.proxyListenPort },
    tls: undefined,
    policyFilters: [],
    filter: tcpProxy(
      { statPrefix: 'outbound_blackhole', cluster: clusterNames.blackHole, origins: noOrigins },
      settings,
    ),
    origins: noOrigins,
  };
  return {
    name: 'virtualOutbound',
    addresses: wildcardAddresses(scope.families),
    port: settings.proxyListenPort,
    direction: 'OUTBOUND',
    bindToPort: true,
    useOriginalDst: true,
    transparent: scope.interceptionMode === 'TPROXY',
    listenerFilters: {
      originalDst: false,
      originalSrcMark: undefined,
      tlsInspector: undefined,
      httpInspector: undefined,
      timeoutMs: 0,
      continueOnTimeout: true,
    },
    filterChains: [
      loopProtection,
      catchAllChain('virtualOutbound-catchall-tcp', unknownDestinations(scope, settings), settings),
    ],
    defaultFilterChain: undefined,
    accessLog: settings.accessLogFile !== '',
    notForAddresses: [],
    origins: noOrigins,
  };
}
