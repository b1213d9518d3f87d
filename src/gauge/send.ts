import type { GaugeClient, RawAnswer } from './client.ts';
import { sawHeaders } from './echo.ts';
import type { SentCase } from './gauge-case.ts';
import { groups } from './groups.ts';

/** What the client saw of one case. */
export interface ClientView {
  /** Number of the connection, in the order in which they were opened. */
  readonly connection: number;
  /** The case that was sent first on it. */
  readonly opener: number;
  readonly status: number;
  readonly ending?: string;
  readonly sawPath?: string;
  readonly sawHost?: string;
  readonly saw?: Readonly<Record<string, string>>;
  readonly grpcStatus?: number;
}

/** What was sent: the cases in their order, and by which words the access log knows each connection. */
export interface Sent {
  readonly cases: ClientView[];
  readonly connections: string[];
  /** How many connections were begun. */
  opened: number;
}

/** A connection that is open, and by which words the access log knows it. */
export interface OpenConnection {
  readonly client: GaugeClient;
  readonly ends: string;
}

/** How the cases are sent. */
export interface Sending<Case> {
  /** Cases with the same key share a connection, until one of their answers ends it. */
  readonly keyOf: (sent: Case, index: number) => string;
  /** `count`: how many were begun before. */
  readonly open: (sent: Case, count: number) => OpenConnection | Promise<OpenConnection>;
}

/** Connections side by side, the requests of each one after the other. */
export async function sendAll<Case extends SentCase>(cases: readonly Case[], sending: Sending<Case>): Promise<Sent> {
  const byConnection = groups(cases.keys(), (i) => sending.keyOf(cases[i] as Case, i));
  const sent: Sent = { cases: [], connections: [], opened: 0 };
  const waiting = [...byConnection.values()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await sendOver(next, cases, sending, sent);
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  return sent;
}

async function sendOver<Case extends SentCase>(
  indexes: readonly number[],
  cases: readonly Case[],
  { open }: Sending<Case>,
  sent: Sent,
): Promise<void> {
  let current: { readonly client: GaugeClient; readonly number: number; readonly opener: number } | undefined;
  for (const i of indexes) {
    const one = cases[i] as Case;
    if (current === undefined) {
      const { client, ends } = await open(one, sent.opened++);
      current = { client, number: sent.connections.push(ends) - 1, opener: i };
    }
    const answer = await current.client.send(one.request);
    sent.cases[i] = { connection: current.number, opener: current.opener, ...viewOf(answer) };
    if (!answer.isLast) continue;
    current.client.close();
    current = undefined;
  }
  current?.client.close();
}

function viewOf({ status, ending, headers }: RawAnswer): Omit<ClientView, 'connection' | 'opener'> {
  const sawPath = headers.get('x-saw-path');
  const sawHost = headers.get('x-saw-host');
  const grpc = headers.get('grpc-status');
  const saw = Object.fromEntries(sawHeaders.map((name) => [name, headers.get(`x-saw-${name}`) ?? '-']));
  return {
    status,
    ...(ending !== undefined && { ending }),
    // Envoy leaves out a header that would be empty.
    ...(sawPath !== undefined && { sawPath, sawHost: sawHost ?? '', saw }),
    ...(grpc !== undefined && { grpcStatus: Number(grpc) }),
  };
}
