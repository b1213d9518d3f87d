import { isHostAndPort } from '../config/address.ts';
import { parseBoolean } from '../config/variable.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { lookup } from '../lib/lookup.ts';
import { nearest } from '../lib/nearest.ts';
import {
  type AnnotationType,
  type InjectionAnnotation,
  injectionAnnotations,
} from '../policy/injection-annotations.ts';
import { type Complain, parseCidrs, parseCidrsOrAll, parseInterfaces } from '../redirect/parse-list.ts';
import type { PlaceOf, Texts } from './pod.ts';

/** Annotations of injection by our names, each of its type. */
export type InjectionAnnotations = Readonly<Partial<Record<InjectionAnnotation, string>>>;

const known: Readonly<Record<string, AnnotationType>> = injectionAnnotations;

/**
 * The annotations of a pod that injection reads, after a check of each. A value that is not of its type is an error;
 * a key that is nearly one of ours is a warning.
 */
export function checkAnnotations(annotations: Texts, bag: DiagnosticBag, placeOf?: PlaceOf): InjectionAnnotations {
  for (const [annotation, value] of Object.entries(annotations)) {
    const type = lookup(known, annotation);
    const span = placeOf?.(['metadata', 'annotations', annotation]);
    if (type === undefined) {
      const meant = /(^|\.)mesh\.io\//.test(annotation) ? nearest(annotation, Object.keys(known)) : undefined;
      if (meant === undefined) continue;
      const hint = `did you mean "${meant}"?`;
      bag.report('unread-annotation', span, { annotation, where: 'this pod' }, { hint });
      continue;
    }
    const expected = faultOf(type, value);
    if (expected !== undefined) bag.report('invalid-injection-annotation', span, { annotation, value, expected });
  }
  return annotations as InjectionAnnotations;
}

/** Whether an annotation that was checked says true; undefined: it is not there. */
export function saysTrue(value: string | undefined): boolean | undefined {
  const parsed = value === undefined ? undefined : parseBoolean(value);
  return parsed?.ok ? parsed.value : undefined;
}

/** What is expected instead of the value; undefined where the value is of the type. */
function faultOf(type: AnnotationType, value: string): string | undefined {
  const [isOfType, expected] = types[type];
  return isOfType(value) ? undefined : expected;
}

const types: Readonly<Record<AnnotationType, readonly [isOfType: (value: string) => boolean, expected: string]>> = {
  boolean: [(value) => parseBoolean(value).ok, '"true" or "false"'],
  cidrs: [(value) => isWithoutComplaint(value, parseCidrs), 'address ranges, as in "10.0.0.0/8,fd00::/8"'],
  'cidrs-or-all': [
    (value) => isWithoutComplaint(value, parseCidrsOrAll),
    '"*", or address ranges, as in "10.0.0.0/8,fd00::/8"',
  ],
  'host-and-port': [isHostAndPort, 'host:port'],
  interfaces: [(value) => isWithoutComplaint(value, parseInterfaces), 'names of network interfaces'],
  'json-mounts': [
    (value) => isNamedJson(value, 'mountPath'),
    'a JSON object of volume names to mounts with "mountPath"',
  ],
  'json-volumes': [(value) => isNamedJson(value), 'a JSON object of volume names to volumes'],
  level: [
    (value) => /^(trace|debug|info|warning|error|critical|off)$/.test(value),
    'trace, debug, info, warning, error, critical or off',
  ],
  levels: [(value) => /^[\w.]+(:\w+)?(,[\w.]+:\w+)*$/.test(value), 'levels, as in "name:level,name:level"'],
  mode: [
    (value) => value === 'REDIRECT' || value === 'TPROXY',
    '"REDIRECT" or "TPROXY" (a proxy without redirection is not supported)',
  ],
  port: [isPort, 'a port from 1 to 65535'],
  ports: [isPorts, 'ports from 1 to 65535, as in "8000,9000"'],
  'ports-or-all': [
    (value) => value.trim() === '*' || isPorts(value),
    '"*", or ports from 1 to 65535, as in "8000,9000"',
  ],
  // Read with the mesh configuration, where it gets errors of its own.
  'proxy-config': [() => true, 'a ProxyConfig'],
  quantity: [
    (value) => /^\d+(\.\d*)?([KMGTPE]i|[numkMGTPE])?$/.test(value),
    'a quantity, such as "500m" of a processor or "256Mi" of memory',
  ],
  seconds: [(value) => /^\d{1,6}$/.test(value), 'a whole number from 0'],
  text: [(value) => /^\S+$/.test(value), 'a text without blanks'],
  unsupported: [(value) => value.trim() === '', 'nothing: redirection does not tell interfaces apart'],
  words: [(value) => /^\s*[\w.-]+\s*(,\s*[\w.-]+\s*)*$/.test(value), 'names, as in "sidecar,logging"'],
};

function isWithoutComplaint(value: string, parse: (text: string, complain: Complain) => unknown): boolean {
  let isSound = true;
  parse(value, () => {
    isSound = false;
  });
  return isSound;
}

function isPort(text: string): boolean {
  const port = /^\s*\d{1,5}\s*$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535;
}

/** As the compiler reads them: no ranges. */
function isPorts(text: string): boolean {
  return text.trim() === '' || text.split(',').every(isPort);
}

function isNamedJson(text: string, field?: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return Object.values(value).every(
      (item) => typeof item === 'object' && item !== null && (field === undefined || typeof item[field] === 'string'),
    );
  } catch {
    return false;
  }
}
