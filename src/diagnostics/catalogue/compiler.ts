import { message } from '../message.ts';
import { error, warning } from './entry.ts';

/** Faults that show only when objects meet: collecting, merging and lowering. Those of gateways are in gateway.ts. */
export const compilerCodes = {
  'object-below-key': warning(
    message`an object of kind ${'kind'} below "${'key'}" is not read: the document itself is not an object`,
    'write it as a document of its own, or leave the file out with .meshpolignore',
  ),
  'root-namespace-changed': error(
    message`${'kind'} "${'name'}" would make "${'namespace'}" the root namespace, but the root namespace has been "${'before'}" since the start`,
    'move the object to another namespace, or set the root namespace (rootNamespace of the mesh configuration, or --root-namespace) and restart',
  ),
  'two-root-namespaces': error(
    message`the root namespace is not set and cannot be derived: ${'first'} and ${'second'} are in different namespaces, and either could be the root namespace`,
    'set rootNamespace in the mesh configuration, or --root-namespace',
  ),
  'duplicate-object': error(
    message`${'kind'} "${'name'}" is defined twice: here and ${'first'}`,
    'remove one of the two; if the files are alternatives, give only one of them as an input, or leave out the others with --exclude or .meshpolignore',
  ),
  'policy-without-namespace': warning(
    message`${'kind'} "${'name'}" has no metadata.namespace and so is in "default", while other objects of the file are in "${'neighbour'}"`,
    'set metadata.namespace',
  ),
  'unknown-workload': error(message`there is no workload "${'name'}" in the inputs`),
  'workload-without-proxy': error(
    message`workload "${'name'}" has no sidecar and is no gateway, so there is nothing to compile for it`,
    'label its namespace mesh-injection: enabled; where the namespace has no such label, label the pod sidecar.mesh.io/inject: "true"',
  ),
  'conflicting-outbound-listener': warning(
    message`port ${'port'} of "${'loser'}" needs listener ${'listener'}, which "${'winner'}" already uses in a way that cannot be shared: ${'what'} is left out`,
    "give one of the two another port, or declare the port's protocol",
  ),
  'duplicate-domain': warning(
    message`host "${'domain'}" of port ${'port'} is a name of both "${'winner'}" and "${'loser'}"; requests for it are routed to "${'winner'}" only`,
  ),
  'field-without-effect': warning(message`"${'field'}" of the rule for host "${'host'}" has no effect: ${'why'}`),
  'redis-proxy-left-out': warning(
    message`port ${'port'} of "${'host'}" is forwarded as plain TCP, without Envoy's Redis proxy: ${'why'}`,
    "declare the port's protocol as tcp; or route all commands to one Redis service for which the proxy, not the application, chooses the endpoint",
  ),
  'unchecked-server-name': warning(
    message`every certificate that chains to the CA certificates of ${'roots'} is accepted for "${'host'}", whatever server name it has: the rule has no "subjectAltNames"`,
    'list in subjectAltNames the names that the certificate of the server may have',
  ),
  'loopback-delivery-under-tproxy': warning(
    message`inboundDelivery LOCALHOST has no effect on workload "${'workload'}", whose interception mode is TPROXY`,
  ),
  'ingress-endpoint-under-tproxy': error(
    message`the application of workload "${'workload'}" cannot be reached on loopback ("defaultEndpoint" of port ${'port'}): its interception mode is TPROXY, which keeps the addresses of clients`,
    'remove "defaultEndpoint", or set interception mode REDIRECT',
  ),
  'sidecar-port-of-proxy': error(
    message`port ${'port'} is one on which the proxy itself listens (${'what'})`,
    'name another port',
  ),
  'target-port-of-proxy': warning(
    message`port ${'port'} of service "${'service'}" is not delivered: the proxy of workload "${'workload'}" listens on port ${'targetPort'} itself`,
    'name a port that the application listens on',
  ),
  'service-port-of-proxy': warning(
    message`port ${'port'} of "${'host'}" is not routed: every proxy listens on that port itself`,
    'give the service another port',
  ),
  'client-certificate-header-believed': warning(
    message`gateway "${'workload'}" forwards the header X-Forwarded-Client-Cert of its clients unchanged (${'value'}, ${'origin'}): a client can claim any identity`,
    'use SANITIZE_SET, unless only a proxy that sets the header can reach the gateway',
  ),
  'invalid-proxy-config': error(
    message`the annotation proxy.mesh.io/config of "${'workload'}" cannot be used: ${'reason'}`,
  ),
  'competing-scope-policies': warning(
    message`${'kind'} "${'ignored'}" is ignored: "${'kept'}" applies to all of ${'scope'} too, and takes precedence (it is older, or of the same age, and its "name.namespace" sorts first)`,
    'keep only one object of this kind without a selector in a namespace',
  ),
  'competing-workload-policies': warning(
    message`${'kind'} "${'ignored'}" is ignored on ${'workloads'}: "${'kept'}" selects the same workloads and takes precedence (it is older, or of the same age, and its "name.namespace" sorts first)`,
    'put both into one object; two objects with selectors are never combined',
  ),
  'competing-proxy-configs': warning(
    message`ProxyConfig "${'ignored'}" is ignored on ${'where'}: "${'kept'}" applies there too, and takes precedence (it is older, or of the same age, and its "name.namespace" sorts first)`,
    'put both into one ProxyConfig: two of one scope are never combined',
  ),
  'selector-in-root-namespace': warning(
    message`PeerAuthentication "${'name'}" has no effect: a policy of the root namespace cannot select workloads`,
    'move it to the namespace of the workloads; workloads of the root namespace itself always have the mode of the whole mesh, which a PeerAuthentication without a selector sets',
  ),
  'policy-in-force-nowhere': warning(message`${'kind'} "${'name'}" applies to no workload: ${'why'}`),
  'port-without-service': warning(
    message`mutual TLS of port ${'port'} is ignored here on ${'workloads'}: no service delivers to that container port`,
    'if this is the container port that is meant, add it to a Service of the workload, so that the entry takes effect',
  ),
  'port-behind-ingress-listener': warning(
    message`port ${'endpoint'} in this rule is not the port of connections that Sidecar "${'sidecar'}" leads there: rules see them on port ${'port'}, on which they arrive`,
    'name the port of the ingress listener too',
  ),
  'egress-host-without-service': warning(
    message`"${'entry'}" imports nothing: ${'why'}`,
    'write the namespace of the service and its full name, <service>.<namespace>.svc.<cluster domain>',
  ),
  'unknown-host': warning(
    message`no service has the host "${'host'}": the rule has no effect`,
    'write the full name, <service>.<namespace>.svc.<cluster domain> (a name that contains a dot is not completed), or add the service to the inputs',
  ),
  'selector-without-workload': warning(
    message`${'kind'} "${'name'}" has no effect: its selector matches no workload with a proxy`,
    'compare with the labels of the pods; the labels of a service do not count',
  ),
  'unknown-service-port': warning(message`port ${'port'} has no effect: ${'hosts'} has no such service port`),
  'duplicate-subset': warning(
    message`subset "${'subset'}" of host "${'host'}" is ignored: "${'kept'}" defines it too and takes precedence (it is older, or of the same age, and its "name.namespace" sorts first)`,
    'give the subset another name, or remove it',
  ),
  'ignored-traffic-policy': warning(
    message`trafficPolicy for host "${'host'}" is ignored: that of "${'kept'}" takes precedence as a whole (it is older, or of the same age, and its "name.namespace" sorts first)`,
    'put both into one rule',
  ),
  'key-set-not-at-hand': warning(
    message`the keys of issuer "${'issuer'}" are not available (${'reason'}): every request with a token of this issuer gets 401`,
    'pass a file with --jwks ISSUER=FILE, or write the keys into "jwks"; pilot-agent fetches keys itself',
  ),
  'unseen-destination': warning(
    message`clients of namespace "${'client'}" do not see the destination "${'host'}": their requests get 503`,
    'export the service to the namespace (exportTo), or do not export the routes to it',
  ),
  'destination-without-port': warning(
    message`the route names no port of destination "${'host'}", whose ports are ${'ports'}: requests to port ${'port'} get 503`,
    'name the port: destination.port.number',
  ),
  'unknown-subset': warning(
    message`no DestinationRule that applies here defines subset "${'subset'}" of "${'host'}": requests that go there get 503`,
    'define it in a DestinationRule that the client sees',
  ),
  'unusable-key-set': error(
    message`no token of "${'issuer'}" can be verified: ${'reason'}`,
    'give the public keys of the issuer: RSA from 2048 bits, P-256, P-384, P-521 or Ed25519',
  ),
  'unusable-key': warning(message`${'key'} of "${'issuer'}" is left out: it ${'reason'}`),
  'key-set-of-nobody': warning(
    message`--jwks has keys for issuer "${'issuer'}", but no policy accepts tokens of that issuer`,
  ),
  'unknown-destination': error(
    message`no service has the host "${'host'}" of this destination`,
    'write the full name, <service>.<namespace>.svc.<cluster domain>; declare hosts outside the mesh by a ServiceEntry',
  ),
  'unknown-destination-port': error(message`destination "${'host'}" has no port ${'port'}, expected ${'expected'}`),
  'missing-destination': warning(
    message`no service has the host "${'host'}" of this destination: requests that are routed there get 503, and connections are closed`,
    'create the service, or take the destination out of the VirtualService',
  ),
  'missing-destination-port': warning(
    message`destination "${'host'}" has no port ${'port'}, expected ${'expected'}: requests that are routed there get 503, and connections are closed`,
    'add the port to the service, or name another one in the VirtualService',
  ),
  'unknown-provider': error(
    message`the mesh configuration has no provider "${'name'}"`,
    'declare it in extensionProviders of the mesh configuration',
  ),
  'unusable-provider': error(
    message`provider "${'name'}" cannot be used: ${'reason'}`,
    'set "service" to a service that the workload sees, and "port" to one of its ports',
  ),
  'authorizer-of-requests-only': warning(
    message`connections to TCP port ${'ports'} of "${'workload'}" that match the rules are denied: provider "${'name'}" (envoyExtAuthzHttp) can authorize HTTP requests only`,
    'add "ports" to each operation of the rules, or use a gRPC provider (envoyExtAuthzGrpc)',
  ),
  'rule-lost-on-tcp': warning(
    message`this ${'action'} rule allows nothing on TCP port ${'ports'} of "${'workload'}": TCP connections have no ${'fields'}`,
    'add a rule for the port with conditions that TCP connections have: principals, namespaces, ipBlocks, ports',
  ),
  'deny-of-http-only': warning(
    message`this DENY rule denies every connection to TCP port ${'ports'} of "${'workload'}": TCP connections have no ${'fields'}, and HTTP conditions are ignored there`,
    'add "ports" to each operation of the rule, so that it names the HTTP ports',
  ),
  'rule-wider-on-tcp': warning(
    message`this ${'action'} rule matches more connections on TCP port ${'ports'} of "${'workload'}" than it says: TCP connections have no ${'fields'}, and HTTP conditions are ignored there`,
    'add "ports" to each operation of the rule, so that it names the HTTP ports',
  ),
  'delegation-switched-off': warning(
    message`VirtualService "${'name'}" is ignored as a whole: it has a delegate, and this product follows delegates only with PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE=true`,
    'set PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE=true in the environment of this command and of whatever compiles the policies',
  ),
  'delegate-without-root': warning(
    message`VirtualService "${'name'}" has no effect: it has no hosts, and no other VirtualService delegates to it`,
  ),
  'unknown-delegate': warning(
    message`the route is left out: it delegates to the VirtualService "${'name'}", but ${'reason'}`,
    'name a VirtualService that has no hosts and is exported to the namespace of this one',
  ),
  'delegate-route-dropped': warning(
    message`the route is left out of "${'root'}": this match of delegate "${'delegate'}" is not contained in any match of the route that delegates to it`,
    'begin the paths with the prefix that the delegating route matches; regular expressions cannot be compared',
  ),
  'connections-without-service': warning(
    message`no service has the host "${'host'}": the ${'kind'} routes have no effect in sidecars`,
    'declare the host and its port by a ServiceEntry',
  ),
  'round-robin-of-several': warning(
    message`"${'host'}" is resolved as with "resolution: DNS": its workloadSelector matches ${'count'} host names, and DNS_ROUND_ROBIN supports only one`,
    'write "resolution: DNS", or select one entry',
  ),
  'routes-without-port': warning(
    message`${'routes'} ${'have'} no effect: ${'why'}`,
    "write http routes for HTTP ports, tls routes for TLS that the application starts, tcp routes for other protocols; or change the port's protocol",
  ),
  'host-without-service': warning(
    message`no service has the host "${'host'}": sidecars route its HTTP requests on port 80 only, and only if a service has that port`,
    'declare the host by a ServiceEntry',
  ),
};
