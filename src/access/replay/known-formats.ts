import { mayRepeatKey, repeatedKey } from '../../diagnostics/repeated-key.ts';
import { type LineFault, type LogValue, TextLogFormat } from './log-format.ts';

/** What the mesh configuration says of the access log; an empty format is the default of its encoding. */
export interface LogSettings {
  readonly accessLogFormat: string;
  readonly accessLogEncoding: 'TEXT' | 'JSON';
}

/** Istio's default line; the default of the mesh configuration has the same form. */
export const defaultTextFormat =
  '[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% ' +
  '%RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% "%UPSTREAM_TRANSPORT_FAILURE_REASON%" %BYTES_RECEIVED% ' +
  '%BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" ' +
  '"%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%" %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS% ' +
  '%DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%';

/** Keys of the default JSON line whose operator is not the key in capitals. */
const namedKeys: Readonly<Record<string, string>> = {
  authority: '%REQ(:AUTHORITY)%',
  method: '%REQ(:METHOD)%',
  path: '%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%',
  request_id: '%REQ(X-REQUEST-ID)%',
  upstream_service_time: '%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
  user_agent: '%REQ(USER-AGENT)%',
  x_forwarded_for: '%REQ(X-FORWARDED-FOR)%',
};

const plainKeys =
  'bytes_received bytes_sent connection_termination_details downstream_local_address downstream_peer_uri_san ' +
  'downstream_remote_address duration protocol requested_server_name response_code response_code_details ' +
  'response_flags route_name start_time upstream_cluster upstream_host upstream_local_address ' +
  'upstream_transport_failure_reason';

/** The default JSON line, which has Istio's keys and the client's identity. */
export const defaultJsonFormat: Readonly<Record<string, string>> = {
  ...namedKeys,
  ...Object.fromEntries(plainKeys.split(' ').map((key) => [key, `%${key.toUpperCase()}%`])),
};

/** The values of one line, or why it has none. */
export type ReadLine = { readonly values: readonly LogValue[] } | { readonly fault: string };

/** Reads lines of the access log that a mesh configuration asks for, and of both default formats. */
export class LogReader {
  readonly #text: readonly TextLogFormat[];
  readonly #json: readonly JsonLogFormat[];

  /** Throws a SyntaxError where a JSON format is no JSON. */
  constructor({ accessLogFormat: written, accessLogEncoding: encoding }: LogSettings) {
    const own = written === '' ? [] : [written];
    this.#text = [...(encoding === 'TEXT' ? own : []), defaultTextFormat].map((format) => new TextLogFormat(format));
    const ofJson = encoding === 'JSON' ? own.map((text) => JSON.parse(text) as unknown) : [];
    this.#json = [...ofJson, defaultJsonFormat].map((format) => new JsonLogFormat(format));
  }

  read(line: string): ReadLine {
    const text = line.replace(/\r?\n$/, '');
    const json = parseObject(text);
    const repeated = json && mayRepeatKey(text, json) ? repeatedKey(text) : undefined;
    if (repeated !== undefined) {
      return {
        fault: `the line has the key "${repeated.key}" twice: Envoy writes each once, and readers differ about which counts`,
      };
    }
    const faults = new Set<LineFault>();
    for (const format of json === undefined ? this.#text : this.#json) {
      const values = format instanceof TextLogFormat ? format.read(text) : format.read(json ?? {});
      if (typeof values !== 'string') {
        const fault = faultIn(values);
        return fault === undefined ? { values } : { fault };
      }
      faults.add(values);
    }
    if (faults.has('ambiguous')) {
      return {
        fault: 'the line can be read in more than one way, because a value has blanks or quotes: log JSON instead',
      };
    }
    const tried = 'that of accessLogFormat of the mesh configuration, if it has one, or the default one';
    return { fault: `the line has none of the known formats: ${tried}, as text or JSON` };
  }
}

/** What the prediction is compared with, or depends on: a value that Envoy does not write must not count as none. */
const writtenForms: Readonly<Record<string, { readonly form: RegExp; readonly expected: string }>> = {
  PROTOCOL: { form: /^HTTP\/(?:1\.[01]|2|3)$/, expected: 'HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3' },
  RESPONSE_CODE: { form: /^\d{1,3}$/, expected: 'a status, or 0 where there was no answer' },
  START_TIME: {
    form: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
    expected: 'a time such as 2026-01-31T12:00:00.000Z',
  },
};

function faultIn(values: readonly LogValue[]): string | undefined {
  for (const { operator, value } of values) {
    const written = operator.argument === '' && operator.limit === undefined ? writtenForms[operator.name] : undefined;
    if (written === undefined || value === undefined || written.form.test(value)) continue;
    return `%${operator.name}% of the line is "${value.slice(0, 100)}", expected ${written.expected}`;
  }
  return undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // A text format may begin with a brace.
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads lines of one JSON format; objects in it may hold objects. */
class JsonLogFormat {
  readonly #leaves: readonly { readonly path: readonly string[]; readonly format: TextLogFormat }[];

  constructor(format: unknown) {
    this.#leaves = leavesOf(format, []);
  }

  /** Keys that the line lacks are left out; a line without any is of another form. */
  read(line: Readonly<Record<string, unknown>>): readonly LogValue[] | LineFault {
    const all: LogValue[] = [];
    for (const { path, format } of this.#leaves) {
      const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), line);
      // No header is null. The text `-` is that of a client, or of an old Envoy for none: nothing is known of the header.
      if (value === undefined || (value === '-' && format.isHeader)) continue;
      // Lists and objects are of another writer.
      if (typeof value === 'object' && value !== null) return 'other form';
      const text = value === null ? '-' : String(value);
      const values = format.readAlone(text) ?? format.read(text);
      if (typeof values === 'string') return values;
      all.push(...values);
    }
    return all.length === 0 ? 'other form' : all;
  }
}

function leavesOf(
  format: unknown,
  path: readonly string[],
): readonly { readonly path: readonly string[]; readonly format: TextLogFormat }[] {
  if (typeof format === 'string') return [{ path, format: new TextLogFormat(format) }];
  if (!isObject(format)) return [];
  return Object.entries(format).flatMap(([key, value]) => leavesOf(value, [...path, key]));
}
