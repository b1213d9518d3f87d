import { message } from '../message.ts';
import { error, warning } from './entry.ts';

/** Faults of gateways, their servers and secrets, that show only when objects meet. */
export const gatewayCodes = {
  'closing-gateway-secret': warning(
    message`Secret "${'name'}" cannot be used by a gateway: ${'fault'}; servers that name it refuse connections`,
    'put a certificate chain and its key into it, in PEM and without a password',
  ),
  'credential-name-on-sidecar': error(
    message`credentialName "${'name'}" for host "${'host'}" cannot be used by a sidecar: only gateways read Secrets`,
    'name files (clientCertificate, privateKey, caCertificates), or restrict the rule to gateways with exportTo',
  ),
  'credential-name-not-compiled': error(
    message`credentialName "${'name'}" for host "${'host'}" is not supported at gateways yet`,
    'name files: clientCertificate, privateKey, caCertificates',
  ),
  'gateway-topology-at-sidecar': warning(
    message`gatewayTopology (${'origin'}) has no effect on "${'workload'}", which is not a gateway`,
    'set it in annotations of gateways, or in defaultConfig of the mesh configuration',
  ),
  'gateway-server-left-out': warning(
    message`server "${'name'}" of Gateway "${'gateway'}" is left out of port ${'port'}: ${'why'}`,
    'give it another port or other hosts',
  ),
  'gateway-port-of-proxy': error(
    message`server "${'name'}" would listen on port ${'port'}, which the proxy itself uses`,
    'give the server another port',
  ),
  'auto-passthrough-not-allowed': error(
    message`Gateway "${'gateway'}" uses AUTO_PASSTHROUGH, which lets clients reach any service, and the mesh configuration does not allow it`,
    'list it in autoPassthroughGateways of the mesh configuration, or use another TLS mode',
  ),
  'gateway-without-workload': warning(
    message`Gateway "${'gateway'}" selects no gateway workload`,
    'label the pods of the gateway as its selector says',
  ),
  'gateway-server-without-routes': warning(
    message`server "${'name'}" of Gateway "${'gateway'}" has no routes: ${'effect'}`,
    'bind a VirtualService to the gateway whose hosts are among those of the server',
  ),
  'redirect-hides-routes': warning(
    message`routes for "${'host'}" on port ${'port'} are not used: Gateway "${'gateway'}" redirects that host to HTTPS`,
    'remove the host from the server with httpsRedirect, or remove its routes on this port',
  ),
  'duplicate-server-name': warning(
    message`TLS connections for "${'host'}" on port ${'port'} already match an earlier route: this match is left out`,
    'use each server name in one tls match only',
  ),
  'missing-gateway-secret': warning(
    message`there is no Secret "${'name'}" in namespace "${'namespace'}": without it the server refuses connections`,
  ),
  'invalid-gateway-secret': error(message`Secret "${'name'}" cannot be used by a gateway: ${'fault'}`),
  'unknown-gateway': warning(
    message`there is no Gateway "${'gateway'}": the routes are not bound to it`,
    'write <namespace>/<name> for a Gateway of another namespace',
  ),
};
