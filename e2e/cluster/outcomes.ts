import { delay } from '../../src/lib/abort.ts';
import type { Testbed } from '../../src/testbed/testbed.ts';
import type { OutcomeCell } from '../mesh/outcome-table.ts';

/** What became of each request, by `client -> server`. */
export type Outcomes = ReadonlyMap<string, string>;

/** Makes each request once, side by side. */
export async function tryAll(testbed: Testbed, cells: readonly OutcomeCell[]): Promise<Outcomes> {
  const tried = cells.map(async ({ from, server }): Promise<[string, string]> => {
    const to = server.split('/').reverse().join('.');
    const { status, body, exitCode } = await testbed.request({ from, to, path: '/headers' });
    const manner = body.includes('"x-forwarded-client-cert"') ? 'mutual TLS' : 'plain text';
    return [`${from} -> ${server}`, status === '200' ? `200, ${manner}` : `${status}, exit ${exitCode}`];
  });
  return new Map(await Promise.all(tried));
}

/**
 * Makes the requests until the outcomes are those of `should`, for five seconds at most, and gives the last: Envoy acknowledges a
 * listener before each of its threads has taken it up, which takes longer on a busy machine.
 */
export async function tryUntil(should: Outcomes, testbed: Testbed, cells: readonly OutcomeCell[]): Promise<Outcomes> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const seen = await tryAll(testbed, cells);
    if (changes(should, seen).length === 0 || performance.now() > deadline) return seen;
    await delay(100);
  }
}

/** What the specification's outcome table says of them. */
export function expected(cells: readonly OutcomeCell[]): Outcomes {
  return new Map(
    cells.map(({ from, server, status, exitCode, isMutualTls }) => [
      `${from} -> ${server}`,
      status === '200' ? `200, ${isMutualTls ? 'mutual TLS' : 'plain text'}` : `${status}, exit ${exitCode}`,
    ]),
  );
}

/** Lines of the requests whose outcome is another than before. */
export function changes(before: Outcomes, after: Outcomes): readonly string[] {
  const changed = [...after].filter(([request, outcome]) => before.get(request) !== outcome);
  return changed.map(([request, outcome]) => `  ${request.padEnd(30)}${outcome}`);
}
