import type { Testbed } from '../../src/testbed/testbed.ts';

/** What curl prints and how it exits: an answer, or a connection that the server's proxy resets. */
export type Outcome = 'answers' | 'is reset';

/** One row of the specification's outcome table. */
export interface OutcomeRow {
  readonly title: string;
  /** File of examples/first-mesh/policies; undefined for no policy. */
  readonly file: string | undefined;
  /** What a client without a sidecar gets from the backends in foo and in bar; a client with one is always answered. */
  readonly withoutSidecar: Readonly<Record<'foo' | 'bar', Outcome>>;
  /** Backends that a client's sidecar calls in plain text. */
  readonly plainText: readonly string[];
}

/** A request of the table and what the specification says of it. */
export interface OutcomeCell {
  /** Client and backend, as `namespace/name`. */
  readonly from: string;
  readonly server: string;
  readonly status: '200' | '000';
  readonly exitCode: 0 | 56;
  /** The backend sees X-Forwarded-Client-Cert, the sign of mutual TLS. */
  readonly isMutualTls: boolean;
}

/** The specification's table ("What the service does"), in its order. */
export const outcomeRows: readonly OutcomeRow[] = [
  {
    title: 'no policy',
    file: undefined,
    withoutSidecar: { foo: 'answers', bar: 'answers' },
    plainText: [],
  },
  {
    title: 'STRICT for the whole mesh',
    file: 'mesh-strict.yaml',
    withoutSidecar: { foo: 'is reset', bar: 'is reset' },
    plainText: [],
  },
  {
    title: 'STRICT for namespace foo',
    file: 'namespace-strict.yaml',
    withoutSidecar: { foo: 'is reset', bar: 'answers' },
    plainText: [],
  },
  {
    title: 'STRICT for the backend in bar, with a destination rule',
    file: 'workload-strict.yaml',
    withoutSidecar: { foo: 'answers', bar: 'is reset' },
    plainText: [],
  },
  {
    title: 'DISABLE for the backend in foo, under STRICT for namespace foo',
    file: 'workload-disable.yaml',
    withoutSidecar: { foo: 'answers', bar: 'answers' },
    plainText: ['foo'],
  },
];

/** The row's six requests: with sidecar to both backends, without to both, and either to the backend without one. */
export function outcomeCells(row: OutcomeRow): OutcomeCell[] {
  const backends = ['foo', 'bar'] as const;
  return [
    ...backends.map((backend) => cell('foo/curl', backend, 'answers', !row.plainText.includes(backend))),
    ...backends.map((backend) => cell('legacy/curl', backend, row.withoutSidecar[backend], false)),
    ...['foo/curl', 'legacy/curl'].map((from) => cell(from, 'legacy', 'answers', false)),
  ];
}

/** `status exit TLS` of each cell, once for every different thing that was seen; over IPv4 and IPv6 in turn. */
export async function outcomesOf(
  testbed: Testbed,
  cells: readonly OutcomeCell[],
  count: number,
): Promise<Record<string, string[]>> {
  const outcomeOf = async ({ from, server }: OutcomeCell): Promise<[cell: string, seen: string[]]> => {
    const seen = new Set<string>();
    for (let i = 0; i < count; i += 1) {
      const to = server.split('/').reverse().join('.');
      const answer = await testbed.request({ from, to, ipv6: i % 2 === 1, path: '/headers' });
      const isMutualTls = answer.body.includes('"x-forwarded-client-cert"');
      seen.add(`${answer.status} ${answer.exitCode} ${isMutualTls ? 'mutual TLS' : 'plain'}`);
    }
    return [`${from} -> ${server}`, [...seen]];
  };
  return Object.fromEntries(await Promise.all(cells.map(outcomeOf)));
}

/** What {@link outcomesOf} gives where all is as specified. */
export function expectedOutcomes(cells: readonly OutcomeCell[]): Record<string, string[]> {
  return Object.fromEntries(
    cells.map(({ from, server, status, exitCode, isMutualTls }) => [
      `${from} -> ${server}`,
      [`${status} ${exitCode} ${isMutualTls ? 'mutual TLS' : 'plain'}`],
    ]),
  );
}

function cell(from: string, namespace: string, outcome: Outcome, isMutualTls: boolean): OutcomeCell {
  const server = `${namespace}/httpbin`;
  return outcome === 'answers'
    ? { from, server, status: '200', exitCode: 0, isMutualTls }
    : { from, server, status: '000', exitCode: 56, isMutualTls: false };
}
