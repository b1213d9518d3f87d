import { message } from '../message.ts';
import { error, warning } from './entry.ts';

/** Faults of objects of the Gateway API of Kubernetes. */
export const gatewayApiCodes = {
  'gateway-not-served': warning(
    message`Gateway "${'gateway'}" is not served here: ${'why'}`,
    'docs/reference/gateway-api.md says which Gateways are served, and by which workloads',
  ),
  'grpc-over-http1': warning(
    message`port ${'port'} of backend "${'backend'}" names ${'found'}: calls over gRPC go there in HTTP/1.1, unless a DestinationRule has h2UpgradePolicy UPGRADE`,
    'name the port of the Service "grpc" or "grpc-...", or set its appProtocol to "grpc"',
  ),
  'invalid-listener': error(message`listener "${'name'}" cannot be served: ${'reason'}`),
  'listener-secret-not-granted': error(message`listener "${'name'}" cannot be served: ${'reason'}`),
  'route-not-attached': warning(message`${'kind'} "${'name'}" takes no requests of Gateway "${'gateway'}": ${'why'}`),
  'server-name-taken': warning(
    message`TLSRoute "${'name'}" gets no connections for "${'host'}" at listener "${'listener'}": the older TLSRoute "${'other'}" has that server name`,
  ),
  'target-shares-workloads': warning(
    message`${'kind'} "${'name'}" applies to Gateway "${'other'}" too: the same workloads serve it and Gateway "${'gateway'}"`,
    'serve the Gateways by workloads of their own, or name both of them in "targetRefs"',
  ),
  'target-without-effect': warning(
    message`${'kind'} "${'name'}" has no effect at Gateway "${'gateway'}": ${'why'}`,
    'name a Gateway in the namespace of the policy that is served by workloads with a proxy, or write a "selector"',
  ),
  'target-without-service': error(
    message`Gateway "${'gateway'}" has the address of a Service that selects no workloads, so nobody knows which ones the policy is for`,
    'add that Service, with a "selector", to the inputs; or write a "selector" for the workloads in place of "targetRefs"',
  ),
  'unsupported-target': error(message`${'reason'}`),
  'unusable-backend': warning(message`backend "${'backend'}" cannot be used: ${'why'}; ${'otherwise'}`),
};
