import { message } from '../message.ts';
import { error, warning } from './entry.ts';

/** Faults of policy objects: the rules that one object must keep. Those of single fields are in field.ts. */
export const policyCodes = {
  'action-without-rules': error(message`action ${'action'} without "rules" matches no request: it ${'effect'}`),
  'ambiguous-request-principal': error(
    message`"${'field'}" is "${'value'}", which may mean ${'readings'}`,
    'use "when" with request.auth.claims[iss] and request.auth.claims[sub]',
  ),
  'certificate-in-place-of-file': error(
    message`"${'field'}" has the content of a file, expected its path`,
    'write the content to a file, or put it into a Secret that "credentialName" names',
  ),
  'client-check-ignored': error(
    message`"${'field'}" with TLS mode ${'mode'}, which asks clients for no certificate`,
    'use mode MUTUAL or OPTIONAL_MUTUAL, or remove the field',
  ),
  'too-many-endpoints': error(
    message`resolution ${'resolution'} allows ${'expected'} in "endpoints", found ${'count'}`,
    'write "resolution: STATIC" for addresses, or "DNS" for names',
  ),
  'wildcard-host-of-dns': error(
    message`DNS has no addresses for the pattern "${'host'}": resolution ${'resolution'} needs "endpoints" for it`,
    'write "resolution: NONE", name endpoints, or name each host',
  ),
  'block-with-dns': error(
    message`resolution ${'resolution'} takes single addresses, found the block "${'block'}"`,
    'write single addresses or none, or "resolution: NONE" or "STATIC"',
  ),
  'unknown-endpoint-port': error(
    message`the entry has no port "${'name'}", expected ${'names'}`,
    "write the name of one of the entry's ports",
  ),
  'zero-is-not-set': warning(
    message`"${'field'}: 0" ${'meaning'}`,
    'remove the field, or write the limit that is meant, at least 1',
  ),
  'unknown-capture-group': error(
    message`"${'text'}" names no group of the expression, which has ${'groups'}`,
    'write "\\1" for the first group, "\\0" for the whole match, and "\\\\" for a backslash',
  ),
  'server-target-port-ignored': warning(
    message`"targetPort" has no effect: the gateway's Service sets the container port of port ${'port'}`,
    'set "targetPort" in the Service of the gateway',
  ),
  'tls-versions-reversed': error(
    message`the minimum TLS version ${'oldest'} is newer than the maximum ${'newest'}`,
    'raise "maxProtocolVersion"',
  ),
  'condition-without-name': error(
    message`condition key "${'key'}" needs a name in brackets`,
    'write "request.headers[<name>]" or "request.auth.claims[<name>]"',
  ),
  'conflicting-alias': error(
    message`"${'first'}" and "${'second'}" are two spellings of one name, and have different values: "${'firstValue'}" and "${'secondValue'}"`,
    'keep one of the two',
  ),
  'delegate-with-binding': error(
    message`"${'field'}" in a virtual service without hosts, expected HTTP routes only`,
    'move the field to the virtual service that delegates',
  ),
  'duplicate-export-to': error(message`namespace "${'value'}" is listed twice in "exportTo"`, 'remove one of them'),
  'duplicate-match': warning(
    message`match ${'match'} repeats match ${'first'} and is never reached (<route>.<match>, counted from 0)`,
    'remove the later match',
  ),
  'duplicate-port-name': error(message`port name "${'name'}" is used twice`, 'rename one of the ports'),
  'host-header-conflict': error(
    message`"${'name'}" may only be set for requests, and only once`,
    'remove the other change of the host',
  ),
  'incomplete-client-certificate': error(
    message`TLS mode MUTUAL without "${'field'}"`,
    'set "clientCertificate" and "privateKey", or "credentialName"',
  ),
  'incomplete-server-certificate': error(
    message`TLS mode ${'mode'} without "${'field'}"`,
    'set "serverCertificate" and "privateKey" (and "caCertificates" for MUTUAL), or "credentialName"',
  ),
  'ingress-endpoint-of-other-port': error(
    message`"defaultEndpoint" "${'endpoint'}" leads from port ${'port'} to another port of the workload's own address, which is not supported`,
    'write "127.0.0.1:PORT" for an application that listens on loopback or on every address',
  ),
  'bind-beyond-loopback': error(
    message`captureMode NONE with "bind" ${'bind'}: whoever reaches this address could call services with the identity of the workload`,
    'bind an address of loopback, such as 127.0.0.1',
  ),
  'listener-without-port': error(
    message`"${'field'}" without "port", which it needs`,
    'add "port", or remove the field: the proxy then listens on the addresses of the services',
  ),
  'kind-without-effect': warning(message`${'kind'} "${'name'}" has no effect here: ${'why'}`),
  'local-origin-failures-not-split': error(
    message`"consecutiveLocalOriginFailures" without "splitExternalLocalOriginErrors"`,
    'set "splitExternalLocalOriginErrors: true"',
  ),
  'locality-weight-total-not-100': error(
    message`weights for traffic from "${'from'}" add up to ${'total'}, expected 100`,
  ),
  'match-never-holds': error(
    message`"${'field'}" is "${'value'}", which matches no request, so that it denies nothing: ${'reason'}`,
    'write a value that requests can have',
  ),
  'mesh-wide-host': error(
    message`host "*" in a virtual service for sidecars would catch the traffic of every service`,
    'name the hosts, or bind the object to gateways only',
  ),
  'missing-issuer': error(message`JWT rule without "issuer"`, 'set "issuer", or "jwksUri" at least'),
  'missing-provider': error(message`action CUSTOM without "provider"`, 'set "provider.name"'),
  'mixed-export-to': error(message`"*" together with other namespaces in "exportTo"`, 'keep "*" alone, or remove it'),
  'nested-delegate': error(message`a delegate cannot delegate again`, 'move the routes into this object'),
  'overlapping-hosts': error(
    message`host "${'host'}" overlaps host "${'other'}" of the same object`,
    'remove one of them',
  ),
  'overlapping-localities': error(message`locality "${'locality'}" overlaps locality "${'other'}"`),
  'path-of-no-request': error(message`no request has the path "${'path'}": ${'reason'}`),
  'port-level-without-selector': error(
    message`"portLevelMtls" without a selector: policies of a mesh or a namespace have no ports`,
    'move "portLevelMtls" to another PeerAuthentication that selects the workloads, and write there in "mtls" the mode of their other ports',
  ),
  'private-key-in-jwks': warning(
    message`"jwks" contains a ${'material'}: everyone who can read the policy can create tokens`,
    'publish public keys only',
  ),
  'provider-without-custom': error(
    message`"provider" with action ${'action'}, expected CUSTOM`,
    'remove "provider", or move it to the policy with action CUSTOM that is to ask it',
  ),
  'repeated-port': error(message`port ${'port'} is set twice`, 'put both entries into one'),
  'repeated-subset': error(message`subset "${'name'}" is defined twice`, 'rename or remove one of them'),
  'repeated-token-location': warning(message`"${'name'}" stands twice in "${'field'}"`, 'remove one of the two'),
  'retries-disabled-with-options': error(
    message`"attempts" is 0 and "${'field'}" is set`,
    'remove the field, or set "attempts"',
  ),
  'route-action-conflict': error(message`"${'field'}" excludes ${'others'} in an HTTP route`),
  'route-without-action': error(
    message`HTTP route without an action`,
    'add "route", "redirect", "directResponse" or "delegate"',
  ),
  'proxy-config-for-injection': warning(
    message`ProxyConfig "${'name'}" has fields that only injection acts on, without effect here: ${'fields'}`,
    "set the variables in the environment of the proxy's container, and its image in the pod; variables that begin with MESH_META_ become node metadata",
  ),
  'selector-without-labels': warning(
    message`selector without labels selects every workload`,
    'add "matchLabels", or remove the selector',
  ),
  'server-without-tls': error(message`port with protocol ${'protocol'} without "tls"`, 'add "tls" to the server'),
  'sni-host-not-in-hosts': error(message`"${'host'}" is not covered by the hosts of the virtual service`),
  'star-inside-path': warning(
    message`the star inside "${'path'}" is an ordinary character`,
    'write "{*}" for one whole segment, and at the end "{**}" for any text; or list the paths',
  ),
  'tls-on-plaintext-port': error(
    message`"${'field'}" on a port with protocol ${'protocol'}, expected ${'expected'}`,
    'use protocol HTTPS or TLS, or remove "tls"',
  ),
  'unknown-condition-key': error(message`unknown condition key "${'key'}"`),
  'unreachable-route': warning(
    message`HTTP route ${'route'} is never reached: route ${'first'} matches every request (routes are counted from 0)`,
    'move the route that matches everything to the end',
  ),
  'unsupported-condition-key': error(message`condition key "${'key'}" is not supported`),
  'unsupported-with-custom': error(
    message`"${'field'}" cannot be used with action CUSTOM`,
    'move the condition to an ALLOW or DENY policy',
  ),
  'virtual-service-without-hosts': error(
    message`virtual service without hosts`,
    'add "hosts"; an object without hosts, to which others delegate, needs PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE=true',
  ),
  'virtual-service-without-routes': error(message`virtual service without routes`, 'add "http", "tls" or "tcp"'),
  'weak-tls-version': warning(
    message`TLS 1.0 and 1.1 do not work without "cipherSuites": no default cipher suite supports them`,
    'raise "minProtocolVersion", or list cipher suites that these versions support',
  ),
  'weight-total-zero': error(message`the weights of the destinations add up to 0`, 'give one of them a weight'),
  'wide-export-with-selector': error(
    message`"workloadSelector" with an "exportTo" that names other namespaces`,
    'set "exportTo: [.]", or remove the selector',
  ),
};
