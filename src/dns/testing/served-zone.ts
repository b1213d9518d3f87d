import { encode } from 'dns-packet';
import type { Zone } from '../zone.ts';
import { ZoneResponder } from '../zone-responder.ts';
import { zoneName, zoneOf } from './sample-zone.ts';

const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `10.9.${i >> 8}.${i & 0xff}`);
export const [web, large, secret] = ['web', 'large', 'secret'].map((name) => `${name}.shop.svc.cluster.local`) as [
  string,
  string,
  string,
];
export const zone = zoneOf([
  zoneName(web, { addresses: ['10.0.0.1'] }),
  zoneName(large, { addresses: many(200) }),
  zoneName(secret, { viewers: ['shop'], addresses: ['10.0.0.2'] }),
]);

/** Transport and outcome of each answer; whoever tests empties it. */
export const observed: string[] = [];

export function responder(served: Zone | undefined = zone, burst = 1e6): ZoneResponder {
  const observe = (transport: string, outcome: string): void => void observed.push(`${transport} ${outcome}`);
  return new ZoneResponder({ zone: () => served, observe, rate: { perSecond: 0.001, burst } });
}

export const queryFor = (name: string, id = 7): Buffer =>
  encode({ type: 'query', id, questions: [{ type: 'A', name }] });
