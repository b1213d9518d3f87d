import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { Gateway, ServerTlsSettings } from '../../policy/gateway.ts';
import type { Listener, ReferenceGrant, StandardGateway } from '../../policy/gateway-api.ts';
import { subsetOf } from '../topology/host.ts';
import { type Made, madeObject } from './made-object.ts';
import { isGranted } from './reference-grants.ts';
import type { GatewayWorkloads, ServedGateways } from './served-gateways.ts';

/** One listener of a Gateway that is served here. */
export interface ServedListener {
  readonly gateway: StandardGateway;
  readonly index: number;
  readonly listener: Listener;
  /** In lower case; `*` for every one. */
  readonly host: string;
  /** A Gateway of `networking.mesh.io` for this listener alone, since routes are attached to listeners. */
  readonly made: Made<Gateway>;
}

/** The listeners of the Gateways that are served here. */
export function servedListeners(
  served: ServedGateways,
  grants: readonly ReferenceGrant[],
  bag: DiagnosticBag,
): readonly ServedListener[] {
  return [...served].flatMap(([gateway, workloads]) =>
    gateway.spec.listeners.map((listener, index): ServedListener => {
      const host = (listener.hostname ?? '*').toLowerCase();
      const tls = tlsOf(gateway, index, { workloads, grants }, bag);
      return { gateway, index, listener, host, made: madeGateway({ gateway, index, listener, host }, workloads, tls) };
    }),
  );
}

function madeGateway(
  { gateway, index, listener: { name, port, protocol }, host }: Omit<ServedListener, 'made'>,
  { namespace, labels }: GatewayWorkloads,
  tls: ServerTlsSettings | undefined,
): Made<Gateway> {
  const spec: Gateway['spec'] = {
    selector: labels,
    servers: [{ port: { number: port, name, protocol }, hosts: [host], ...(tls === undefined ? {} : { tls }) }],
  };
  const object = madeObject('Gateway', { base: gateway, parts: [name], spec }, (path) => ({
    object: gateway,
    field: writtenField(gateway, index, path),
  }));
  return { object: { ...object, spec, standard: { namespace, isFirst: index === 0 } }, sources: [gateway] };
}

/** Where the field of a made Gateway is written. */
function writtenField({ spec }: StandardGateway, index: number, path: JsonPath): JsonPath {
  const [, field, , part, ...rest] = path;
  if (field === 'selector') return ['spec', spec.addresses === undefined ? 'gatewayClassName' : 'addresses'];
  if (field !== 'servers') return path;
  const listener: JsonPath = ['spec', 'listeners', index];
  if (part === 'hosts') return spec.listeners[index]?.hostname === undefined ? listener : [...listener, 'hostname'];
  if (part === 'port') return [...listener, rest[0] === 'number' || rest[0] === undefined ? 'port' : rest[0]];
  if (part !== 'tls') return listener;
  return [...listener, 'tls', ...(rest[0] === 'credentialName' ? ['certificateRefs', 0, 'name'] : [])];
}

/** The Secret has to be where the workload is: its agent reads no others. */
function tlsOf(
  gateway: StandardGateway,
  index: number,
  { workloads, grants }: { readonly workloads: GatewayWorkloads; readonly grants: readonly ReferenceGrant[] },
  bag: DiagnosticBag,
): ServerTlsSettings | undefined {
  const { name: listener = '', tls } = gateway.spec.listeners[index] ?? {};
  if (tls?.mode === 'Passthrough') return { mode: 'PASSTHROUGH' };
  const [ref] = tls?.certificateRefs ?? [];
  if (ref === undefined) return undefined;
  const { name, namespace = gateway.namespace } = ref;
  const field = ref.namespace === undefined ? 'name' : 'namespace';
  const span = gateway.document.spanOf(['spec', 'listeners', index, 'tls', 'certificateRefs', 0, field]);
  const reference = { fromKind: 'Gateway', fromNamespace: gateway.namespace, toKind: 'Secret', name } as const;
  const isThere = namespace === workloads.namespace;
  if (!isGranted({ ...reference, toNamespace: namespace }, grants)) {
    const why = `no ReferenceGrant of "${namespace}" lets a Gateway of "${gateway.namespace}" name the Secret "${name}"`;
    const more = `, and a Secret has to be in the namespace of the workload, "${workloads.namespace}"`;
    bag.report('listener-secret-not-granted', span, { name: listener, reason: `${why}${isThere ? '' : more}` });
  } else if (!isThere) {
    const reason = `its Secret is in namespace "${namespace}", expected that of its workload, "${workloads.namespace}"`;
    bag.report('invalid-listener', span, { name: listener, reason });
  }
  return { mode: 'SIMPLE', credentialName: name };
}

/** Whether another listener of the port serves the host names of a listener too, among others. */
export function isWithinAnother({ gateway, listener, host }: ServedListener, all: readonly ServedListener[]): boolean {
  return all.some(
    (it) => it.gateway === gateway && it.listener.port === listener.port && it.host !== host && subsetOf(host, it.host),
  );
}
