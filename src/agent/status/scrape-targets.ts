import { formatPath } from '../../diagnostics/json-path.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { parseJsonVariable } from './json-variable.ts';

/** Where an application tells its metrics, on loopback or the pod's address. */
export interface ScrapeTarget {
  readonly port: number;
  /** With its leading slash, and its query. */
  readonly path: string;
}

export type ReadScrapeTargets =
  | { readonly ok: true; readonly targets: readonly ScrapeTarget[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const defaults: ScrapeTarget = { port: 80, path: '/metrics' };

/**
 * Reads MESH_METRICS_ANNOTATIONS: `{"scrape", "path", "port"}`, all of them texts as annotations are, or several `targets`
 * of `path` and `port`. `scrape: "false"` leaves the application out. A port of the proxy (`reservedPorts`), however it is
 * spelled, is a problem: the answer would hold itself.
 */
export function readScrapeTargets(text: string, reservedPorts: ReadonlySet<number>): ReadScrapeTargets {
  const parsed = parseJsonVariable('MESH_METRICS_ANNOTATIONS', text);
  if (!parsed.ok) return { ok: false, problems: [parsed.problem] };
  const { json } = parsed;
  const problems: string[] = [];
  const problem = (path: JsonPath, message: string): void => {
    const where = formatPath(path);
    problems.push(`${json.placeOf(path)}: ${where === '' ? '' : `${where}: `}${message}`);
  };
  const object = (path: JsonPath, value: unknown, known: readonly string[]): Readonly<Record<string, unknown>> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problem(path, 'an object is expected');
      return {};
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) problem([...path, key], `this field is not known here; known are ${known.join(', ')}`);
    }
    return value as Readonly<Record<string, unknown>>;
  };
  const target = (path: JsonPath, fields: Readonly<Record<string, unknown>>): ScrapeTarget => ({
    port: readPort(fields.port, reservedPorts, (message) => problem([...path, 'port'], message)),
    path: readPath(fields.path, (message) => problem([...path, 'path'], message)),
  });

  const fields = object([], json.value, ['scrape', 'path', 'port', 'targets']);
  const { scrape = 'true', targets } = fields;
  if (scrape !== 'true' && scrape !== 'false') problem(['scrape'], '"true" or "false" is expected, as a text');
  const read = Array.isArray(targets)
    ? targets.map((item, i) => target(['targets', i], object(['targets', i], item, ['path', 'port'])))
    : [target([], fields)];
  if (targets !== undefined && !Array.isArray(targets)) problem(['targets'], 'a list is expected');
  if (targets !== undefined && (fields.path !== undefined || fields.port !== undefined)) {
    problem(['targets'], 'either targets or path and port is expected, not both');
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, targets: scrape === 'false' ? [] : read };
}

function readPort(value: unknown, reserved: ReadonlySet<number>, problem: (message: string) => void): number {
  if (value === undefined || value === '') return defaults.port;
  const port = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65_535) problem('a port number is expected, as a text such as "9090"');
  else if (reserved.has(port)) problem(`the port ${port} belongs to the proxy`);
  return port;
}

function readPath(value: unknown, problem: (message: string) => void): string {
  if (value === undefined || value === '') return defaults.path;
  if (typeof value !== 'string' || !/^[\x21-\x7e]*$/.test(value)) {
    problem('a path of visible ASCII characters is expected');
    return defaults.path;
  }
  return value.startsWith('/') ? value : `/${value}`;
}
