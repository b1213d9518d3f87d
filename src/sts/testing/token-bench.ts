import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { systemClock } from '../../lib/clock.ts';
import type { OutgoingObserver } from '../../lib/outgoing-observer.ts';
import { createCloudExchange } from '../cloud-exchange.ts';
import { grantType, jwtType } from '../names.ts';
import { serveTokens, type TokenServer } from '../serve-tokens.ts';
import { startTestCloud, type TestCloud, workloadToken } from './test-cloud.ts';

/** The token of the workload, and the scope that is asked for unless a request says otherwise. */
export const token = workloadToken();
export const scope = 'https://www.googleapis.com/auth/cloud-platform';

/** Where the cluster is in the cloud. */
export const clusterUrl = 'https://container.googleapis.com/v1/projects/p/locations/z/clusters/c';

const good = { grant_type: grantType, subject_token: token, subject_token_type: jwtType };

/** The token service of one test before a cloud that does what the test says. */
export interface TokenBench {
  readonly cloud: TestCloud;
  readonly server: TokenServer;
  /** What the observer of requests heard, in order. */
  readonly heard: readonly string[];
  /** Another service in place of this one. */
  serve(changes: Partial<ServeOptions>): Promise<void>;
  /** One request by curl, to `path` of the service. */
  curl(path: string, ...flags: readonly string[]): Promise<CurlAnswer>;
  /** A good request for a token, changed. */
  ask(changes?: Readonly<Record<string, string>>): Promise<CurlAnswer>;
  close(): Promise<void>;
}

interface ServeOptions {
  readonly host: '127.0.0.1' | '::1';
  /** False: the client knows none but the world's roots. */
  readonly trusts: boolean;
  /** Where the cloud is asked; where it is unless said otherwise. */
  readonly origin: string;
  /** False: no plug-in is there. */
  readonly withManager: boolean;
}

/** An answer of the service. */
export interface CurlAnswer {
  readonly status: number;
  /** Status line and headers, in small letters. */
  readonly head: string;
  readonly body: string;
  json(): Record<string, unknown>;
}

/** Starts cloud and service. */
export async function startTokenBench(): Promise<TokenBench> {
  const cloud = await startTestCloud();
  const heard: string[] = [];
  let server = await serve(cloud, heard, {});
  const ask = (path: string, flags: readonly string[]) => curl(server.port, path, flags);
  return {
    cloud,
    heard,
    get server() {
      return server;
    },
    serve: async (changes) => {
      await server.close();
      server = await serve(cloud, heard, changes);
    },
    curl: (path, ...flags) => ask(path, flags),
    ask: (changes) => ask('/token', form(changes)),
    close: async () => {
      await server.close();
      cloud.close();
    },
  };
}

function serve(cloud: TestCloud, heard: string[], options: Partial<ServeOptions>): Promise<TokenServer> {
  const { host = '127.0.0.1', trusts = true, origin = cloud.origin, withManager = true } = options;
  const clock = systemClock;
  const manager = createCloudExchange(
    {
      trustDomain: 'cluster.local',
      clusterUrl,
      endpoints: { securityTokens: origin, credentials: origin },
      ...(trusts ? { roots: cloud.roots } : {}),
      clock,
      outgoing: outgoing(heard),
    },
    '7',
  );
  return serveTokens({ host, port: 0, manager: withManager ? manager : undefined, clock });
}

const outgoing = (heard: string[]): OutgoingObserver => ({
  requested: (type) => void heard.push(`requested ${type}`),
  retried: (type) => void heard.push(`retried ${type}`),
  failed: (type) => void heard.push(`failed ${type}`),
  finished: (type, ms) => void heard.push(`finished ${type} ${ms > 0}`),
});

/** The fields of a good request, changed, as curl's flags. */
export const form = (changes: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.entries({ ...good, ...changes }).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`]);

async function curl(port: number, path: string, flags: readonly string[]): Promise<CurlAnswer> {
  const url = `http://127.0.0.1:${port}${path}`;
  const { stdout } = await promisify(execFile)('curl', ['-s', '-i', '-m', '20', ...flags, url]);
  const [head = '', body = ''] = stdout.replace('HTTP/1.1 100 Continue\r\n\r\n', '').split('\r\n\r\n');
  const json = (): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body, json };
}
