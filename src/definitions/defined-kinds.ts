import authorizationPolicy from '../../schemas/authorization-policy.json' with { type: 'json' };
import destinationRule from '../../schemas/destination-rule.json' with { type: 'json' };
import gateway from '../../schemas/gateway.json' with { type: 'json' };
import peerAuthentication from '../../schemas/peer-authentication.json' with { type: 'json' };
import proxyConfig from '../../schemas/proxy-config-object.json' with { type: 'json' };
import requestAuthentication from '../../schemas/request-authentication.json' with { type: 'json' };
import serviceEntry from '../../schemas/service-entry.json' with { type: 'json' };
import sidecar from '../../schemas/sidecar.json' with { type: 'json' };
import virtualService from '../../schemas/virtual-service.json' with { type: 'json' };
import workloadEntry from '../../schemas/workload-entry.json' with { type: 'json' };
import workloadGroup from '../../schemas/workload-group.json' with { type: 'json' };
import type { KindSchema } from './kind-schema.ts';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly description: string;
  readonly jsonPath: string;
  /** Above 0: shown by `kubectl get -o wide`. */
  readonly priority?: number;
}

/** Names and columns of a kind on an API server. */
export interface DefinedKind {
  readonly kind: string;
  readonly group: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly schema: KindSchema;
  /** Those that only this kind has. */
  readonly columns: readonly Column[];
}

const security = 'security.mesh.io';
const networking = 'networking.mesh.io';

/** Every kind with a CustomResourceDefinition, sorted by name. */
export const definedKinds: readonly DefinedKind[] = [
  {
    ...{ kind: 'AuthorizationPolicy', group: security, plural: 'authorizationpolicies', shortNames: ['ap'] },
    schema: authorizationPolicy,
    columns: [
      column('Action', '.spec.action', 'What happens to requests that a rule matches; absent: ALLOW.'),
      selector('.spec.selector.matchLabels'),
    ],
  },
  {
    ...{ kind: 'DestinationRule', group: networking, plural: 'destinationrules', shortNames: ['dr'] },
    schema: destinationRule,
    columns: [column('Host', '.spec.host', 'Host that the settings are for.')],
  },
  {
    ...{ kind: 'Gateway', group: networking, plural: 'gateways', shortNames: ['gw'] },
    schema: gateway,
    columns: [column('Ports', '.spec.servers[*].port.number', 'Ports that are served.'), selector('.spec.selector')],
  },
  {
    ...{ kind: 'PeerAuthentication', group: security, plural: 'peerauthentications', shortNames: ['pa'] },
    schema: peerAuthentication,
    columns: [
      column('Mode', '.spec.mtls.mode', 'Mutual TLS that is accepted; absent: as in the wider scope.'),
      selector('.spec.selector.matchLabels'),
    ],
  },
  {
    ...{ kind: 'ProxyConfig', group: networking, plural: 'proxyconfigs', shortNames: [] },
    schema: proxyConfig,
    columns: [selector('.spec.selector.matchLabels')],
  },
  {
    ...{ kind: 'RequestAuthentication', group: security, plural: 'requestauthentications', shortNames: ['ra'] },
    schema: requestAuthentication,
    columns: [
      column('Issuers', '.spec.jwtRules[*].issuer', 'Issuers of the tokens that are accepted.'),
      selector('.spec.selector.matchLabels'),
    ],
  },
  {
    ...{ kind: 'ServiceEntry', group: networking, plural: 'serviceentries', shortNames: ['se'] },
    schema: serviceEntry,
    columns: [
      column('Hosts', '.spec.hosts', 'Hosts of the service.'),
      column('Location', '.spec.location', 'Whether its endpoints are workloads of the mesh.'),
      column('Resolution', '.spec.resolution', 'How its addresses are found.'),
    ],
  },
  {
    ...{ kind: 'Sidecar', group: networking, plural: 'sidecars', shortNames: [] },
    schema: sidecar,
    columns: [selector('.spec.workloadSelector.labels')],
  },
  {
    ...{ kind: 'VirtualService', group: networking, plural: 'virtualservices', shortNames: ['vs'] },
    schema: virtualService,
    columns: [
      column('Gateways', '.spec.gateways', 'Gateways that the routes are for; absent: sidecars.'),
      column('Hosts', '.spec.hosts', 'Hosts that the routes are for.'),
    ],
  },
  {
    ...{ kind: 'WorkloadEntry', group: networking, plural: 'workloadentries', shortNames: ['we'] },
    schema: workloadEntry,
    columns: [column('Address', '.spec.address', 'Address of the workload.')],
  },
  {
    ...{ kind: 'WorkloadGroup', group: networking, plural: 'workloadgroups', shortNames: ['wg'] },
    schema: workloadGroup,
    columns: [column('Account', '.spec.template.serviceAccount', 'Identity of the workloads.')],
  },
];

function column(name: string, jsonPath: string, description: string): Column {
  return { name, type: 'string', description, jsonPath };
}

function selector(jsonPath: string): Column {
  const description = 'Labels of the workloads that it is for; absent: all of the namespace.';
  return { ...column('Selector', jsonPath, description), priority: 1 };
}
