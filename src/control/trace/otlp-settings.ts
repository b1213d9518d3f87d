import type { Environment } from '../../config/environment.ts';
import { UsageError } from '../../lib/usage-error.ts';

/** Where spans are sent, and how. */
export interface OtlpSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
  /** What the spans are of: `service.name` and more. */
  readonly resource: Readonly<Record<string, string>>;
}

const common = 'OTEL_EXPORTER_OTLP_';
const ofTraces = 'OTEL_EXPORTER_OTLP_TRACES_';

/** OpenTelemetry's variables that `meshd` reads. */
export const otlpVariables = [
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description:
      'URL that spans of pushes are sent to (OTLP over HTTP, in JSON); the path /v1/traces is appended. To OTEL_EXPORTER_OTLP_TRACES_ENDPOINT nothing is appended (default: no spans are sent)',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    description:
      'headers of the requests that send spans, key=value, with commas between them; also OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_COMPRESSION',
    description: 'compression of the spans, none or gzip; also OTEL_EXPORTER_OTLP_TRACES_COMPRESSION',
    default: 'none',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    description: 'only http/json is supported, another value is an error; also OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
    default: 'http/json',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    description: 'timeout of a request that sends spans, in milliseconds; also OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
    default: '10000',
  },
  { name: 'OTEL_RESOURCE_ATTRIBUTES', description: 'attributes of all spans, key=value, with commas between them' },
  { name: 'OTEL_SDK_DISABLED', description: 'true: no spans are sent', default: 'false' },
  { name: 'OTEL_SERVICE_NAME', description: 'service.name of the spans', default: 'meshd' },
  { name: 'OTEL_TRACES_EXPORTER', description: 'none: no spans are sent', default: 'otlp' },
] as const;

/** Would change what is sent or whom it is sent to, and has no effect here. */
const unsupported = ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY', 'INSECURE'].flatMap((name) => [
  common + name,
  ofTraces + name,
]);

/**
 * Settings from the variables of OpenTelemetry's specification for OTLP exporters; undefined if no endpoint is set or the
 * exporter is switched off. Throws `UsageError` for an invalid value, and for a variable that would have no effect.
 */
export function otlpSettingsOf(environment: Environment, version: string): OtlpSettings | undefined {
  const url = urlOf(environment);
  if (url === undefined || /^true$/i.test(environment.OTEL_SDK_DISABLED ?? '')) return undefined;
  const exporter = environment.OTEL_TRACES_EXPORTER || 'otlp';
  if (exporter === 'none') return undefined;
  if (exporter !== 'otlp') throw new UsageError(`OTEL_TRACES_EXPORTER is otlp or none, not "${exporter}"`);
  const unused = unsupported.find((name) => (environment[name] ?? '') !== '');
  if (unused !== undefined) {
    throw new UsageError(
      `not supported: ${unused}; NODE_EXTRA_CA_CERTS names further roots for an endpoint with https`,
    );
  }
  oneOf(environment, 'PROTOCOL', ['http/json']);
  return {
    url,
    headers: { ...pairs(environment, `${common}HEADERS`), ...pairs(environment, `${ofTraces}HEADERS`) },
    timeoutMs: timeoutOf(environment),
    isCompressed: oneOf(environment, 'COMPRESSION', ['none', 'gzip']) === 'gzip',
    resource: {
      ...{ 'service.name': 'meshd', 'service.version': version },
      ...pairs(environment, 'OTEL_RESOURCE_ATTRIBUTES'),
      ...(environment.OTEL_SERVICE_NAME && { 'service.name': environment.OTEL_SERVICE_NAME }),
    },
  };
}

/** The variable for traces counts before the one for everything. */
function read(environment: Environment, name: string): { readonly name: string; readonly text: string } {
  const own = environment[ofTraces + name];
  return own ? { name: ofTraces + name, text: own } : { name: common + name, text: environment[common + name] ?? '' };
}

/** That of traces is used as it stands, the one for everything gets the path. */
function urlOf(environment: Environment): string | undefined {
  const { name, text } = read(environment, 'ENDPOINT');
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new UsageError(`${name} is a URL with http or https, without a password, such as http://localhost:4318`);
  }
  if (name.startsWith(ofTraces)) return url.href;
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

function oneOf(environment: Environment, variable: string, known: readonly string[]): string | undefined {
  const { name, text } = read(environment, variable);
  if (text !== '' && !known.includes(text)) throw new UsageError(`${name} is ${known.join(' or ')}, not "${text}"`);
  return text === '' ? undefined : text;
}

const usualTimeoutMs = 10_000;

function timeoutOf(environment: Environment): number {
  const { name, text } = read(environment, 'TIMEOUT');
  if (text === '') return usualTimeoutMs;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(`${name} is a whole number of milliseconds, not "${text}"`);
  return Number(text);
}

/** `key=value,key=value`, with values in percent-encoding; they may be secret, and are not told. */
function pairs(environment: Environment, name: string): Readonly<Record<string, string>> {
  const parts = (environment[name] ?? '').split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf('=');
      const [key, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
      const isHeader = !name.endsWith('HEADERS') || /^[\w!#$%&'*+.^`|~-]+$/.test(key);
      const decoded = decode(value);
      if (at <= 0 || key === '' || !isHeader || decoded === undefined || /[\r\n\0]/.test(decoded))
        throw new UsageError(`${name} is key=value, with commas between pairs and values in percent-encoding`);
      return [key, decoded];
    }),
  );
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
