import type { AdminClient } from '../admin.ts';

/** Envoy's own words of `/ready`. */
export type ServerState = 'LIVE' | 'DRAINING' | 'PRE_INITIALIZING' | 'INITIALIZING';

/** The state of the server; LIVE is told also when no listener has been made yet. */
export async function readServerState(admin: AdminClient): Promise<ServerState> {
  const { body } = await admin.get('/ready');
  return body.trim() as ServerState;
}
