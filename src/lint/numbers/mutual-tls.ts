import type { NumberWithoutRule } from './entry.ts';

/** Mutual TLS at the server and at the client. */
export const mutualTlsNumbers: readonly NumberWithoutRule[] = [
  {
    ...{ id: 'MP101', title: 'two PeerAuthentications for one namespace, or for the mesh', peers: ['KIA0002'] },
    saidBy: ['competing-scope-policies'],
  },
  {
    ...{ id: 'MP102', title: 'two PeerAuthentications that select one workload', peers: ['KIA0003'] },
    saidBy: ['competing-workload-policies'],
  },
  {
    ...{ id: 'MP103', title: 'a selector that matches no workload', peers: ['IST0127', 'KIA0004'] },
    saidBy: ['selector-without-workload', 'policy-in-force-nowhere', 'target-without-effect'],
  },
  {
    ...{ id: 'MP104', title: 'an entry of portLevelMtls for a port that no container has' },
    saidBy: ['port-without-service'],
  },
  { id: 'MP106', title: 'portLevelMtls without a selector', saidBy: ['port-level-without-selector'] },
  { id: 'MP107', title: 'an invalid port', saidBy: ['invalid-port', 'value-out-of-range'] },
  {
    id: 'MP108',
    title: 'an entry of portLevelMtls for a port that no service delivers to',
    saidBy: ['port-without-service'],
  },
  { id: 'MP111', title: 'a selector in the root namespace', saidBy: ['selector-in-root-namespace'] },
  { id: 'MP204', title: 'a port that the service does not have', saidBy: ['unknown-service-port'] },
  {
    ...{ id: 'MP205', title: 'a DestinationRule for a host that no service has', peers: ['IST0174', 'KIA0202'] },
    saidBy: ['unknown-host'],
  },
  {
    ...{ id: 'MP206', title: 'two DestinationRules for one host', peers: ['KIA0201'] },
    saidBy: ['ignored-traffic-policy', 'duplicate-subset'],
  },
  {
    ...{
      id: 'MP210',
      title: 'TLS settings of a DestinationRule without a CA certificate file',
      peers: ['IST0128', 'IST0129'],
    },
    leftOut: 'without a file the server is verified against the CA certificates of the system',
  },
  {
    ...{ id: 'MP109', title: 'mode STRICT for workloads whose clients have no sidecar' },
    leftOut: 'the inputs do not say which clients call a workload',
  },
  {
    ...{ id: 'MP113', title: 'a probe or a scrape of metrics that mode STRICT refuses' },
    leftOut:
      'the inputs do not say whether probes go through the agent, or whether the client that reads metrics has a certificate',
  },
];
