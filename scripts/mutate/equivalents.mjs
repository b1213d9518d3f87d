/**
 * Changes that change nothing that anybody can see, or nothing that harms, such as a message that gets longer: found by a
 * run, looked at by a person. `before` and `after` are those of a run's line, `at` is text of the source line, and
 * `reason` says why no test can notice the change, or need not.
 */
export const equivalents = [
  {
    file: 'src/agent/status/blocked-workers.ts',
    at: 'if (now === undefined || written === undefined)',
    before: '||',
    after: '&&',
    reason: 'without a figure the difference is not a number, which is longer than no patience',
  },
  {
    file: 'src/agent/status/blocked-workers.ts',
    at: 'if (now === undefined || written === undefined)',
    before: 'now === undefined || written === undefined',
    after: 'false',
    reason: 'without a figure the difference is not a number, which is longer than no patience',
  },
  {
    file: 'src/compiler/lower/outbound/routes.ts',
    at: 'lowering.memo.of([catchAll, ...virtualHosts]',
    before: 'catchAll, ',
    after: '',
    reason: 'a memo belongs to one settings value, of which alone the catch-all is made',
  },
  {
    file: 'src/control/server/monitoring.ts',
    at: 'request.resume();',
    before: 'request.resume();',
    after: ';',
    reason: 'Node reads what is left of a request itself once it is answered',
  },
  {
    file: 'src/lib/nearest.ts',
    at: 'return previous[b.length] ?? 0',
    before: '0',
    after: '1',
    reason: 'the row always has that column',
  },
  {
    file: 'src/redirect/change-table.ts',
    at: '!desired.chains.includes(chain) && !held.has(chain));',
    before: 'has',
    after: 'delete',
    reason: 'the map is asked for each chain once and read by nobody after that',
  },
  {
    file: 'src/redirect/lock.ts',
    at: 'const retryMs = 50',
    before: '50',
    after: '51',
    reason: 'another command takes its turn a millisecond later',
  },
  {
    file: 'src/redirect/validate-probe.ts',
    at: 'randomBytes(tokenLength / 2)',
    before: '/',
    after: '*',
    reason: 'a longer token comes in one packet too',
  },
  {
    file: 'src/xds/scoped-streams.ts',
    at: '#nonce = 0',
    before: '0',
    after: '1',
    reason: 'a nonce says no more than that it is another one',
  },
];
