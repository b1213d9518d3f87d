import { type IncomingHttpHeaders, request } from 'node:http';
import { createLog } from '../../log/log.ts';
import { actionCallers } from '../action-callers.ts';
import { loopback } from '../dial.ts';
import { MergedMetrics, type MetricsSources } from '../merged-metrics.ts';
import { Readiness } from '../readiness.ts';
import { type StatusOptions, type StatusServer, startStatusServer } from '../status-server.ts';

/** A status server on a port of its own, with an Envoy that is what the test says. */
export interface StatusBench extends StatusServer {
  readonly lines: readonly string[];
  /** What was asked for by way of the actions. */
  readonly actions: readonly string[];
  /** The parts of metrics that were counted as missing. */
  readonly failures: readonly string[];
}

export interface StatusBenchOptions extends Partial<StatusOptions> {
  readonly sources?: Partial<MetricsSources>;
}

export async function startStatusBench({ sources, ...options }: StatusBenchOptions = {}): Promise<StatusBench> {
  const lines: string[] = [];
  const actions: string[] = [];
  const failures: string[] = [];
  const log = createLog({ isJson: false, level: 'info', write: (line) => void lines.push(line) });
  const get = async () => ({ status: 200, body: 'LIVE\n' });
  const server = await startStatusServer({
    port: 0,
    readiness: new Readiness({ admin: () => ({ get, post: get }), state: () => 'running' }),
    probes: new Map(),
    addresses: () => loopback,
    metrics: new MergedMetrics({
      admin: () => undefined,
      targets: [],
      addresses: () => loopback,
      own: async () => 'agent_metric 1\n',
      observer: { scraped: () => undefined, failed: (part) => void failures.push(part) },
      log,
      ...sources,
    }),
    actions: {
      drain: async () => void actions.push('drain'),
      quit: () => void actions.push('quit'),
    },
    refusalOf: actionCallers(() => undefined, log),
    log,
    ...options,
  });
  return { ...server, lines, actions, failures };
}

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly host?: string;
  /** The caller's own address. */
  readonly from?: string;
  readonly body?: string;
}

export interface Answered {
  /** 0: the connection was refused or cut. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request with its path as it is given, on a connection of its own. */
export function ask(port: number, asked: Asked = {}): Promise<Answered> {
  const { method = 'GET', path = '/healthz/ready', headers = {}, host = '127.0.0.1', from, body } = asked;
  return new Promise((resolve) => {
    const local = from === undefined ? {} : { localAddress: from };
    const call = request({ host, port, method, path, headers, agent: false, ...local }, (response) => {
      let text = '';
      const done = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      response.on('data', (part) => (text += part));
      response.on('end', done);
      response.on('error', done);
    });
    call.on('error', () => resolve({ status: 0, headers: {}, body: '' }));
    call.end(body);
  });
}
