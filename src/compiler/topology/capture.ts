import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { lookup } from '../../lib/lookup.ts';
import { metricsPort, readinessPort } from '../../lib/proxy-addresses.ts';
import type { MeshObject } from '../../policy/object.ts';
import { annotationPath } from './annotation-path.ts';
import { nameOf } from './object-name.ts';
import type { Labels } from './selector.ts';

const domain = 'traffic.sidecar.mesh.io/';

/** Annotations by which redirection leaves connections to a pod alone, or from it. */
export const captureAnnotations = [
  'excludeInboundPorts',
  'includeInboundPorts',
  'excludeInterfaces',
  'excludeOutboundPorts',
  'includeOutboundPorts',
  'excludeOutboundIPRanges',
  'includeOutboundIPRanges',
].map((name) => domain + name);

/** Inbound ports that go around the proxy; absent where an annotation does not say. */
export interface InboundBypass {
  /** These ports are not captured. */
  readonly excludedInboundPorts?: readonly number[];
  /** Only these are. */
  readonly includedInboundPorts?: readonly number[];
}

/** What the annotations say of inbound ports; lists with a mistake say nothing here. */
export function inboundBypass(annotations: Labels): InboundBypass {
  const excluded = portsOf(annotations[`${domain}excludeInboundPorts`] ?? '');
  const include = annotations[`${domain}includeInboundPorts`];
  const included = include === undefined || include.trim() === '*' ? undefined : portsOf(include);
  return {
    ...(excluded === undefined || excluded.length === 0 ? {} : { excludedInboundPorts: excluded }),
    ...(included === undefined ? {} : { includedInboundPorts: included }),
  };
}

/** Tells what goes around a sidecar by the annotations of its pod: nothing that policies say holds there. */
export function checkCapture(object: MeshObject<string>, annotations: Labels, bag: DiagnosticBag): void {
  const { kind } = object;
  const name = nameOf(object);
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(domain)) continue;
    const path: JsonPath = annotationPath(object, key);
    const field = key.slice(domain.length);
    if (field.endsWith('Ports') && value.trim() !== '*' && portsOf(value) === undefined) {
      bag.report('invalid-port-list', object.document.spanOf(path), { annotation: key, value });
      continue;
    }
    const what = lookup(aroundProxy, field)?.(value.trim());
    if (what === undefined) continue;
    const code = field.includes('Outbound') ? 'outbound-outside-capture' : 'inbound-outside-capture';
    const hint = hintOfPair(field, annotations);
    bag.report(code, object.document.spanOf(path, 'key'), { what, kind, name }, { hint });
  }
}

/** Members of a cluster often speak to each other around their proxies: then the one annotation is for the other. */
function hintOfPair(field: string, annotations: Labels): string | undefined {
  if (field !== 'excludeInboundPorts' && field !== 'excludeOutboundPorts') return undefined;
  const other = field === 'excludeInboundPorts' ? 'excludeOutboundPorts' : 'excludeInboundPorts';
  const there = portsOf(annotations[domain + other] ?? '') ?? [];
  const ports = (portsOf(annotations[domain + field] ?? '') ?? []).filter((port) => !ofProxy.has(port));
  if (!ports.every((port) => there.includes(port))) return undefined;
  const protect = field === 'excludeInboundPorts' ? '; protect the ports by other means, such as a NetworkPolicy' : '';
  return `"${other}" has the same ports, as if these pods connected to each other there: remove both annotations or neither${protect}`;
}

/** Where the proxy and its agent answer themselves: injection of Istio excludes the first, and writes that into the pod. */
const ofProxy: ReadonlySet<number> = new Set([15_020, readinessPort, metricsPort]);

/** By the end of the annotation's name: which connections go around the proxy; undefined: none. */
const aroundProxy: Readonly<Record<string, (value: string) => string | undefined>> = {
  excludeInboundPorts: (value) => {
    const ports = (portsOf(value) ?? []).filter((port) => !ofProxy.has(port));
    return ports.length === 0 ? undefined : `to ${portWords(ports.join())}`;
  },
  includeInboundPorts: (value) => allBut(value, 'to every port', portWords),
  excludeInterfaces: (value) => (value === '' ? undefined : `over the interface ${value}`),
  excludeOutboundPorts: (value) => (value === '' ? undefined : `to ${portWords(value)}`),
  // The rest stays captured by address: this list only adds ports.
  includeOutboundPorts: () => undefined,
  excludeOutboundIPRanges: (value) => (value === '' ? undefined : `to ${value}`),
  includeOutboundIPRanges: (value) => allBut(value, 'to every address', (list) => list),
};

function allBut(value: string, all: string, words: (value: string) => string): string | undefined {
  if (value === '*') return undefined;
  return value === '' ? all : `${all} but ${words(value)}`;
}

function portWords(value: string): string {
  const ports = portsOf(value) ?? [];
  return `${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')}`;
}

/** Sorted; undefined for what is no list of ports. */
function portsOf(value: string): readonly number[] | undefined {
  if (value.trim() === '') return [];
  const texts = value.split(',').map((text) => text.trim());
  const ports = texts.map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : Number.NaN));
  if (!ports.every((port) => port >= 1 && port <= 65_535)) return undefined;
  return [...new Set(ports)].sort((a, b) => a - b);
}
