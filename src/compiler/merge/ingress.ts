import type { Sidecar, SidecarIngress } from '../../policy/sidecar.ts';
import type { Origins } from '../ir/origin.ts';
import type { Workload } from '../topology/model.ts';
import type { Protocol } from '../topology/protocol.ts';
import { selectProtocol } from '../topology/protocol-selection.ts';
import { originOf } from './policy-order.ts';

/** A port on which a Sidecar says that its workloads listen. */
export interface IngressPort {
  readonly number: number;
  readonly protocol: Protocol;
  /** On loopback; absent: the connection goes where connections to a service's port go. */
  readonly endpoint?: { readonly address: string; readonly port: number };
  readonly sidecar: Sidecar;
  readonly origins: Origins;
}

const portsOf = new WeakMap<Sidecar, readonly IngressPort[]>();

/** The ports of a Sidecar, in ascending order; of one Sidecar the same objects each time. */
export function ingressPorts(sidecar: Sidecar): readonly IngressPort[] {
  let ports = portsOf.get(sidecar);
  if (ports === undefined) {
    ports = (sidecar.spec.ingress ?? [])
      .map((listener, i) => ingressPort(sidecar, listener, i))
      .sort((a, b) => a.number - b.number);
    portsOf.set(sidecar, ports);
  }
  return ports;
}

function ingressPort(sidecar: Sidecar, { port, defaultEndpoint }: SidecarIngress, index: number): IngressPort {
  const endpoint = loopbackEndpoint(defaultEndpoint);
  return {
    number: port.number,
    protocol: selectProtocol({ number: port.number, name: '', appProtocol: port.protocol }),
    ...(endpoint === undefined ? {} : { endpoint }),
    sidecar,
    origins: { decidedBy: [originOf(sidecar, ['spec', 'ingress', index])], overrode: [] },
  };
}

/** Its format has been checked; `:8080`, `0.0.0.0:8080` and `[::]:8080` name the workload itself. */
export function loopbackEndpoint(text: string | undefined): IngressPort['endpoint'] {
  const [, four, six, port] = /^(?:(127\.0\.0\.1)|\[(::1)\]):(\d+)$/.exec(text ?? '') ?? [];
  const address = four ?? six;
  return address === undefined ? undefined : { address, port: Number(port) };
}

/** Container ports that services target or a Sidecar names: where a port-level mode has effect. */
export function listenedPorts({ targets }: Workload, ingress: readonly IngressPort[]): ReadonlySet<number> {
  return new Set([...targets.map(({ targetPort }) => targetPort), ...ingress.map(({ number }) => number)]);
}
