import type { DesiredTable } from './change-table.ts';
import type { RedirectRule } from './rule.ts';
import { heldChains, type SavedTable } from './saved-rules.ts';

/** The two tables of a filter that capture inbound connections, as they are and as they are to be. */
export interface Tables<T> {
  readonly mangle: T;
  readonly nat: T;
}

const chain = 'MESH_INBOUND';

/**
 * The rule by which nat leaves alone what mangle has taken, while capture moves from one table to the other and both are
 * there; undefined when it does not move. A connection that both took would be lost for as long as the proxy still
 * remembers an earlier one from the same port of the client: TPROXY gives it to a listening socket, REDIRECT then changes
 * its port to that of the socket in TIME-WAIT.
 */
export function handOverRule(before: Tables<SavedTable>, after: Tables<DesiredTable>): RedirectRule | undefined {
  const hadTproxy = before.mangle.has('MESH_TPROXY');
  const getsTproxy = after.mangle.chains.includes('MESH_TPROXY');
  if (hadTproxy === getsTproxy || heldChains('nat', before.nat).has(chain)) return undefined;
  if (hadTproxy ? !after.nat.chains.includes(chain) : !before.nat.has(chain)) return undefined;
  const texts = hadTproxy
    ? (before.mangle.get('MESH_TPROXY')?.rules ?? [])
    : after.mangle.rules.map(({ args }) => args.join(' '));
  const mark = texts.flatMap((text) => /--tproxy-mark (\w+)/.exec(text)?.[1] ?? [])[0];
  if (mark === undefined) return undefined;
  const args = ['-m', 'mark', '--mark', mark, '-j', 'RETURN'];
  return { table: 'nat', chain, at: 1, args, purpose: 'taken by TPROXY already' };
}
