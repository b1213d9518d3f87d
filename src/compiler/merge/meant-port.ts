import { nearest } from '../../lib/nearest.ts';
import type { Service } from '../topology/model.ts';

/** How a message names the ports that a host has instead of the one that is written: `50051`, or `one of 80, 443`. */
export function expectedPorts(services: readonly Service[]): string {
  const ports = portsOf(services);
  return ports.length === 1 ? String(ports[0]) : `one of ${ports.join(', ')}`;
}

/** What to write in place of a number that is no port of these services. */
export function hintOfPort(services: readonly Service[], written: number): string {
  const ports = portsOf(services);
  const behind = portsTo(services, written);
  if (behind.length === 1) return `write ${behind[0]}: ${written} is the port behind it`;
  // Of two digits, any two numbers look alike.
  const near = written > 99 ? nearest(String(written), ports.map(String)) : undefined;
  if (near !== undefined) return `did you mean ${near}?`;
  if (ports.length === 1) return `write ${ports[0]}, its only port`;
  const ofEntry = services.every(({ object }) => object.kind === 'ServiceEntry');
  return ofEntry
    ? 'write the "number" of a port of the ServiceEntry'
    : 'write the "port" of one of the ports of the Service';
}

function portsOf(services: readonly Service[]): readonly number[] {
  return [...new Set(services.flatMap((service) => service.ports.map(({ number }) => number)))];
}

/** The service ports whose connections go on to that port, as the objects say it in numbers. */
function portsTo(services: readonly Service[], target: number): readonly number[] {
  const found = services.flatMap(({ object }) => {
    const { ports = [] } = (object as { readonly spec?: { readonly ports?: readonly WrittenPort[] } }).spec ?? {};
    return ports.flatMap(({ port, number = port, targetPort }) =>
      targetPort === target && number !== undefined ? [number] : [],
    );
  });
  return [...new Set(found)];
}

/** Of a Service (`port`) or a ServiceEntry (`number`). */
interface WrittenPort {
  readonly port?: number;
  readonly number?: number;
  readonly targetPort?: number | string;
}
