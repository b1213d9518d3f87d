import type { NumberWithoutRule } from './entry.ts';

/** Tokens, gateways and routes. */
export const tokenAndRouteNumbers: readonly NumberWithoutRule[] = [
  { id: 'MP507', title: 'a private key in "jwks"', saidBy: ['private-key-in-jwks'] },
  {
    id: 'MP508',
    title: 'a symmetric signing key, or the algorithm "none"',
    saidBy: ['unusable-key', 'unusable-key-set'],
  },
  {
    ...{ id: 'MP601', title: 'an unknown gateway', peers: ['KIA1102', 'KIA1108', 'IST0101'] },
    saidBy: ['unknown-gateway', 'invalid-gateway-reference'],
  },
  {
    ...{ id: 'MP603', title: 'an unknown destination', peers: ['IST0101', 'IST0112', 'KIA1101'] },
    saidBy: ['unknown-destination', 'unknown-destination-port'],
  },
  {
    ...{ id: 'MP606', title: 'a Gateway that selects no workload', peers: ['KIA0302', 'IST0101'] },
    saidBy: ['gateway-without-workload'],
  },
  {
    ...{ id: 'MP607', title: 'a Gateway port that its Service does not have', peers: ['IST0162'] },
    leftOut:
      'the gateway opens the port all the same, and clients may reach it at the address of its pod, or by a Service outside the inputs',
  },
  {
    ...{ id: 'MP609', title: 'a gateway Secret in another namespace' },
    leftOut: 'a gateway gets only Secrets of its own namespace, whatever "credentialName" says',
  },
  {
    id: 'MP610',
    title: 'a gateway server with AUTO_PASSTHROUGH, which lets clients reach any service',
    saidBy: ['auto-passthrough-not-allowed'],
  },
  {
    ...{ id: 'MP611', title: 'a route after one that matches every request', peers: ['IST0130'] },
    saidBy: ['unreachable-route', 'duplicate-match'],
  },
];
