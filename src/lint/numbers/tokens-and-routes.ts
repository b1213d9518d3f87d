import type { NumberWithoutRule } from './entry.ts';

/** Tokens, gateways and routes. */
export const tokenAndRouteNumbers: readonly NumberWithoutRule[] = [
  { id: 'MP507', title: 'a private key in "jwks"', saidBy: ['private-key-in-jwks'] },
  {
    id: 'MP508',
    title: 'a key that anybody could have, or an algorithm without one',
    saidBy: ['unusable-key', 'unusable-key-set'],
  },
  {
    ...{ id: 'MP601', title: 'a gateway that is not there', peers: ['KIA1102', 'KIA1108', 'IST0101'] },
    saidBy: ['unknown-gateway', 'invalid-gateway-reference'],
  },
  {
    ...{ id: 'MP603', title: 'a destination that is not there', peers: ['IST0101', 'IST0112', 'KIA1101'] },
    saidBy: ['unknown-destination', 'unknown-destination-port'],
  },
  {
    ...{ id: 'MP606', title: 'a Gateway that selects no workload', peers: ['KIA0302', 'IST0101'] },
    saidBy: ['gateway-without-workload'],
  },
  {
    ...{ id: 'MP607', title: 'a port of a Gateway that its service has not', peers: ['IST0162'] },
    saidBy: ['gateway-server-left-out', 'gateway-port-of-proxy'],
  },
  {
    ...{ id: 'MP609', title: 'a Secret of another namespace' },
    leftOut: 'a gateway is given Secrets of its own namespace alone, whatever "credentialName" says',
  },
  { id: 'MP610', title: 'a server that passes TLS on to any service', saidBy: ['auto-passthrough-not-allowed'] },
  {
    ...{ id: 'MP611', title: 'a route behind one that takes everything', peers: ['IST0130'] },
    saidBy: ['unreachable-route', 'duplicate-match'],
  },
];
