import { message } from '../message.ts';
import { error, warning } from './entry.ts';

/** Faults of services, workloads and endpoints. */
export const topologyCodes = {
  'address-of-service': warning(
    message`address ${'address'} is ignored in this entry: it belongs to "${'owner'}", a service of another namespace`,
    'remove the address, or declare the entry in the namespace of the service',
  ),
  'conflicting-target-port': warning(
    message`services "${'kept'}" (${'keptProtocol'}) and "${'dropped'}" (${'droppedProtocol'}) both deliver to port ${'port'} of ${'workload'}; the first one decides the protocol`,
    'give both service ports the same protocol',
  ),
  'duplicate-host': warning(
    message`host "${'host'}" is defined again by ${'object'}: ${'kept'} comes first, so ${'effect'}`,
    'remove one of the two, or export them to different namespaces; a Service comes before a ServiceEntry, then the older one, then the first by name',
  ),
  'duplicate-workload': error(
    message`${'kind'} and ${'otherKind'} "${'name'}" are two workloads with the same name`,
    'rename one of the two, or add their pods to the inputs: kubectl get pods -o yaml',
  ),
  'endpoint-of-proxy': warning(
    message`endpoint ${'endpoint'} of "${'host'}" is left out: ${'why'}`,
    "name the server's own address and port; allowedProxyPortHosts of the mesh configuration lists hosts that may have such a port",
  ),
  'group-field-without-effect': warning(
    message`"${'field'}" of WorkloadGroup "${'name'}" has no effect: ${'why'}`,
    'remove the field',
  ),
  'invalid-address': error(message`"${'value'}" is not an IP address`),
  'local-endpoint': warning(
    message`endpoint ${'endpoint'} of "${'host'}" is left out: ${'why'}`,
    "name the server's own address; allowedLocalEndpoints of the mesh configuration lists addresses and blocks that are allowed",
  ),
  'injection-by-annotation': warning(
    message`${'kind'} "${'name'}" gets no sidecar: ${'why'}`,
    'write sidecar.mesh.io/inject: "true" as a label of the pod, or label the namespace mesh-injection: enabled',
  ),
  'inbound-outside-capture': warning(
    message`connections ${'what'} of ${'kind'} "${'name'}" bypass its proxy: STRICT, token checks and access rules don't apply to them`,
    'remove the annotation, or protect these ports by other means, such as a NetworkPolicy',
  ),
  'invalid-port-list': error(
    message`annotation "${'annotation'}" is "${'value'}", expected ports separated by commas`,
    'write ports from 1 to 65535, as in "8000,9000"',
  ),
  'outbound-outside-capture': warning(
    message`connections ${'what'} from ${'kind'} "${'name'}" bypass its proxy: without mutual TLS and without its rules for outbound traffic`,
    'remove the annotation, unless these connections are meant to leave the mesh',
  ),
  'unread-annotation': warning(
    message`annotation "${'annotation'}" is not read, and has no effect on ${'where'}`,
    'check its spelling; docs/reference/meshpol-compile.md lists the annotations that are read',
  ),
  'unused-workload-entry': warning(
    message`WorkloadEntry "${'name'}" has no effect: no service has it as an endpoint, and no label says that it has a proxy`,
    'give it the labels that a Service or the workloadSelector of a ServiceEntry selects, or the label security.mesh.io/tlsMode: mesh if it has a proxy, or remove it',
  ),
  'unknown-workload-group': warning(
    message`WorkloadEntry "${'name'}" gets nothing from WorkloadGroup "${'group'}": there is no such group in its namespace`,
    'correct the name in the annotation mesh.io/autoRegistrationGroup, or add the group to the inputs: kubectl get workloadgroups -o yaml',
  ),
  'unsupported-interception-mode': error(
    message`interception mode "${'value'}" is not supported, expected "REDIRECT" or "TPROXY"`,
  ),
  'unsupported-resolution': error(
    message`resolution "${'value'}" is not supported, expected "NONE", "STATIC", "DNS" or "DNS_ROUND_ROBIN"`,
  ),
  'service-without-endpoints': warning(message`${'service'} has no endpoints: ${'why'}`),
  'service-without-ports': warning(
    message`${'kind'} "${'name'}" has no ports: nothing is routed to it`,
    'write its "ports"; without them its hosts count as undeclared',
  ),
  'doubtful-endpoint': warning(
    message`the endpoint ${'address'} of ${'kind'} "${'name'}" is left out: ${'reason'}`,
    'take Endpoints, EndpointSlices and Pods from the cluster at one moment: kubectl get endpoints,endpointslices,pods -A -o yaml',
  ),
  'truncated-endpoints': warning(
    message`Endpoints "${'name'}" has only a part of the addresses: Kubernetes truncates the list at 1000`,
    'add the EndpointSlices of the service to the inputs: kubectl get endpointslices -o yaml',
  ),
  'unread-endpoint-slice': warning(
    message`EndpointSlice "${'name'}" is not read: its addresses are host names`,
    'declare the hosts by a ServiceEntry with resolution: DNS',
  ),
};
