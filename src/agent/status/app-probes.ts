import { formatPath } from '../../diagnostics/json-path.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { isToken } from '../../lib/header-text.ts';
import type { AppProbe, AppProbes, HttpProbe } from './app-probe.ts';
import { type JsonVariable, parseJsonVariable } from './json-variable.ts';

export type ReadAppProbes =
  | { readonly ok: true; readonly probes: AppProbes }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads MESH_APP_PROBERS: an object of `/app-health/<container>/(livez|readyz|startupz)` to one each of `httpGet`,
 * `tcpSocket` and `grpc`, in the fields of the Kubernetes API. Nothing is guessed: a named port, an unknown field or a port
 * of the agent itself (`reservedPorts`) is a problem, told with its place.
 */
export function readAppProbes(text: string, reservedPorts: ReadonlySet<number>): ReadAppProbes {
  const parsed = parseJsonVariable('MESH_APP_PROBERS', text);
  if (!parsed.ok) return { ok: false, problems: [parsed.problem] };
  const reader = new ProbeReader(parsed.json, reservedPorts);
  const probes = reader.probes();
  return reader.problems.length === 0 ? { ok: true, probes } : { ok: false, problems: reader.problems };
}

type Fields = Readonly<Record<string, unknown>>;

/** The smallest that a kubelet sets for a probe without one. */
const defaultTimeoutSeconds = 1;
/** Belong to the kubelet, which decides when to ask. */
const scheduleFields = [
  'initialDelaySeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
  'terminationGracePeriodSeconds',
];
const actions = ['httpGet', 'tcpSocket', 'grpc'];
/** They frame the message; a value of one's own would break it. */
const framingHeaders = new Set(['connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer']);

class ProbeReader {
  readonly problems: string[] = [];
  readonly #json: JsonVariable;
  readonly #reservedPorts: ReadonlySet<number>;

  constructor(json: JsonVariable, reservedPorts: ReadonlySet<number>) {
    this.#json = json;
    this.#reservedPorts = reservedPorts;
  }

  probes(): AppProbes {
    const entries = Object.entries(this.#object([], this.#json.value));
    return new Map(
      entries.flatMap(([key, value]) => {
        if (!/^\/app-health\/[^/?#\s]+\/(livez|readyz|startupz)$/.test(key)) {
          this.#problem([key], 'the key is /app-health/<container>/livez, readyz or startupz', key);
        }
        const probe = this.#probe([key], value);
        return probe === undefined ? [] : [[key, probe] as const];
      }),
    );
  }

  #probe(path: JsonPath, value: unknown): AppProbe | undefined {
    if (!isObject(value)) {
      this.#problem(path, 'an object is expected');
      return undefined;
    }
    const fields = this.#object(path, value, [...actions, 'timeoutSeconds', ...scheduleFields]);
    const given = actions.filter((action) => fields[action] !== undefined && fields[action] !== null);
    const timeoutMs = this.#timeout([...path, 'timeoutSeconds'], fields.timeoutSeconds);
    const [action] = given;
    if (action === undefined || given.length > 1) {
      this.#problem(path, 'exactly one of httpGet, tcpSocket and grpc is expected', given.join(', ') || 'none');
      return undefined;
    }
    const at = [...path, action];
    if (action === 'httpGet') return { timeoutMs, action: this.#http(at, fields[action]) };
    if (action === 'tcpSocket') {
      const socket = this.#object(at, fields[action], ['port', 'host']);
      return { timeoutMs, action: { kind: 'tcp', port: this.#port([...at, 'port'], socket.port) } };
    }
    const { port, service } = this.#object(at, fields[action], ['port', 'service']);
    return {
      timeoutMs,
      action: {
        kind: 'grpc',
        port: this.#port([...at, 'port'], port),
        service: this.#text([...at, 'service'], service),
      },
    };
  }

  #http(at: JsonPath, value: unknown): HttpProbe {
    const fields = this.#object(at, value, ['path', 'port', 'scheme', 'host', 'httpHeaders']);
    const path = this.#text([...at, 'path'], fields.path);
    if (!/^[\x21-\x7e]*$/.test(path)) this.#problem([...at, 'path'], 'a path of visible ASCII characters is expected');
    const scheme = fields.scheme ?? 'HTTP';
    if (scheme !== 'HTTP' && scheme !== 'HTTPS') this.#problem([...at, 'scheme'], '"HTTP" or "HTTPS" is expected');
    const { host, headers } = this.#headers([...at, 'httpHeaders'], fields.httpHeaders ?? []);
    return {
      kind: 'http',
      port: this.#port([...at, 'port'], fields.port),
      isTls: scheme === 'HTTPS',
      path: path.startsWith('/') ? path : `/${path}`,
      host,
      headers,
      reservedPorts: this.#reservedPorts,
    };
  }

  #headers(at: JsonPath, value: unknown): Pick<HttpProbe, 'host' | 'headers'> {
    if (!Array.isArray(value)) {
      this.#problem(at, 'a list of {"name", "value"} is expected');
      return { host: undefined, headers: [] };
    }
    let host: string | undefined;
    const headers: (readonly [string, string])[] = [];
    for (const [i, item] of value.entries()) {
      const fields = this.#object([...at, i], item, ['name', 'value']);
      const name = this.#text([...at, i, 'name'], fields.name);
      const text = this.#text([...at, i, 'value'], fields.value);
      if (!/^[\x20-\x7e\t]*$/.test(text)) this.#problem([...at, i, 'value'], 'visible ASCII characters are expected');
      if (/^(host|:authority)$/i.test(name)) host = text;
      else if (!isToken(name)) this.#problem([...at, i], 'this is no name of a header', name);
      else if (framingHeaders.has(name.toLowerCase())) this.#problem([...at, i], 'this header cannot be set', name);
      else headers.push([name, text]);
    }
    return { host, headers };
  }

  #port(path: JsonPath, value: unknown): number {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > 65_535) {
      this.#problem(
        path,
        'a port number is expected',
        typeof value === 'string' ? value : value === undefined ? 'nothing' : JSON.stringify(value),
      );
      return 0;
    }
    // A probe that asks the agent would ask itself, or open what only the pod may reach.
    if (this.#reservedPorts.has(value)) this.#problem(path, 'the port belongs to the proxy', String(value));
    return value;
  }

  #timeout(path: JsonPath, value: unknown): number {
    const seconds = value ?? 0;
    if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= 3_600)) {
      this.#problem(path, 'seconds from 0 to 3600 are expected');
      return 0;
    }
    return (seconds || defaultTimeoutSeconds) * 1_000;
  }

  #text(path: JsonPath, value: unknown): string {
    if (typeof value === 'string') return value;
    if (value !== undefined && value !== null) this.#problem(path, 'a text is expected');
    return '';
  }

  /** Without `known`, any keys. */
  #object(path: JsonPath, value: unknown, known?: readonly string[]): Fields {
    if (!isObject(value)) {
      this.#problem(path, 'an object is expected');
      return {};
    }
    for (const key of known === undefined ? [] : Object.keys(value).filter((name) => !known.includes(name))) {
      this.#problem([...path, key], `this field is not known here; known are ${known?.join(', ')}`, key);
    }
    return value;
  }

  /** `found` is repeated only where it cannot be a secret. */
  #problem(path: JsonPath, message: string, found?: string): void {
    const where = formatPath(path);
    const told = found === undefined ? '' : `, not "${found}"`;
    this.problems.push(`${this.#json.placeOf(path)}: ${where === '' ? '' : `${where}: `}${message}${told}`);
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
