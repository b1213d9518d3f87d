import { message } from '../message.ts';
import { error, warning } from './entry.ts';

/** Faults that show only when objects meet: collecting, merging and lowering. Those of gateways are in gateway.ts. */
export const compilerCodes = {
  'root-namespace-changed': error(
    message`${'kind'} "${'name'}" would make "${'namespace'}" the root namespace, which is "${'before'}" since the start`,
    'move it, or name the root namespace (rootNamespace of the mesh configuration, --root-namespace) and start again',
  ),
  'two-root-namespaces': error(
    message`${'first'} and ${'second'} are in two namespaces, and either could be the root namespace`,
    'name it: rootNamespace in the mesh configuration, or --root-namespace',
  ),
  'duplicate-object': error(
    message`${'kind'} "${'name'}" is defined twice: here and in ${'first'}`,
    'keep one of the two; of files that are alternatives, name the one that is meant, or leave the others out with --exclude or .meshpolignore',
  ),
  'policy-without-namespace': warning(
    message`${'kind'} "${'name'}" names no namespace and so is in "default", while its neighbours in the file name "${'neighbour'}"`,
    'set metadata.namespace',
  ),
  'unknown-workload': error(message`there is no workload "${'name'}" in the inputs`),
  'workload-without-proxy': error(
    message`workload "${'name'}" has no sidecar and is no gateway, so there is nothing to compile for it`,
    'label its namespace mesh-injection: enabled; where the namespace has no such label, label the pod sidecar.mesh.io/inject: "true"',
  ),
  'conflicting-outbound-listener': warning(
    message`port ${'port'} of "${'loser'}" clashes with "${'winner'}" on listener ${'listener'}: ${'what'} is left out`,
    "give one of the two another port, or declare the port's protocol",
  ),
  'duplicate-domain': warning(
    message`host "${'domain'}" of port ${'port'} belongs to "${'winner'}" and to "${'loser'}"; only the first is routed to`,
  ),
  'field-without-effect': warning(message`"${'field'}" of the rule for host "${'host'}" has no effect: ${'why'}`),
  'redis-proxy-left-out': warning(
    message`commands to port ${'port'} of "${'host'}" go through the TCP proxy, not the Redis proxy: ${'why'}`,
    "declare the port's protocol as tcp, or route all of it to one Redis service whose endpoints the mesh chooses",
  ),
  'unchecked-server-name': warning(
    message`every certificate that chains to the CA certificates of ${'roots'} is accepted for "${'host'}": the rule names no server`,
    'list the names of the server in subjectAltNames',
  ),
  'loopback-delivery-under-tproxy': warning(
    message`inboundDelivery LOCALHOST has no effect under TPROXY in workload "${'workload'}"`,
  ),
  'target-port-of-proxy': warning(
    message`port ${'port'} of service "${'service'}" is not delivered: port ${'targetPort'} of workload "${'workload'}" is its proxy's own`,
    'name a port that the application listens on',
  ),
  'service-port-of-proxy': warning(
    message`port ${'port'} of "${'host'}" is not routed: every proxy listens on that port itself`,
    'give the service another port',
  ),
  'client-certificate-header-believed': warning(
    message`gateway "${'workload'}" forwards X-Forwarded-Client-Cert as its clients write it (${'value'}, ${'origin'}): a client can claim any identity`,
    'use SANITIZE_SET, unless nothing but a proxy that sets the header can reach the gateway',
  ),
  'invalid-proxy-config': error(
    message`the annotation proxy.mesh.io/config of gateway "${'workload'}" cannot be used: ${'reason'}`,
  ),
  'competing-scope-policies': warning(
    message`PeerAuthentication "${'ignored'}" is ignored: "${'kept'}" holds for all of ${'scope'} too and is older or first by name`,
    'keep one policy without a selector in a namespace',
  ),
  'competing-workload-policies': warning(
    message`PeerAuthentication "${'ignored'}" is ignored on ${'workloads'}: "${'kept'}" selects the same and is older or first by name`,
    'put both into one policy; two workload policies are never combined',
  ),
  'selector-in-root-namespace': warning(
    message`PeerAuthentication "${'name'}" has no effect: a policy of the root namespace cannot select workloads`,
    'move it to the namespace of the workloads, or remove its selector',
  ),
  'policy-in-force-nowhere': warning(message`${'kind'} "${'name'}" is in force nowhere: ${'why'}`),
  'port-without-service': warning(
    message`mutual TLS of port ${'port'} is ignored on ${'workloads'}: no service delivers to that container port`,
    'name a container port that a service targets; the service port is another number',
  ),
  'unknown-host': warning(
    message`no service has the host "${'host'}": the rule has no effect`,
    'write the full name, <service>.<namespace>.svc.<cluster domain>: a name with dots is taken as it is',
  ),
  'selector-without-workload': warning(
    message`${'kind'} "${'name'}" has no effect: its selector matches no workload with a proxy`,
    'compare with the labels of the pods; the labels of a service do not count',
  ),
  'unknown-service-port': warning(
    message`port ${'port'} has no effect: ${'hosts'} has no such service port`,
    "name the service's port, not the container's",
  ),
  'duplicate-subset': warning(
    message`subset "${'subset'}" of host "${'host'}" is ignored: "${'kept'}" defines it too and is older or first by name`,
    'give the subset another name, or remove it',
  ),
  'ignored-traffic-policy': warning(
    message`trafficPolicy for host "${'host'}" is ignored: that of "${'kept'}" is older or first by name and holds as a whole`,
    'put both into one rule',
  ),
  'key-set-not-at-hand': warning(
    message`the keys of "${'issuer'}" are not at hand (${'reason'}): each of its tokens is answered 401`,
    'name a file with --jwks ISSUER=FILE, or write the keys into "jwks"; pilot-agent fetches them itself',
  ),
  'unseen-destination': warning(
    message`clients of namespace "${'client'}" do not see the destination "${'host'}": their requests get 503`,
    'export the service to the namespace (exportTo), or do not export the routes to it',
  ),
  'destination-without-port': warning(
    message`destination "${'host'}" has the ports ${'ports'} and names none; ${'port'} is not among them: requests to port ${'port'} get 503`,
    'name the port: destination.port.number',
  ),
  'unknown-subset': warning(
    message`no rule in force defines subset "${'subset'}" of "${'host'}": requests that go there get 503`,
    'define it in a DestinationRule that the client sees',
  ),
  'unusable-key-set': error(
    message`no token of "${'issuer'}" can be verified: ${'reason'}`,
    'give the public keys of the issuer: RSA from 2048 bits, P-256, P-384, P-521 or Ed25519',
  ),
  'unusable-key': warning(message`${'key'} of "${'issuer'}" is left out: it ${'reason'}`),
  'key-set-of-nobody': warning(message`no rule accepts tokens of "${'issuer'}", which --jwks names`),
  'unknown-destination': error(
    message`no service has the host "${'host'}" of this destination`,
    'write the full name, <service>.<namespace>.svc.<cluster domain>; declare hosts outside the mesh by a ServiceEntry',
  ),
  'unknown-destination-port': error(
    message`destination "${'host'}" has no port ${'port'}, expected one of ${'ports'}`,
    "name the service's port, not the container's",
  ),
  'unknown-provider': error(
    message`the mesh configuration has no provider "${'name'}"`,
    'declare it in extensionProviders of the mesh configuration',
  ),
  'unusable-provider': error(
    message`provider "${'name'}" cannot be asked: ${'reason'}`,
    'name a service that the workload sees, and its port',
  ),
  'authorizer-of-requests-only': warning(
    message`connections to TCP port ${'ports'} of "${'workload'}" that match the rules are denied: provider "${'name'}" is asked over HTTP, and can decide about requests only`,
    'add "ports" to each operation of the rules, or ask the provider over gRPC',
  ),
  'rule-lost-on-tcp': warning(
    message`this ${'action'} rule allows nothing on TCP port ${'ports'} of "${'workload'}", where there is no ${'fields'}`,
    'add a rule for the port that asks for connections only: principals, namespaces, ipBlocks, ports',
  ),
  'deny-of-http-only': warning(
    message`this DENY rule denies every connection to TCP port ${'ports'} of "${'workload'}", where there is no ${'fields'}`,
    'add "ports" to each operation of the rule, so that it names the HTTP ports',
  ),
  'rule-wider-on-tcp': warning(
    message`this ${'action'} rule matches more on TCP port ${'ports'} of "${'workload'}", where there is no ${'fields'}`,
    'add "ports" to each operation of the rule, so that it names the HTTP ports',
  ),
  'delegation-switched-off': warning(
    message`VirtualService "${'name'}" is ignored as a whole: it delegates, and PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE is off`,
    'set PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE=true',
  ),
  'delegate-without-root': warning(
    message`VirtualService "${'name'}" has no effect: it has no hosts, and no other delegates to it`,
  ),
  'unknown-delegate': warning(
    message`the route is left out: it delegates to the VirtualService "${'name'}", but ${'reason'}`,
    'a delegate has no hosts, and is exported to the namespace that delegates to it',
  ),
  'delegate-route-dropped': warning(
    message`the route is left out of "${'root'}": this match of delegate "${'delegate'}" is within none of the conditions under which it is delegated to`,
    'begin the paths with the prefix that the delegating route matches; expressions cannot be compared',
  ),
  'connections-without-service': warning(
    message`no service has the host "${'host'}": the ${'kind'} routes have no effect in sidecars`,
    'declare the host and its port by a ServiceEntry',
  ),
  'round-robin-of-several': warning(
    message`"${'host'}" is resolved as with DNS: its selector finds ${'count'} names, and DNS_ROUND_ROBIN is for one`,
    'write "resolution: DNS", or select one entry',
  ),
  'routes-without-port': warning(
    message`${'kind'} routes for ${'hosts'} have no effect: ${'why'}`,
    "write http routes for HTTP ports, tls routes for TLS that the application starts, tcp routes for other bytes; or change the port's protocol",
  ),
  'host-without-service': warning(
    message`no service has the host "${'host'}": sidecars route its HTTP requests on port 80 only, and only if a service has that port`,
    'declare the host by a ServiceEntry',
  ),
};
