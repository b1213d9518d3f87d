import { message } from '../message.ts';
import { error, warning } from './entry.ts';

/** Faults of objects of the Gateway API of Kubernetes. */
export const gatewayApiCodes = {
  'gateway-not-served': warning(
    message`Gateway "${'gateway'}" is not served here: ${'why'}`,
    'docs/reference/gateway-api.md says which Gateways are served, and by which workloads',
  ),
  'invalid-listener': error(message`listener "${'name'}" cannot be served: ${'reason'}`),
  'route-not-attached': warning(message`${'kind'} "${'name'}" takes no requests of Gateway "${'gateway'}": ${'why'}`),
  'unusable-backend': warning(message`backend "${'backend'}" cannot be used: ${'why'}; ${'otherwise'}`),
};
